/*-------------------------------------------------------------------------
 *
 * whatif.c
 *		commit_delay_whatif(): predicts what each commit_delay would do,
 *		without trying it.  For commit_remedies() as well.
 *
 * The function captures the commits of a sample (commit_trace.c), fits a load
 * to them (whatif_fit.c), and simulates that load with each pair of
 * commit_delay and commit_siblings (whatif_simulation.c).
 *
 * Uncertainty.  NREPLICAS simulations of each pair draw blocks of the sample
 * with replacement.  All pairs share the blocks and the seed of each replica,
 * so that chance makes two pairs differ less.  The spread of the replicas is
 * the uncertainty of a short sample.  Bounds also include the error of the
 * model, for the quantities of which that is known.  best_delay.c compares
 * replicas, because the model errs in the same direction for several pairs.
 *
 * Invariant: no setting changes.  However this process or function ends,
 * commits are not captured after the end of the sample.
 *
 * Locking: delay_override_experiment(), so that no sweep changes what commits
 * do during the sample, and no other process takes the records.  After it,
 * commit_stats_reset_lock(), shared, for the WAL of the newest flushes, and
 * those of stall_log.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <unistd.h>

#include <math.h>

#include "common/pg_prng.h"
#include "miscadmin.h"
#include "storage/fd.h"

#include "base/clock.h"
#include "base/compat.h"
#include "base/guc.h"
#include "base/wait.h"
#include "control/delay_override.h"
#include "stats/commit_trace.h"
#include "stats/stall_log.h"
#include "stats/srf.h"
#include "stats/watch.h"
#include "tuning/tuning.h"
#include "whatif/whatif.h"

PG_FUNCTION_INFO_V1(commit_delay_whatif_1_0);

#define TAKE_EVERY		(20 * NS_PER_MS)
#define PROBE_SLEEP		100		/* us */

#define MIN_COMMITS		100		/* fewer say too little */
#define ONE_CLIENT		0.9		/* of the commits: it is the only one */
#define REPLICA_TIME	12e6	/* us to simulate; long enough that chance
								 * matters less than the sample */
#define MAX_COMMITS		5e6		/* in all that count; they take about 10 s */
#define MODEL_ERROR		0.12	/* relative; the standard error in samples of
								 * 26 loads was 0.11 */
#define LOCKS_ERROR		0.15	/* where sessions wait for locks; 0.12 in
								 * samples of 11 loads, which had no waits for
								 * deadlock_timeout */
#define P99_ERROR		0.3		/* of 44 remedies done for real on quotas, the
								 * bounds hold 40, and 13 without it */
#define QUICKER_ERROR	0.35	/* of all, where sessions that wait less often
								 * may work quicker than in the sample */
#define LEARNING		12e6	/* us, of the adaptive delay */
#define LEARNING_COMMITS 1e5	/* likewise, or the prediction takes minutes */
#define LEARNING_WINDOWS 10		/* likewise; eight stalls show a quota */
#define MORE_FLUSHES	1.2		/* than the sample has; what limits these it
								 * may not show */

#define MIN_SAMPLE		(100 * NS_PER_MS)
#define MAX_SAMPLE		(300 * NS_PER_S)

/*---- The sample --------------------------------------------------*/

/*
 * CPU time of the machine since boot.  The first line of Linux's /proc/stat
 * has the ticks of all CPUs in each state; in a container it usually shows the
 * whole machine.  On other systems the time is unknown.
 */
static CpuUsage
read_cpu_usage(void)
{
	FILE	   *file = AllocateFile("/proc/stat", "r");
	long		ticks_per_second = sysconf(_SC_CLK_TCK);
	CpuUsage	usage = {0};
	double		ticks[5];

	if (file == NULL)
		return usage;
	/* idle and iowait are left out */
	if (fscanf(file, "cpu %lf %lf %lf %*f %*f %lf %lf", &ticks[0], &ticks[1],
			   &ticks[2], &ticks[3], &ticks[4]) == 5 && ticks_per_second > 0)
	{
		usage.n = Max((int) sysconf(_SC_NPROCESSORS_ONLN), 0);
		for (int i = 0; i < lengthof(ticks); i++)
			usage.busy += ticks[i] * 1e6 / ticks_per_second;
	}
	FreeFile(file);
	return usage;
}

static void
capture(void *arg)
{
	Forecast   *sample = arg;
	uint64		start = clock_now();
	uint64		deadline = start + sample->length;
	double		slack = 0;
	int			nprobes = 0;
	CounterDelta before;
	CpuUsage	cpus;

	cpus = read_cpu_usage();
	counter_delta_take(&before);
	sample->wal_from = GetXLogInsertRecPtr();
	commit_trace_start(&sample->trace, deadline);
	for (uint64 next = start; clock_now() < deadline;)
	{
		uint64		asleep = clock_now();

		/* as a leader sleeps: longer than asked, by timers and load */
		pg_usleep(PROBE_SLEEP);
		slack += (double) clock_elapsed(asleep + PROBE_SLEEP * NS_PER_US,
										clock_now()) / NS_PER_US;
		nprobes++;
		next = Min(Max(next + TAKE_EVERY, clock_now()), deadline);
		wait_until(next);
		if (!commit_trace_take(&sample->trace))
			break;
	}
	commit_trace_stop();
	counter_delta_take(&sample->measured);
	counter_delta_subtract(&sample->measured, &before);
	sample->cpus = read_cpu_usage();
	sample->cpus.n = Min(sample->cpus.n, cpus.n);
	sample->cpus.busy -= cpus.busy;
	sample->load.slack = slack / nprobes;
}

/* How flushes depend on their WAL, and which stalled beside something else */
static void
sample_stalls(Forecast *sample)
{
	CommitTrace *trace = &sample->trace;
	FlushTotals *groups = flush_totals_lock_and_read();
	StallLog	log;

	LWLockRelease(commit_stats_reset_lock());
	stall_log_read(&log);
	stall_log_find_causes(&log, groups);
	sample->load.page_time = fit_page_time(&log.fit);
	for (int i = 0; i < log.n; i++)
	{
		const SlowEvent *stall = &log.logged[i].event;

		if (stall->end < trace->started_at || !stall_is_beside(log.logged[i].cause))
			continue;
		CHECK_FOR_INTERRUPTS();
		for (int c = 0; c < trace->n; c++)
		{
			TracedCommit *it = &trace->commit[c];

			if (it->led && (int) it->pid == stall->pid &&
				it->started_at < stall->end && stall->end <= it->ended_at)
				it->beside = true;
		}
	}
}

static void
check_sample(const Forecast *sample)
{
	const CommitTrace *trace = &sample->trace;
	double		seconds = (double) clock_elapsed(trace->started_at, trace->ended_at) / NS_PER_S;

	if (trace->n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("there is no load to learn from"),
				 errdetail("In %.1f s no commit that waited for its flush ended, while %d were under way, and " UINT64_FORMAT " did not wait (synchronous_commit = off).",
						   seconds, backend_slots_count_committing(PG_UINT64_MAX),
						   sample->measured.value[SLOT_COMMITS_ASYNC]),
				 errhint("Call it while the server does its usual work, or with a longer sample if that commits rarely.")));
	if (trace->n < MIN_COMMITS)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("there are too few commits to learn from"),
				 errdetail("In %.1f s there were %d; it takes at least %d.",
						   seconds, trace->n, MIN_COMMITS),
				 errhint("Use a longer sample.")));
	if (trace->lost > trace->n / 100)
		ereport(WARNING,
				(errmsg(UINT64_FORMAT " of " UINT64_FORMAT " commits were missed",
						trace->lost, trace->lost + trace->n)));
}

/* Sorts values, and returns how often the most frequent one, *which, occurs. */
static int
most_frequent(uint64 *value, int n, uint64 *which)
{
	int			most = 0;
	int			from = 0;

	qsort(value, n, sizeof(uint64), compare_uint64s);
	*which = 0;
	for (int i = 1; i <= n; i++)
	{
		if (i < n && value[i] == value[from])
			continue;
		if (i - from > most)
			*which = value[from];
		most = Max(most, i - from);
		from = i;
	}
	return most;
}

/* The settings that most commits had; warns if many had others. */
static DelayPair
present_pair(const CommitTrace *trace)
{
	DelayPair	pair = {DELAY_ADAPTIVE, 0};
	uint64	   *key = palloc(trace->n * sizeof(uint64));
	uint64		which;
	int			others;

	if (delay_override_is_adaptive())
		return pair;
	for (int i = 0; i < trace->n; i++)
		key[i] = (uint64) trace->commit[i].delay << 32 | trace->commit[i].threshold;
	others = trace->n - most_frequent(key, trace->n, &which);
	pair.delay = (int) (which >> 32);
	pair.siblings = (int) (uint32) which;
	if (others > trace->n / 20)
		ereport(WARNING,
				(errmsg("not all commits had the same commit_delay and commit_siblings"),
				 errdetail("%.0f%% had others than %d and %d; the prediction assumes that all had these.",
						   100.0 * others / trace->n, pair.delay,
						   pair.siblings)));
	return pair;
}

/*---- The load ----------------------------------------------------*/

/* What the device allows, in words; palloc'd */
char *
whatif_quota(const WhatifLoad *load)
{
	return load->of_wal ?
		psprintf("%.0f kB of WAL in %.0f ms%s", load->quota * XLOG_BLCKSZ / 1024,
				 load->window / 1000,
				 load->unclear ? " (or of flushes: the sample does not tell)" : "") :
		psprintf("%.0f flushes in %.0f ms%s", load->quota, load->window / 1000,
				 load->unclear ? " (or of WAL: the sample does not tell)" : "");
}

static void
report_load(const CommitTrace *trace, const WhatifLoad *load)
{
	double		seconds = (double) clock_elapsed(trace->started_at, trace->ended_at) / NS_PER_S;
	int			prepares = 0;
	double		arrivals = 0;
	int			open = 0;

	for (int g = 0; g < load->ngroups; g++)
		if (load->group[g].arrivals > 0)
		{
			arrivals += load->group[g].arrivals;
			open += load->group[g].nclients;
		}
	for (int i = 0; i < trace->n; i++)
		prepares += !trace->commit[i].is_commit;
	ereport(NOTICE,
			(errmsg("learned from %d commits%s of %d sessions in %.1f s",
					trace->n - prepares,
					prepares > 0 ? psprintf(" and %d prepares", prepares) : "",
					load->nclients, seconds),
			 errdetail("%s%s",
					   open == load->nclients ?
					   psprintf("Transactions begin by themselves, %.0f a second.",
								arrivals * 1e6) :
					   open > 0 ?
					   psprintf("Those of %d sessions begin by themselves, %.0f a second; each of the others goes on when it has committed.",
								open, arrivals * 1e6) :
					   "Each session goes on when it has committed.",
					   load->window > 0 ?
					   psprintf("  The device allows %s.", whatif_quota(load)) : "")));
}

/* The mean time in which the sample had this number of commits, us */
static double
time_of(const CommitTrace *trace, double commits)
{
	return commits * clock_elapsed(trace->started_at, trace->ended_at) /
		((double) NS_PER_US * trace->n);
}

static void
set_pair(WhatifLoad *load, const DelayPair *pair, const CommitTrace *trace)
{
	bool		adaptive = pair->delay == DELAY_ADAPTIVE;

	load->delay = pair->delay;
	load->siblings = pair->siblings;
	load->adaptive = adaptive ? Max(commit_stats_adaptive_delay_max, 1) : 0;
	load->learning = adaptive ? Max(Min(LEARNING, time_of(trace, LEARNING_COMMITS)),
									Min(LEARNING_WINDOWS * load->window,
										time_of(trace, 2 * LEARNING_COMMITS))) : 0;
}

StaticAssertDecl(MAX_GROUPS <= 1 << RANK_BITS, "too few bits for a rank");

/* Those with the most commits; the party of a commit is its rank, or 0. */
static void
find_parties(CommitTrace *trace, bool of_statements, SampleParty *party)
{
	uint64	   *key = palloc(2 * trace->n * sizeof(uint64));
	uint64	   *pid = key + trace->n;

	memset(party, 0, MAX_GROUPS * sizeof(SampleParty));
	party[0].commits = trace->n;
	for (int i = 0; i < trace->n; i++)
		trace->commit[i].party = 0;
	for (int rank = 1; rank < MAX_GROUPS; rank++)
	{
		SampleParty found = {0};
		int			n = 0;

		for (int i = 0; i < trace->n; i++)
		{
			const TracedCommit *it = &trace->commit[i];

			key[n] = of_statements ? it->statement : it->client;
			n += it->party == 0 && key[n] != 0;
		}
		found.commits = most_frequent(key, n, &found.key);
		if (found.commits < Max(MIN_COMMITS, trace->n / 100))
			break;
		n = 0;
		for (int i = 0; i < trace->n; i++)
		{
			TracedCommit *it = &trace->commit[i];

			if (found.key != (of_statements ? it->statement : it->client))
				continue;
			it->party = rank;
			found.prepares += !it->is_commit;
			found.notifies += it->has_notify;
			found.applied += it->applied;
			key[n] = it->statement;
			pid[n++] = it->pid;
		}
		(void) most_frequent(key, n, &found.statement);
		qsort(pid, n, sizeof(uint64), compare_uint64s);
		for (int i = 0; i < n; i++)
			found.sessions += i == 0 || pid[i] != pid[i - 1];
		party[rank] = found;
	}
}

/*
 * Sessions of one client form a group.  The parties are the clients with the
 * most commits; but the statements, if one client has nearly all and more than
 * one statement.
 */
static void
name_parties(Forecast *forecast)
{
	CommitTrace *trace = &forecast->trace;
	SampleParty statement[MAX_GROUPS] = {0};

	find_parties(trace, false, forecast->party);
	for (int i = 0; i < trace->n; i++)
		trace->commit[i].rank = trace->commit[i].party;
	if (forecast->party[1].commits > ONE_CLIENT * trace->n)
		find_parties(trace, true, statement);
	forecast->of_statements = statement[2].commits > 0;
	if (forecast->of_statements)
		memcpy(forecast->party, statement, sizeof(statement));
	for (int i = 0; i < trace->n; i++)
	{
		TracedCommit *it = &trace->commit[i];

		if (!forecast->of_statements)
			it->party = it->rank;
		if (it->party >= NPARTIES)
			it->party = 0;
	}
}

/* Learns the load, and returns the relative standard error of the model. */
static double
learn_load(Forecast *sample)
{
	WhatifLoad *load = &sample->load;
	CommitTrace *trace = &sample->trace;
	DelayPair	present = present_pair(trace);
	static AdaptiveDelayState state;
	double		blocked;

	set_pair(load, &present, trace);
	if (load->adaptive > 0)
	{
		/* it keeps to a quota, which makes stalls too rare to show it */
		adaptive_delay_read(&state);
		load->window = state.spacing.quota.believed ? state.spacing.quota.window : 0;
		load->quota = spacing_quota_rate(&state.spacing) * load->window / 1e6;
		load->unclear = load->window > 0;
	}
	if (!whatif_fit(trace, &sample->cpus, load, &blocked))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("there are too few commits to learn from"),
				 errdetail("Of %d commits of %d sessions, %d came after another one of the same session, and %d flushed.",
						   trace->n, load->nclients, trace->n - load->nclients,
						   load->flush.blocks.n),
				 errhint("Use a longer sample.  Sessions that commit once and end cannot be learned from.")));
	set_pair(load, &present, trace);	/* it has a window now */
	report_load(trace, load);
	sample->locks = blocked > 0.05 * load->nclients;
	if (!sample->locks)
		return MODEL_ERROR;
	/* it is not known for which ones */
	ereport(WARNING,
			(errmsg("sessions wait for each other's locks, %.1f of %d on average",
					blocked, load->nclients),
			 errdetail("The longer a commit takes, the longer it holds its locks.  The prediction is less certain where rows are hot, and leaves deadlocks out.")));
	return LOCKS_ERROR;
}

/*---- The prediction ----------------------------------------------*/

/* Chooses as many blocks as the sample has, with replacement. */
static int *
choose_blocks(int nblocks, uint64 seed)
{
	pg_prng_state random;
	int		   *chosen = palloc(nblocks * sizeof(int));

	pg_prng_seed(&random, seed);
	for (int i = 0; i < nblocks; i++)
		chosen[i] = (int) pg_prng_uint64_range(&random, 0, nblocks - 1);
	return chosen;
}

/*
 * Replicas differ as samples do.  So the spread of the replicas, not of their
 * mean, says what another sample would have predicted.  "error" is the model's
 * relative standard error, for bounds that hold the measured value in 95% of
 * all cases.
 */
static Estimate
estimate_replicas(const double *value, double error)
{
	Estimate	estimate = estimate_rounds(value, NREPLICAS);
	double		half;

	if (isnan(estimate.high))
		return estimate;
	half = hypot((estimate.high - estimate.mean) * sqrt(estimate.n),
				 1.96 * error * estimate.mean);
	estimate.low = Max(estimate.mean - half, 0);
	estimate.high = estimate.mean + half;
	return estimate;
}

/* Sessions whose transactions a load changes go on when these have ended. */
bool
forecast_goes_on(const Forecast *forecast, const WhatifLoad *load)
{
	/* statements are of one client */
	return load->group[forecast->of_statements ? 1 : load->changed].arrivals == 0;
}

void
forecast_predict(const Forecast *forecast, const WhatifLoad *load,
				 Prediction *it)
{
	bool		quicker = (load->batch > 1 || load->async) &&
	forecast_goes_on(forecast, load);
	bool		endless = false;

	for (int r = 0; r < NREPLICAS; r++)
	{
		WhatifLoad	replica = *load;
		WhatifOutcome outcome;

		wait_check_client();
		replica.chosen = choose_blocks(load->nblocks, r + 1);
		whatif_simulate(&replica, forecast->time, r + 1, &outcome);
		for (int p = 0; p < NPARTIES; p++)
		{
			const TransactionSums *sum = &outcome.others[p];
			double		waited = histogram_count(sum->cell);

			it->value[OF_OTHERS(COMMIT_RATE, p)][r] = 1e6 * sum->commits / outcome.time;
			it->value[OF_OTHERS(MEAN_TIME, p)][r] = ratio(sum->latency / 1e3, waited);
			it->value[OF_OTHERS(TRANSACTION_TIME, p)][r] = ratio(sum->response / 1e3, sum->commits);
			it->value[OF_OTHERS(P99, p)][r] = histogram_quantile(sum->cell, 0.99) / NS_PER_MS;
		}
		it->value[FLUSH_RATE][r] = 1e6 * outcome.flushes / outcome.time;
		it->value[GROUP_SIZE][r] = ratio(it->value[COMMIT_RATE][r], it->value[FLUSH_RATE][r]);
		it->value[HIT_FRACTION][r] = ratio(outcome.hits, outcome.flushes);
		endless |= outcome.endless;
	}
	for (int i = 0; i < NQUANTITIES * NREPLICAS && endless; i++)
		it->value[i / NREPLICAS][i % NREPLICAS] = NAN;
	for (int q = 0; q < NQUANTITIES; q++)
	{
		bool		is_p99 = q < FLUSH_RATE && q % PARTY_QUANTITIES == P99;
		bool		of_quicker = quicker && (q < PARTY_QUANTITIES || q == GROUP_SIZE);

		it->estimate[q] = estimate_replicas(it->value[q], q == HIT_FRACTION ? 0 :
											of_quicker ? QUICKER_ERROR :
											is_p99 ? P99_ERROR :
											forecast->present.model_error);
	}
	if (it->estimate[HIT_FRACTION].high > 1)
		it->estimate[HIT_FRACTION].high = 1;
}

/*
 * A delay keeps flushes below a quota, too, if it is long enough.  Then the
 * sample does not show the quota, and nothing limits what is predicted.
 * Returns why "it" may not come true; null: it has hardly more
 * flushes, or no delay hides a quota.
 */
char *
forecast_hidden_quota(const Forecast *forecast, const Prediction *it)
{
	const Prediction *now = &forecast->prediction[forecast->present.i];
	double		from = now->estimate[FLUSH_RATE].mean;
	double		to = it->estimate[FLUSH_RATE].mean;

	if (forecast->load.delay == 0 || forecast->load.window > 0 ||
		!(to > MORE_FLUSHES * from))
		return NULL;
	return psprintf("%.0f flushes/s in place of %.0f: a quota of the device between these would not show in the sample",
					to, from);
}

/* One outcome for each pair, and in any case one for the present setting */
static void
make_outcomes(const DelayPairs *pairs, Forecast *forecast)
{
	DelayOutcomes *outcomes = &forecast->outcomes;
	DelayPair	present = {forecast->load.delay, forecast->load.siblings};

	outcomes->outcome = palloc0((pairs->n + 1) * sizeof(DelayOutcome));
	outcomes->nrounds = NREPLICAS;
	outcomes->resampled = true;
	forecast->present.i = pairs->n;
	for (int i = 0; i < pairs->n; i++)
	{
		outcomes->outcome[i].pair = pairs->pair[i];
		if (pairs->pair[i].delay == present.delay &&
			pairs->pair[i].siblings == present.siblings)
			forecast->present.i = i;
	}
	outcomes->outcome[forecast->present.i].pair = present;
	outcomes->n = Max(pairs->n, forecast->present.i + 1);
}

/* Takes a sample, as long as an argument says. */
Forecast *
forecast_sample(FunctionCallInfo fcinfo, int argument)
{
	Forecast   *forecast = palloc0(sizeof(Forecast));

	forecast->length = tuning_args_interval(fcinfo, argument, "sample",
											MIN_SAMPLE, MAX_SAMPLE);
	wait_require_time(forecast->length);
	delay_override_experiment(capture, forecast, false);
	return forecast;
}

/* What part of commit time the waits for a standby are */
static double
standby_share(const Forecast *forecast)
{
	const CounterDelta *measured = &forecast->measured;
	double		time = measured->value[SLOT_COMMIT_TIME];
	WatchSummary seen;

	watch_sum(forecast->trace.started_at, forecast->trace.ended_at, &seen);
	/* "time" is from the first callback of a commit to the second */
	seen.in_commit -= seen.phase[PHASE_BEFORE] + seen.phase[PHASE_AFTER];
	return ratio(watch_standby_time(time, measured->sum[STANDBY_TIME_MIN],
									measured->sum[STANDBY_TIME_MAX], &seen),
				 time);
}

/*
 * Why the sample is not one that is simulated, or NULL.  A transaction manager
 * goes on when its sessions in several databases have prepared.
 */
static const char *
beyond_model(const Forecast *forecast)
{
	double		standby = standby_share(forecast);
	int			preparing = 0;

	for (int rank = 1; rank < MAX_GROUPS && !forecast->of_statements; rank++)
		preparing += forecast->party[rank].prepares > MIN_PART * forecast->party[rank].commits;
	if (standby > STANDBY_MATTERS)
		return psprintf("%.0f%% of commit time is the wait for a standby, which the prediction takes for flushes",
						100 * standby);
	return preparing < 2 ? NULL :
		psprintf("%d clients prepare transactions: if these belong together, sessions wait for each other, which the prediction takes for work of the client",
				 preparing);
}

/* "nmore" loads will follow.  Raises an error if there is too little. */
void
forecast_begin(Forecast *forecast, const DelayPairs *pairs, int nmore)
{
	const CommitTrace *trace = &forecast->trace;
	double		time;

	check_sample(forecast);
	wal_room_warn(forecast->wal_from, trace->started_at, pairs);
	sample_stalls(forecast);
	name_parties(forecast);
	forecast->present.model_error = learn_load(forecast);
	forecast->load.room = XLOGbuffers;
	forecast->present.commits = counter_delta_rate(&forecast->measured, SLOT_COMMITS);
	forecast->present.latency =
		counter_delta_mean_latency(&forecast->measured) / NS_PER_MS;
	/* as long as lets the prediction take seconds */
	time = time_of(trace, MAX_COMMITS / ((pairs->n + nmore) * NREPLICAS));
	forecast->time = Max(Min(REPLICA_TIME, time), REPLICA_TIME / 60);

	/* so that whole windows count, after the warm-up, which is a tenth */
	if (forecast->load.window > 0)
		forecast->time = forecast->load.window / 0.9 *
			ceil(0.9 * forecast->time / forecast->load.window);
	make_outcomes(pairs, forecast);
	forecast->prediction = palloc(forecast->outcomes.n * sizeof(Prediction));
	for (int i = 0; i < forecast->outcomes.n; i++)
	{
		Prediction *it = &forecast->prediction[i];
		DelayOutcome *outcome = &forecast->outcomes.outcome[i];
		WhatifLoad	load = forecast->load;

		set_pair(&load, &outcome->pair, trace);
		forecast_predict(forecast, &load, it);
		outcome->rate = it->value[COMMIT_RATE];
		outcome->time = it->value[MEAN_TIME];
		outcome->commits = it->estimate[COMMIT_RATE];
		outcome->latency = it->estimate[MEAN_TIME];
		outcome->hit_fraction = it->estimate[HIT_FRACTION].mean;
	}
	forecast->present.unexplained = beyond_model(forecast);
	if (forecast->present.unexplained == NULL)
		forecast->present.unexplained =
			unexplained(&forecast->outcomes, &forecast->present);
	if (forecast->present.unexplained != NULL && forecast->locks)
		forecast->present.unexplained =
			psprintf("%s; sessions wait for each other's locks, and it does not know which",
					 forecast->present.unexplained);
	if (forecast->present.unexplained != NULL)
		ereport(WARNING,
				(errmsg("%s", forecast->present.unexplained),
				 errhint("Do not rely on any of these predictions.  To find a commit_delay, use commit_delay_sweep().")));
}

/*---- From arguments to pairs, from predictions to rows -----------*/

/* Of all clients, or all but a party; a function declares those it shows. */
void
row_prediction(Row *row, const char *prefix, const Prediction *it, int party)
{
	const Estimate *of = &it->estimate[OF_OTHERS(0, party)];

	row->prefix = prefix;
	row_estimate(row, "commits_per_second", &of[COMMIT_RATE], 1, 1);
	row_estimate(row, "mean", &of[MEAN_TIME], 1, 3);
	row_estimate(row, "p99", &of[P99], 1, 3);
	row_estimate(row, "flushes_per_second", &it->estimate[FLUSH_RATE], 1, 1);
	row_estimate(row, "commits_per_flush", &it->estimate[GROUP_SIZE], 1, 2);
	row_estimate(row, "delay_hit_share", &it->estimate[HIT_FRACTION], 100, 1);
	row->prefix = "";
}

/* What was measured with the present setting */
void
row_measured(Row *row, const Forecast *forecast)
{
	row->prefix = "measured_";
	row_delta(row, &forecast->measured);
	row->prefix = "";
}

Datum
commit_delay_whatif_1_0(PG_FUNCTION_ARGS)
{
	DelayPairs	pairs;
	Forecast   *forecast;
	const DelayOutcomes *all;
	int			best;
	char	   *hidden;
	Row			row;

	row_init(fcinfo, &row);
	tuning_args_require("A standby commits nothing.  Ask on the primary.");
	if (delay_override_is_adaptive())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("commit_delay_whatif cannot predict while commit_stats.adaptive_delay is on"),
				 errhint("Use commit_delay_sweep with \"adaptive\" instead.")));
	pairs = tuning_args_pairs(fcinfo);
	forecast = forecast_sample(fcinfo, PAIRS_ARGS);
	forecast_begin(forecast, &pairs, 0);
	all = &forecast->outcomes;
	best = best_predicted(all, &forecast->present);
	hidden = best < 0 ? NULL :
		forecast_hidden_quota(forecast, &forecast->prediction[best]);
	if (hidden != NULL)
		ereport(WARNING,
				(errmsg("the best pair makes %s", hidden),
				 errhint("Try it with commit_delay_sweep().")));
	for (int i = 0; i < all->n; i++)
	{
		row_number(&row, "commit_delay", all->outcome[i].pair.delay);
		row_number(&row, "commit_siblings", all->outcome[i].pair.siblings);
		row_prediction(&row, "", &forecast->prediction[i], 0);
		row_bool(&row, "is_best", i == best);
		row_text(&row, "reason",
				 best_predicted_reason(all, &forecast->present, best, i));
		if (i == forecast->present.i)
			row_measured(&row, forecast);
		row_put(&row);
	}
	return (Datum) 0;
}
