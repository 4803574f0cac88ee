/*-------------------------------------------------------------------------
 *
 * quantile.c
 *		Quantiles of single values.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/quantile.h"

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

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
