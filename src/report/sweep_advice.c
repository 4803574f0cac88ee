/*-------------------------------------------------------------------------
 *
 * sweep_advice.c
 *		The commit_delay_sweep() that the report proposes.
 *
 * causes_put_delay() of causes.c says whether a delay may pay, and calls this.
 * What to do about a cause stands beside it in causes.c.
 *
 *	F0			the mean time of a flush
 *	lambda		commits per second
 *
 * Two rules of thumb give a commit_delay.  The server's documentation starts
 * from F0/2.  Queueing theory (arXiv 2606.18187) gives sqrt(2 F0 / lambda) for
 * commits that do not wait for each other.  The sweep tries both.
 *
 * A commit pays for a delay.  So each proposed sweep has a bound for commit
 * times, which comes from what commits take at present.
 *
 * This file uses neither shared memory nor the server, so t/ can compile it
 * alone.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "base/guc.h"
#include "base/wal_device.h"
#include "report/report.h"

/* commit_delay that a sweep is proposed with, us. */
#define MIN_SWEEP_DELAY		10
#define SWEEP_DEFAULT_START	100.0	/* without F0 */
#define SWEEP_DISTANCE		1.25	/* closer ones are not told apart */

/* 0, the present and the predicted delay, these steps, and that of a rule */
#define SWEEP_STEPS			5
#define SWEEP_MAX_DELAYS	(SWEEP_STEPS + 4)
#define SWEEP_MAX_SIBLINGS	3

/*
 * Its bound for the p99 of commits: this multiple of the present p99, which
 * differs from slot to slot; and at least MIN_SWEEP_P99, us.
 */
#define SWEEP_P99			2
#define MIN_SWEEP_P99		1000
#define MAX_SWEEP_P99		1e9

double
advice_square_root_rule(const CommitFigures *f)
{
	return sqrt(ratio_or_zero(2 * f->flush_time * 1e6, f->commit_rate));
}

/*
 * commit_siblings that half of the flushes would have reached; or 1, whatever
 * the share, as with 0 a leader sleeps alone.
 */
int
advice_better_siblings(const CommitFigures *f)
{
	return Max(f->siblings_half, 1);
}

/* Two digits, like 140 or 1100 */
static int
two_digits(double us)
{
	double		unit = pow(10, floor(log10(us)) - 1);

	return (int) rint(rint(us / unit) * unit);
}

/* ... within what commit_delay can be */
static int
round_delay(double delay)
{
	return two_digits(Min(Max(delay, MIN_SWEEP_DELAY), COMMIT_DELAY_MAX));
}

/* Add a delay, in order, unless there is one within SWEEP_DISTANCE. */
static int
add_delay(int *delays, int n, int delay)
{
	int			i;

	for (i = 0; i < n; i++)
		if (delay <= delays[i] * SWEEP_DISTANCE &&
			delays[i] <= delay * SWEEP_DISTANCE)
			return n;
	for (i = n; i > 0 && delays[i - 1] > delay; i--)
		delays[i] = delays[i - 1];
	delays[i] = delay;
	return n + 1;
}

/* The p99 of commits, in us, that a proposed sweep must not exceed */
static int
find_max_p99(const CommitFigures *f)
{
	return two_digits(Min(Max(SWEEP_P99 * f->commit_p99, MIN_SWEEP_P99),
						  MAX_SWEEP_P99));
}

/*
 * Delays worth measuring: 0, the present one, that of the newest prediction,
 * F0 from a quarter to four times, and that of the square-root rule.  None
 * that would exceed the bound alone, or with the flush that follows it, or
 * that fills half of the WAL buffers.
 */
static int
find_delays(const CommitFigures *f, int *delays)
{
	double		start = f->flush_time > 0 ? f->flush_time / 4 : SWEEP_DEFAULT_START;
	double		square_root = advice_square_root_rule(f);
	double		most = Min(find_max_p99(f) - f->flush_time,
						   wal_buffers_us_until_half_full(f->wal_buffers,
														  f->flush_wal * f->flush_rate));
	int			n = 0;

	n = add_delay(delays, n, 0);
	if (f->delay <= find_max_p99(f))
		n = add_delay(delays, n, f->delay);
	if (f->predicted_delay > 0 && f->predicted_delay <= most)
		n = add_delay(delays, n, f->predicted_delay);
	for (int step = 0; step < SWEEP_STEPS; step++)
		if (round_delay(ldexp(start, step)) <= most)
			n = add_delay(delays, n, round_delay(ldexp(start, step)));
	if (square_root > 0 && round_delay(square_root) <= most)
		n = add_delay(delays, n, round_delay(square_root));
	return n;
}

/*
 * commit_siblings worth measuring: the present value, that of the newest
 * prediction and, if fewer than half of the flushes reach the present one, the
 * value that half of them reach.
 */
static int
find_siblings(const CommitFigures *f, int *siblings)
{
	int			n = 0;

	siblings[n++] = f->siblings;
	if (f->predicted_delay > 0 && f->predicted_siblings != f->siblings)
		siblings[n++] = f->predicted_siblings;
	if (f->reach < 0.5 && advice_better_siblings(f) < f->siblings &&
		advice_better_siblings(f) != siblings[n - 1])
		siblings[n++] = advice_better_siblings(f);
	return n;
}

static void
append_array(StringInfo text, const int *values, int n)
{
	for (int i = 0; i < n; i++)
		appendStringInfo(text, "%s%d", i == 0 ? "ARRAY[" : ", ", values[i]);
	appendStringInfoChar(text, ']');
}

void
advice_put_sweep(StringInfo text, const CommitFigures *f, bool adaptive)
{
	int			delays[SWEEP_MAX_DELAYS];
	int			siblings[SWEEP_MAX_SIBLINGS];
	int			nsiblings = find_siblings(f, siblings);

	appendStringInfo(text, "SELECT * FROM %s.commit_delay_sweep(\n  ",
					 f->schema);
	append_array(text, delays, find_delays(f, delays));
	if (nsiblings > 1)
	{
		appendStringInfoString(text, ", ");
		append_array(text, siblings, nsiblings);
	}
	appendStringInfo(text, ",\n  max_p99 => '%g ms'%s);\n",
					 find_max_p99(f) / 1000.0,
					 adaptive ? ", adaptive => true" : "");
}
