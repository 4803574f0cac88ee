/*-------------------------------------------------------------------------
 *
 * flush_logger.h
 *		"Flushed N out of M commits" in the server log; see flush_logger.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_FLUSH_LOGGER_H
#define COMMIT_STATS_FLUSH_LOGGER_H

#include "module/stats_module.h"

extern const StatsModule flush_logger_module;

extern void flush_logger_register(void);
extern void flush_logger_wake(void);
extern void flush_logger_wake_now(void);
extern PGDLLEXPORT void commit_stats_flush_logger_main(Datum main_arg);

#endif							/* COMMIT_STATS_FLUSH_LOGGER_H */
