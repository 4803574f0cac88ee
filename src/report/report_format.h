/*-------------------------------------------------------------------------
 *
 * report_format.h
 *		Numbers as people read them; see report_format.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_REPORT_FORMAT_H
#define COMMIT_STATS_REPORT_FORMAT_H

extern char *report_format_number(double x);
extern char *report_format_count(uint64 n);
extern char *report_format_us(double us);
extern char *report_format_duration(double seconds);
extern char *report_format_percent(double part, double whole);

#endif							/* COMMIT_STATS_REPORT_FORMAT_H */
