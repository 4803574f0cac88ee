#include "postgres.h"

#include "clock.h"
#include "delay_evidence.h"

DelayVerdict
delay_evidence_judge(const DelayEvidence *evidence)
{
	DelayVerdict v = {0};
	uint64		start = Max(evidence->started_at, evidence->previous_seen_at);
	uint64		end = evidence->boundary_seen_at ? Min(evidence->ended_at, evidence->boundary_seen_at) : evidence->ended_at;
	uint64		held = clock_elapsed(start, end);

	held = clock_elapsed(evidence->io_time, held);
	v.slept = held >= (uint64) evidence->delay * 1000;
	v.sleep_time = v.slept ? held : 0;
	return v;
}
