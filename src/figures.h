/*-------------------------------------------------------------------------
 *
 * figures.h
 *		The numbers that the report is made of; see figures.c.
 *
 * src/figures.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_FIGURES_H
#define COMMIT_STATS_FIGURES_H

#include "advice.h"
#include "datatype/timestamp.h"
#include "group_totals.h"

/* All that the report shows, of one moment; local memory. */
typedef struct ReportCopy
{
	CommitFigures figures;
	TimestampTz stats_reset;
	GroupTotals *groups;
} ReportCopy;

extern void figures_read(ReportCopy *copy);

#endif							/* COMMIT_STATS_FIGURES_H */
