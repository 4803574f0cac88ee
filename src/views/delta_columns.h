/*-------------------------------------------------------------------------
 *
 * delta_columns.h
 *		Columns that several functions fill from a tally, in the same order.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_DELTA_COLUMNS_H
#define COMMIT_STATS_DELTA_COLUMNS_H

#include "base/compat.h"
#include "stats/counter_delta.h"
#include "views/srf.h"

/* flushes_per_second, commits_per_flush, delay_hit_fraction */
static inline void
set_flush_columns(Row *row, int first, const CounterDelta *tally)
{
	set_known(row, first, counter_delta_rate(tally, SLOT_FLUSHES), 1);
	set_known(row, first + 1, counter_delta_commits_per_flush(tally), 2);
	set_known(row, first + 2, counter_delta_delay_hit_fraction(tally), 3);
}

static inline void
set_latency_quantile(Row *row, int column, const CounterDelta *tally, double q)
{
	set_known(row, column, counter_delta_latency_quantile(tally, q) / NS_PER_MS, 3);
}

/* mean, p50, p95, p99 */
static inline void
set_latency_columns(Row *row, int first, const CounterDelta *tally)
{
	set_known(row, first, counter_delta_mean_latency(tally) / NS_PER_MS, 3);
	set_latency_quantile(row, first + 1, tally, 0.5);
	set_latency_quantile(row, first + 2, tally, 0.95);
	set_latency_quantile(row, first + 3, tally, 0.99);
}

#endif							/* COMMIT_STATS_DELTA_COLUMNS_H */
