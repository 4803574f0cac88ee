/* What was counted in each minute and hour; see history.c. */
#ifndef COMMIT_STATS_HISTORY_H
#define COMMIT_STATS_HISTORY_H

#include "datatype/timestamp.h"

#include "base/changecount.h"
#include "base/clock.h"
#include "base/histogram.h"
#include "stats/backend_slots.h"
#include "stats/clients.h"
#include "stats/commit_phase.h"
#include "stats/stall_log.h"
#include "stats/statements.h"
#include "stats/watch.h"

/* By the looks of the worker: time of all backends that waited so, ns */
#define HISTORY_WAIT(wait, time)	float		wait;

typedef struct HistorySeen
{
	WATCH_WAITS(HISTORY_WAIT)
	float		phase[PHASE_N]; /* in a commit, ended or not */
	float		activity[ACTIVITIES];	/* time in which it was under way */
} HistorySeen;

/* A row, or several added up; zeroed: none.  Local memory; times in ns */
typedef struct HistorySum
{
	int			rows;
	int			gaps;			/* before a row: counts are missing */
	TimestampTz start;			/* of the first row */
	TimestampTz end;			/* of the last */
	double		seconds;		/* that the rows cover, without the gaps */
	double		seen;			/* of these, between looks of the worker */

	/* since the start of the first row: counted, resets or not */
	uint64		value[SLOT_NCOUNTERS];
	uint64		commits_without_leader;
	uint64		flush_wal;		/* that flushes with a leader wrote, bytes;
								 * less those before a reset in the row */

	/*
	 * Of SLOT_COMMITS, with what is before and after the callbacks.  What a
	 * row does not know is in PHASE_UNKNOWN; all of what samples tell, unless
	 * it is "divided".
	 */
	bool		divided;
	double		phase[PHASE_N];

	uint64		stalls[STALL_NCAUSES];
	double		stall_time[STALL_NCAUSES];	/* adds up to SLOT_STALL_TIME */
	double		stall_waits[STALL_NCAUSES]; /* of commits, for these;
											 * estimated */
	uint64		wal_fpi;
	uint32		checkpoints;	/* that began, or an idle server skipped */
	uint32		archive_failures;	/* to archive a segment */
	int			looks;			/* of the worker */
	HistorySeen waits;

	/* at the end of the last row */
	int			delay;			/* commit_delay, us */
	int			siblings;
	bool		adaptive;
	uint8		wal_keeper;		/* in any row */
	int			max_wal_size;	/* MB */
	int			checkpoint_timeout; /* s */
	double		spacing;

	/* that led the most flushes, and its flushes */
	ClientKey	top_client;
	uint64		top_client_flushes;
	StatementKey top_statement;
	uint64		top_statement_flushes;

	/* last, as rows in shared memory have shorter ones */
	uint64		commit_cells[HISTOGRAM_NCELLS]; /* of SLOT_COMMITS */
	uint64		flush_cells[HISTOGRAM_NCELLS];	/* of SLOT_TIMED_FLUSHES */
} HistorySum;

/* Of all commits that waited, with what is before and after the callbacks */
static inline double
history_commit_time(const HistorySum *sum)
{
	double		time = 0;

	for (int phase = 0; phase < PHASE_N; phase++)
		time += sum->phase[phase];
	return time;
}

/* The time of all flushes, if those that were not timed are like the others */
static inline double
of_all_flushes(double timed, const uint64 *value)
{
	return timed * value[SLOT_FLUSHES] / Max(value[SLOT_TIMED_FLUSHES], 1);
}

/* Samples of backends in a commit, to divide it */
#define HISTORY_SAMPLES	100

/* True if only samples tell the phase, and no sum of all commits does */
static inline bool
history_is_sampled(CommitPhase phase)
{
	return (phase >= PHASE_DELAY && phase <= PHASE_SEGMENT) ||
		phase == PHASE_LOG || phase == PHASE_NOT_RUN;
}

/* Stalls in which nobody ran, if that is a phase */
static inline bool
stall_is_not_run(const double *phase, StallCause cause)
{
	return phase[PHASE_NOT_RUN] > 0 &&
		(cause == STALL_CPU_LIMIT || cause == STALL_PAUSE);
}

/*
 * The mean number of commits under way, where samples saw twice the waits that
 * the sums have: those of most go on as the period ends, or they fail.  Else,
 * or if too few samples saw a wait, 0.  Commits that wait for no flush are in
 * no sum; of their locks, those that are asynchronous have at most what
 * transactions have.
 */
static inline double
history_hanging(const HistorySum *sum)
{
	double		counted = history_commit_time(sum) + sum->value[SLOT_PREPARE_TIME];
	double		look = sum->looks == 0 ? 0 : sum->seconds * NS_PER_S / sum->looks;
	double		others = sum->value[SLOT_COMMITS_ASYNC] == 0 ? 0 :
	Max(sum->value[SLOT_TRANSACTION_TIME] - counted, 0);
	double		waited = Max(sum->waits.commit_locks - others, 0);
	double		seen = 0;

	for (int phase = 0; phase < PHASE_N; phase++)
	{
		seen += sum->waits.phase[phase];
		if (phase >= PHASE_DELAY && phase <= PHASE_STANDBY)
			waited += sum->waits.phase[phase];
	}
	return waited <= 2 * counted || waited < HISTORY_SAMPLES * look ? 0 :
		seen / (sum->seconds * NS_PER_S);
}

/*
 * Adds up the minutes that overlap [from, to), and before the oldest minute
 * hours that lie in the period.  No row counts twice.
 * Top client and statement are those that led the most flushes in the rows of
 * which they are the top.
 */
extern void history_sum(TimestampTz from, TimestampTz to, HistorySum *sum);

/*---- The module itself -------------------------------------------*/

typedef enum HistoryRing
{
	HISTORY_MINUTES,
	HISTORY_HOURS,
	HISTORY_NRINGS
} HistoryRing;

/* A row in shared memory and in the file.  Written by worker or postmaster. */
typedef struct HistoryRow
{
	ChangeCount changes;
	uint64		number;			/* in its ring, from 1 on; 0: none */
	char		sum[offsetof(HistorySum, commit_cells)];
	uint32		commit_cells[HISTOGRAM_NCELLS];
	uint32		flush_cells[HISTOGRAM_NCELLS];
} HistoryRow;

/* The rows of a ring. */
typedef struct HistoryRows
{
	HistoryRow *row;
	int			size;
	pg_atomic_uint64 *newest;	/* number; 0: there is no row */
} HistoryRows;

/* What the worker is asked for: what a request adds to the word of all. */
#define HISTORY_CLOSE	UINT64CONST(1)
#define HISTORY_EMPTY	(UINT64CONST(1) << 40)

extern HistoryRows history_rows[HISTORY_NRINGS];

/* Any process. */
extern uint64 history_first(HistoryRing ring);
extern HistoryRow *history_row(HistoryRing ring, uint64 number);
extern bool history_copy(HistoryRing ring, uint64 number, HistorySum *sum);
extern TimestampTz history_first_minute(TimestampTz time);
extern TimestampTz history_ask(uint64 request);

/* The background worker; history_look() returns ms until the next minute. */
extern void history_start(void);
extern long history_look(void);
extern bool history_is_asked(void);

/* history_file.c: the worker, or the postmaster. */
extern void history_file_write(void);
extern void history_file_read(void);

#endif							/* COMMIT_STATS_HISTORY_H */
