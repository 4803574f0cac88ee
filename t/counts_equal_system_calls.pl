# Do commits and flushes equal the system calls that the server made, and do
# the server's own statistics stay as they would be without commit_stats?
#
# commit_stats finds out whether a backend flushed from the server's count of
# its WAL I/O.  From 18 on it asks the server to add up that count earlier than
# usual (see src/probe/flush_detection_errno.c).  The server must count nothing
# twice and lose nothing by that, and resets of its statistics must not disturb
# ours.  The witness is the shim of t/ground_truth, which sees the system calls
# as strace would.

use GroundTruth;

my $node = start_truth('server', 'max_prepared_transactions = 10');
make_tables($node);
my $has_backend_io = $node->pg_version >= 18;

# What the server says about the WAL syncs of clients, or of all.
my $syncs_in_server = $has_backend_io
  ? q{SELECT sum(fsyncs) FROM pg_stat_io
	  WHERE object = 'wal' AND context = 'normal'
		AND backend_type = 'client backend'}
  : q{SELECT wal_sync FROM pg_stat_wal};
my $syncs_in_shim = q{SELECT count(*) FROM shim_events() WHERE kind = 'sync'}
  . ($has_backend_io ? ' AND backend' : '');
my $reset_server =
  $has_backend_io ? q{SELECT pg_stat_reset_shared('io')} : q{SELECT pg_stat_reset_shared('wal')};

# A process that syncs between the two resets would make them differ for good.
# None does while there is no WAL to be flushed.  Then both are 0.
sub reset_both
{
	my $at_rest =
	  q{SELECT pg_current_wal_insert_lsn(), pg_current_wal_insert_lsn() = pg_current_wal_flush_lsn()};

	$node->wait_until_alone;
	poll_until(sub {
		my ($before, undef, undef, $counts, $after) = split /\n/,
		  $node->sql(
			"$at_rest; $reset_server; SELECT shim_reset(); SELECT ($syncs_in_server), ($syncs_in_shim); $at_rest"
		  );

		return $before =~ /t$/ && $before eq $after && $counts eq '0|0';
	}) or die "there is always something to flush\n";
}

# The commits of all kinds of load; how near to the truth the other figures are
# is in t/statistics/ground_truth_limits.pl.
for my $case (
	(   map { +{ clients => $_->[0], delay => $_->[1], siblings => 5 } }[ 50, 0 ],
		[ 50, 1000 ],
		[ 10, 10 ]),
	adaptive_cases(10))
{
	my ($ours, $truth) = @{ measure($node, $case, 1) }{qw(ours truth)};

	cmp_ok($truth->{commits}, '>', 0, describe_case($case) . ': there was a load');
	is($ours->{commits}, $truth->{commits}, describe_case($case) . ': commits are exact');
}
set_device($node);
$node->alter_system(commit_delay => 0, 'commit_stats.adaptive_delay' => 'off');

for my $timing ('on', 'off')
{
	$node->alter_system(track_wal_io_timing => $timing);
	reset_both();
	run_pgbench($node, '-c 8 -j 2 -t 100', 'insert' => 'INSERT INTO tick VALUES (1);');
	# the server counts the syncs that there were
	$node->wait_until("SELECT ($syncs_in_server) = ($syncs_in_shim)");
	cmp_ok($node->sql($syncs_in_shim), '>', 0, "timing $timing: there were some");
}

SKIP:
{
	skip 'the server has no statistics of single backends', 3 unless $has_backend_io;

	# One session does all sorts of I/O, and prints what the server counted
	# about it in either place.  No other session is there.
	my @columns = qw(reads writes extends hits evictions fsyncs);
	my $sums = join ', ', map { "coalesce(sum($_), 0)" } @columns;

	$node->wait_until_alone;
	my $rows = $node->sql(
		qq{SELECT pg_stat_force_next_flush();
SELECT pg_stat_reset_shared('io'), pg_stat_reset_backend_stats(pg_backend_pid());
}
		  . ("INSERT INTO tick SELECT generate_series(1, 1000);\n" x 50)
		  . qq{CREATE TEMP TABLE gone (i int) ON COMMIT DELETE ROWS;
INSERT INTO gone VALUES (1);
SET synchronous_commit = off;
INSERT INTO tick VALUES (1);
SELECT pg_stat_force_next_flush();
SELECT object, context, $sums FROM pg_stat_io
WHERE backend_type = 'client backend' GROUP BY 1, 2 ORDER BY 1, 2;
SELECT 'backend';
SELECT object, context, $sums FROM pg_stat_get_backend_io(pg_backend_pid())
GROUP BY 1, 2 ORDER BY 1, 2;
});
	my ($of_all, $of_backend) = split /^backend\n/m, $rows;
	my $wal_of = sub { $_[0] =~ /^(wal\|normal\|.*)$/m ? $1 : 'none' };

	like($of_all, qr/^relation\|normal\|.*[1-9]/m, 'buffers were used');
	like($wal_of->($of_backend), qr/\|5\d$/, 'each commit synced once');
	is($wal_of->($of_backend),
		$wal_of->($of_all), 'pg_stat_get_backend_io() agrees with pg_stat_io');
}

# A commit that does other I/O is not a leader for that.
sub commits_with_other_io ($node, $what, $sql)
{
	my $script = $node->basedir . '/other_io.sql';

	write_file($script, $sql);
	my %case = (clients => 8, delay => 500, siblings => 1, timing => 'off', script => $script);
	my $result = measure($node, \%case, 1, sub ($truth) { $truth->{commits} > $truth->{flushes} });
	my ($ours, $truth) = @$result{qw(ours truth)};

	cmp_ok($truth->{commits}, '>', $truth->{flushes}, "$what: there were followers");
	is($ours->{commits}, $truth->{commits}, "$what: commits");
	is($ours->{flushes}, $truth->{flushes}, "$what: flushes");
}

commits_with_other_io(
	$node, 'dropping a temporary table', 'BEGIN; CREATE TEMP TABLE gone (i int) ON COMMIT DROP;
INSERT INTO tick VALUES (1); COMMIT;');
commits_with_other_io(
	$node, 'COMMIT PREPARED, which reads the WAL', q{INSERT INTO tick VALUES (1);
INSERT INTO tick VALUES (2);
BEGIN;
INSERT INTO tick VALUES (3);
PREPARE TRANSACTION 'p:client_id';
COMMIT PREPARED 'p:client_id';
});

# Another session resets the statistics that we read, over and over.
my $reset_loop =
  $has_backend_io
  ? q{SELECT count(pg_stat_reset_backend_stats(pid)) FROM pg_stat_activity;}
  : q{SELECT pg_stat_reset_shared('wal');};
for my $timing ('on', 'off')
{
	my $loop = start_pgbench($node, '-T 3600', reset_loop => $reset_loop);

	$node->wait_until(q{SELECT count(*) > 0 FROM pg_stat_activity
WHERE query LIKE '%pg_stat_reset_%' AND pid <> pg_backend_pid()});
	my $result = measure($node, { clients => 8, delay => 0, siblings => 5, timing => $timing }, 2);
	my ($ours, $truth) = @$result{qw(ours truth)};

	end_background($loop, 'TERM');
	cmp_ok($truth->{commits}, '>', 0, "timing $timing: there was a load");
	is($ours->{commits}, $truth->{commits},
		"timing $timing: commits, while the server's statistics are reset");
	is($ours->{flushes}, $truth->{flushes},
		"timing $timing: flushes, while the server's statistics are reset");
}

$node->stop;

# With wal_level = minimal, commits sync new relations instead of logging them.
# The catalog's WAL stays within a segment: the end of one is synced apart.
$node = start_truth(
	'minimal',
	'wal_level = minimal; max_wal_senders = 0; wal_skip_threshold = 0',
	extra => ['--wal-segsize=64']);
commits_with_other_io(
	$node, 'syncing a new table', q{CREATE TABLE new:client_id (i int);
DROP TABLE new:client_id;
});

end_test($node);
