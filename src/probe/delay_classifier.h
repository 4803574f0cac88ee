/* Whether the leader of a flush slept commit_delay; see delay_classifier.c. */
#ifndef COMMIT_STATS_DELAY_CLASSIFIER_H
#define COMMIT_STATS_DELAY_CLASSIFIER_H

/* What is known of a flush.  Times in ns of clock_now(); 0: not known. */
typedef struct DelayEvidence
{
	int			delay;			/* commit_delay of the leader, us, above 0 */
	int			threshold;		/* commit_siblings of the leader */
	bool		sleep_shows;	/* another backend can see it sleep */
	bool		seen_asleep;	/* ... and has */
	int			connected;		/* other backends that can be siblings */
	int			siblings_before;	/* siblings as its commit began */
	int			siblings_previous;	/* as the flush before ended, or -1 */
	uint64		started_at;		/* its commit began */
	uint64		ended_at;		/* its commit was done */
	uint64		previous_seen_at;	/* boundary of the flush before */
	uint64		boundary_seen_at;	/* boundary of this flush */
	bool		timed;			/* io_time is known: track_wal_io_timing */
	uint64		io_time;		/* ns that it wrote and synced */
} DelayEvidence;

typedef struct DelayVerdict
{
	double		probability;	/* that it slept; 0 and 1 are certain */
	uint64		sleep_time;		/* ns; 0: more likely it did not sleep */
} DelayVerdict;

extern DelayVerdict delay_classifier_judge(const DelayEvidence *evidence);

#endif							/* COMMIT_STATS_DELAY_CLASSIFIER_H */
