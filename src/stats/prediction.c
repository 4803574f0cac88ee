/*-------------------------------------------------------------------------
 *
 * prediction.c
 *		The newest prediction of commit_remedies(), which the report shows.
 *
 * A restart forgets it, and a reset keeps it: it has its own time.  Its text
 * is ASCII, as each database may have another encoding.
 *
 * Locking: commit_stats_reset_lock(), which no commit takes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "storage/lwlock.h"

#include "module/shared_memory.h"
#include "module/stats_module.h"
#include "stats/prediction.h"

static NewestPrediction *shared = NULL;

const StatsModule prediction_module = {
	.head_size = sizeof(NewestPrediction),
	.head = (void **) &shared,
};

void
prediction_keep(const NewestPrediction *it)
{
	shared_memory_acquire(commit_stats_reset_lock(), LW_EXCLUSIVE);
	*shared = *it;
	LWLockRelease(commit_stats_reset_lock());
}

void
prediction_read(NewestPrediction *it)
{
	shared_memory_acquire(commit_stats_reset_lock(), LW_SHARED);
	*it = *shared;
	LWLockRelease(commit_stats_reset_lock());
}
