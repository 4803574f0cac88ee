/*-------------------------------------------------------------------------
 *
 * tuning_args.c
 *		What the functions that try values of commit_delay have in common.
 *
 * Where they refuse to work, and the arguments that they share.
 *
 * Locking: none; nothing here is shared.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

#include "base/guc.h"
#include "base/wait.h"
#include "tuning/tuning_args.h"

/* Where a delay can do nothing, or nothing is known about it. */
void
tuning_args_require(const char *standby_hint)
{
	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("recovery is in progress"),
				 errhint("%s", standby_hint)));
	if (!enableFsync)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("commit_delay has no effect while fsync is off")));
	guc_require_enabled();
}

/* The pairs that two arguments make. */
void
tuning_args_pairs(FunctionCallInfo fcinfo, int delays, int siblings,
				 DelayPairs *pairs)
{
	delay_pairs_make(pairs,
					 PG_ARGISNULL(delays) ? NULL : PG_GETARG_ARRAYTYPE_P(delays),
					 PG_ARGISNULL(siblings) ? NULL : PG_GETARG_ARRAYTYPE_P(siblings));
}

/* An argument that says how long, in ns; it must not be null. */
uint64
tuning_args_interval(FunctionCallInfo fcinfo, int argument, const char *name,
					uint64 least, uint64 most)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("\"%s\" must not be null", name)));
	return wait_from_interval(PG_GETARG_INTERVAL_P(argument), name, least,
							   most);
}
