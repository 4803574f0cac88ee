/*-------------------------------------------------------------------------
 *
 * modules.c
 *		The list of the modules; see module/stats_module.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/adaptive_delay.h"
#include "control/delay_override.h"
#include "module/stats_module.h"
#include "module/wall_clock.h"
#include "probe/siblings.h"
#include "stats/backend_slots.h"
#include "stats/clients.h"
#include "stats/commit_trace.h"
#include "stats/flush_groups.h"
#include "stats/flush_totals.h"
#include "stats/latency.h"
#include "stats/slow_log.h"
#include "stats/stall_limit.h"
#include "stats/wal_cycles.h"
#include "worker/flush_logger.h"

const StatsModule *const stats_modules[] = {
	&adaptive_delay_module,
	&siblings_module,
	&backend_slots_module,
	&clients_module,
	&clock_module,
	&commit_trace_module,
	&delay_override_module,
	&flush_groups_module,
	&flush_logger_module,
	&flush_totals_module,
	&latency_module,
	&slow_log_module,
	&stall_limit_module,
	&wal_cycles_module,
	NULL
};
