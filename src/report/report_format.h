/*-------------------------------------------------------------------------
 *
 * report_format.h
 *		Numbers as people read them; see report_format.c.
 *
 * src/report/report_format.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_REPORT_FORMAT_H
#define COMMIT_STATS_REPORT_FORMAT_H

extern char *readable_number(double x);
extern char *readable_count(uint64 n);
extern char *readable_us(double us);
extern char *readable_duration(double seconds);
extern char *readable_percent(double part, double whole);

#endif							/* COMMIT_STATS_REPORT_FORMAT_H */
