/*-------------------------------------------------------------------------
 *
 * delay_evidence.h
 *		Did the leader sleep commit_delay?  See delay_evidence.c.
 *
 * src/delay_evidence.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_DELAY_EVIDENCE_H
#define COMMIT_STATS_DELAY_EVIDENCE_H

/* What a leader knows about its flush.  Times in ns of clock_now(). */
typedef struct DelayEvidence
{
	int			delay;			/* commit_delay of its session, us, above 0 */
	int			threshold;		/* commit_siblings of its session */
	uint32		siblings_before;	/* others active before its commit ... */
	uint32		siblings_after; /* ... and after it */
	uint64		started_at;		/* when its commit began */
	uint64		ended_at;		/* when its commit was done */
	uint64		previous_seen_at;	/* boundary before its flush; 0: unknown */
	uint64		boundary_seen_at;	/* boundary of its flush; 0: unknown */
	bool		timed;			/* io_time is known (track_wal_io_timing) */
	uint64		io_time;		/* ns it spent writing and syncing */
} DelayEvidence;

typedef struct DelayVerdict
{
	bool		slept;
	bool		certain;		/* the evidence leaves no doubt */
	uint64		sleep_time;		/* ns; 0 if it did not sleep */
} DelayVerdict;

extern DelayVerdict delay_evidence_judge(const DelayEvidence *evidence);

#endif							/* COMMIT_STATS_DELAY_EVIDENCE_H */
