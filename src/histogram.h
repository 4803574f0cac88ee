/*-------------------------------------------------------------------------
 *
 * histogram.h
 *		Log-linear histograms of times; see histogram.c.
 *
 * src/histogram.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_HISTOGRAM_H
#define COMMIT_STATS_HISTOGRAM_H

/*
 * Each octave from 2^9 ns (half a microsecond) up to 2^37 ns (137 seconds) has
 * ten cells of equal width; the first and the last cell are for what is below
 * and above.
 */
#define HISTOGRAM_FIRST_OCTAVE	9
#define HISTOGRAM_OCTAVES		28
#define HISTOGRAM_STEPS			10
#define HISTOGRAM_NCELLS		(HISTOGRAM_OCTAVES * HISTOGRAM_STEPS + 2)

extern int	histogram_cell(uint64 ns);
extern double histogram_lower_bound(int cell);
extern double histogram_upper_bound(int cell);
extern double histogram_cell_value(int cell);
extern double histogram_quantile(const uint64 *counts, double q);
extern double histogram_max(const uint64 *counts);

#endif							/* COMMIT_STATS_HISTOGRAM_H */
