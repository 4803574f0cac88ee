/*-------------------------------------------------------------------------
 *
 * report_data.h
 *		The numbers that the report is made of; see report_data.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_REPORT_DATA_H
#define COMMIT_STATS_REPORT_DATA_H

#include "report/advice.h"
#include "datatype/timestamp.h"
#include "stats/flush_totals.h"

/* All that the report shows, of one moment; local memory. */
typedef struct ReportCopy
{
	CommitFigures figures;
	TimestampTz stats_reset;
	FlushTotals *groups;
} ReportCopy;

extern void report_data_read(ReportCopy *copy);

#endif							/* COMMIT_STATS_REPORT_DATA_H */
