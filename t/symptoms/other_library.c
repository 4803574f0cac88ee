/*-------------------------------------------------------------------------
 *
 * other_library.c
 *		A library that works for a while once a transaction has committed, as
 *		one that keeps an audit log; for t/symptoms/other_library.pl.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "fmgr.h"
#include "utils/guc.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

static int	ms = 0;

static void
work(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_COMMIT && ms > 0)
		pg_usleep(ms * 1000L);
}

void
_PG_init(void)
{
	DefineCustomIntVariable("other_library.ms", "Is how long it works.", NULL,
							&ms, 0, 0, 1000, PGC_USERSET, 0, NULL, NULL, NULL);
	RegisterXactCallback(work, NULL);
}
