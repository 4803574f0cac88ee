/*-------------------------------------------------------------------------
 *
 * sweep.c
 *		commit_delay_sweep(): tries each commit_delay, on the live load.
 *
 *	pair		of commit_delay and commit_siblings; the delay that adapts can
 *				be one more pair
 *	slot		a time in which all commits use one pair (delay_override.c);
 *				an argument says how long (measure_slot())
 *	round		a slot for every pair, in random order, so that a load which
 *				grows or has a rhythm of its own favours no pair
 *
 *	|    settling    |            counted             | reserve |
 *	start of the slot                                          deadline
 *
 * Nearly all commits that began with the previous pair end during the
 * settling, which is longer by the commit_delay of that pair.  During the
 * reserve, the counters are read and the next pair is ordered, before the
 * deadline sends commits back to their own settings.
 *
 * A slot in which sessions committed and none of their commits ended is a
 * stall, and counts.  The load has ended if a whole round has no commits and
 * no session was in one at the end of any slot.
 *
 * A slot exceeds max_p99 if more than 1% of its commits take longer.  That is
 * judged every few milliseconds, from commits that have ended and those under
 * way that have taken longer already, of as many as the slot will have at this
 * rate.  The slot ends at once, and its pair is not tried again.
 *
 * A commit belongs to the slot in which it began, because it keeps the pair
 * that it began with.  Of those that have ended, as many as were under way at
 * the beginning of the slot are forgiven; when the slot is over, those that
 * have ended since its settling.
 *
 * The delay that adapts learns before the rounds begin, as slots are too short
 * for that.  Its slots are counted from a window of a quota later, as the pair
 * before may have used the quota up.
 *
 * Invariant: however this process or this function ends, no commit begins with
 * a pair of the sweep later than one slot after that.
 *
 * Locking: those of delay_override.c and adaptive_delay.c, while a sweep runs.
 * Counters are read as in counter_delta.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "common/pg_prng.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

#include "base/clock.h"
#include "base/compat.h"
#include "base/wait.h"
#include "control/adaptive_delay.h"
#include "control/delay_override.h"
#include "stats/srf.h"
#include "stats/watch.h"
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
	ARG_DURATION = PAIRS_ARGS,
	ARG_SLOT,
	ARG_MAX_P99,
	ARG_ADAPTIVE
} SweepArgument;

/*
 * Of the default slot, 200 ms are counted.  Disks with a quota grant it in
 * windows of 100 ms, and a whole number of windows has the same share of the
 * quota wherever it begins.
 */
#define SETTLING(slot)		((slot) * 3 / 20)
#define RESERVE(slot)		((slot) / 20)
#define DEADLINE_SLACK		(2 * NS_PER_MS) /* deadlines are coarse */
#define MAX_LATE_SLOTS		10
#define LEARNING			(12 * NS_PER_S) /* of the delay that adapts */
#define LEARNING_ORDER		(500 * NS_PER_MS)	/* renewed while it learns */
#define ADAPTIVE_SETTLING	(200 * NS_PER_MS)

#define JUDGE_EVERY		(5 * NS_PER_MS)
#define JUDGE_SHARE		10		/* at most a tenth of the time is for judging */

/* The commits that began in a slot */
typedef struct WatchedSlot
{
	uint64		began_at;		/* clock_now() */
	int			pair;			/* its index */
	uint64		commits;		/* that ended in this slot */
	uint64		late;			/* took longer than max_p99 */
	uint64		under_way;		/* of these, not ended */
} WatchedSlot;

/* A sweep; local memory. */
typedef struct Sweep
{
	/* What the arguments say. */
	DelayPairs	pairs;
	uint64		slot;			/* ns for one pair */
	double		max_p99;		/* ns; infinity: no limit */

	/* What was measured of each pair. */
	DelayOutcomes outcomes;		/* estimates by estimate_outcomes(); a rate is
								 * NaN if its slot does not count */
	CounterDelta *total;		/* of its slots that count */
	CounterDelta *before;		/* these, before the present round */
	CounterDelta *before_last;	/* ... and before the last one */

	/* Where it is. */
	int			round;			/* the present one, from 0 */
	int		   *order;			/* of the pairs in it */
	int			late_slots;		/* late slots in succession */
	uint64		last_delay;		/* ns; of the previous pair */
	bool		committing;		/* in this round a slot ended with sessions in
								 * a commit */

	/* Which slots exceed max_p99.  Without that, nothing is watched. */
	int			nwatched;		/* slots so far */
	WatchedSlot *watched;		/* the last one is under way */
	int			oldest;			/* slot with commits that are under_way */
	uint64		end;			/* when the slot under way will end */
	uint64		carried;		/* commits that were under way as it began */
	CounterDelta start;			/* the counters as it began */
	int		   *exceeded;		/* of each pair: number of the slot that
								 * exceeded max_p99, from 1; 0: none */
} Sweep;

static const CounterDelta nothing;

/* "commit_delay = 100, commit_siblings = 5", or the setting; palloc'd. */
static char *
pair_name(const DelayPair *pair)
{
	return pair->delay == DELAY_ADAPTIVE ? pstrdup("commit_stats.adaptive_delay") :
		psprintf("commit_delay = %d, commit_siblings = %d", pair->delay,
				 pair->siblings);
}

/* True if the delay that adapts is tried and not in use, so it must learn */
static bool
must_learn(const Sweep *sweep)
{
	return sweep->pairs.pair[sweep->pairs.n - 1].delay == DELAY_ADAPTIVE &&
		!delay_override_is_adaptive();
}

/*---- Slots that exceed max_p99 -----------------------------------*/

/* A slot begins; the number of pairs stands for the one before the first. */
static void
begin_watch(Sweep *sweep, int pair, uint64 now, uint64 end)
{
	if (isinf(sweep->max_p99))
		return;
	sweep->watched = repalloc(sweep->watched,
							  (sweep->nwatched + 1) * sizeof(WatchedSlot));
	sweep->oldest = Min(sweep->oldest, sweep->nwatched);
	sweep->watched[sweep->nwatched++] = (WatchedSlot)
	{
		.began_at = now,.pair = pair
	};
	sweep->end = end;
	sweep->carried = backend_slots_count_committing(PG_UINT64_MAX);
	counter_delta_take(&sweep->start);
}

/* Count the commits under way; returns how many there are. */
static uint64
count_under_way(Sweep *sweep, uint64 now)
{
	uint64		n = 0;

	for (int i = sweep->oldest; i < sweep->nwatched; i++)
		sweep->watched[i].under_way = 0;
	sweep->oldest = sweep->nwatched - 1;
	for (int i = 0; i < MaxBackends; i++)
	{
		uint64		since = backend_slots_committing_since(i);
		int			slot = sweep->nwatched - 1;

		if (since == 0)
			continue;
		n++;
		if (clock_elapsed(since, now) <= sweep->max_p99)
			continue;
		/* it may have begun before the first slot */
		while (slot > 0 && sweep->watched[slot].began_at > since)
			slot--;
		sweep->watched[slot].under_way++;
		sweep->oldest = Min(sweep->oldest, slot);
	}
	return n;
}

static uint64
count_late(const Sweep *sweep, const CounterDelta *delta)
{
	uint64		late = 0;

	for (int i = 0; i < HISTOGRAM_NCELLS; i++)
		if (histogram_cell_value(i) > sweep->max_p99)
			late += delta->latency[i];
	return late;
}

static void
judge_slot(Sweep *sweep, int i, uint64 late, double commits)
{
	int		   *exceeded = &sweep->exceeded[sweep->watched[i].pair];

	sweep->watched[i].late = late;
	if (late > 0.01 * commits && *exceeded == 0)
		*exceeded = i + 1;
}

/* Judge the slot under way, and those in which commits under way began. */
static void
judge_slots(Sweep *sweep, uint64 now)
{
	int			last = sweep->nwatched - 1;
	WatchedSlot *current = &sweep->watched[last];
	uint64		elapsed = Max(clock_elapsed(current->began_at, now), 1);
	uint64		length = clock_elapsed(current->began_at, sweep->end);
	uint64		under_way = count_under_way(sweep, now);
	uint64		late;
	CounterDelta delta;

	counter_delta_take(&delta);
	counter_delta_subtract(&delta, &sweep->start);
	late = count_late(sweep, &delta);
	current->commits = delta.value[SLOT_COMMITS];
	for (int i = sweep->oldest; i < last; i++)
		judge_slot(sweep, i, sweep->watched[i].under_way,
				   sweep->watched[i].commits + sweep->watched[i].under_way);
	judge_slot(sweep, last, current->under_way +
			   Max(late, sweep->carried) - sweep->carried,
			   (current->commits + under_way) *
			   Max((double) length / elapsed, 1));
}

/* Until "when"; false as soon as the slot under way exceeds the limit */
static bool
watch_until(Sweep *sweep, uint64 when)
{
	while (!isinf(sweep->max_p99))
	{
		uint64		start = clock_now();
		uint64		took;

		judge_slots(sweep, start);
		if (sweep->exceeded[sweep->watched[sweep->nwatched - 1].pair] != 0)
			return false;
		if (start >= when)
			return true;
		took = clock_elapsed(start, clock_now());
		wait_until(Min(start + took + Max(JUDGE_EVERY, took * JUDGE_SHARE),
					   when));
	}
	wait_until(when);
	return true;
}

/*---- One slot ----------------------------------------------------*/

/*
 * Let commits use pair "i", or their own settings if that is the number of
 * pairs, and count, once leaders that may still sleep "asleep" ns are awake.
 * Returns false if that was read too late.  A slot that exceeds max_p99 ends
 * early, if that is seen early.
 */
static bool
measure_slot(Sweep *sweep, int i, uint64 asleep, CounterDelta *slot)
{
	uint64		start = clock_now();
	uint64		deadline = start + asleep + sweep->slot;
	uint64		end = deadline - RESERVE(sweep->slot);
	bool		within;
	bool		in_time;
	uint64		older;
	CounterDelta before;

	begin_watch(sweep, i, start, end);
	if (i < sweep->pairs.n)
	{
		adaptive_delay_pause(deadline);
		delay_override_set(&sweep->pairs.pair[i], deadline);
	}
	memset(slot, 0, sizeof(CounterDelta));
	if (!watch_until(sweep, start + asleep + SETTLING(sweep->slot)))
		return true;
	older = backend_slots_count_committing(start);
	counter_delta_take(&before);
	within = watch_until(sweep, end);
	older = clock_elapsed(backend_slots_count_committing(start), older);
	counter_delta_take(slot);
	in_time = slot->time + DEADLINE_SLACK <= deadline;
	counter_delta_subtract(slot, &before);
	/* by what it has counted after its settling, less what was older */
	if (within && in_time && !isinf(sweep->max_p99))
		judge_slot(sweep, sweep->nwatched - 1,
				   Max(clock_elapsed(older, count_late(sweep, slot)),
					   sweep->watched[sweep->nwatched - 1].late),
				   slot->value[SLOT_COMMITS]);
	return in_time || !within;
}

/* The commits that exceeded max_p99 in the slot of pair "i"; palloc'd. */
static char *
exceeded_detail(const Sweep *sweep, int i, const CounterDelta *slot)
{
	const WatchedSlot *watched = &sweep->watched[sweep->exceeded[i] - 1];
	double		p99 = histogram_quantile(slot->latency, 0.99);

	return psprintf(UINT64_FORMAT " commits took longer than %g ms, and " UINT64_FORMAT " of them had not ended yet.%s",
					watched->late, sweep->max_p99 / NS_PER_MS,
					watched->under_way, isnan(p99) ? "" :
					psprintf("  99%% of the others took up to %.3f ms.",
							 p99 / NS_PER_MS));
}

/* Before anything changes: raises an error without a load within max_p99. */
static void
check_load(Sweep *sweep)
{
	int			own = sweep->pairs.n;	/* commits use their own settings */
	CounterDelta slot;
	XLogRecPtr	from = GetXLogInsertRecPtr();
	uint64		since = clock_now();

	(void) measure_slot(sweep, own, 0, &slot);
	if (sweep->exceeded[own] != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("commits take longer than \"max_p99\" without a sweep"),
				 errdetail("%s", exceeded_detail(sweep, own, &slot)),
				 errhint("Raise \"max_p99\".")));
	if (slot.value[SLOT_COMMITS] == 0 && backend_slots_count_committing(PG_UINT64_MAX) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("there is no load to measure"),
				 errdetail("In %.0f ms no commit waited for its flush, and " UINT64_FORMAT " did not wait (synchronous_commit = off).",
						   (double) slot.time / NS_PER_MS,
						   slot.value[SLOT_COMMITS_ASYNC]),
				 errhint("Call it under the usual load, or with longer slots if commits are rare.")));
	if (counter_delta_mean_latency(&slot) > SETTLING(sweep->slot))
		ereport(WARNING,
				(errmsg("commits take longer than the settling of a slot"),
				 errdetail("Commits took %.0f ms on average, and slots settle for %.0f ms: the commits of one pair count for the next.",
						   counter_delta_mean_latency(&slot) / NS_PER_MS,
						   (double) SETTLING(sweep->slot) / NS_PER_MS),
				 errhint("Use longer slots.")));
	wal_room_warn(from, since, &sweep->pairs);
}

/*---- Rounds ------------------------------------------------------*/

/*
 * Refuse the pairs that exceeded max_p99, which are not tried again: the
 * present one "i", and those with which commits began that were under way.
 */
static void
refuse_exceeded(Sweep *sweep, int i, const CounterDelta *slot)
{
	for (int j = 0; j < sweep->pairs.n; j++)
	{
		DelayOutcome *it = &sweep->outcomes.outcome[j];

		if (sweep->exceeded[j] == 0 ||
			it->limit != WITHIN_LIMIT)
			continue;
		it->limit = EXCEEDED;
		ereport(WARNING,
				(errmsg("commits took longer than \"max_p99\" with %s, which is not tried any more",
						pair_name(&it->pair)),
				 errdetail("%s", exceeded_detail(sweep, j, j == i ? slot : &nothing))));
	}
}

/* The load ended in the last two rounds, or commits are rare: drop both. */
static void
end_without_load(Sweep *sweep)
{
	for (int i = 0; i < sweep->pairs.n; i++)
	{
		DelayOutcome *it = &sweep->outcomes.outcome[i];

		sweep->total[i] = sweep->before_last[i];
		if (sweep->total[i].time == 0 && it->limit == WITHIN_LIMIT)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("no commit ended in a whole round before anything could be measured"),
					 errhint("The load ended, or needs longer slots.")));
		for (int r = Max(sweep->round - 1, 0); r <= sweep->round; r++)
			it->rate[r] = it->time[r] = NAN;
	}
	ereport(WARNING,
			(errmsg("commit_delay_sweep ends early: no commit ended in a whole round"),
			 errhint("The load ended, or needs longer slots.")));
}

/* The slot of one pair; returns the number of commits. */
static uint64
try_pair(Sweep *sweep, int i)
{
	const DelayPair *pair = &sweep->pairs.pair[i];
	CounterDelta slot;
	bool		in_time;

	if (pair->delay == DELAY_ADAPTIVE)
		sweep->last_delay += ADAPTIVE_SETTLING;
	in_time = measure_slot(sweep, i, sweep->last_delay, &slot);
	if (slot.value[SLOT_COMMITS] == 0 && backend_slots_count_committing(PG_UINT64_MAX) > 0)
		sweep->committing = true;
	sweep->last_delay = pair->delay == DELAY_ADAPTIVE ? ADAPTIVE_SETTLING :
		pair->delay * NS_PER_US;
	elog(DEBUG1, "commit_delay_sweep: %s: "
		 UINT64_FORMAT " commits in " UINT64_FORMAT " us until %s%s",
		 pair_name(pair), slot.value[SLOT_COMMITS],
		 slot.time / NS_PER_US, timestamptz_to_str(GetCurrentTimestamp()),
		 in_time ? "" : ", too late");
	sweep->late_slots = in_time ? 0 : sweep->late_slots + 1;
	if (sweep->late_slots >= MAX_LATE_SLOTS)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("slots of %.0f ms are too short for this server",
						(double) sweep->slot / NS_PER_MS),
				 errhint("Use longer slots.")));
	if (in_time && slot.time > 0)
	{
		DelayOutcome *it = &sweep->outcomes.outcome[i];

		counter_delta_add(&sweep->total[i], &slot);
		it->rate[sweep->round] = counter_delta_rate(&slot, SLOT_COMMITS);
		it->time[sweep->round] = counter_delta_mean_latency(&slot) / NS_PER_MS;
	}
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
	/* a random order (Fisher-Yates) */
	for (int i = 0; i < sweep->pairs.n; i++)
	{
		uint64		j = pg_prng_uint64_range(&pg_global_prng_state, 0, i);

		sweep->order[i] = sweep->order[j];
		sweep->order[j] = i;
	}
	for (int i = 0; i < sweep->pairs.n; i++)
		if (sweep->outcomes.outcome[sweep->order[i]].limit == WITHIN_LIMIT)
			commits += try_pair(sweep, sweep->order[i]);
	for (int i = 0; i < sweep->pairs.n; i++)
		left += sweep->outcomes.outcome[i].limit == WITHIN_LIMIT;
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

static void
estimate_outcomes(Sweep *sweep)
{
	for (int i = 0; i < sweep->pairs.n; i++)
	{
		const CounterDelta *total = &sweep->total[i];
		DelayOutcome *it = &sweep->outcomes.outcome[i];

		it->commits = estimate_rounds(it->rate, sweep->outcomes.nrounds);
		it->latency.mean = counter_delta_mean_latency(total) / NS_PER_MS;
		it->hit_fraction = fraction(total->value[SLOT_DELAY_HITS],
									total->value[SLOT_FLUSHES]);
	}
}

static void
report_progress(Sweep *sweep)
{
	const DelayOutcomes *all = &sweep->outcomes;
	int			ahead;
	char	   *name;

	estimate_outcomes(sweep);
	ahead = best_delay_most_commits(all, false);
	if (ahead < 0)
	{
		ereport(NOTICE,
				(errmsg("round %d of %d: there is nothing to compare yet, as no commits were measured",
						sweep->round + 1, all->nrounds)));
		return;
	}
	/* a sweep of a day has many rounds */
	name = pair_name(&all->outcome[ahead].pair);
	ereport(NOTICE,
			(errmsg("round %d of %d: %s is ahead with %.0f commits/s",
					sweep->round + 1, all->nrounds, name,
					all->outcome[ahead].commits.mean)));
	pfree(name);
}

/* Let the delay that adapts learn, unless that exceeds max_p99. */
static void
learn_adaptive(Sweep *sweep)
{
	int			last = sweep->pairs.n - 1;
	uint64		start = clock_now();
	uint64		end = start + LEARNING;
	bool		within = true;

	if (!watch_wake_worker())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the background worker of commit_stats does not run"),
				 errdetail("It learns for commit_stats.adaptive_delay."),
				 errhint("Consider increasing the configuration parameter \"max_worker_processes\".")));
	ereport(NOTICE,
			(errmsg("commit_stats.adaptive_delay learns for %d s",
					(int) (LEARNING / NS_PER_S))));
	adaptive_delay_settle(true);
	begin_watch(sweep, last, start, end);
	while (within && clock_now() < end)
	{
		delay_override_set(&sweep->pairs.pair[last],
						   clock_now() + LEARNING_ORDER);
		within = watch_until(sweep,
							 Min(clock_now() + LEARNING_ORDER / 2, end));
	}
	refuse_exceeded(sweep, last, &nothing);
}

static void
run_rounds(void *arg)
{
	Sweep	   *sweep = arg;
	Size		size = sweep->pairs.n * sizeof(CounterDelta);

	check_load(sweep);
	if (must_learn(sweep))
		learn_adaptive(sweep);
	/* the slots measure what is known, not what was just being tried */
	adaptive_delay_pause(clock_now() + sweep->slot);
	adaptive_delay_settle(false);
	for (; sweep->round < sweep->outcomes.nrounds; sweep->round++)
	{
		memcpy(sweep->before_last, sweep->before, size);
		memcpy(sweep->before, sweep->total, size);
		if (!run_round(sweep))
			break;
		report_progress(sweep);
	}
	estimate_outcomes(sweep);
}

/*---- From arguments to a sweep, from a sweep to rows -------------*/

/* What is measured in each of n rounds; palloc'd */
static double *
unknown_rounds(int n)
{
	double	   *value = palloc(n * sizeof(double));

	for (int r = 0; r < n; r++)
		value[r] = NAN;
	return value;
}

/*
 * As many rounds as the duration has room for, without pairs whose sleep alone
 * takes max_p99.  Those share what is unknown of them: a day has 864,000
 * rounds of a single pair.
 */
static void
make_rounds(Sweep *sweep, uint64 duration)
{
	bool		adapts = sweep->pairs.pair[sweep->pairs.n - 1].delay == DELAY_ADAPTIVE;
	int			tried = 0;
	uint64		round;
	int			n;
	double	   *unknown;

	sweep->outcomes.n = sweep->pairs.n;
	sweep->outcomes.outcome = palloc0(sweep->pairs.n * sizeof(DelayOutcome));
	for (int i = 0; i < sweep->pairs.n; i++)
	{
		DelayOutcome *it = &sweep->outcomes.outcome[i];

		it->pair = sweep->pairs.pair[i];
		if (it->pair.delay != DELAY_ADAPTIVE &&
			it->pair.delay * (double) NS_PER_US >= sweep->max_p99)
			it->limit = DELAY_EXCEEDS;
		tried += it->limit == WITHIN_LIMIT;
	}
	if (tried == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("each of \"delays\" alone exceeds \"max_p99\""),
				 errhint("Add 0 to \"delays\".")));
	round = sweep->slot * tried;
	if (adapts)
		round += 2 * ADAPTIVE_SETTLING;
	n = (int) (duration / round);
	if (n < MIN_ROUNDS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg_plural("\"duration\" is too short for %d pair of commit_delay and commit_siblings",
							   "\"duration\" is too short for %d pairs of commit_delay and commit_siblings",
							   tried, tried),
				 errdetail("Each needs %d slots of %g ms%s, which makes %g seconds.",
						   MIN_ROUNDS, (double) sweep->slot / NS_PER_MS,
						   adapts ? ", and the adaptive delay time to settle" : "",
						   (double) round * MIN_ROUNDS / NS_PER_S),
				 errhint("Use fewer values, a longer duration or shorter slots.")));
	sweep->outcomes.nrounds = n;
	unknown = unknown_rounds(n);
	for (int i = 0; i < sweep->pairs.n; i++)
	{
		DelayOutcome *it = &sweep->outcomes.outcome[i];
		bool		is_tried = it->limit == WITHIN_LIMIT;

		it->rate = is_tried ? unknown_rounds(n) : unknown;
		it->time = is_tried ? unknown_rounds(n) : unknown;
	}
}

static void
read_arguments(FunctionCallInfo fcinfo, Sweep *sweep)
{
	Size		size;

	sweep->pairs = tuning_args_pairs(fcinfo);
	tuning_args_require_value(fcinfo, ARG_ADAPTIVE, "adaptive");
	if (PG_GETARG_BOOL(ARG_ADAPTIVE))
		sweep->pairs.pair[sweep->pairs.n++].delay = DELAY_ADAPTIVE;
	sweep->slot = tuning_args_interval(fcinfo, ARG_SLOT, "slot", MIN_SLOT,
									   MAX_SLOT);
	sweep->max_p99 = INFINITY;
	if (!PG_ARGISNULL(ARG_MAX_P99))
		sweep->max_p99 = tuning_args_interval(fcinfo, ARG_MAX_P99, "max_p99", 1,
											  A_DAY);
	make_rounds(sweep, tuning_args_interval(fcinfo, ARG_DURATION, "duration", 0,
											A_DAY));
	size = sweep->pairs.n * sizeof(CounterDelta);
	sweep->total = palloc0(size);
	sweep->before = palloc0(size);
	sweep->before_last = palloc0(size);
	sweep->order = palloc(sweep->pairs.n * sizeof(int));
	sweep->watched = palloc(sizeof(WatchedSlot));
	sweep->exceeded = palloc0((sweep->pairs.n + 1) * sizeof(int));
}

/* ns that a sweep takes, if it does not end early. */
static uint64
sweep_length(const Sweep *sweep)
{
	uint64		round = 0;

	for (int i = 0; i < sweep->pairs.n; i++)
	{
		const DelayOutcome *it = &sweep->outcomes.outcome[i];

		if (it->limit == WITHIN_LIMIT)
			round += sweep->slot + (it->pair.delay == DELAY_ADAPTIVE ?
									2 * ADAPTIVE_SETTLING :
									it->pair.delay * NS_PER_US);
	}
	return sweep->slot + sweep->outcomes.nrounds * round +
		(must_learn(sweep) ? LEARNING : 0);
}

Datum
commit_delay_sweep_1_0(PG_FUNCTION_ARGS)
{
	Sweep		sweep = {0};
	int			best;
	Row			row;

	row_init(fcinfo, &row);
	read_arguments(fcinfo, &sweep);
	tuning_args_require("A standby commits nothing.  Sweep on the primary.");
	wait_require_time(sweep_length(&sweep));
	delay_override_experiment(run_rounds, &sweep, true);
	best = best_delay(&sweep.outcomes, CommitSiblings);
	for (int i = 0; i < sweep.pairs.n; i++)
	{
		const DelayOutcome *it = &sweep.outcomes.outcome[i];
		const CounterDelta *total = &sweep.total[i];

		if (it->pair.delay != DELAY_ADAPTIVE)
		{
			row_number(&row, "commit_delay", it->pair.delay);
			row_number(&row, "commit_siblings", it->pair.siblings);
		}
		row_number(&row, "rounds", it->commits.n);
		row_delta(&row, total);
		/* in place of all commits by all time: the mean of the slots */
		row_estimate(&row, "commits_per_second", &it->commits, 1, 1);
		row_bool(&row, "is_best", i == best);
		row_text(&row, "reason",
				 best_delay_reason(&sweep.outcomes, CommitSiblings, best, i));
		row_put(&row);
	}
	return (Datum) 0;
}
