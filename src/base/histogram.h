/* Log-linear histograms of times, and quantiles; see histogram.c. */
#ifndef COMMIT_STATS_HISTOGRAM_H
#define COMMIT_STATS_HISTOGRAM_H

#include "port/pg_bitutils.h"

/*
 * Each octave from 2^9 ns (half a microsecond) up to 2^37 ns (137 seconds) has
 * ten cells of equal width; the first and the last cell are for what is below
 * and above.
 */
#define HISTOGRAM_FIRST_OCTAVE	9
#define HISTOGRAM_OCTAVES		28
#define HISTOGRAM_STEPS			10
#define HISTOGRAM_NCELLS		(HISTOGRAM_OCTAVES * HISTOGRAM_STEPS + 2)

/* The cell of a time; on the commit path. */
static inline int
histogram_cell(uint64 ns)
{
	int			octave;
	int			step;

	if (ns < UINT64CONST(1) << HISTOGRAM_FIRST_OCTAVE)
		return 0;
	octave = pg_leftmost_one_pos64(ns);
	if (octave >= HISTOGRAM_FIRST_OCTAVE + HISTOGRAM_OCTAVES)
		return HISTOGRAM_NCELLS - 1;
	step = (int) (ns * HISTOGRAM_STEPS >> octave) - HISTOGRAM_STEPS;
	return 1 + (octave - HISTOGRAM_FIRST_OCTAVE) * HISTOGRAM_STEPS + step;
}

extern double histogram_lower_bound(int cell);
extern double histogram_upper_bound(int cell);
extern double histogram_cell_value(int cell);
extern uint64 histogram_count(const uint64 *counts);
extern double histogram_quantile(const uint64 *counts, double q);

/* Orders numbers, or structs by the one that they begin with. */
extern int	compare_doubles(const void *a, const void *b);
extern int	compare_uint64s(const void *a, const void *b);

/* The value below which "q" of all are; 0 if there is none.  Sorts them. */
extern double quantile(double *value, int n, double q);

#endif							/* COMMIT_STATS_HISTOGRAM_H */
