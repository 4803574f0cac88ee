/*-------------------------------------------------------------------------
 *
 * quantile.h
 *		Quantiles of single values; see quantile.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_QUANTILE_H
#define COMMIT_STATS_QUANTILE_H

/* The value below which "q" of all are; 0 if there is none.  Sorts them. */
extern double quantile(double *value, int n, double q);

#endif							/* COMMIT_STATS_QUANTILE_H */
