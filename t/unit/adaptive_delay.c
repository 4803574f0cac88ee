/*-------------------------------------------------------------------------
 *
 * adaptive_delay.c
 *		A simulated server and disk, for t/unit/adaptive_delay.pl.
 *
 * Sessions work, commit, and share flushes as the server lets them.  How long
 * a leader sleeps, and which sleep ends early, is decided by the module's own
 * code: src/control/adaptive_delay.c and what that needs.  It runs in the
 * name of one simulated session after another.
 *
 * Reads phases, one per line:
 *
 *	seconds mode sessions think flush quota window others others_think
 *
 * "mode" is commit_stats.adaptive_delay.  "sessions" sessions work for "think"
 * between commits, and "others" more for "others_think".  A flush takes
 * "flush", and the device allows "quota" flushes in each "window" (0: any
 * number); with a negative window, "flush" is the time that each flush takes
 * the device (a queue).  Times but the first are in us, and each think time
 * and flush is varied by 20% either way.  Processors are never busy.
 *
 * Prints a line for each phase, of its second half: commits/s of "sessions",
 * flushes/s, mean and p99 of their commits in us, longest sleep that a leader
 * was asked for, sleeps that were ended early, PacerMode, GatherMode, and what
 * the last trial of gathering saved, in percent.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/adaptive_delay.h"

#include "stub_server.h"

#define LATENCIES_MOST	4000000
#define VARIED			0.2
/* us, as on Linux, about */
#define SLEEP_SLACK		60
#define SIGNAL_TIME		30
#define WAKE_TIME		20

typedef struct Phase
{
	double		seconds;
	int			mode;
	int			nsessions;
	double		think;
	double		flush;
	double		quota;
	double		window;
	int			nothers;
	double		others_think;
} Phase;

typedef enum ClientState
{
	WORKS,						/* until "at" */
	WAKES,						/* until "at", after a flush */
	WAITS						/* for another's flush, or its own */
} ClientState;

typedef struct Client
{
	ClientState state;
	double		at;
	double		began_at;
	int			delay;			/* if it leads */
	uint64		lsn;
} Client;

typedef enum LockState
{
	FREE,
	SLEEPS,						/* the leader does, until "lock_at" */
	FLUSHES
} LockState;

static Phase phase;
static Client client[SESSIONS_MOST];
static int	nclients;

static LockState lock = FREE;
static double lock_at = INFINITY;
static double flush_began;
static int	leader;
static uint64 inserted = 0;
static uint64 flushed = 0;
static uint64 target;

static double window_end = 0;
static double quota_left = 0;

/* of the phase's second half */
static double *latency;
static int	nlatencies;
static int	nflushes;
static int	nearly;
static int	longest;

/* A signal ends the sleep of the process, if it sleeps. */
int
kill(pid_t pid, int signal)
{
	if (lock == SLEEPS && leader == pid - 1)
	{
		nearly++;
		lock_at = Min(lock_at, now + SIGNAL_TIME);
	}
	return 0;
}

/*----------------------------------------------------------------
 * The simulation
 *----------------------------------------------------------------
 */

static double
varied(double value)
{
	return value * (1 - VARIED + 2 * VARIED * drand48());
}

static void
work(int i)
{
	client[i].state = WORKS;
	client[i].at = now +
		varied(i < phase.nsessions ? phase.think : phase.others_think);
}

/* When will the device have flushed what is asked for now? */
static double
device_ends(void)
{
	static double queue = 0;
	double		start = now;

	if (phase.window < 0)
	{
		queue = Max(queue, now) + phase.flush;
		return queue;
	}
	if (phase.quota > 0)
	{
		if (start >= window_end)
		{
			window_end = phase.window * (floor(start / phase.window) + 1);
			quota_left = phase.quota;
		}
		if (quota_left < 1)
		{
			start = window_end;
			window_end += phase.window;
			quota_left = phase.quota;
		}
		quota_left--;
	}
	return start + varied(phase.flush);
}

static void
begin_flush(void)
{
	lock = FLUSHES;
	flush_began = now;
	target = inserted;
	lock_at = device_ends();
}

/* The client has the lock, or waits for it, or need not. */
static void
want_flush(int i)
{
	Client	   *c = &client[i];

	become(i);
	if (flushed >= c->lsn)
	{
		if (i < phase.nsessions && nlatencies < LATENCIES_MOST)
			latency[nlatencies++] = now - c->began_at;
		if (phase.mode != ADAPTIVE_DELAY_OFF)
			next_flush_end(now_ns());
		work(i);
		return;
	}
	c->state = WAITS;
	c->at = INFINITY;
	if (lock != FREE)
		return;
	leader = i;
	if (c->delay == 0)
	{
		begin_flush();
		return;
	}
	lock = SLEEPS;
	lock_at = now + c->delay + SLEEP_SLACK;
	longest = Max(longest, c->delay);
}

static void
commit(int i)
{
	Client	   *c = &client[i];

	become(i);
	c->began_at = now;
	c->delay = 0;
	if (phase.mode != ADAPTIVE_DELAY_OFF)
		c->delay = next_flush_begin(now_ns());
	c->lsn = ++inserted;
	want_flush(i);
}

static void
end_flush(void)
{
	flushed = target;
	lock = FREE;
	lock_at = INFINITY;
	nflushes++;
	become(leader);
	if (phase.mode != ADAPTIVE_DELAY_OFF)
		adaptive_delay_flushed(now_ns(),
							   (uint64) ((now - flush_began) * 1000));
	for (int i = 0; i < nclients; i++)
		if (client[i].state == WAITS)
		{
			client[i].state = WAKES;
			client[i].at = now + varied(WAKE_TIME);
		}
	want_flush(leader);
}

static int
next_client(void)
{
	int			next = 0;

	for (int i = 1; i < nclients; i++)
		if (client[i].at < client[next].at)
			next = i;
	return next;
}

static void
step(void)
{
	int			i = next_client();

	if (lock_at <= client[i].at)
	{
		now = lock_at;
		if (lock == SLEEPS)
			begin_flush();
		else
			end_flush();
		return;
	}
	now = client[i].at;
	if (client[i].state == WORKS)
		commit(i);
	else
		want_flush(i);
}

static int
compare_latency(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

static void
print_phase(double seconds)
{
	static AdaptiveDelayState state;
	double		sum = 0;

	qsort(latency, nlatencies, sizeof(double), compare_latency);
	for (int i = 0; i < nlatencies; i++)
		sum += latency[i];
	(void) adaptive_delay_read(&state);
	printf("%.0f %.0f %.0f %.0f %d %d %d %d %.0f\n", nlatencies / seconds,
		   nflushes / seconds, sum / Max(nlatencies, 1),
		   nlatencies > 0 ? latency[(int) (nlatencies * 0.99)] : 0.0,
		   longest, nearly, state.pacer.mode, state.trial.mode,
		   100 * state.trial.gain);
}

static void
run_until(double end)
{
	nlatencies = nflushes = nearly = longest = 0;
	while (now < end)
		step();
}

/* Sessions that were there go on. */
static void
begin_phase(void)
{
	int			before = nclients;

	if (commit_stats_adaptive_delay != phase.mode)
	{
		commit_stats_adaptive_delay = phase.mode;
		(void) adaptive_delay_restart(true);
	}
	nclients = phase.nsessions + phase.nothers;
	for (int i = before; i < nclients; i++)
		work(i);
}

int
main(void)
{
	latency = malloc(LATENCIES_MOST * sizeof(double));
	start_server();
	attach(&adaptive_delay_module);
	while (scanf("%lf %d %d %lf %lf %lf %lf %d %lf", &phase.seconds,
				 &phase.mode, &phase.nsessions, &phase.think, &phase.flush,
				 &phase.quota, &phase.window, &phase.nothers,
				 &phase.others_think) == 9)
	{
		double		half = phase.seconds / 2;
		double		began_at = now;

		begin_phase();
		run_until(began_at + half * 1e6);
		run_until(began_at + phase.seconds * 1e6);
		print_phase(half);
	}
	return 0;
}
