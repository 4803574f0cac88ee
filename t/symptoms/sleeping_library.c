/*-------------------------------------------------------------------------
 *
 * sleeping_library.c
 *		A library that sleeps as a transaction commits, as one that commits on
 *		another server does; for t/symptoms/other_library.pl.
 *
 * It sleeps without a wait event, before the commit record or after it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <poll.h>

#include "access/xact.h"
#include "fmgr.h"
#include "utils/guc.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

static int	before = 0;
static int	after = 0;

static void
sleep_in_callback(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_PRE_COMMIT)
		(void) poll(NULL, 0, before);
	else if (event == XACT_EVENT_COMMIT)
		(void) poll(NULL, 0, after);
}

void
_PG_init(void)
{
	DefineCustomIntVariable("sleeping_library.before", "Before the commit record.",
							NULL, &before, 0, 0, 10000, PGC_USERSET, GUC_UNIT_MS,
							NULL, NULL, NULL);
	DefineCustomIntVariable("sleeping_library.after", "After it.",
							NULL, &after, 0, 0, 10000, PGC_USERSET, GUC_UNIT_MS,
							NULL, NULL, NULL);
	RegisterXactCallback(sleep_in_callback, NULL);
}
