/*-------------------------------------------------------------------------
 *
 * sweep.c
 *		The live experiment: each commit_delay in turn, on the present load.
 *
 * A sweep cuts time into slots.  During a slot, all commits use one pair of
 * commit_delay and commit_siblings (delay_override.c).  A round has one slot
 * for every pair, in random order, so that a load which grows or has a rhythm
 * of its own favours no pair.  How much the slots of a pair differ from round
 * to round says how sure its figures are.
 *
 *	|    settling    |            counted             | reserve |
 *	start of the slot                                          deadline
 *
 * Nearly all commits that began with the previous pair end during the
 * settling.  If the previous pair has a long commit_delay, settling and slot
 * are that much longer.  During the reserve, the counters are read and the
 * next pair is ordered, before the deadline sends commits back to their own
 * settings.  A slot that was read too late does not count.
 *
 * The delay that adapts can be one more pair.  It learns for a while before
 * the rounds begin, as the slots are too short for that, and then no more.
 * Its slots are counted from a window of a quota later, as the pair before may
 * have used the quota up.
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
#include "tuning/sweep.h"

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
} Sweep;

/*----------------------------------------------------------------
 * One slot
 *----------------------------------------------------------------
 */

/*
 * Let commits use a pair, or their own settings if it is null, and count, once
 * leaders that may still sleep "asleep" ns are awake.  Returns false if the
 * deadline may have passed before the counters were read.
 */
static bool
measure_slot(const DelayPair *pair, uint64 asleep, uint64 length,
			 CounterDelta *slot)
{
	uint64		start = clock_now();
	uint64		deadline = start + asleep + length;
	bool		in_time;
	CounterDelta before;

	if (pair != NULL)
	{
		adaptive_delay_pause(deadline);
		delay_override_set(pair, deadline);
	}
	wait_until(start + asleep + SETTLING(length));
	counter_delta_take(&before);
	wait_until(deadline - RESERVE(length));
	counter_delta_take(slot);
	in_time = slot->time + DEADLINE_SLACK <= deadline;
	counter_delta_subtract(slot, &before);
	return in_time;
}

/* Before anything is changed: is there a load, and is it within max_p99? */
static void
check_load(const SweepPlan *plan)
{
	CounterDelta slot;
	double		p99;

	(void) measure_slot(NULL, 0, plan->slot, &slot);
	if (slot.value[SLOT_COMMITS] == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("there is no load to measure"),
				 errdetail("In %.0f ms no commit waited for its flush, and " UINT64_FORMAT " did not wait (synchronous_commit = off).",
						   (double) slot.time / NS_PER_MS,
						   slot.value[SLOT_COMMITS_ASYNC]),
				 errhint("Call it under the usual load, or with longer slots if commits are rare.")));
	p99 = counter_delta_latency_quantile(&slot, 0.99);
	if (p99 > plan->max_p99)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("commits take longer than \"max_p99\" without a sweep"),
				 errdetail("In %.0f ms, 99%% of the commits took up to %.3f ms.",
						   (double) slot.time / NS_PER_MS, p99 / NS_PER_MS)));
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

static bool
exceeds_max_p99(const SweepPlan *plan, const DelayPair *pair,
				const CounterDelta *slot)
{
	double		p99 = counter_delta_latency_quantile(slot, 0.99);

	if (!(p99 > plan->max_p99))
		return false;
	ereport(WARNING,
			(errmsg("commit_delay_sweep ends early: commits took longer than \"max_p99\""),
			 errdetail("With %s, 99%% of them took up to %.3f ms.",
					   pair_name(pair->delay, pair->siblings), p99 / NS_PER_MS)));
	return true;
}

/*
 * The last round had no commits.  The load ended in that round or in the one
 * before, so the results of both are dropped.
 */
static void
end_without_load(Sweep *sweep)
{
	memcpy(sweep->results, sweep->before_last,
		   sweep->plan->pairs.n * sizeof(PairResult));
	for (int i = 0; i < sweep->plan->pairs.n; i++)
	{
		PairResult *result = &sweep->results[i];

		if (result->rounds == 0)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("the load ended before anything could be measured")));
		for (int r = Max(sweep->round - 1, 0); r <= sweep->round; r++)
			result->rate[r] = NAN;
	}
	ereport(WARNING,
			(errmsg("commit_delay_sweep ends early: there were no more commits")));
}

/* The slot of one pair. */
static void
try_pair(Sweep *sweep, int i, CounterDelta *slot)
{
	const DelayPair *pair = &sweep->plan->pairs.pair[i];
	PairResult *result = &sweep->results[i];
	bool		in_time;

	if (is_adaptive(pair))
		sweep->last_delay += ADAPTIVE_SETTLING;
	in_time = measure_slot(pair, sweep->last_delay, sweep->plan->slot, slot);
	sweep->last_delay = is_adaptive(pair) ? ADAPTIVE_SETTLING :
		pair->delay * NS_PER_US;
	elog(DEBUG1, "commit_delay_sweep: %s: "
		 UINT64_FORMAT " commits in " UINT64_FORMAT " us until %s%s",
		 pair_name(pair->delay, pair->siblings), slot->value[SLOT_COMMITS],
		 slot->time / NS_PER_US, timestamptz_to_str(GetCurrentTimestamp()),
		 in_time ? "" : ", too late");
	wait_check_client();

	/* reading the counters of thousands of connections takes a while */
	sweep->late_slots = in_time ? 0 : sweep->late_slots + 1;
	if (sweep->late_slots >= MAX_LATE_SLOTS)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("slots of %.0f ms are too short for this server",
						(double) sweep->plan->slot / NS_PER_MS),
				 errhint("Use longer slots.")));
	if (!in_time)
		return;
	counter_delta_add(&result->total, slot);
	result->rounds++;
	result->rate[sweep->round] = counter_delta_rate(slot, SLOT_COMMITS);
	result->refused = exceeds_max_p99(sweep->plan, pair, slot);
}

/* A slot for every pair.  Returns false if the sweep must end. */
static bool
run_round(Sweep *sweep)
{
	uint64		commits = 0;

	shuffle(sweep->order, sweep->plan->pairs.n);
	for (int i = 0; i < sweep->plan->pairs.n; i++)
	{
		CounterDelta slot;

		try_pair(sweep, sweep->order[i], &slot);
		commits += slot.value[SLOT_COMMITS];
		if (sweep->results[sweep->order[i]].refused)
			return false;
	}
	if (commits == 0)
		end_without_load(sweep);
	return commits > 0;
}

static void
report_progress(const Sweep *sweep)
{
	DelayOutcomes all;
	int			best;

	sweep_outcomes(sweep->plan, sweep->results, &all);
	best = best_delay(&all, CommitSiblings);
	if (best >= 0)
		ereport(NOTICE,
				(errmsg("round %d of %d: %s is ahead with %.0f commits/s",
						sweep->round + 1, sweep->plan->rounds,
						pair_name(all.outcome[best].delay,
								  all.outcome[best].siblings),
						all.outcome[best].commits.mean)));
	pfree(all.outcome);
}

/* Let the delay that adapts learn, if it is to be tried and not in use. */
static void
learn_adaptive(const SweepPlan *plan)
{
	const DelayPair *last = &plan->pairs.pair[plan->pairs.n - 1];
	uint64		end = clock_now() + LEARNING;
	bool		forgotten = false;

	if (!is_adaptive(last) || delay_override_is_adaptive())
		return;
	ereport(NOTICE,
			(errmsg("commit_stats.adaptive_delay learns for %d s",
					(int) (LEARNING / NS_PER_S))));
	while (clock_now() < end)
	{
		/* a process may have been stopped while it learned */
		if (!forgotten)
			forgotten = adaptive_delay_restart(true);
		delay_override_set(last, clock_now() + LEARNING_ORDER);
		wait_until(Min(clock_now() + LEARNING_ORDER / 2, end));
		wait_check_client();
	}
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

/* Results before anything is known of any pair. */
static PairResult *
empty_results(const SweepPlan *plan)
{
	PairResult *results = palloc0(plan->pairs.n * sizeof(PairResult));

	for (int i = 0; i < plan->pairs.n; i++)
	{
		results[i].rate = palloc(plan->rounds * sizeof(double));
		for (int r = 0; r < plan->rounds; r++)
			results[i].rate[r] = NAN;
	}
	return results;
}

/* Try all pairs.  Raises an error if another sweep runs. */
PairResult *
sweep_run(const SweepPlan *plan)
{
	Size		size = plan->pairs.n * sizeof(PairResult);
	Sweep		sweep = {0};

	sweep.plan = plan;
	sweep.results = empty_results(plan);
	sweep.before = palloc0(size);
	sweep.before_last = palloc0(size);
	sweep.order = palloc(plan->pairs.n * sizeof(int));
	delay_override_hold();
	PG_ENSURE_ERROR_CLEANUP(stop_override, (Datum) 0);
	{
		check_load(plan);
		learn_adaptive(plan);
		run_rounds(&sweep);
	}
	PG_END_ENSURE_ERROR_CLEANUP(stop_override, (Datum) 0);
	delay_override_unlock();
	return sweep.results;
}

/* The results as best_delay.c reads them; palloc'd. */
void
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
		outcome->latency = counter_delta_mean_latency(total) / NS_PER_MS;
		outcome->hit_fraction = counter_delta_delay_hit_fraction(total);
		outcome->refused = result->refused;
	}
}
