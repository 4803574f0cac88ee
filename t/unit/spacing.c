/*-------------------------------------------------------------------------
 *
 * spacing.c
 *		Devices and loads for src/control/spacing.c, for t/unit/spacing.pl.
 *
 * Sessions commit again and again, or, with "rate", at random times as often
 * as that.  Reads phases, one per line:
 *
 *	seconds quota writes window flush think sessions spikes spike rate settle
 *	blind most row
 *
 * The device allows "quota" writes in each "window" (0: any number), a flush
 * makes "writes" of these and takes "flush", a session works for "think"
 * between commits.  One flush in "spikes" takes up to twice "spike" longer, at
 * random, or just "spike" if that is negative; with a negative number, one in
 * each period of that many us.  "settle" calls spacing_settle() first.  With
 * "blind", at random, nobody sees for that time that a flush ends; then all
 * are seen together, the latest first.  Leaders sleep for at most "most", as
 * with commit_stats.adaptive_delay_max.  With "row", all update the same row,
 * and begin once they have its lock.  All times but the first are in us.
 * Each time is varied by 20% either way.
 *
 * The delay learns from the time since a transaction's start, as the server
 * does, without what a client waits before it.
 *
 * Prints a line for each second: commits, ms in flushes of more than 5 ms,
 * mean response with that wait, current spacing, rate of the quota believed,
 * quotas found, quotas refuted, and adoptions.
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include <math.h>

#include "control/spacing.h"

#define SESSIONS_MOST	100

typedef struct Phase
{
	double		seconds;
	double		quota;
	double		writes;
	double		window;
	double		flush;
	double		think;
	int			sessions;
	double		spikes;
	double		spike;
	double		rate;
	int			settle;
	double		blind;
	double		most;
	int			row;
} Phase;

typedef struct Session
{
	double		began;			/* the client wants the transaction */
	double		started;		/* the transaction */
	double		arrives;		/* at its commit */
} Session;

static Spacing spacing;
static Session session[SESSIONS_MOST];
static double now = 0;
static double window_end = 0;
static double left = 0;
static double last_spike = 0;

static struct
{
	double		commits;
	double		stalled;
	double		responses;
}			second;
static double next_second = 1e6;

/* Flushes that have not been seen. */
static struct
{
	double		began[1000];
	bool		slept[1000];
	int			n;
	double		until;
}			unseen;

static double
varied(double value)
{
	return value * (0.8 + 0.4 * drand48());
}

/* When can the device begin a flush that is asked for at "start"? */
static double
device_begins(const Phase *phase, double start)
{
	if (phase->quota == 0)
		return start;
	if (start >= window_end)
	{
		window_end = (floor(start / phase->window) + 1) * phase->window;
		left = phase->quota + Min(left, 0);
	}
	if (left < 1)
	{
		start = window_end;
		window_end += phase->window;
		left += phase->quota;
	}
	left -= phase->writes > 1 ? varied(phase->writes) : 1;
	return start;
}

static double
spike(const Phase *phase, double start)
{
	if (phase->spikes > 0 && drand48() < 1 / phase->spikes)
		return phase->spike > 0 ? phase->spike * 2 * drand48() : -phase->spike;
	if (phase->spikes < 0 && start - last_spike > -phase->spikes)
	{
		last_spike = start;
		return phase->spike;
	}
	return 0;
}

static void
next_commit(const Phase *phase, Session *s)
{
	if (phase->rate > 0)		/* as a queue with one server for each */
		s->began += phase->sessions / phase->rate * -log(1 - drand48()) * 1e6;
	else
		s->began = now;
	s->started = Max(now, s->began);
	s->arrives = s->started + varied(phase->think);
}

static void
see_flush(const Phase *phase, double began, bool slept)
{
	unseen.began[unseen.n] = began;
	unseen.slept[unseen.n++] = slept;
	if (now < unseen.until && unseen.n < (int) lengthof(unseen.began))
		return;
	for (int i = unseen.n - 1; i >= 0; i--)
		spacing_flush_ended(&spacing, unseen.began[i], now, unseen.slept[i]);
	unseen.n = 0;
	if (phase->blind > 0 && drand48() < 1.0 / 500)
		unseen.until = now + varied(phase->blind);
}

/*
 * The first session to arrive leads; the flush carries the sessions that have
 * come by then.
 */
static void
flush_once(const Phase *phase)
{
	int			first = 0;
	double		began;
	double		spaced = spacing_now(&spacing);
	double		commits = 0;
	double		since_start = 0;
	double		length;
	bool		slept;

	for (int i = 1; i < phase->sessions; i++)
		if (session[i].arrives < session[first].arrives)
			first = i;
	began = session[first].arrives;
	spaced = Min(spaced, phase->most);
	slept = began < now + spaced;
	began = Max(began, now + spaced);
	now = device_begins(phase, began);
	now += varied(phase->flush) + spike(phase, now);
	length = now - began;
	for (int i = 0; i < phase->sessions; i++)
		if (phase->row ? i == first : session[i].arrives <= began)
		{
			commits++;
			second.responses += now - session[i].began;
			since_start += now - session[i].started;
			next_commit(phase, &session[i]);
		}
		else if (phase->row)
			session[i].arrives = Max(session[i].arrives,
									 now + varied(phase->think));
	second.stalled += length > 5000 ? length : 0;
	second.commits += commits;
	see_flush(phase, began, slept);
	spacing_look(&spacing, now, commits, since_start);
}

static void
print_second(void)
{
	printf("%.0f %.0f %.0f %.0f %.1f %.0f %.0f %.0f\n", second.commits,
		   second.stalled / 1000, second.responses / Max(1, second.commits),
		   spacing.current,
		   spacing.quota.believed ? spacing.quota.rate * 1e6 : 0,
		   spacing.quotas_found, spacing.quotas_refuted, spacing.adoptions);
	memset(&second, 0, sizeof(second));
	next_second += 1e6;
}

int
main(void)
{
	Phase		phase;
	double		end = 0;

	spacing_init(&spacing, 0);
	while (scanf("%lf %lf %lf %lf %lf %lf %d %lf %lf %lf %d %lf %lf %d", &phase.seconds,
				 &phase.quota, &phase.writes, &phase.window, &phase.flush, &phase.think,
				 &phase.sessions, &phase.spikes, &phase.spike, &phase.rate,
				 &phase.settle, &phase.blind, &phase.most,
				 &phase.row) == 14)
	{
		now = Max(now, end);
		for (int i = 0; i < phase.sessions; i++)
		{
			session[i].began = now;
			next_commit(&phase, &session[i]);
		}
		if (phase.settle)
			spacing_settle(&spacing, now);
		for (end += phase.seconds * 1e6; now < end;)
		{
			if (phase.sessions > 0)
				flush_once(&phase);
			else
				now = next_second;
			while (now >= next_second)
				print_second();
		}
	}
	return 0;
}
