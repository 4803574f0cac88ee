/*-------------------------------------------------------------------------
 *
 * advice.c
 *		Prints the decisions of src/report/advice.c, for t/unit/advice.pl.
 *
 * Each input line has figures, as "name=value name=value".  The output has a
 * line of decisions for each, in the same form.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "report/report.h"

/* The server's replacements are not linked here. */
#undef printf
#undef fprintf

#define FIELD(name)	if (strcmp(key, #name) == 0) { f->name = value; return; }

static void
set_figure(CommitFigures *f, const char *key, double value)
{
	FIELD(counting);
	FIELD(is_standby);
	FIELD(fsync);
	FIELD(delay);
	FIELD(siblings);
	FIELD(connections);
	FIELD(adaptive);
	FIELD(seconds);
	FIELD(commits);
	FIELD(commits_async);
	FIELD(prepares);
	FIELD(flushes);
	FIELD(delay_hits);
	FIELD(recent_flushes);
	FIELD(recent_commits);
	FIELD(recent_seconds);
	FIELD(recent_timed);
	FIELD(recent_flush_time);
	FIELD(commit_time);
	FIELD(commit_io);
	FIELD(commit_sleep);
	FIELD(standby_min);
	FIELD(commit_p99);
	FIELD(timed_flushes);
	FIELD(flush_time);
	FIELD(flush_p50);
	FIELD(flush_p99);
	FIELD(flush_wal);
	FIELD(wal_buffers);
	FIELD(carried);
	FIELD(stall_time);
	FIELD(stall_seconds);
	FIELD(quota_flushes);
	FIELD(top_commits);
	FIELD(top_flushes);
	FIELD(top_commit_size);
	FIELD(siblings_max);
	FIELD(siblings_half);
	FIELD(concurrency);
	FIELD(reach);
	fprintf(stderr, "there is no figure %s\n", key);
	exit(1);
}

static void
print_list(const char *name, const int *values, int n)
{
	printf(" %s=", name);
	for (int i = 0; i < n; i++)
		printf("%s%d", i == 0 ? "" : ",", values[i]);
}

static void
print_decisions(const CommitFigures *f)
{
	int			delays[SWEEP_MAX_DELAYS];
	int			siblings[SWEEP_MAX_SIBLINGS];

	printf("advice=%d obstacles=%d stalls=%d busy=%.3f", advice_choose(f),
		   advice_obstacles(f), advice_device_stalls(f), advice_device_busy(f));
	printf(" load=%.0f square_root=%.0f threshold=%.0f", advice_commit_rate(f),
		   advice_square_root_rule(advice_flush_time(f), advice_commit_rate(f)),
		   advice_threshold(advice_flush_time(f)));
	printf(" max_p99=%d better_reach=%.2f", advice_sweep_max_p99(f),
		   advice_better_reach(f));
	printf(" batching=%.3f..%.3f", advice_min_batching(f),
		   advice_max_batching(f));
	print_list("delays", delays, advice_sweep_delays(f, delays));
	print_list("siblings", siblings, advice_sweep_siblings(f, siblings));
	printf("\n");
}

int
main(void)
{
	char		line[2048];

	while (fgets(line, sizeof(line), stdin) != NULL)
	{
		CommitFigures f;

		memset(&f, 0, sizeof(f));
		for (char *pair = strtok(line, " \n"); pair != NULL;
			 pair = strtok(NULL, " \n"))
		{
			char	   *equals = strchr(pair, '=');

			if (equals == NULL)
				return 1;
			*equals = '\0';
			set_figure(&f, pair, atof(equals + 1));
		}
		print_decisions(&f);
	}
	return 0;
}
