/*-------------------------------------------------------------------------
 *
 * delta_columns.h
 *		Columns of a CounterDelta that several functions show.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_DELTA_COLUMNS_H
#define COMMIT_STATS_DELTA_COLUMNS_H

#include "stats/counter_delta.h"
#include "views/srf.h"

/* per second */
static inline void
row_rate(Row *row, const CounterDelta *delta, SlotCounter counter)
{
	row_rounded(row, counter_delta_rate(delta, counter), 1);
}

/* flushes per second, commits per flush, share of flushes that slept */
static inline void
row_flush_columns(Row *row, const CounterDelta *delta)
{
	row_rate(row, delta, SLOT_FLUSHES);
	row_rounded(row, counter_delta_commits_per_flush(delta), 2);
	row_share(row, counter_delta_delay_hit_fraction(delta), 1);
}

/* ms */
static inline void
row_mean_latency(Row *row, const CounterDelta *delta)
{
	row_rounded(row, counter_delta_mean_latency(delta) / NS_PER_MS, 3);
}

/* ms */
static inline void
row_latency_quantile(Row *row, const CounterDelta *delta, double q)
{
	row_rounded(row, counter_delta_latency_quantile(delta, q) / NS_PER_MS, 3);
}

/* mean, p50, p95 and p99 */
static inline void
row_latency_columns(Row *row, const CounterDelta *delta)
{
	row_mean_latency(row, delta);
	row_latency_quantile(row, delta, 0.5);
	row_latency_quantile(row, delta, 0.95);
	row_latency_quantile(row, delta, 0.99);
}

#endif							/* COMMIT_STATS_DELTA_COLUMNS_H */
