/*-------------------------------------------------------------------------
 *
 * modules.c
 *		The list of the modules; see module/stats_module.h.
 *
 * Three places in the order matter:
 *
 *	clients			before statements, whose keys have a client's role
 *	backend_slots	before flush_totals: a commit is counted in its slot and
 *					then in its group, so a copy of the slots must not have a
 *					commit that the groups, copied later, have not
 *	flush_totals	last of those with "reset_copy", as its copy is the first
 *					change that others see
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/adaptive_delay.h"
#include "control/delay_override.h"
#include "history/history.h"
#include "module/stats_module.h"
#include "module/wall_clock.h"
#include "probe/notify_lock.h"
#include "probe/siblings.h"
#include "stats/backend_slots.h"
#include "stats/clients.h"
#include "stats/commit_trace.h"
#include "stats/flush_ring.h"
#include "stats/flush_totals.h"
#include "stats/latency.h"
#include "stats/prediction.h"
#include "stats/slow_log.h"
#include "stats/standby.h"
#include "stats/statements.h"
#include "stats/wal_cycles.h"
#include "stats/watch.h"

const StatsModule *const stats_modules[] = {
	&adaptive_delay_module,
	&siblings_module,
	&backend_slots_module,
	&clients_module,
	&statements_module,
	&wall_clock_module,
	&commit_trace_module,
	&delay_override_module,
	&flush_ring_module,
	&latency_module,
	&notify_lock_module,
	&prediction_module,
	&slow_log_module,
	&standby_module,
	&history_module,
	&wal_cycles_module,
	&watch_module,
	&flush_totals_module,
	NULL
};
