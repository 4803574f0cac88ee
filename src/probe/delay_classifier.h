/*-------------------------------------------------------------------------
 *
 * delay_classifier.h
 *		Did the leader sleep commit_delay?  See delay_classifier.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_DELAY_CLASSIFIER_H
#define COMMIT_STATS_DELAY_CLASSIFIER_H

/*
 * What is known about a flush.  Times in ns of clock_now(), 0: not known.
 * Siblings are the number of other active transactions, as siblings_count()
 * gives it.
 */
typedef struct DelayEvidence
{
	int			delay;			/* commit_delay of the leader, us, above 0 */
	int			threshold;		/* commit_siblings of the leader */
	bool		sleep_shows;	/* another backend can see it sleep */
	bool		seen_asleep;	/* ... and has */
	int			connected;		/* other backends that there are at all */
	int			siblings_before;	/* as it began its commit */
	int			siblings_previous;	/* as the flush before ended; -1: unknown */
	uint64		started_at;		/* when it began its commit */
	uint64		ended_at;		/* when its commit was done */
	uint64		previous_seen_at;	/* boundary of the flush before */
	uint64		boundary_seen_at;	/* boundary of this flush */
	bool		timed;			/* io_time is known: track_wal_io_timing */
	uint64		io_time;		/* ns that the leader wrote and synced */
} DelayEvidence;

typedef struct DelayVerdict
{
	double		probability;	/* that it slept; 0 and 1 are certain */
	bool		slept;			/* more likely than not */
	uint64		sleep_time;		/* ns it slept, if it did */
} DelayVerdict;

extern DelayVerdict delay_classifier_judge(const DelayEvidence *evidence);

#endif							/* COMMIT_STATS_DELAY_CLASSIFIER_H */
