/*-------------------------------------------------------------------------
 *
 * gather.c
 *		Cases for src/control/gather.c, for t/unit/gather.pl.
 *
 * Reads lines; times are in us.
 *
 *	think TIME					the session comes back: learn its habit
 *	forget						... it has none yet
 *	expects THINK DEVIATION COMMITTED BEGAN OPENED READY HORIZON FLUSH
 *	slot OFF ON SESSIONS HORIZON OTHERS STALLED
 *	trial						begin anew
 *
 * Prints a line for each "think" (think time and deviation), "expects" (0 or
 * 1, and when the session will have come) and "slot": GatherMode, whether
 * leaders gather in the next slot, slots, gain, and GatherReason.  OFF and ON
 * are the mean cycles of the slot without and with gathering.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "control/gather.h"

/* The server's replacements are not linked here. */
#undef printf
#undef scanf

static GatherHabit habit;
static GatherTrial trial;

static void
think(void)
{
	double		time;

	if (scanf("%lf", &time) != 1)
		exit(1);
	gather_learn(&habit, (uint64) time);
	printf("%u %u\n", habit.think, habit.deviation);
}

static void
expects(void)
{
	GatherSession session = {{0}};
	GatherFlush flush = {0};
	double		time[6];
	uint64		latest;

	if (scanf("%u %u %lf %lf %lf %lf %lf %lf", &session.habit.think,
			  &session.habit.deviation, &time[0], &time[1], &time[2],
			  &time[3], &time[4], &time[5]) != 8)
		exit(1);
	session.committed_at = (uint64) (time[0] * 1000);
	session.began_at = (uint64) (time[1] * 1000);
	flush.opened_at = (uint64) (time[2] * 1000);
	flush.ready_at = (uint64) (time[3] * 1000);
	flush.horizon = (uint64) time[4];
	flush.flush_time = (uint64) (time[5] * 1000);
	latest = gather_expects(&session, &flush);
	printf("%d %.0f\n", latest != 0, latest / 1000.0);
}

static void
slot(void)
{
	GatherSlot	slot = {0};
	double		off;
	double		on;
	int			stalled;

	if (scanf("%lf %lf %d %lf %lf %d", &off, &on, &slot.sessions,
			  &slot.horizon, &slot.others, &stalled) != 6)
		exit(1);
	slot.cycle = gather_trial_on(&trial) ? on : off;
	slot.stalled = stalled != 0;
	gather_trial_step(&trial, &slot);
	printf("%d %d %d %.3f %d\n", trial.mode, gather_trial_on(&trial),
		   trial.slots, trial.gain, trial.reason);
}

int
main(void)
{
	char		what[16];

	gather_trial_init(&trial);
	while (scanf("%15s", what) == 1)
	{
		if (strcmp(what, "think") == 0)
			think();
		else if (strcmp(what, "forget") == 0)
			memset(&habit, 0, sizeof(habit));
		else if (strcmp(what, "expects") == 0)
			expects();
		else if (strcmp(what, "slot") == 0)
			slot();
		else if (strcmp(what, "trial") == 0)
			gather_trial_init(&trial);
		else
			return 1;
	}
	return 0;
}
