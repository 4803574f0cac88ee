/*-------------------------------------------------------------------------
 *
 * report_format.h
 *		Numbers in the report; see report_format.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_REPORT_FORMAT_H
#define COMMIT_STATS_REPORT_FORMAT_H

extern char *format_number(double x);
extern char *format_count(uint64 n);
extern char *format_us(double us);
extern char *format_duration(double seconds);
extern char *format_percent(double part, double whole);
extern char *format_rate(uint64 n, double seconds);
extern char *format_ratio(uint64 part, uint64 whole);

#endif							/* COMMIT_STATS_REPORT_FORMAT_H */
