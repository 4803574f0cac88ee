/*-------------------------------------------------------------------------
 *
 * histogram.c
 *		Log-linear histograms of times: cells, bounds, quantiles.
 *
 * An octave has HISTOGRAM_STEPS cells, which are equally wide.
 *
 * All times in a cell from l to u are taken to be 2lu / (l + u), which is off
 * by at most (u - l) / (u + l) of the true value: 1/21, or 4.8%, in the first
 * cell of an octave, less in the others.  The first and the last cell of a
 * histogram have no such bound.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "base/histogram.h"

#define LAST_CELL	(HISTOGRAM_NCELLS - 1)

/* ns; times of the cell are not below this ... */
double
histogram_lower_bound(int cell)
{
	int			octave = HISTOGRAM_FIRST_OCTAVE + (cell - 1) / HISTOGRAM_STEPS;
	int			step = (cell - 1) % HISTOGRAM_STEPS;

	if (cell == 0)
		return 0;
	return ldexp(HISTOGRAM_STEPS + step, octave) / HISTOGRAM_STEPS;
}

/* ... and below this. */
double
histogram_upper_bound(int cell)
{
	return cell == LAST_CELL ? INFINITY : histogram_lower_bound(cell + 1);
}

/* ns that stand for all times of a cell. */
double
histogram_cell_value(int cell)
{
	double		lower = histogram_lower_bound(cell);
	double		upper = histogram_upper_bound(cell);

	if (cell == 0)
		return upper / 2;
	if (cell == LAST_CELL)
		return lower;
	return 2 * lower * upper / (lower + upper);
}

uint64
histogram_count(const uint64 *counts)
{
	uint64		n = 0;

	for (int cell = 0; cell < HISTOGRAM_NCELLS; cell++)
		n += counts[cell];
	return n;
}

/*
 * ns that a fraction q of all times, above 0, do not exceed: the longest time
 * if q is 1.  NaN if there are none.
 */
double
histogram_quantile(const uint64 *counts, double q)
{
	double		rank = ceil(q * histogram_count(counts));

	for (int cell = 0; cell < HISTOGRAM_NCELLS; cell++)
	{
		rank -= counts[cell];
		if (rank <= 0 && counts[cell] > 0)
			return histogram_cell_value(cell);
	}
	return NAN;
}

int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	CHECK_FOR_INTERRUPTS();
	return (x > y) - (x < y);
}

int
compare_uint64s(const void *a, const void *b)
{
	uint64		x = *(const uint64 *) a;
	uint64		y = *(const uint64 *) b;

	CHECK_FOR_INTERRUPTS();
	return (x > y) - (x < y);
}

double
quantile(double *value, int n, double q)
{
	if (n == 0)
		return 0;
	qsort(value, n, sizeof(double), compare_doubles);
	return value[Min((int) (q * n), n - 1)];
}
