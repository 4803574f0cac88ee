/*-------------------------------------------------------------------------
 *
 * next_flush.c
 *		What src/control/next_flush.c answers to commits whose times are
 *		given, for t/unit/next_flush.pl.
 *
 * The first two arguments are the interval of the plan and what a flush
 * usually takes.  A third one lets leaders gather, and is the horizon.  Reads
 * lines in the order of time:
 *
 *	time begin session
 *	time flushed session length
 *	time end session
 *	time leave session
 *	time waited_for session
 *	time wal session bytes
 *
 * The session's commit begins, or is done, or a flush that it has led ends
 * after "length", or the session ends, or so much WAL is flushed.  Prints for
 * each beginning how long the session would sleep if it led, and for
 * "waited_for" how many sessions are waited for.  All times are in us.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/pacer.h"

#include "stub_server.h"

int
kill(pid_t pid, int signal)
{
	return 0;
}

int
main(int argc, char **argv)
{
	double		flush_time = atof(argv[2]);
	NextFlushPlan plan = {
		.interval = atof(argv[1]) * NS_PER_US,
		.flush_time = flush_time * NS_PER_US,
	};
	char		what[16];
	int			session;
	double		length;
	int			pids[SESSION_VISITS_MOST];

	commit_stats_adaptive_delay = ADAPTIVE_DELAY_PACE;
	if (argc > 3)
	{
		commit_stats_adaptive_delay = ADAPTIVE_DELAY_GATHER;
		plan.horizon = atoi(argv[3]);
		plan.gathers = true;
	}
	start_server();
	next_flush_set_plan(&plan);
	while (scanf("%lf %15s %d", &now, what, &session) == 3)
	{
		become(session);
		if (strcmp(what, "begin") == 0)
			printf("%d\n", next_flush_begin(now_ns()));
		else if (strcmp(what, "end") == 0)
			next_flush_end(now_ns());
		else if (strcmp(what, "leave") == 0)
			session_leave();
		else if (strcmp(what, "waited_for") == 0)
			printf("%d\n", next_flush_waited_for(pids));
		else if (scanf("%lf", &length) == 1 && strcmp(what, "wal") == 0)
			flushed_lsn += (XLogRecPtr) length;
		else
			next_flush_ended(now_ns(), pacer_is_stall(flush_time, length));
	}
	return 0;
}
