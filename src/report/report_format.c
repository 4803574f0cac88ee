/*-------------------------------------------------------------------------
 *
 * report_format.c
 *		Numbers and sentences of the report, as text.
 *
 * What is palloc'd lives until the report is returned.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "utils/timestamp.h"

#include "report/report.h"

/* Three significant digits */
char *
format_number(double x)
{
	int			decimals;
	double		unit;

	if (!isfinite(x))
		return pstrdup("-");
	if (x <= 0)
		return pstrdup("0");
	if (x < 0.001)
		return pstrdup("<0.001");
	decimals = 2 - (int) floor(log10(x));
	/* 9.999 becomes 10.0 and not 10.00 */
	unit = pow(10, -decimals);
	x = rint(x / unit) * unit;
	decimals = 2 - (int) floor(log10(x) + 1e-9);
	return psprintf("%.*f", Max(decimals, 0), x);
}

/* Exact if it is short */
char *
format_count(uint64 n)
{
	if (n < 1000000)
		return psprintf(UINT64_FORMAT, n);
	if (n < UINT64CONST(999500000))
		return psprintf("%s M", format_number(n / 1e6));
	return psprintf("%s G", format_number(n / 1e9));
}

char *
format_us(double us)
{
	if (!isfinite(us))
		return pstrdup("-");
	if (us < 999.5)
		return psprintf("%s us", format_number(us));
	if (us < 999.5e3)
		return psprintf("%s ms", format_number(us / 1e3));
	return psprintf("%s s", format_number(us / 1e6));
}

/* For longer times */
char *
format_duration(double seconds)
{
	double		whole = rint(seconds);
	int			days = (int) (whole / 86400);
	int			rest = (int) (whole - 86400.0 * days);

	if (seconds < 1)
		return format_us(seconds * 1e6);
	if (seconds < 60)
		return psprintf("%s s", format_number(seconds));
	if (whole < 3600)
		return psprintf("%d min %d s", rest / 60, rest % 60);
	if (whole < 86400)
		return psprintf("%d h %d min", rest / 3600, rest % 3600 / 60);
	return psprintf("%d d %d h", days, rest / 3600);
}

char *
format_bytes(double bytes)
{
	if (bytes < 999.5)
		return psprintf("%.0f B", bytes);
	if (bytes < 999.5e3)
		return psprintf("%s kB", format_number(bytes / 1e3));
	return psprintf("%s MB", format_number(bytes / 1e6));
}

/* 100% and 0% only if it is all or nothing */
char *
format_percent(double share)
{
	double		percent = 100 * share;

	if (!isfinite(percent))
		return pstrdup("-");
	if (percent > 0 && percent < 0.1)
		return pstrdup("<0.1%");
	if (percent < 100 && percent > 99.9)
		return pstrdup(">99.9%");
	if (percent == 0 || percent == 100)
		return psprintf("%.0f%%", percent);
	return psprintf("%.1f%%", percent);
}

/* Without its fraction of a second */
char *
format_time(TimestampTz t)
{
	return pstrdup(timestamptz_to_str(t - t % USECS_PER_SEC));
}

/* A sentence in lines that begin with "first", and then with "rest". */
void
put_wrapped(StringInfo text, int width, const char *first, const char *rest,
			const char *sentence)
{
	int			column = strlen(first);

	appendStringInfoString(text, first);
	while (*sentence != '\0')
	{
		int			length = strcspn(sentence, " ");

		if (column + 1 + length > width && column > (int) strlen(rest))
		{
			appendStringInfo(text, "\n%s", rest);
			column = strlen(rest);
		}
		else if (column > 0 && text->data[text->len - 1] != ' ')
		{
			appendStringInfoChar(text, ' ');
			column++;
		}
		appendBinaryStringInfo(text, sentence, length);
		column += length;
		sentence += length;
		sentence += strspn(sentence, " ");
	}
	appendStringInfoChar(text, '\n');
}
