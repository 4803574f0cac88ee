# Does the server log have a line for each flush of a session with
# commit_stats.log_flushes = on, and for no other?
#
# A background worker writes "Flushed N out of M commits" some time after the
# flush.  So the log is a second account of the same commits.  The worker must
# run when it is needed, sleep when it is not, look at commits as often as it
# should, and come back when somebody terminates it.

use CommitStats;
use List::Util 'sum0';
use Time::HiRes qw(time);

# The WAL writer would flush some commits in the place of a session.
# Slow commits and stalls, of which a disk with other work has some, wake the
# worker as well.
my $node = start_node('log',
	conf =>
	  q{wal_writer_delay = 10s; commit_stats.slow_commit_time = 2147483647; commit_stats.stall_time = 0}
);
my $line = qr/LOG:  Flushed \d+ out of \d+ commits(?: in \d+ flushes)?\n/;
my ($log_end, $counted, $records);

# The lines of the log from $log_end on: [N, M, pid of the worker, flushes] for
# each.  A line is for more than one flush if nobody saw where the first ended.
sub logged_flushes
{
	my @flushes;
	my $log = slurp_file($node->logfile, $log_end);

	push @flushes, [ $2, $3, $1, $4 || 1 ]
	  while $log =~ /\[(\d+)\].*LOG:  Flushed (\d+) out of (\d+) commits(?: in (\d+) flushes)?$/mg;
	return @flushes;
}

sub wait_for_flushes ($n)
{
	# one line after the other, each read once
	$node->wait_for_log(qr/(?:$line(?>(?:(?!$line).)*)){$n}/s, $log_end) if $n > 0;
}

# settles() waits until a number is large enough, or the same in "polls" polls.
sub settles ($number, $enough, $polls, $rate)
{
	my ($before, $same) = (-1, 0);

	return poll_until(
		sub {
			my $now = $number->();

			$same = $now == $before ? $same + 1 : 0;
			$before = $now;
			return $now >= $enough || $same == $polls;
		},
		$rate);
}

# The lines since $log_end, once they are of $n flushes, or no more come
sub newly_logged ($n)
{
	settles(
		sub {
			sum0(map { $_->[3] } logged_flushes());
		},
		$n,
		600,
		20);
	return logged_flushes();
}

# A leader that gets no processor for SETTLE_TIME would miss its line; so the
# worker waits until all have reported.
sub while_worker_waits ($code)
{
	my $worker = $node->stop_worker;
	$code->();
	kill 'CONT', $worker;
}

# Run a load: does the log agree with the counts?
sub logs_a_load ($name, $options)
{
	my (@flushes, $resolved);

	$log_end = -s $node->logfile;
	while_worker_waits(sub {
		($counted, $records) = $node->observe(sub {
			run_pgbench($node, $options, load => 'INSERT INTO logged VALUES (1)');
		});
	});
	$resolved = $counted->{flushes} - $counted->{unresolved_flushes};
	@flushes = newly_logged($resolved);
	is(sum0(map { $_->[3] } @flushes), $resolved, "$name: every flush is in one line");
	is( sum0(map { $_->[0] } @flushes),
		$counted->{commits} - $counted->{commits_without_leader} - $counted->{unresolved_commits},
		"$name: every commit is in one of them");
	is(scalar(grep { $_->[0] > $_->[1] } @flushes),
		0, "$name: never more commits than active transactions");
	return @flushes;
}

# Off by default.  The worker is late, but logs flushes in their order.
$log_end = -s $node->logfile;
run_pgbench($node, '-c 2 -t 20', load => 'INSERT INTO logged VALUES (1)');
while_worker_waits(sub {
	$node->sql("SET commit_stats.log_flushes = on;\nINSERT INTO logged VALUES (0)");
});
wait_for_flushes(1);
is(scalar(logged_flushes()), 1, 'nothing is logged by default');

# On for all sessions.
$node->alter_system('commit_stats.log_flushes' => 'on');

my @flushes = logs_a_load('one client', '-c 1 -t 200');

is($counted->{commits}, 200, 'one client: the load is what it should be');
is(join(',', grep { $_ ne '1 1' } map { "$_->[0] $_->[1]" } @flushes),
	'', 'one client: it was alone');

# These share flushes however fast the disk is.
{
	local $ENV{PGOPTIONS} = '-c commit_delay=10000 -c commit_siblings=0';
	@flushes = logs_a_load('five clients', '-c 5 -j 2 -t 80');
}
is($counted->{commits}, 400, 'five clients: the load is what it should be');
cmp_ok(scalar(grep { $_->[0] > 1 } @flushes), '>', 0, 'five clients: flushes were shared');
is(scalar(grep { $_->[1] > 5 } @flushes), 0, 'five clients: never more than five were active');

# The log has the messages of commit_flush_log, in the same order.
is( join(
		"\n",
		map {
			"Flushed $_->[0] out of $_->[1] commits" . ($_->[3] > 1 ? " in $_->[3] flushes" : '')
		} @flushes),
	$node->sql(qq{SELECT message FROM
	(SELECT message, flush_lsn FROM commit_flush_log WHERE leader_pid IS NOT NULL
	 ORDER BY flush_lsn DESC LIMIT ${\ scalar(@flushes)}) newest
ORDER BY flush_lsn}),
	'the log says what commit_flush_log says');

# Off again, except for one session.
$node->alter_system('commit_stats.log_flushes' => 'off');
$log_end = -s $node->logfile;
while_worker_waits(sub {
	$node->sql(q{INSERT INTO logged VALUES (1);
INSERT INTO logged VALUES (2);
SET commit_stats.log_flushes = on;
INSERT INTO logged VALUES (3);
RESET commit_stats.log_flushes;
INSERT INTO logged VALUES (4);
SET commit_stats.log_flushes = on;
INSERT INTO logged VALUES (5)});
});
wait_for_flushes(2);
run_pgbench($node, '-c 2 -t 20', load => 'INSERT INTO logged VALUES (1)');
while_worker_waits(sub {
	$node->sql(q{SET commit_stats.log_flushes = on;
INSERT INTO logged VALUES (6)});
});
wait_for_flushes(3);
is(scalar(logged_flushes()), 3, 'only flushes of a session with log_flushes on');

# The worker
my $worker = (logged_flushes())[0]->[2];

is($node->worker_pid, $worker, 'pg_stat_activity shows the worker');

# How often the worker went to sleep, as the kernel counts it.
sub naps
{
	my ($naps) = slurp_file("/proc/$worker/status") =~ /^voluntary_ctxt_switches:\s*(\d+)/m;

	return $naps;
}

# How often it did while $code ran, and the seconds that this took.
sub naps_while ($code)
{
	my ($naps, $start) = (naps(), time);

	$code->();
	return (naps() - $naps, time - $start);
}

SKIP:
{
	skip 'no /proc to see it sleep', 5 unless -r "/proc/$worker/status";

	# Some naps after its last line the worker stops to look for work.  A flush
	# during the last of them is too young to be logged at once.  A leader may
	# be late, but not each time.
	my $session = $node->background_psql('postgres');
	my $is_logged = sub {
		my $lines = logged_flushes();

		$session->query_safe('INSERT INTO logged VALUES (7)');
		return settles(sub { scalar(logged_flushes()) }, $lines + 1, 200, 20)
		  && logged_flushes() == $lines + 1;
	};

	$session->query_safe('SET commit_stats.log_flushes = on');
	for my $nap (18, 19)
	{
		my $logged = 0;

		for (1 .. 5)
		{
			$log_end = -s $node->logfile;
			next if !$is_logged->();
			settles(\&naps, naps() + $nap - 1, 40, 200);
			last if $logged = $is_logged->();
		}
		ok($logged, "a flush in nap $nap is logged");
	}
	$session->quit;

	# Commits do not wake the worker: it looks 20 times a second while anything
	# commits, twice a second otherwise, and never without counting.
	ok_eventually 'an idle server: two looks a second', sub {
		my ($naps, $time) = naps_while(sub { sleep 2 });

		return $naps <= 2 * $time + 1;
	};
	ok_eventually 'commits: no more than 20 looks a second, and more than without', sub {
		my ($naps, $time) = naps_while(sub {
			run_pgbench($node, '-c 4 -j 2 -T 3', load => 'INSERT INTO logged VALUES (8)');
		});

		return $naps <= 20 * $time + 5 && $naps > 2 * $time + 2;
	};

	$node->alter_system('commit_stats.enabled' => 'off');
	ok( settles(
			sub {
				$node->sql('INSERT INTO logged VALUES (8)');
				return naps();
			},
			9**9**9,
			10,
			10),
		'without counting the worker does not look');
	$node->alter_system('commit_stats.enabled' => 'on');
}

# A terminated worker comes back.
$log_end = -s $node->logfile;
is(system_log('pg_ctl', 'kill', 'TERM', $worker), 0, 'the worker is terminated');
$node->poll_query_until(
	'postgres',
	sprintf(
		q{SET commit_stats.log_flushes = on;
WITH flush AS (INSERT INTO logged VALUES (8) RETURNING n)
SELECT pg_read_file('%s', %d, 10000000) ~ 'LOG:  Flushed [0-9]+ out of'
FROM flush}, $node->logfile, $log_end),
	"SET\nt") or die 'nothing is logged after the worker was terminated';
my $next_worker = (logged_flushes())[0]->[2];
isnt($next_worker, $worker, 'another worker logs');
unlike(slurp_file($node->logfile, $log_end), qr/PANIC|TRAP|reinitializing/, 'the server goes on');

# A stop of the server is no error of the worker.  It is one of a session that
# has not ended yet, and of autovacuum.
$log_end = -s $node->logfile;
$node->stop;
unlike(slurp_file($node->logfile, $log_end),
	qr/\[$next_worker\].*FATAL/, 'the worker stops quietly with the server');

end_test($node);
