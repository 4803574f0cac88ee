/*-------------------------------------------------------------------------
 *
 * compare.c
 *		Prints what src/report/compare.c says of two periods, for
 *		t/unit/compare.pl.
 *
 * Each input line has the numbers of both periods, in the order of
 * read_period().  The output has a line for each part: name, before, after,
 * change, share and sentence, separated by tabs.
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include "report/report.h"

/* The names that files of the server have. */
const char *const commit_phase_names[] = {COMMIT_PHASES(COMMIT_PHASE_NAME)};
const char *const stall_cause_names[] = {STALL_CAUSES(STALL_CAUSE_NAME)};

static double
next(void)
{
	double		value = 0;

	if (scanf("%lf", &value) != 1)
		exit(0);
	return value;
}

static void
read_period(HistorySum *sum)
{
	memset(sum, 0, sizeof(HistorySum));
	sum->seconds = next();
	sum->value[SLOT_COMMITS] = next();
	sum->value[SLOT_FLUSHES] = next();
	sum->commits_without_leader = next();
	sum->value[SLOT_FLUSH_TIME] = next();
	sum->value[SLOT_TIMED_FLUSHES] = next();
	sum->delay = next();
	sum->siblings = next();
	sum->adaptive = next();
	sum->flush_wal = next();
	sum->checkpoints = next();
	sum->value[SLOT_COMMITS_ASYNC] = next();
	sum->value[SLOT_PREPARES] = next();
	sum->value[SLOT_TRANSACTION_TIME] = next();
	sum->waits.blocked_rows = next();
	sum->waits.lock_waits = next();
	for (int phase = 0; phase < PHASE_N; phase++)
		sum->phase[phase] = next();
	for (int cause = 0; cause < STALL_NCAUSES; cause++)
	{
		sum->stalls[cause] = next();
		sum->stall_time[cause] = next();
	}
}

int
main(void)
{
	HistorySum	before;
	HistorySum	after;
	ComparedPart part[COMPARE_MAX_PARTS];
	int			n;

	read_period(&before);
	read_period(&after);
	n = compare_periods(&before, &after, part);
	for (int i = 0; i < n; i++)
		printf("%s\t%.17g\t%.17g\t%.17g\t%.17g\t%s\n", part[i].name,
			   part[i].before, part[i].after, part[i].change, part[i].share,
			   part[i].sentence);
	return 0;
}
