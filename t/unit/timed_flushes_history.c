/*-------------------------------------------------------------------------
 *
 * timed_flushes_history.c
 *		How src/history/history.c divides the time of a row, for
 *		t/unit/timed_flushes.pl.
 *
 * The arguments are numbers: commits, and how many of these others' flushes
 * carried; flushes, and how many were timed; and in ns the time of commits, of
 * timed flushes, and of stalls of two causes.  The output has the phases
 * flush, another's flush and unknown, and the waits for stalls.  Two more
 * arguments: how many of these stalls, of 1 ms and of a checkpoint, are in the
 * log, and how many commits waited for each.
 *
 * After "stalls": how many there were, each of 1 ms; how many of a checkpoint
 * and of no known cause are in the log; and how many it has lost.  The output
 * is how many have each of these causes, and their time, us.
 *
 * After "stopped": ns of commits, and of these in NOTIFY; and samples in
 * NOTIFY, in a flush and not run.  The output has the phases NOTIFY, flush and
 * not run.
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include "../../src/history/history.c"

static StallLog kept;
static int	lost;

void
stall_log_read(StallLog *log)
{
	*log = kept;
}

void
stall_log_find_causes(StallLog *log, const FlushTotals *groups)
{
}

double
stall_log_waiters(const LoggedEvent *stall)
{
	return stall->event.sessions;
}

uint64
slow_log_since(SlowKind kind)
{
	return lost > 0 ? 2 : 1;
}

/* The log has stalls of 1 ms, of which some are of a checkpoint. */
static void
divide_logged(HistorySum *row, int n, int checkpoint, int sessions)
{
	static LoggedEvent stall[SLOW_LOG_KEPT];

	kept.n = n;
	kept.logged = stall;
	for (int i = 0; i < n; i++)
	{
		stall[i].event.end = 3;
		stall[i].event.duration = NS_PER_MS;
		stall[i].event.sessions = sessions;
		stall[i].cause = i < checkpoint ? STALL_CHECKPOINT : STALL_UNKNOWN;
	}
	row->value[SLOT_STALLS] = row->value[SLOT_STALL_TIME] / NS_PER_MS;
	divide_stalls(row, 1, NULL);
}

static int
print_stalls(HistorySum *row, char **argument)
{
	int			checkpoint = atoi(argument[1]);

	row->value[SLOT_STALL_TIME] = atoi(argument[0]) * NS_PER_MS;
	lost = atoi(argument[3]);
	divide_logged(row, checkpoint + atoi(argument[2]), checkpoint, 1);
	printf("%d %.0f, %d %.0f", (int) row->stalls[STALL_CHECKPOINT],
		   row->stall_time[STALL_CHECKPOINT] / 1e3,
		   (int) row->stalls[STALL_UNKNOWN],
		   row->stall_time[STALL_UNKNOWN] / 1e3);
	return 0;
}

static int
print_stopped(HistorySum *row, uint64 *sum, WatchSummary *seen, char **argument)
{
	row->value[SLOT_COMMIT_TIME] = (uint64) atof(argument[0]);
	sum[LATENCY_NOTIFY] = (uint64) atof(argument[1]);
	seen->phase[PHASE_NOTIFY] = atoi(argument[2]);
	seen->phase[PHASE_FLUSH] = atoi(argument[3]);
	seen->phase[PHASE_NOT_RUN] = atoi(argument[4]);
	for (int i = 0; i < PHASE_N; i++)
		seen->in_commit += seen->phase[i];
	divide_commits(row, sum, seen);
	printf("%.0f %.0f %.0f", row->phase[PHASE_NOTIFY], row->phase[PHASE_FLUSH],
		   row->phase[PHASE_NOT_RUN]);
	return 0;
}

int
main(int argc, char **argv)
{
	static HistorySum row;
	static WatchSummary seen;
	static uint64 sum[LATENCY_NSUMS];

	if (argc == 6 && strcmp(argv[1], "stalls") == 0)
		return print_stalls(&row, argv + 2);
	if (argc == 7 && strcmp(argv[1], "stopped") == 0)
		return print_stopped(&row, sum, &seen, argv + 2);
	if (argc != 8 && argc != 10)
		return 1;
	row.value[SLOT_COMMITS] = atoi(argv[1]);
	row.value[SLOT_FLUSHED_BY_OTHERS] = atoi(argv[2]);
	row.value[SLOT_FLUSHES] = atoi(argv[3]);
	row.value[SLOT_TIMED_FLUSHES] = atoi(argv[4]);
	row.value[SLOT_COMMIT_TIME] = (uint64) atof(argv[5]);
	sum[LATENCY_OWN_FLUSH] = row.value[SLOT_FLUSH_TIME] = (uint64) atof(argv[6]);
	row.value[SLOT_STALL_TIME] = (uint64) atof(argv[7]);
	if (argc == 10)
		divide_logged(&row, atoi(argv[8]), atoi(argv[8]), atoi(argv[9]));
	else
		row.stall_time[STALL_CHECKPOINT] = row.stall_time[STALL_UNKNOWN] =
			row.value[SLOT_STALL_TIME] / 2;
	divide_commits(&row, sum, &seen);
	divide_waits(&row);
	printf("%.0f %.0f %.0f %.0f", row.phase[PHASE_FLUSH],
		   row.phase[PHASE_OTHER_FLUSH], row.phase[PHASE_UNKNOWN],
		   row.stall_waits[STALL_CHECKPOINT] + row.stall_waits[STALL_UNKNOWN]);
	return 0;
}
