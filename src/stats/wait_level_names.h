/*-------------------------------------------------------------------------
 *
 * wait_level_names.h
 *		The names of the levels of synchronous_commit.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_WAIT_LEVEL_NAMES_H
#define COMMIT_STATS_WAIT_LEVEL_NAMES_H

#include "stats/latency.h"

/* By WaitLevel, and by SyncCommitLevel. */
static const char *const wait_level_names[] = {
	[SYNCHRONOUS_COMMIT_OFF] = "off",
	[SYNCHRONOUS_COMMIT_LOCAL_FLUSH] = "local",
	[SYNCHRONOUS_COMMIT_REMOTE_WRITE] = "remote_write",
	[SYNCHRONOUS_COMMIT_REMOTE_FLUSH] = "on",
	[SYNCHRONOUS_COMMIT_REMOTE_APPLY] = "remote_apply"
};

StaticAssertDecl(lengthof(wait_level_names) == WAIT_NLEVELS &&
				 lengthof(wait_level_names) == SYNCHRONOUS_COMMIT_NLEVELS &&
				 WAIT_REMOTE_FLUSH == (int) SYNCHRONOUS_COMMIT_REMOTE_FLUSH,
				 "wait_level_names does not fit both enums");

#endif							/* COMMIT_STATS_WAIT_LEVEL_NAMES_H */
