/*-------------------------------------------------------------------------
 *
 * timed_flushes_report.c
 *		How src/report/report_data.c divides the time since a reset, for
 *		t/unit/timed_flushes.pl.
 *
 * The arguments are those of timed_flushes_history.c, but the time of commits
 * is that of leaders and that of followers.  The output has the percentages of
 * flush, another's flush and unknown.
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include "../../src/report/report_data.c"

int
main(int argc, char **argv)
{
	static CommitFigures f;
	static uint64 value[SLOT_NCOUNTERS];
	static LatencyTotals latency;

	if (argc != 8)
		return 1;
	f.commits = atoi(argv[1]);
	value[SLOT_FLUSHED_BY_OTHERS] = atoi(argv[2]);
	value[SLOT_FLUSHES] = atoi(argv[3]);
	value[SLOT_TIMED_FLUSHES] = atoi(argv[4]);
	latency.sum[LATENCY_LEADER][LATENCY_TIME] = (uint64) atof(argv[5]);
	latency.sum[LATENCY_FOLLOWER][LATENCY_TIME] = (uint64) atof(argv[6]);
	latency.sum[LATENCY_LEADER][LATENCY_OWN_FLUSH] = (uint64) atof(argv[7]);
	set_phases(&f, value, &latency);
	printf("%.0f %.0f %.0f", 100 * f.phase[PHASE_FLUSH],
		   100 * f.phase[PHASE_OTHER_FLUSH], 100 * f.phase[PHASE_UNKNOWN]);
	return 0;
}
