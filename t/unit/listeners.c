/*-------------------------------------------------------------------------
 *
 * listeners.c
 *		The listeners of src/probe/notify_lock.c, for t/unit/listeners.pl.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "module/stats_module.h"
#include "module/wall_clock.h"
#include "probe/notify_lock.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(listeners);

pg_atomic_uint64 *clock_offset_shared = NULL;

/*
 * listeners(steps text): "e" enters, "l" leaves, "+" is LISTEN, "-" UNLISTEN;
 * returns how many listen after each step.
 */
Datum
listeners(PG_FUNCTION_ARGS)
{
	char	   *steps = text_to_cstring(PG_GETARG_TEXT_PP(0));

	if (*notify_lock_module.tail == NULL)
		*notify_lock_module.tail =
			MemoryContextAllocZero(TopMemoryContext,
								   MaxBackends * notify_lock_module.slot_size);
	for (char *step = steps; *step != '\0'; step++)
	{
		if (*step == 'e')
			notify_lock_module.enter();
		else if (*step == 'l')
			notify_lock_module.leave();
		else
			notify_lock_set_listening(*step == '+');
		*step = '0' + notify_lock_listeners(MyDatabaseId);
	}
	PG_RETURN_TEXT_P(cstring_to_text(steps));
}
