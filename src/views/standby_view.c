/*-------------------------------------------------------------------------
 *
 * standby_view.c
 *		Function behind commit_standby_stats.
 *
 * Locking: none here; standby.c takes SyncRepLock for a moment.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "stats/srf.h"
#include "stats/standby.h"

PG_FUNCTION_INFO_V1(commit_standby_stats_1_0);

/* Commits that wait now for a standby at a stage. */
static uint64
waiting_now(const StandbyWaiters *waiters, int n, const char *name, int stage)
{
	uint64		commits = 0;

	for (int i = 0; i < n; i++)
		if (strcmp(waiters[i].blame.name, name) == 0 &&
			waiters[i].blame.stage == stage)
			commits += waiters[i].commits;
	return commits;
}

Datum
commit_standby_stats_1_0(PG_FUNCTION_ARGS)
{
	StandbyCounts counts[STANDBY_MAX];
	StandbyWaiters waiters[NUM_SYNC_REP_WAIT_MODE];
	TimestampTz since;
	int			n;
	int			nwaiters;
	Row			row;

	row_init(fcinfo, &row);
	n = standby_read(counts, &since);
	nwaiters = standby_waiters(waiters);
	/* those that the worker has not seen yet */
	for (int i = 0; i < nwaiters; i++)
		(void) standby_find(counts, &n, waiters[i].blame.name);

	for (int i = 0; i < n; i++)
		for (int stage = 0; stage < STANDBY_NSTAGES; stage++)
		{
			uint64		now = waiting_now(waiters, nwaiters, counts[i].name,
										  stage);

			if (counts[i].wait_time[stage] == 0 &&
				counts[i].slow_commits[stage] == 0 && now == 0)
				continue;
			row_text(&row, "standby", counts[i].name);
			row_text(&row, "stage", standby_stage_names[stage]);
			row_ms(&row, "wait_time", counts[i].wait_time[stage]);
			row_number(&row, "slow_commits", counts[i].slow_commits[stage]);
			row_number(&row, "waiting_now", now);
			row_timestamp(&row, "counted_since", since);
			row_put(&row);
		}
	return (Datum) 0;
}
