/*-------------------------------------------------------------------------
 *
 * report_format.c
 *		Numbers as people read them: three digits that mean something.
 *
 * All results are palloc'd.  What is no number (an average of nothing, say) is
 * a dash, so that neither NaN nor infinity is ever shown.
 *
 * This room knows neither shared memory nor the server: it formats.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "report/report_format.h"

/* Three significant digits. */
char *
report_format_number(double x)
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

/* Exact as long as it is short. */
char *
report_format_count(uint64 n)
{
	if (n < 1000000)
		return psprintf(UINT64_FORMAT, n);
	if (n < UINT64CONST(999500000))
		return psprintf("%s M", report_format_number(n / 1e6));
	return psprintf("%s G", report_format_number(n / 1e9));
}

/* A time of commits and flushes. */
char *
report_format_us(double us)
{
	if (!isfinite(us) || us < 999.5)
		return psprintf("%s us", report_format_number(us));
	if (us < 999.5e3)
		return psprintf("%s ms", report_format_number(us / 1e3));
	return psprintf("%s s", report_format_number(us / 1e6));
}

/* A time of people. */
char *
report_format_duration(double seconds)
{
	static const struct
	{
		const char *name;
		const char *smaller_name;
		int			size;
		int			smaller;
	}			units[] = {
		{"d", "h", 86400, 3600},
		{"h", "min", 3600, 60},
		{"min", "s", 60, 1},
	};
	int64		whole = (int64) seconds;

	if (seconds < 1)
		return report_format_us(seconds * 1e6);
	if (seconds < 60)
		return psprintf("%s s", report_format_number(seconds));
	for (int i = 0;; i++)
	{
		if (whole >= units[i].size)
			return psprintf(INT64_FORMAT " %s " INT64_FORMAT " %s",
							whole / units[i].size, units[i].name,
							whole % units[i].size / units[i].smaller,
							units[i].smaller_name);
	}
}

/* A dash if there is no whole; 100% and 0% only if it is all or nothing. */
char *
report_format_percent(double part, double whole)
{
	double		percent = 100 * (part / whole);

	if (!(whole > 0) || !isfinite(percent))
		return pstrdup("-");
	if (percent > 0 && percent < 0.1)
		return pstrdup("<0.1%");
	if (percent < 100 && percent > 99.9)
		return pstrdup(">99.9%");
	if (percent == 0 || percent == 100)
		return psprintf("%.0f%%", percent);
	return psprintf("%.1f%%", percent);
}
