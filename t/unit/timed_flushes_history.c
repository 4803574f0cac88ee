/*-------------------------------------------------------------------------
 *
 * timed_flushes_history.c
 *		How src/history/history.c divides the time of a row, for
 *		t/unit/timed_flushes.pl.
 *
 * The arguments are numbers: commits, and how many of these others' flushes
 * carried; flushes, and how many were timed; and in ns the time of commits, of
 * timed flushes, and of stalls.  The output has the phases flush, another's
 * flush and unknown, and the waits for stalls.
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include "../../src/history/history.c"

int
main(int argc, char **argv)
{
	static HistorySum row;
	static WatchSummary seen;
	static uint64 sum[LATENCY_NSUMS];

	if (argc != 8)
		return 1;
	row.value[SLOT_COMMITS] = atoi(argv[1]);
	row.value[SLOT_FLUSHED_BY_OTHERS] = atoi(argv[2]);
	row.value[SLOT_FLUSHES] = atoi(argv[3]);
	row.value[SLOT_TIMED_FLUSHES] = atoi(argv[4]);
	row.value[SLOT_COMMIT_TIME] = (uint64) atof(argv[5]);
	sum[LATENCY_OWN_FLUSH] = row.value[SLOT_FLUSH_TIME] = (uint64) atof(argv[6]);
	row.stall_time[STALL_UNKNOWN] = atof(argv[7]);
	divide_commits(&row, sum, &seen);
	divide_waits(&row);
	printf("%.0f %.0f %.0f %.0f", row.phase[PHASE_FLUSH],
		   row.phase[PHASE_OTHER_FLUSH], row.phase[PHASE_UNKNOWN],
		   row.stall_waits[STALL_UNKNOWN]);
	return 0;
}
