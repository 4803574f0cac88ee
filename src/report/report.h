/*-------------------------------------------------------------------------
 *
 * report.h
 *		One screen of text; see report.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_REPORT_H
#define COMMIT_STATS_REPORT_H

#include "lib/stringinfo.h"

#include "report/advice.h"

#define REPORT_WIDTH		78

extern void report_advice(StringInfo text, const CommitFigures *f);

#endif							/* COMMIT_STATS_REPORT_H */
