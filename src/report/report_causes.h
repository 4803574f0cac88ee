/*-------------------------------------------------------------------------
 *
 * report_causes.h
 *		What makes commits many, or slow; see report_causes.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_REPORT_CAUSES_H
#define COMMIT_STATS_REPORT_CAUSES_H

#include "lib/stringinfo.h"

#include "report/report_data.h"

extern void report_causes_put(StringInfo text, const CommitFigures *f);

#endif							/* COMMIT_STATS_REPORT_CAUSES_H */
