/*-------------------------------------------------------------------------
 *
 * adaptive_cost.c
 *		Commits with commit_stats.adaptive_delay, without a server, for
 *		bench/cost to count their instructions.
 *
 * adaptive_cost COMMITS SHARE: commits one after the other, in simulated time.
 * One in SHARE leads a flush of 300 us.  The device has a quota of 50 flushes
 * in 100 ms, so that there is a spacing, which the leaders keep to.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "miscadmin.h"
#include "storage/lwlock.h"
#include "utils/timestamp.h"

#include "base/clock.h"
#include "base/guc.h"
#include "control/adaptive_delay.h"
#include "control/delay_override.h"
#include "module/stats_module.h"
#include "stats/flush_ring.h"
#include "stats/watch.h"

/* The server's replacement is not linked here. */
#undef printf

#define FLUSH		(300 * NS_PER_US)
#define THINK		(100 * NS_PER_US)	/* between commits */
#define QUOTA		50
#define WINDOW		(100 * NS_PER_MS)

int			XLOGbuffers = 2048;
int			commit_stats_adaptive_delay_max = 50000;

static LWLockPadded locks[256];
LWLockPadded *MainLWLockArray = locks;

static uint64 now = NS_PER_S;

/* The ring of flushes, of which only the newest is looked at */
static pg_atomic_uint64 head;
static FlushGroup group;
pg_atomic_uint64 *flush_ring_head = &head;
FlushGroup *flush_ring = &group;
GroupNumber flush_ring_mask = 0;

static pg_atomic_uint64 counters[SLOT_NFIELDS];
pg_atomic_uint64 *backend_slots_fields = counters;

int			CommitDelay = 0;
int			CommitSiblings = 5;
bool		enableFsync = true;
DelayObeyed delay_override_obeyed = OBEYS_SETTINGS;
DelayPair	delay_override_settings;

uint64
backend_slots_responses(void)
{
	return pg_atomic_read_u64(&counters[SLOT_RESPONSES]);
}

bool
watch_cpu_limited(uint64 from, uint64 to)
{
	return false;
}

TimestampTz
GetCurrentTimestamp(void)
{
	return (TimestampTz) (now / NS_PER_US);
}

LWLockPadded *
GetNamedLWLockTranche(const char *tranche_name)
{
	return locks;
}

bool
LWLockAcquire(LWLock *lock, LWLockMode mode)
{
	return true;
}

void
LWLockRelease(LWLock *lock)
{
}

XLogRecPtr
GetFlushRecPtr(TimeLineID *insertTLI)
{
	return now;
}

int
clock_gettime(clockid_t clock_id, struct timespec *ts)
{
	ts->tv_sec = now / NS_PER_S;
	ts->tv_nsec = now % NS_PER_S;
	return 0;
}

/* Its arguments are not the same in all versions. */
extern void assertion_failed(void) __asm__("ExceptionalCondition");

void
assertion_failed(void)
{
	abort();
}

/* The end of a flush that begins now */
static uint64
device(void)
{
	static uint64 window_ends = 0;
	static int	left = 0;

	if (now >= window_ends || left == 0)
	{
		now = Max(now, window_ends);
		window_ends = (now / WINDOW + 1) * WINDOW;
		left = QUOTA;
	}
	left--;
	return now + FLUSH;
}

/* A call of its own, so that it can be counted */
static pg_noinline void
commit_done(uint64 elapsed)
{
	adaptive_delay_committed(elapsed, elapsed + 100 * NS_PER_US);
	delay_override_restore();
}

int
main(int argc, char **argv)
{
	long		commits = atol(argv[1]);
	long		share = atol(argv[2]);
	long		slept = 0;

	adaptive_delay_module.attach(calloc(1, adaptive_delay_module.head_size),
								 NULL, false);
	adaptive_delay_settle(true);
	for (long i = 0; i < commits; i++)
	{
		uint64		began = now;
		bool		leads = i % share == 0;

		CommitDelay = adaptive_delay_begin(now);
		if (leads)
		{
			uint64		flush_began = now + CommitDelay * NS_PER_US;

			slept += CommitDelay > 0;
			now = flush_began;
			now = device();
			pg_atomic_write_u64(&group.seen_at, now);
			if (adaptive_delay_flushed(flush_began | FLUSH_SLEPT, now))
				adaptive_delay_look();
		}
		commit_done(now - began);
		if (leads)
			now += THINK;
	}
	printf("%ld\n", slept);
	return 0;
}
