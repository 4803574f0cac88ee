/*-------------------------------------------------------------------------
 *
 * sweep.c
 *		commit_delay_sweep(): tries each commit_delay, on the live load.
 *
 *	pair		of commit_delay and commit_siblings; the delay that adapts can
 *				be one more pair
 *	slot		a time in which all commits use one pair (delay_override.c)
 *	round		a slot for every pair, in random order, so that a load which
 *				grows or has a rhythm of its own favours no pair
 *
 *	|    settling    |            counted             | reserve |
 *	start of the slot                                          deadline
 *
 * Nearly all commits that began with the previous pair end during the
 * settling.  If the previous pair has a long commit_delay, settling and slot
 * are that much longer.  During the reserve, the counters are read and the
 * next pair is ordered, before the deadline sends commits back to their own
 * settings.  A slot that was read too late does not count.  How much the slots
 * of a pair differ from round to round says how sure its figures are.
 *
 * A slot in which sessions committed and none of their commits ended is a
 * stall, and counts.  The load has ended if a whole round has no commits and
 * no session was in one at the end of any slot.
 *
 * A pair that exceeds max_p99 (sweep_watch.c) ends its slot at once and is not
 * tried again.  Pairs whose delay alone would exceed it are never tried.
 *
 * The delay that adapts learns before the rounds begin, as slots are too short
 * for that, and then no more.  Its slots are counted from a window of a quota
 * later, as the pair before may have used the quota up.
 *
 * Invariant: however this process or this function ends, no commit begins with
 * a pair of the sweep later than one slot after that.
 *
 * Locking: that of delay_override.c, while a sweep runs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "common/pg_prng.h"
#include "storage/ipc.h"
#include "utils/timestamp.h"

#include "base/clock.h"
#include "base/compat.h"
#include "base/wait.h"
#include "control/adaptive_delay.h"
#include "control/delay_override.h"
#include "stats/srf.h"
#include "tuning/tuning.h"

PG_FUNCTION_INFO_V1(commit_delay_sweep_1_0);

/* Fewer rounds do not show how much the figures of a pair vary. */
#define MIN_ROUNDS	3

/*
 * Commits may keep a pair for one slot after its sweep has died, so slots have
 * a maximum.  Shorter ones than the minimum would be mostly settling.
 */
#define MIN_SLOT		(100 * NS_PER_MS)
#define MAX_SLOT		(10 * NS_PER_S)
#define A_DAY				(86400 * NS_PER_S)	/* of duration and max_p99 */

typedef enum SweepArgument
{
	ARG_DELAYS,
	ARG_SIBLINGS,
	ARG_DURATION,
	ARG_SLOT,
	ARG_MAX_P99,
	ARG_ADAPTIVE
} SweepArgument;

/* What the arguments say */
typedef struct SweepPlan
{
	DelayPairs	pairs;
	int			rounds;
	uint64		slot;			/* ns for one pair */
	double		max_p99;		/* ns; infinity: no limit */
} SweepPlan;

/* True if a sleep alone takes max_p99 */
static bool
delay_exceeds(const SweepPlan *plan, const DelayPair *pair)
{
	return pair->delay <= COMMIT_DELAY_MAX &&
		pair->delay * (double) NS_PER_US >= plan->max_p99;
}

/* What was measured of one pair. */
typedef struct PairResult
{
	CounterDelta total;			/* of all slots that count */
	int			rounds;			/* number of these slots */
	double	   *rate;			/* commits/s in each round of the plan; NaN if
								 * its slot does not count */
	double	   *time;			/* mean of a commit in each, ms; NaN also if
								 * there was none */
	MaxP99State limit;			/* max_p99 */
} PairResult;

/*
 * Of the default slot, 200 ms are counted.  Disks with a quota grant it in
 * windows of 100 ms, and a whole number of windows has the same share of the
 * quota wherever it begins.
 */
#define SETTLING(slot)		((slot) * 3 / 20)
#define RESERVE(slot)		((slot) / 20)
#define DEADLINE_SLACK		(2 * NS_PER_MS) /* deadlines are coarse */
#define MAX_LATE_SLOTS		10
#define LEARNING			(5 * NS_PER_S)	/* of the delay that adapts */
#define LEARNING_ORDER		(500 * NS_PER_MS)	/* renewed while it learns */
#define ADAPTIVE_SETTLING	(200 * NS_PER_MS)

typedef enum SlotEnd
{
	MEASURED,
	READ_TOO_LATE,
	EXCEEDED_MAX_P99			/* and ended early, if that was seen early */
} SlotEnd;

/* A sweep under way; local memory. */
typedef struct Sweep
{
	const SweepPlan *plan;
	PairResult *results;		/* one for each pair */
	PairResult *before;			/* these, before the present round */
	PairResult *before_last;	/* ... and before the last one */
	int			round;			/* the present one, from 0 */
	int		   *order;			/* of the pairs in it */
	int			late_slots;		/* late slots in succession */
	uint64		last_delay;		/* ns; of the previous pair */
	bool		committing;		/* in this round a slot ended with sessions in
								 * a commit */
	SweepWatch	watch;
} Sweep;

/*----------------------------------------------------------------
 * One slot
 *----------------------------------------------------------------
 */

/*
 * Let commits use pair "i", or their own settings if that is the number of
 * pairs, and count, once leaders that may still sleep "asleep" ns are awake.
 */
static SlotEnd
measure_slot(Sweep *sweep, int i, uint64 asleep, CounterDelta *slot)
{
	const SweepPlan *plan = sweep->plan;
	uint64		start = clock_now();
	uint64		deadline = start + asleep + plan->slot;
	bool		within;
	bool		in_time;
	CounterDelta before;

	sweep_watch_begin(&sweep->watch, i, start, deadline - RESERVE(plan->slot));
	if (i < plan->pairs.n)
	{
		adaptive_delay_pause(deadline);
		delay_override_set(&plan->pairs.pair[i], deadline);
	}
	memset(slot, 0, sizeof(CounterDelta));
	if (!sweep_watch_until(&sweep->watch, start + asleep + SETTLING(plan->slot)))
		return EXCEEDED_MAX_P99;
	counter_delta_take(&before);
	within = sweep_watch_until(&sweep->watch, deadline - RESERVE(plan->slot));
	counter_delta_take(slot);
	in_time = slot->time + DEADLINE_SLACK <= deadline;
	counter_delta_subtract(slot, &before);
	if (within && !in_time)
		return READ_TOO_LATE;
	return within && sweep_watch_settled(&sweep->watch, slot) ?
		MEASURED : EXCEEDED_MAX_P99;
}

/* The commits that exceeded max_p99 in the slot of pair "i"; palloc'd. */
static char *
exceeded_detail(const Sweep *sweep, int i, const CounterDelta *slot)
{
	const WatchedSlot *watched = sweep_watch_exceeded(&sweep->watch, i);
	double		p99 = counter_delta_latency_quantile(slot, 0.99);

	return psprintf(UINT64_FORMAT " commits took longer than %g ms, and " UINT64_FORMAT " of them had not ended yet.%s",
					watched->late, sweep->plan->max_p99 / NS_PER_MS,
					watched->under_way, isnan(p99) ? "" :
					psprintf("  99%% of the others took up to %.3f ms.",
							 p99 / NS_PER_MS));
}

/* Before anything changes: raises an error without a load within max_p99. */
static void
check_load(Sweep *sweep)
{
	const SweepPlan *plan = sweep->plan;
	CounterDelta slot;
	WalRoom		room;
	SlotEnd		end;

	wal_room_begin(&room);
	end = measure_slot(sweep, plan->pairs.n, 0, &slot);
	if (end == EXCEEDED_MAX_P99)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("commits take longer than \"max_p99\" without a sweep"),
				 errdetail("%s", exceeded_detail(sweep, plan->pairs.n, &slot))));
	if (slot.value[SLOT_COMMITS] == 0 && backend_slots_count_committing() == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("there is no load to measure"),
				 errdetail("In %.0f ms no commit waited for its flush, and " UINT64_FORMAT " did not wait (synchronous_commit = off).",
						   (double) slot.time / NS_PER_MS,
						   slot.value[SLOT_COMMITS_ASYNC]),
				 errhint("Call it under the usual load, or with longer slots if commits are rare.")));
	wal_room_warn(&room, &plan->pairs);
}

/*----------------------------------------------------------------
 * Rounds
 *----------------------------------------------------------------
 */

static bool
is_adaptive(const DelayPair *pair)
{
	return pair->delay == DELAY_ADAPTIVE;
}

/* "commit_delay = 100, commit_siblings = 5", or the setting; palloc'd. */
static char *
pair_name(int delay, int siblings)
{
	if (delay == DELAY_ADAPTIVE)
		return pstrdup("commit_stats.adaptive_delay");
	return psprintf("commit_delay = %d, commit_siblings = %d", delay, siblings);
}

/* A random order of the pairs (Fisher-Yates). */
static void
shuffle(int *order, int n)
{
	for (int i = 0; i < n; i++)
	{
		uint64		j = pg_prng_uint64_range(&pg_global_prng_state, 0, i);

		order[i] = order[j];
		order[j] = i;
	}
}

/*
 * Refuse the pairs that exceeded max_p99, which are not tried again: the
 * present one "i", and those with which commits began that were under way.
 */
static void
refuse_exceeded(Sweep *sweep, int i, const CounterDelta *slot)
{
	static const CounterDelta nothing;

	for (int j = 0; j < sweep->plan->pairs.n; j++)
	{
		const DelayPair *pair = &sweep->plan->pairs.pair[j];

		if (sweep_watch_exceeded(&sweep->watch, j) == NULL ||
			sweep->results[j].limit != WITHIN_LIMIT)
			continue;
		sweep->results[j].limit = EXCEEDED;
		ereport(WARNING,
				(errmsg("commits took longer than \"max_p99\" with %s, which is not tried any more",
						pair_name(pair->delay, pair->siblings)),
				 errdetail("%s", exceeded_detail(sweep, j, j == i ? slot : &nothing))));
	}
}

/*
 * The last round had no commits.  The load ended in that round or in the one
 * before, so the results of both are dropped.
 */
static void
end_without_load(Sweep *sweep)
{
	for (int i = 0; i < sweep->plan->pairs.n; i++)
	{
		PairResult *result = &sweep->results[i];
		MaxP99State limit = result->limit;

		*result = sweep->before_last[i];
		result->limit = limit;
		if (result->rounds == 0 && limit == WITHIN_LIMIT)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("the load ended before anything could be measured")));
		for (int r = Max(sweep->round - 1, 0); r <= sweep->round; r++)
			result->rate[r] = result->time[r] = NAN;
	}
	ereport(WARNING,
			(errmsg("commit_delay_sweep ends early: there were no more commits")));
}

static void
add_slot(Sweep *sweep, int i, const CounterDelta *slot)
{
	PairResult *result = &sweep->results[i];

	if (slot->time == 0)
		return;
	counter_delta_add(&result->total, slot);
	result->rounds++;
	result->rate[sweep->round] = counter_delta_rate(slot, SLOT_COMMITS);
	result->time[sweep->round] = counter_delta_mean_latency(slot) / NS_PER_MS;
}

/* The slot of one pair; returns the number of commits. */
static uint64
try_pair(Sweep *sweep, int i)
{
	const DelayPair *pair = &sweep->plan->pairs.pair[i];
	CounterDelta slot;
	SlotEnd		end;

	if (is_adaptive(pair))
		sweep->last_delay += ADAPTIVE_SETTLING;
	end = measure_slot(sweep, i, sweep->last_delay, &slot);
	if (slot.value[SLOT_COMMITS] == 0 && backend_slots_count_committing() > 0)
		sweep->committing = true;
	sweep->last_delay = is_adaptive(pair) ? ADAPTIVE_SETTLING :
		pair->delay * NS_PER_US;
	elog(DEBUG1, "commit_delay_sweep: %s: "
		 UINT64_FORMAT " commits in " UINT64_FORMAT " us until %s%s",
		 pair_name(pair->delay, pair->siblings), slot.value[SLOT_COMMITS],
		 slot.time / NS_PER_US, timestamptz_to_str(GetCurrentTimestamp()),
		 end == READ_TOO_LATE ? ", too late" : "");
	sweep->late_slots = end == READ_TOO_LATE ? sweep->late_slots + 1 : 0;
	if (sweep->late_slots >= MAX_LATE_SLOTS)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("slots of %.0f ms are too short for this server",
						(double) sweep->plan->slot / NS_PER_MS),
				 errhint("Use longer slots.")));
	if (end != READ_TOO_LATE)
		add_slot(sweep, i, &slot);
	refuse_exceeded(sweep, i, &slot);
	return slot.value[SLOT_COMMITS];
}

/* A slot for every pair left.  Returns false if the sweep must end. */
static bool
run_round(Sweep *sweep)
{
	uint64		commits = 0;
	int			left = 0;

	sweep->committing = false;
	shuffle(sweep->order, sweep->plan->pairs.n);
	for (int i = 0; i < sweep->plan->pairs.n; i++)
		if (sweep->results[sweep->order[i]].limit == WITHIN_LIMIT)
			commits += try_pair(sweep, sweep->order[i]);
	for (int i = 0; i < sweep->plan->pairs.n; i++)
		left += sweep->results[i].limit == WITHIN_LIMIT;
	if (left == 0)
		ereport(WARNING,
				(errmsg("commit_delay_sweep ends early: commits took longer than \"max_p99\" with all pairs")));
	else if (commits == 0 && !sweep->committing)
	{
		end_without_load(sweep);
		return false;
	}
	return left > 0;
}

/* The results as best_delay.c reads them; palloc'd. */
static void
sweep_outcomes(const SweepPlan *plan, const PairResult *results,
			   DelayOutcomes *all)
{
	all->n = plan->pairs.n;
	all->outcome = palloc(all->n * sizeof(DelayOutcome));
	all->nrounds = plan->rounds;
	all->resampled = false;
	for (int i = 0; i < all->n; i++)
	{
		const PairResult *result = &results[i];
		const CounterDelta *total = &result->total;
		DelayOutcome *outcome = &all->outcome[i];

		outcome->delay = plan->pairs.pair[i].delay;
		outcome->siblings = plan->pairs.pair[i].siblings;
		outcome->commits = estimate_rounds(result->rate, plan->rounds);
		outcome->rate = result->rate;
		outcome->time = result->time;
		outcome->latency = counter_delta_mean_latency(total) / NS_PER_MS;
		outcome->hit_fraction = counter_delta_delay_hit_fraction(total);
		outcome->limit = result->limit;
	}
}

static void
report_progress(const Sweep *sweep)
{
	DelayOutcomes all;
	int			ahead;

	sweep_outcomes(sweep->plan, sweep->results, &all);
	ahead = best_delay_ahead(&all);
	if (ahead >= 0)
		ereport(NOTICE,
				(errmsg("round %d of %d: %s is ahead with %.0f commits/s",
						sweep->round + 1, sweep->plan->rounds,
						pair_name(all.outcome[ahead].delay,
								  all.outcome[ahead].siblings),
						all.outcome[ahead].commits.mean)));
	else
		ereport(NOTICE,
				(errmsg("round %d of %d: there is nothing to compare yet, as no commits were measured",
						sweep->round + 1, sweep->plan->rounds)));
	pfree(all.outcome);
}

/* True if the delay that adapts is tried and not in use, so it must learn */
static bool
must_learn(const SweepPlan *plan)
{
	return is_adaptive(&plan->pairs.pair[plan->pairs.n - 1]) &&
		!delay_override_is_adaptive();
}

/* Let it learn, unless that exceeds max_p99. */
static void
learn_adaptive(Sweep *sweep)
{
	static const CounterDelta nothing;
	int			last = sweep->plan->pairs.n - 1;
	uint64		start = clock_now();
	uint64		end = start + LEARNING;
	bool		within = true;

	if (!must_learn(sweep->plan))
		return;
	ereport(NOTICE,
			(errmsg("commit_stats.adaptive_delay learns for %d s",
					(int) (LEARNING / NS_PER_S))));
	adaptive_delay_restart();
	sweep_watch_begin(&sweep->watch, last, start, end);
	while (within && clock_now() < end)
	{
		delay_override_set(&sweep->plan->pairs.pair[last],
						   clock_now() + LEARNING_ORDER);
		within = sweep_watch_until(&sweep->watch,
								   Min(clock_now() + LEARNING_ORDER / 2, end));
	}
	refuse_exceeded(sweep, last, &nothing);
}

static void
run_rounds(Sweep *sweep)
{
	Size		size = sweep->plan->pairs.n * sizeof(PairResult);

	/* the slots measure what is known, not what was just being tried */
	adaptive_delay_pause(clock_now() + sweep->plan->slot);
	adaptive_delay_settle();
	for (; sweep->round < sweep->plan->rounds; sweep->round++)
	{
		memcpy(sweep->before_last, sweep->before, size);
		memcpy(sweep->before, sweep->results, size);
		if (!run_round(sweep))
			break;
		report_progress(sweep);
	}
}

/*----------------------------------------------------------------
 * The whole sweep
 *----------------------------------------------------------------
 */

/* However the sweep ends. */
static void
stop_override(int code, Datum arg)
{
	delay_override_clear();
}

/* ns that a sweep takes, if it does not end early. */
static uint64
sweep_length(const SweepPlan *plan)
{
	uint64		round = 0;

	for (int i = 0; i < plan->pairs.n; i++)
	{
		const DelayPair *pair = &plan->pairs.pair[i];

		if (!delay_exceeds(plan, pair))
			round += plan->slot + (is_adaptive(pair) ? 2 * ADAPTIVE_SETTLING :
								   pair->delay * NS_PER_US);
	}
	return plan->slot + plan->rounds * round + (must_learn(plan) ? LEARNING : 0);
}

/* Try all pairs.  Raises an error if another sweep runs. */
static PairResult *
sweep_run(const SweepPlan *plan)
{
	Size		size = plan->pairs.n * sizeof(PairResult);
	Sweep		sweep = {0};

	sweep.plan = plan;
	sweep.results = palloc0(size);
	for (int i = 0; i < plan->pairs.n; i++)
	{
		PairResult *result = &sweep.results[i];

		result->rate = palloc(plan->rounds * sizeof(double));
		result->time = palloc(plan->rounds * sizeof(double));
		for (int r = 0; r < plan->rounds; r++)
			result->rate[r] = result->time[r] = NAN;
		if (delay_exceeds(plan, &plan->pairs.pair[i]))
			result->limit = DELAY_EXCEEDS;
	}
	sweep.before = palloc0(size);
	sweep.before_last = palloc0(size);
	sweep.order = palloc(plan->pairs.n * sizeof(int));
	sweep_watch_init(&sweep.watch, plan->pairs.n, plan->max_p99);
	delay_override_hold();
	PG_ENSURE_ERROR_CLEANUP(stop_override, (Datum) 0);
	{
		check_load(&sweep);
		learn_adaptive(&sweep);
		run_rounds(&sweep);
	}
	PG_END_ENSURE_ERROR_CLEANUP(stop_override, (Datum) 0);
	delay_override_unlock();
	return sweep.results;
}

/*----------------------------------------------------------------
 * From arguments to a plan, from results to rows
 *----------------------------------------------------------------
 */

static void
plan_rounds(SweepPlan *plan, uint64 duration)
{
	int			tried = 0;
	uint64		round;

	for (int i = 0; i < plan->pairs.n; i++)
		tried += !delay_exceeds(plan, &plan->pairs.pair[i]);
	if (tried == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("each of \"delays\" alone exceeds \"max_p99\""),
				 errhint("Add 0 to \"delays\".")));
	round = plan->slot * tried;
	plan->rounds = (int) (duration / round);
	if (plan->rounds < MIN_ROUNDS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg_plural("\"duration\" is too short for %d pair of commit_delay and commit_siblings",
							   "\"duration\" is too short for %d pairs of commit_delay and commit_siblings",
							   tried, tried),
				 errdetail("Each needs %d slots of %g ms, which makes %g seconds.",
						   MIN_ROUNDS, (double) plan->slot / NS_PER_MS,
						   (double) round * MIN_ROUNDS / NS_PER_S),
				 errhint("Use fewer values, a longer duration or shorter slots.")));
}

static void
make_plan(FunctionCallInfo fcinfo, SweepPlan *plan)
{
	tuning_args_pairs(fcinfo, ARG_DELAYS, ARG_SIBLINGS, &plan->pairs);
	tuning_args_require_value(fcinfo, ARG_ADAPTIVE, "adaptive");
	if (PG_GETARG_BOOL(ARG_ADAPTIVE))
		tuning_args_add_adaptive(&plan->pairs);
	plan->slot = tuning_args_interval(fcinfo, ARG_SLOT, "slot", MIN_SLOT,
									  MAX_SLOT);
	plan->max_p99 = INFINITY;
	if (!PG_ARGISNULL(ARG_MAX_P99))
		plan->max_p99 = tuning_args_interval(fcinfo, ARG_MAX_P99, "max_p99", 1,
											 A_DAY);
	plan_rounds(plan, tuning_args_interval(fcinfo, ARG_DURATION, "duration", 0,
										   A_DAY));
}

Datum
commit_delay_sweep_1_0(PG_FUNCTION_ARGS)
{
	SweepPlan	plan;
	PairResult *results;
	DelayOutcomes all;
	int			best;
	Row			row;

	row_init(fcinfo, &row);
	make_plan(fcinfo, &plan);
	tuning_args_require("A standby commits nothing.  Sweep on the primary.");
	wait_require_time(sweep_length(&plan));
	results = sweep_run(&plan);
	sweep_outcomes(&plan, results, &all);
	best = best_delay(&all, CommitSiblings);
	for (int i = 0; i < all.n; i++)
	{
		const DelayOutcome *outcome = &all.outcome[i];
		const CounterDelta *total = &results[i].total;

		if (outcome->delay != DELAY_ADAPTIVE)
		{
			row_number(&row, "commit_delay", outcome->delay);
			row_number(&row, "commit_siblings", outcome->siblings);
		}
		row_number(&row, "rounds", results[i].rounds);
		row_number(&row, "commits", total->value[SLOT_COMMITS]);
		row_rates(&row, total);
		/* in place of all commits by all time: the mean of the slots */
		row_estimate(&row, "commits_per_second", outcome->commits.mean,
					 outcome->commits.low, outcome->commits.high, 1);
		row_latency(&row, total);
		row_bool(&row, "is_best", i == best);
		row_text(&row, "reason",
				 best_delay_reason(&all, CommitSiblings, best, i));
		row_put(&row);
	}
	return (Datum) 0;
}
