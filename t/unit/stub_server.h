/*-------------------------------------------------------------------------
 *
 * stub_server.h
 *		What src/control/adaptive_delay.c and what that needs take from the
 *		server, for programs of t/unit that run it in the name of one
 *		simulated session after another, in simulated time.
 *
 *-------------------------------------------------------------------------
 */
#ifndef STUB_SERVER_H
#define STUB_SERVER_H

#include <math.h>
#include <signal.h>

#include "access/xlog.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "utils/timestamp.h"

#include "base/guc.h"
#include "control/next_flush.h"
#include "control/session_habits.h"

/* The server's replacements are not linked here. */
#undef printf
#undef qsort

#define SESSIONS_MOST	128

static double now = 0;			/* us */

/* 4 MB of WAL buffers, and the flush pointer */
int			XLOGbuffers = 512;
static XLogRecPtr flushed_lsn = 1;

XLogRecPtr
GetFlushRecPtr(TimeLineID *insert_tli)
{
	return flushed_lsn;
}

static PROC_HDR proc_global;
static PGPROC procs[SESSIONS_MOST];

PROC_HDR   *ProcGlobal = &proc_global;
int			MaxBackends = SESSIONS_MOST;
volatile sig_atomic_t InterruptPending = false;
int			commit_stats_adaptive_delay;
int			commit_stats_adaptive_delay_max = 100000;

#ifdef MyProcNumber
PGPROC	   *MyProc;
#else
ProcNumber	MyProcNumber;
#endif

static void
become(int i)
{
#ifdef MyProcNumber
	MyProc = &procs[i];
#else
	MyProcNumber = i;
#endif
	session_mine = session_at(i);
}

Size
add_size(Size a, Size b)
{
	return a + b;
}

Size
mul_size(Size a, Size b)
{
	return a * b;
}

void
pg_qsort(void *base, size_t n, size_t size,
		 int (*compare) (const void *, const void *))
{
	qsort(base, n, size, compare);
}

void
pg_usleep(long microsec)
{
}

void
ProcessInterrupts(void)
{
}

TimestampTz
GetCurrentTimestamp(void)
{
	return (TimestampTz) now;
}

/* Its arguments are not the same in all versions. */
extern void assertion_failed(void) __asm__("ExceptionalCondition");

void
assertion_failed(void)
{
	abort();
}

static uint64
now_ns(void)
{
	return (uint64) (now * 1000);
}

int
clock_gettime(clockid_t clock_id, struct timespec *ts)
{
	ts->tv_sec = now_ns() / NS_PER_S;
	ts->tv_nsec = now_ns() % NS_PER_S;
	return 0;
}

static void
attach(const StatsModule *module)
{
	void	   *head = calloc(1, module->head_size + 1);
	void	   *tail = NULL;

	if (module->tail_size != NULL)
		tail = aligned_alloc(PG_CACHE_LINE_SIZE,
							 module->tail_size(MaxBackends));
	if (tail != NULL)
		memset(tail, 0, module->tail_size(MaxBackends));
	module->attach(head, tail, false);
}

static void
start_server(void)
{
	proc_global.allProcs = procs;
	for (int i = 0; i < SESSIONS_MOST; i++)
	{
		procs[i].pid = i + 1;
#ifdef MyProcNumber
		procs[i].pgprocno = i;
#endif
	}
	attach(&session_habits_module);
	attach(&next_flush_module);
}

#endif							/* STUB_SERVER_H */
