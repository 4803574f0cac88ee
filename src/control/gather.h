/*-------------------------------------------------------------------------
 *
 * gather.h
 *		Which sessions are about to commit, and does waiting for them pay?
 *		See gather.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_GATHER_H
#define COMMIT_STATS_GATHER_H

/* Time from the end of a commit to the session's next commit, us. */
typedef struct GatherHabit
{
	uint32		think;			/* usual; 0: not known */
	uint32		deviation;		/* usual distance from that */
} GatherHabit;

/* A session as the leader of the next flush sees it.  Times in ns. */
typedef struct GatherSession
{
	GatherHabit habit;
	uint64		committed_at;	/* end of its last commit */
	uint64		began_at;		/* begin of the commit under way; 0: none */
} GatherSession;

/* The next flush.  Times in ns, but for the horizon. */
typedef struct GatherFlush
{
	uint64		opened_at;		/* its first commit began */
	uint64		ready_at;		/* the device will be idle: now, or later */
	uint64		horizon;		/* us; sessions with a longer think time are
								 * not waited for */
	uint64		flush_time;		/* usual */
} GatherFlush;

#define GATHER_WEIGHT		3	/* log2 of the commits over which a habit is
								 * averaged */
#define GATHER_PAUSE		4	/* usual think times that a pause counts as */
#define GATHER_THINK_MOST	1000000 /* us, of what a habit is learned from */
#define GATHER_LATE			2	/* deviations until a session is not coming */
#define GATHER_ARRIVED		3	/* ... until it will have come */
#define GATHER_SLACK		60	/* us, of a sleep on Linux, about */

typedef enum GatherMode
{
	GATHER_TOO_FEW,				/* sessions come in time */
	GATHER_TRIES,				/* slots with and without gathering, in turn */
	GATHER_ON,					/* it pays */
	GATHER_OFF					/* it does not; until the next trial */
} GatherMode;

/* Why the mode changed last. */
typedef enum GatherReason
{
	GATHER_STARTED,				/* the server, or the setting */
	GATHER_ENOUGH,				/* sessions come in time */
	GATHER_CHANGED,				/* another load, or another device */
	GATHER_AGAIN,				/* the last trial is long ago */
	GATHER_SAVED,				/* the trial saved time */
	GATHER_SAVED_NOTHING,		/* or too little */
	GATHER_ALONE				/* too few sessions come in time */
} GatherReason;

/* What is measured in one slot.  Times in us. */
typedef struct GatherSlot
{
	double		cycle;			/* mean, from commit to commit of a session;
								 * NaN: too few */
	double		horizon;
	int			sessions;		/* that come within the horizon */
	double		others;			/* that do not, each weighted by the horizon
								 * divided by its think time */
	bool		stalled;		/* the device did: the slot does not count */
} GatherSlot;

/* The learned switch.  Zeroed at first. */
typedef struct GatherTrial
{
	GatherMode	mode;
	GatherReason reason;
	double		slot_ends;
	int			slots;			/* since the mode changed, less those that do
								 * not count */
	int			rest;			/* slots after a trial that saved nothing; 0:
								 * no such trial yet */
	double		on[2];			/* mean cycles of the trial, */
	double		off[2];			/* in the order of its slots */
	double		gain;			/* last result: 1 - on / off; NaN: none */
	double		horizon;		/* during the trial */
	int			sessions;
	int			changed;		/* slots in which these differed */
	int			alone;			/* slots in which too few sessions came */
} GatherTrial;

extern void gather_trial_init(GatherTrial *trial);
extern void gather_trial_forget(GatherTrial *trial);
extern void gather_trial_step(GatherTrial *trial, const GatherSlot *slot);

/* Do leaders gather now? */
static inline bool
gather_trial_on(const GatherTrial *trial)
{
	return trial->mode == GATHER_ON ||
		(trial->mode == GATHER_TRIES && trial->slots % 2 == 1);
}

/*
 * Learn from one more think time, us.  A single long pause says little, so
 * that a think time counts as four times the usual one and GATHER_SLACK at
 * most.
 */
static inline void
gather_learn(GatherHabit *habit, uint64 think)
{
	int			usual = (int) habit->think;
	int			t = (int) Min(think, GATHER_THINK_MOST);
	int			off;

	if (unlikely(usual == 0))
	{
		habit->think = Max(t, 1);
		habit->deviation = t / 2;
		return;
	}
	t = Min(t, GATHER_PAUSE * (usual + GATHER_SLACK));
	off = t - usual;
	habit->deviation += (abs(off) - (int) habit->deviation) >> GATHER_WEIGHT;
	habit->think = Max(usual + (off >> GATHER_WEIGHT), 1);
}

/* When will a session have come, in us after "deviations" from its habit? */
static inline uint64
gather_by(GatherHabit habit, int deviations)
{
	return (uint64) (habit.think + deviations * habit.deviation +
					 GATHER_SLACK) * 1000;
}

/* Is a session that is not in its commit coming to this flush? */
static inline bool
gather_comes(GatherHabit habit, uint64 committed_at, uint64 opened_at,
			 uint64 horizon)
{
	/* 0 is the longest think time here */
	return habit.think - 1 < horizon &&
		committed_at + gather_by(habit, GATHER_LATE) >= opened_at;
}

/*
 * Is a session coming to this flush?  If so, returns when it will have come,
 * almost certainly; else 0.
 */
static inline uint64
gather_expects(const GatherSession *session, const GatherFlush *flush)
{
	uint64		from = session->committed_at;

	if (session->began_at != 0)
	{
		/* it may wait for something other than that flush, a standby say */
		if (session->began_at + 2 * (flush->horizon * 1000 + flush->flush_time) <
			flush->ready_at)
			return 0;
		from = flush->ready_at;
	}
	if (!gather_comes(session->habit, from, flush->opened_at, flush->horizon))
		return 0;
	return from + gather_by(session->habit, GATHER_ARRIVED);
}

#endif							/* COMMIT_STATS_GATHER_H */
