/*-------------------------------------------------------------------------
 *
 * sibling_need.h
 *		Must each commit count its siblings?
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_SIBLING_NEED_H
#define COMMIT_STATS_SIBLING_NEED_H

#include "base/compat.h"
#include "base/guc.h"
#include "control/delay_override.h"
#include "stats/commit_trace.h"

/* Only if its leader may sleep, or single commits are recorded or logged. */
static inline bool
sibling_need_all(void)
{
	return CommitDelay > 0 || delay_override_ordered() ||
		commit_trace_wanted() || commit_stats_log_flushes;
}

#endif							/* COMMIT_STATS_SIBLING_NEED_H */
