/*-------------------------------------------------------------------------
 *
 * sibling_need.h
 *		Must each commit count its siblings?
 *
 * Where nothing depends on it, siblings.c counts for a random share of the commits
 * only.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_SIBLING_NEED_H
#define COMMIT_STATS_SIBLING_NEED_H

#include "base/compat.h"
#include "base/guc.h"
#include "control/delay_override.h"
#include "stats/commit_trace.h"

/* If its leader may sleep, or somebody looks at single commits. */
static inline bool
sibling_need_all(void)
{
	return CommitDelay > 0 || delay_override_ordered() ||
		commit_trace_wanted() || commit_stats_log_flushes;
}

#endif							/* COMMIT_STATS_SIBLING_NEED_H */
