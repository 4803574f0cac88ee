/*-------------------------------------------------------------------------
 *
 * pacer.c
 *		Devices that src/control/pacer.c paces, for t/unit/pacer.pl.
 *
 * One session commits again and again.  Reads phases, one per line:
 *
 *	seconds quota window flush think hiccup_every hiccup sessions spaced kept
 *
 * The device allows "quota" flushes in each "window" (0: any number), a flush
 * takes "flush", the session works for "think" between commits, and every
 * "hiccup_every" a flush takes "hiccup" longer; if that is negative, one flush
 * in as many does, at random.  "sessions" sessions lead in turn.  A flush that
 * begins 1 ms or more after the one before takes "spaced" more of the quota.
 * Up to "kept" flushes of the quota that a window has left are kept.
 * Times but the first are in us.  Each time is varied by 30% either way.
 * Prints a line for each second: flushes, ms in flushes of more than 5 ms,
 * PacerMode, PacerReason, pace in flushes/s, and ms that the longest commit
 * took.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "paced_sleep.h"

/* The server's replacements are not linked here. */
#undef printf
#undef qsort

void
pg_qsort(void *base, size_t n, size_t size,
		 int (*compare) (const void *, const void *))
{
	qsort(base, n, size, compare);
}

#define SPACED	1000			/* us */

typedef struct Phase
{
	double		seconds;
	double		quota;
	double		window;
	double		flush;
	double		think;
	double		hiccup_every;
	double		hiccup;
	int			sessions;
	double		spaced;
	double		kept;
} Phase;

typedef struct Second
{
	int			nflushes;
	double		stalled;
	double		longest;
} Second;

static double now = 0;
static double next_second = 1e6;
static double window_end = 0;
static double left = 0;
static double last_hiccup = 0;
static Second second;

static Pacer pacer;
static PacerClock flush_clock;

static double
varied(double value)
{
	return value * (0.7 + 0.6 * drand48());
}

/* When can the device begin a flush that is asked for now? */
static double
device_begins(const Phase *phase)
{
	double		start = now;

	if (phase->window == 0)
		return start;
	for (; start >= window_end; window_end += phase->window)
		left = Min(left, phase->kept) + phase->quota;
	if (left < 1)
	{
		start = window_end;
		window_end += phase->window;
		left += phase->quota;
	}
	left -= start - pacer.ended_at >= SPACED ? 1 + phase->spaced : 1;
	return start;
}

static double
hiccup(const Phase *phase)
{
	if (phase->hiccup_every < 0)
		return drand48() < -1 / phase->hiccup_every ? varied(phase->hiccup) : 0;
	if (phase->hiccup_every == 0 || now - last_hiccup < phase->hiccup_every)
		return 0;
	last_hiccup = now;
	return phase->hiccup;
}

static void
commit_once(const Phase *phase)
{
	double		interval = pacer_interval(&pacer);
	double		began_at;
	double		asked_at;
	double		length;

	now += varied(phase->think);
	began_at = now;
	if (interval > 0)
		now += paced_sleep(&flush_clock, now, interval, pacer.median);
	asked_at = now;
	now = device_begins(phase) + varied(phase->flush) + hiccup(phase);
	length = now - asked_at;
	if (pacer_flush_ended(&pacer, now, length,
						  second.nflushes % phase->sessions))
		flush_clock.due = Max(flush_clock.due, (uint64) (now * 1000));
	second.nflushes++;
	second.stalled += length > 5000 ? length : 0;
	second.longest = Max(second.longest, now - began_at);
}

static void
print_second(void)
{
	double		interval = pacer_interval(&pacer);

	printf("%d %.0f %d %d %.0f %.1f\n", second.nflushes, second.stalled / 1000,
		   pacer.mode, pacer.reason, interval > 0 ? 1e6 / interval : 0.0,
		   second.longest / 1000);
	memset(&second, 0, sizeof(second));
	next_second += 1e6;
}

int
main(void)
{
	Phase		phase;
	double		end = 0;

	pacer_init(&pacer, 0);
	while (scanf("%lf %lf %lf %lf %lf %lf %lf %d %lf %lf", &phase.seconds, &phase.quota,
				 &phase.window, &phase.flush, &phase.think,
				 &phase.hiccup_every, &phase.hiccup, &phase.sessions,
				 &phase.spaced, &phase.kept) == 10)
		for (end += phase.seconds * 1e6; now < end;)
		{
			commit_once(&phase);
			while (now >= next_second)
				print_second();
		}
	return 0;
}
