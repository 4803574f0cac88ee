/*-------------------------------------------------------------------------
 *
 * delay_classifier.c
 *		Whether the leader of a flush slept commit_delay.
 *
 *	threshold	commit_siblings of the leader
 *	held time	from when the leader can have got WALWriteLock, which is the
 *				begin of its commit or the end of the flush before, until a
 *				process saw the flush pointer at the boundary
 *	idle time	held time less the time of the leader's I/O
 *	weight		the logarithm of how much more likely a value is with a sleep
 *				than without
 *
 * The server sleeps if enough others are active when the leader gets
 * WALWriteLock, which is not known here.  The evidence, in the order in which
 * it decides:
 *
 * - Another backend has seen the leader asleep (from PostgreSQL 19 on), or the
 *	 threshold is 0: the leader slept.
 * - Fewer others than the threshold were registered, or the commit was shorter
 *	 than commit_delay: it did not.
 * - The commit began after the flush before had ended: the server saw the
 *	 siblings that siblings.c counted, in tests for 99.5% of the flushes.  If
 *	 the delay is long, the idle time shows whether one more came before the
 *	 server counted.
 * - Any other leader got the lock when the flush before ended, between two
 *	 counts of siblings: this leader's before its commit, and the previous
 *	 leader's after its commit.  A logistic regression weighs these and the
 *	 idle time.
 *
 * The training data are 80,407 flushes of 46 pgbench runs (4 to 50 clients,
 * commit_delay 10 to 2000, commit_siblings 2 to 15, fast and slow devices, two
 * cores, idle and busy), labelled by a shim that saw the sleeps.  In each run,
 * the error probabilities add up to about the number of wrong verdicts.
 *
 * Locking: none; this file uses neither shared memory nor the server.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "base/clock.h"
#include "probe/delay_classifier.h"

/* The weight of all values below "end" and not below the previous "end". */
typedef struct Weight
{
	double		end;
	double		weight;
} Weight;

/* Siblings less commit_siblings. */
static const Weight sibling_weights[] = {
	{-3, -2.4}, {-2, -2.0}, {-1, -1.6}, {0, -0.7}, {1, 0.3}, {2, 0.75},
	{3, 0.95}, {4, 1.35}, {INFINITY, 2.5}
};

/* Idle time less commit_delay, us: long enough for a sleep. */
static const Weight surplus_weights[] = {
	{-200, -3.0}, {-100, -2.3}, {-50, -1.8}, {0, -1.2}, {40, -0.5},
	{60, 0.9}, {80, 1.8}, {120, 2.0}, {200, 2.1}, {INFINITY, 1.7}
};

/* Idle time, us: too long for no sleep. */
static const Weight idle_weights[] = {
	{0, 1.6}, {25, -0.6}, {50, -1.7}, {100, -1.5}, {150, -1.0}, {200, -0.2},
	{300, 0.5}, {500, 1.2}, {INFINITY, 1.9}
};

/* Held time less commit_delay, us; if I/O is not timed. */
static const Weight untimed_weights[] = {
	{-100, -1.8}, {0, -1.6}, {50, -1.1}, {100, -0.7}, {200, -0.7},
	{400, 1.9}, {INFINITY, 3.1}
};

/*
 * commit_delay, us, of a leader that no backend saw asleep although a sleep
 * shows.  In runs of 7 to 20 clients others saw 60% of the sleeps of 10 us,
 * 75% at 50 us, 95% at 200 us and all at 1000 us; the weights are the
 * logarithms of the rest.
 */
static const Weight unseen_weights[] = {
	{50, -1.1}, {100, -1.4}, {200, -1.9}, {500, -3.0}, {INFINITY, -5.0}
};

#define BIAS_TIMED				0.1
#define BIAS_UNTIMED			(-1.3)

/* Idle time that is far below a long commit_delay. */
#define WEIGHT_MUCH_TOO_SHORT	(-6.0)
#define MUCH_TOO_SHORT			400 /* us; below, surplus_weights tells */

/*
 * From this commit_delay on, us, a sleep stands out from what else can take
 * time, so all weights count for more.
 */
#define CLEAR_DELAY				150
#define CLEAR_DELAY_FACTOR		2.0

static double
weigh(const Weight *table, double x)
{
	while (x >= table->end)
		table++;
	return table->weight;
}

/* us */
static double
held_time(const DelayEvidence *e)
{
	uint64		start = Max(e->started_at, e->previous_seen_at);
	uint64		end = e->ended_at;

	if (e->boundary_seen_at != 0)
		end = Min(end, e->boundary_seen_at);
	return ((double) end - (double) start) / 1000.0;
}

/* us */
static double
idle_time(const DelayEvidence *e)
{
	return held_time(e) - e->io_time / 1000.0;
}

/* A leader that did not wait for the lock. */
static double
judge_by_own_count(const DelayEvidence *e)
{
	if (e->timed && e->delay > MUCH_TOO_SHORT)
		return e->siblings_before + 1 >= e->threshold &&
			idle_time(e) >= e->delay ? 0.999 : 0.001;
	return e->siblings_before >= e->threshold ? 0.995 : 0.005;
}

static double
weigh_time(const DelayEvidence *e)
{
	double		idle = idle_time(e);

	if (!e->timed)
		return BIAS_UNTIMED + weigh(untimed_weights, held_time(e) - e->delay);
	if (idle < e->delay / 2.0 && idle < e->delay - MUCH_TOO_SHORT)
		return WEIGHT_MUCH_TOO_SHORT;
	return BIAS_TIMED + weigh(surplus_weights, idle - e->delay) +
		weigh(idle_weights, idle);
}

/* A leader that waited for the lock. */
static double
judge_by_weights(const DelayEvidence *e)
{
	double		sum;

	sum = weigh(sibling_weights, e->siblings_before - e->threshold);
	if (e->siblings_previous >= 0)
		sum += weigh(sibling_weights, e->siblings_previous - e->threshold);
	sum += weigh_time(e);
	if (e->delay >= CLEAR_DELAY)
		sum *= CLEAR_DELAY_FACTOR;
	if (e->sleep_shows)
		sum += weigh(unseen_weights, e->delay);
	return 1.0 / (1.0 + exp(-sum));
}

static double
judge(const DelayEvidence *e)
{
	if (e->seen_asleep || e->threshold == 0)
		return 1.0;
	if (e->connected < e->threshold ||
		clock_elapsed(e->started_at, e->ended_at) < (uint64) e->delay * 1000)
		return 0.0;
	if (e->previous_seen_at > e->started_at)
		return judge_by_weights(e);
	return judge_by_own_count(e);
}

/*
 * A sleep takes at least commit_delay.  If the I/O is timed, the rest of the
 * idle time was mostly the timer's slack, and belongs to the sleep.
 */
DelayVerdict
delay_classifier_judge(const DelayEvidence *evidence)
{
	DelayVerdict verdict = {.probability = judge(evidence)};
	double		slept = evidence->delay;

	if (evidence->timed)
		slept = Max(slept, idle_time(evidence));
	if (verdict.probability >= 0.5)
		verdict.sleep_time = (uint64) (slept * 1000.0);
	return verdict;
}
