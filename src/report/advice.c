/*-------------------------------------------------------------------------
 *
 * advice.c
 *		What the figures of the report mean, and what to do.
 *
 * commit_stats_report() decides everything here, each decision in a function
 * over the plain numbers of CommitFigures.  report.c has the words.
 *
 *	F0			the mean time of a flush
 *	lambda		commits per second
 *	lambda*		2 / F0
 *
 * Two rules of thumb give a commit_delay.  The server's documentation starts
 * from F0/2.  Queueing theory (arXiv 2606.18187) gives sqrt(2 F0 / lambda) for
 * commits that do not wait for each other.  Above lambda*, this delay is
 * shorter than F0; flushes that begin as soon as the device is free then carry
 * as many commits, and no delay should help.
 *
 * The theory does not hold for a device with a write quota (wal_device.c), as
 * many cloud volumes have: each flush saved there allows another one.  Flushes
 * also stall on a device whose bandwidth is limited, beside an archiver or a
 * checkpoint, and on a processor that is limited.  A delay helps only against
 * a quota of flushes, so it is proposed only if the stalls show one.
 *
 * A commit pays for a delay, so a sweep is never proposed without a bound for
 * commit times, which comes from what commits take at present.
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

/*
 * The device stalls if 1% of the flushes do, and F0 is this multiple of p50.
 */
#define STALL_MEAN			3.0

/* Shares below which something hardly happens, or does not matter. */
#define HARDLY_CONCURRENT	0.05
#define HARDLY_ANY_HITS		0.1
#define HARDLY_BUSY			0.1
#define HARDLY_ASLEEP		0.01
#define HARDLY_STALLED		0.05	/* of the time, in stalls */
#define HARDLY_SHARED		1.05	/* commits and prepares of a flush */

/* Commits that spend so much in their own flush wait for no other. */
#define OWN_FLUSH_ONLY		0.8

/* A median flush from here on is long, us. */
#define LONG_FLUSH			1000

/* A commit with more WAL than this is not small, bytes. */
#define SMALL_COMMIT		8192

/* commit_delay that a sweep is proposed with, us. */
#define MIN_SWEEP_DELAY		10
#define SWEEP_DEFAULT_START	100.0	/* without F0 */
#define SWEEP_DISTANCE		1.25	/* closer ones are not told apart */

/*
 * Its bound for the p99 of commits: this multiple of the present p99, which
 * differs from slot to slot; and at least MIN_SWEEP_P99, us.
 */
#define SWEEP_P99			2
#define MIN_SWEEP_P99		1000
#define MAX_SWEEP_P99		1e9

/* True if the newest flushes are enough to make a rate */
bool
advice_recent_is_known(const CommitFigures *f)
{
	return f->recent_flushes >= WAL_DEVICE_SAMPLE && f->recent_seconds > 0;
}

/*
 * Commits and flushes per second: of the newest flushes if possible, as an
 * average since the last reset includes hours in which nothing happened.
 */
double
advice_commit_rate(const CommitFigures *f)
{
	if (advice_recent_is_known(f))
		return ratio_or_zero(f->recent_commits, f->recent_seconds);
	return ratio_or_zero(f->commits, f->seconds);
}

double
advice_flush_rate(const CommitFigures *f)
{
	if (advice_recent_is_known(f))
		return ratio_or_zero(f->recent_flushes, f->recent_seconds);
	return ratio_or_zero(f->flushes, f->seconds);
}

/* True if, in addition, enough of them were timed */
static bool
recent_are_timed(const CommitFigures *f)
{
	return advice_recent_is_known(f) && f->recent_timed >= WAL_DEVICE_SAMPLE;
}

/* F0 of the flushes that advice_commit_rate() is of, as far as it is known */
double
advice_flush_time(const CommitFigures *f)
{
	return recent_are_timed(f) ? f->recent_flush_time : f->flush_time;
}

double
advice_square_root_rule(double flush_time, double commit_rate)
{
	return sqrt(ratio_or_zero(2 * flush_time * 1e6, commit_rate));
}

double
advice_threshold(double flush_time)
{
	return ratio_or_zero(2e6, flush_time);
}

/* True if by the rule no timer is needed */
bool
advice_is_above_threshold(const CommitFigures *f)
{
	return advice_flush_time(f) > 0 &&
		advice_commit_rate(f) > advice_threshold(advice_flush_time(f));
}

/*
 * Flushes in the time that one takes, if "load" commits come in that time: all
 * that came during a flush share the next, and if none came, the next waits
 * for a commit.
 */
static double
flushes_at(double load)
{
	return load / (load + exp(-load));
}

/*
 * The top client puts ten of its commits into one.  If its sessions wait for
 * flushes above all, they then do ten times the work with a flush, and for the
 * same work lead a tenth of their flushes.  Larger commits are put together
 * already.
 */
double
advice_max_batching(const CommitFigures *f)
{
	if (f->top_commit_size > SMALL_COMMIT)
		return 0;
	return 0.9 * ratio_or_zero(f->top_flushes, f->flushes);
}

/*
 * If the work comes as before, there is a tenth of the commits of this client,
 * and the commits of others find fewer to share a flush with.
 */
double
advice_min_batching(const CommitFigures *f)
{
	double		size = Max(ratio_or_zero(f->carried, f->flushes), 1);
	double		load = size;
	double		rest = 1 - 0.9 * ratio_or_zero(f->top_commits, f->commits);

	/* the load at which a flush carries "size" commits on average */
	for (int i = 0; i < 50; i++)
		load = size - exp(-load);
	return Min(advice_max_batching(f),
			   1 - flushes_at(load * rest) / flushes_at(load));
}

/*
 * The share of the time in which leaders write or sync.  Rate and length are
 * of the same flushes: the newest, or all.
 */
double
advice_device_busy(const CommitFigures *f)
{
	double		rate = recent_are_timed(f) ? advice_flush_rate(f) :
	ratio_or_zero(f->flushes, f->seconds);

	return Min(rate * advice_flush_time(f) / 1e6, 1.0);
}

/* True if stalls took much of the time */
static bool
stalls_take_time(const CommitFigures *f)
{
	return f->stall_time > HARDLY_STALLED * f->stall_seconds * 1e6;
}

/* True if few flushes take most of the time; a quota is one of the reasons. */
bool
advice_device_stalls(const CommitFigures *f)
{
	return stalls_take_time(f) ||
		(f->timed_flushes >= WAL_DEVICE_SAMPLE && f->flush_p50 > 0 &&
		 f->flush_time >= STALL_MEAN * f->flush_p50 &&
		 f->flush_p99 >= wal_device_stall_limit(f->flush_p50));
}

/* True if the times of the stalls show a write quota */
bool
advice_has_quota(const CommitFigures *f)
{
	return f->quota_flushes > 0 && advice_device_stalls(f);
}

/*
 * True if flushes take long without stalls, as on a volume that queues
 * requests.  Sessions that commit again sooner may take turns, each waiting
 * for the flush of others, which the rules leave out.
 */
static bool
flushes_take_long(const CommitFigures *f)
{
	return f->flush_p50 >= LONG_FLUSH && !advice_device_stalls(f) &&
		f->flush_p99 < wal_device_stall_limit(f->flush_p50);
}

/* Apart from the few that wait in spite of synchronous_commit = off. */
static bool
all_asynchronous(const CommitFigures *f)
{
	return f->commits_async > 0 && f->commits < f->commits_async / 100.0;
}

int
advice_obstacles(const CommitFigures *f)
{
	int			obstacles = 0;

	if (f->delay == 0 && !f->adaptive)
		obstacles |= DELAY_IS_ZERO;
	if (!f->fsync)
		obstacles |= FSYNC_IS_OFF;
	if (all_asynchronous(f))
		obstacles |= NOBODY_WAITS;
	else if (f->flushes > 0 && f->siblings_max == 0)
		obstacles |= NEVER_TOGETHER;
	if (f->adaptive)
		return obstacles;		/* commit_siblings is not used */
	if (f->siblings > f->connections - 1)
		obstacles |= SIBLINGS_UNREACHABLE;
	else if (f->flushes > 0 && f->siblings_max > 0 &&
			 f->siblings > f->siblings_max)
		obstacles |= SIBLINGS_NEVER_SEEN;
	return obstacles;
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

/* The share of the flushes that would have reached it; at least this */
double
advice_better_reach(const CommitFigures *f)
{
	return f->siblings_half > 0 ? 0.5 : f->concurrency;
}

static bool
delay_hardly_hits(const CommitFigures *f)
{
	return f->delay > 0 && f->reach < HARDLY_ANY_HITS &&
		advice_better_reach(f) >= HARDLY_ANY_HITS &&
		advice_better_siblings(f) < f->siblings;
}

/* True if leaders have slept commit_delay, which is set */
bool
advice_sleeps(const CommitFigures *f)
{
	return f->delay > 0 && f->delay_hits > 0;
}

/* True if flushes carry one commit or prepare each */
static bool
flushes_are_not_shared(const CommitFigures *f)
{
	return f->carried + f->prepares < HARDLY_SHARED * f->flushes;
}

/* True if leaders sleep before most flushes, which then carry one commit */
static bool
leaders_sleep_alone(const CommitFigures *f)
{
	return f->delay > 0 && 2 * f->delay_hits > f->flushes &&
		flushes_are_not_shared(f);
}

/*
 * True if hardly any commit comes while another one is flushed: none would
 * come during a delay either.  If sessions took turns, half of the time of a
 * commit would be the flush of another one.
 */
static bool
come_one_by_one(const CommitFigures *f)
{
	return flushes_are_not_shared(f) &&
		f->commit_io + f->commit_sleep >
		OWN_FLUSH_ONLY * (f->commit_time - f->standby_min);
}

/* True if the disk is idle most of the time, whatever single flushes take */
static bool
disk_is_idle(const CommitFigures *f)
{
	return f->flush_time > 0 && advice_device_busy(f) < HARDLY_BUSY &&
		!stalls_take_time(f);
}

/* Once there is enough, on a server where commits flush and wait */
static Advice
choose_delay(const CommitFigures *f)
{
	if (f->concurrency < HARDLY_CONCURRENT)
		return advice_has_quota(f) ? ADVICE_ADAPT : ADVICE_ALONE;
	if (leaders_sleep_alone(f))
		return ADVICE_SLEEPS_ALONE;
	if (f->standby_min > f->commit_time / 2)
		return ADVICE_STANDBY_FIRST;
	if (disk_is_idle(f))
		return f->delay > 0 && f->commit_sleep >= HARDLY_ASLEEP * f->commit_time ?
			ADVICE_TRY_ZERO : ADVICE_NOT_THE_DISK;
	if (advice_device_stalls(f))
		return advice_has_quota(f) ? ADVICE_SWEEP_QUOTA : ADVICE_STALLS;
	if (delay_hardly_hits(f))
		return ADVICE_LOWER_SIBLINGS;
	if (f->flush_time <= 0)
		return ADVICE_TIME_FLUSHES;
	if (come_one_by_one(f))
		return ADVICE_ONE_BY_ONE;
	if (f->delay == 0 && flushes_take_long(f))
		return ADVICE_SWEEP_TURNS;
	if (advice_is_above_threshold(f))
		return f->delay == 0 ? ADVICE_LEAVE_ZERO : ADVICE_SWEEP_ABOVE;
	return ADVICE_SWEEP;
}

Advice
advice_choose(const CommitFigures *f)
{
	if (!f->counting)
		return ADVICE_ENABLE;
	if (f->is_standby)
		return ADVICE_ASK_PRIMARY;
	if (!f->fsync)
		return ADVICE_FSYNC_OFF;
	if (all_asynchronous(f) && f->commits_async >= ADVICE_MIN_COMMITS)
		return ADVICE_ASYNCHRONOUS;
	if (f->commits < ADVICE_MIN_COMMITS || f->flushes == 0)
		return ADVICE_COME_BACK;
	if (f->adaptive)
		return ADVICE_ADAPTING;
	return choose_delay(f);
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
int
advice_sweep_max_p99(const CommitFigures *f)
{
	return two_digits(Min(Max(SWEEP_P99 * f->commit_p99, MIN_SWEEP_P99),
						  MAX_SWEEP_P99));
}

/*
 * Delays worth measuring: 0, the present one, F0 from a quarter to four times,
 * and that of the square-root rule.  None that would exceed the bound alone,
 * or with the flush that follows it, or that fills half of the WAL buffers.
 */
int
advice_sweep_delays(const CommitFigures *f, int *delays)
{
	double		flush_time = advice_flush_time(f);
	double		start = SWEEP_DEFAULT_START;
	double		square_root = advice_square_root_rule(flush_time,
													  advice_commit_rate(f));
	double		most = Min(advice_sweep_max_p99(f) - flush_time,
						   wal_buffers_us_until_half_full(f->wal_buffers,
														  f->flush_wal * advice_flush_rate(f)));
	int			n = 0;

	if (flush_time > 0)
		start = flush_time / 4;
	n = add_delay(delays, n, 0);
	if (f->delay <= advice_sweep_max_p99(f))
		n = add_delay(delays, n, f->delay);
	for (int step = 0; step < SWEEP_STEPS; step++)
		if (round_delay(ldexp(start, step)) <= most)
			n = add_delay(delays, n, round_delay(ldexp(start, step)));
	if (square_root > 0 && round_delay(square_root) <= most)
		n = add_delay(delays, n, round_delay(square_root));
	return n;
}

/*
 * commit_siblings worth measuring: the present value and, if fewer than half
 * of the flushes reach it, the value that half of them reach.
 */
int
advice_sweep_siblings(const CommitFigures *f, int *siblings)
{
	int			n = 0;

	siblings[n++] = f->siblings;
	if (f->reach < 0.5 && advice_better_siblings(f) < f->siblings)
		siblings[n++] = advice_better_siblings(f);
	return n;
}
