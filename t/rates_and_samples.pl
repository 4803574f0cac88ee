# Are the rates of commit_stats_rates() and of commit_stats_sample() right?
#
# The witnesses are the WAL of the same time, between two calls or during the
# sample, and the totals of commit_flush_stats.

use CommitStats;

# The WAL writer would flush some commits in the place of a session.
my $node = start_node('rates', conf => "track_wal_io_timing = on\nwal_writer_delay = 10s\n");
my @columns =
  qw(since elapsed commits_per_second commits_async_per_second flushes_per_second commits_per_flush delay_hit_share
  mean p99 flush_mean wal_bytes_per_second);
my @sample_columns = qw(elapsed commits commits_per_second commits_async_per_second
  flushes_per_second commits_per_flush delay_hit_share wal_busy_share mean
  p50 p95 p99);
my $session = $node->background_psql('postgres');

# One look of the session that looks again and again.
sub look
{
	my %row;

	@row{@columns} = split /\|/,
	  $session->query_safe('SELECT ' . join(', ', @columns) . ' FROM commit_stats_rates()'), -1;
	return \%row;
}

# How many there must have been for this rate, give or take what was rounded:
# half of the last digit of the rate, and of that of the time.
sub is_rate ($row, $column, $n, $name)
{
	my $got = $row->{$column} * $row->{elapsed};
	my $error = 0.051 * $row->{elapsed} + 0.00051 * $row->{$column} + 0.001;

	ok(abs($got - $n) <= $error, "$name: $column")
	  or diag("$got +- $error of $n in $row->{elapsed} s");
}

# A sample of which all that $code does is a part, and what commit_flush_stats
# and the WAL say about it.  The sample is longer if it does not wait any more
# when the code has run.
sub sample_around ($code, $seconds)
{
	my $waits = q{SELECT count(*) = 1 FROM pg_stat_activity
WHERE query LIKE '%commit_stats_sample%' AND wait_event = 'Extension'};
	my ($counted, $records, $in_time, %row);

	($counted, $records) = $node->observe(sub {
		my $session = $node->start_psql(
			'SELECT ' . join(', ', @sample_columns) . " FROM commit_stats_sample('$seconds s')");

		$node->wait_until($waits);
		$code->();
		$in_time = $node->sql($waits) eq 't';
		end_background($session) or die "the sample failed: $session->{err}\n";
		@row{@sample_columns} = split /\|/, $session->{out}, -1;
		chomp $row{p99};
	});
	return !$in_time && $seconds < 200
	  ? sample_around($code, 2 * $seconds)
	  : (\%row, $counted, $records);
}

# Where the WAL ends, in bytes.
sub wal_end
{
	return $node->sql(q{SELECT pg_current_wal_insert_lsn() - '0/0'});
}

my $insert = "INSERT INTO logged VALUES (1);\n";
my $long = "INSERT INTO logged SELECT generate_series(1, 1000);\n";

# The first look
run_pgbench($node, '-c 2 -t 20', insert => $insert);
my $row = look();
my $total = flush_stats($node);

is($row->{since}, 'reset', 'first look: since the reset');
is_rate($row, 'commits_per_second', $total->{commits}, 'first look');
is_rate($row, 'flushes_per_second', $total->{flushes}, 'first look');
cmp_ok($row->{wal_bytes_per_second}, '>', 0, 'first look: the WAL since the server started');
is( $node->sql(
		qq{SELECT $row->{elapsed} BETWEEN 0.01 AND extract(epoch FROM now() - '$total->{stats_reset}')}
	),
	't',
	'first look: the time since the reset');

# From one look to the next
my @wal = (wal_end());

look();
push @wal, wal_end();
my ($counted, $records) = $node->observe(sub {
	run_pgbench($node, '-c 4 -t 50', insert => $insert);
	run_pgbench(
		$node, '-c 2 -t 10',
		async => "SET synchronous_commit = off;\n$insert",
		long => $long);
});
push @wal, wal_end();
$row = look();
push @wal, wal_end();

is($row->{since}, 'last call', 'next look: since the one before');
is($records->{COMMIT}, 220, 'next look: commits in the WAL');
is_rate($row, 'commits_per_second', $counted->{commits}, 'next look');
is_rate($row, 'commits_async_per_second', 220 - $counted->{commits}, 'next look');
cmp_ok($row->{commits_async_per_second}, '>', 0, 'next look: some are asynchronous');
is_rate($row, 'flushes_per_second', $counted->{flushes}, 'next look');
ok(abs($row->{commits_per_flush} - $counted->{commits} / $counted->{flushes}) < 0.006,
	'next look: commits per flush');
ok(abs($row->{mean} - $counted->{commit_time} / $counted->{commits}) < 0.0006,
	'next look: mean of a commit');
ok(abs($row->{flush_mean} - $counted->{flush_time} / $counted->{timed_flushes}) < 0.0006,
	'next look: mean of a flush');
is($row->{delay_hit_share}, 0, 'next look: no delay, no hits');
cmp_ok($row->{p99}, '>', 0, 'next look: a p99');

my $bytes = $row->{wal_bytes_per_second} * $row->{elapsed};
my $error = 0.51 * $row->{elapsed} + 0.00051 * $row->{wal_bytes_per_second};

cmp_ok($bytes, '>=', $wal[2] - $wal[1] - $error, 'next look: at least this WAL');
cmp_ok($bytes, '<=', $wal[3] - $wal[0] + $error, 'next look: and at most that');

# A reset in between, by another session
run_pgbench($node, '-c 1 -t 30', insert => $insert);
my $wal_at_reset = wal_end();
$node->sql('SELECT commit_stats_reset()');
run_pgbench($node, '-c 1 -t 10', insert => $insert);
$row = look();
is($row->{since}, 'reset', 'after a reset: since that');
is_rate($row, 'commits_per_second', 10, 'after a reset');
cmp_ok($row->{wal_bytes_per_second}, '>', 0, 'after a reset: WAL as well');
cmp_ok(
	$row->{wal_bytes_per_second} * $row->{elapsed},
	'<=',
	wal_end() - $wal_at_reset + 0.51 * $row->{elapsed} + 0.00051 * $row->{wal_bytes_per_second},
	'after a reset: ... and not that before');
$node->sql('INSERT INTO logged VALUES (1)');
$row = look();
is($row->{since}, 'last call', 'after that: since the look again');
is_rate($row, 'commits_per_second', 1, 'after that');

# What another session sees is its own affair
is($node->sql('SELECT since FROM commit_stats_rates()'),
	'reset', 'another session: since the reset');
$row = look();
is($row->{since}, 'last call', 'another session looked: this one goes on');
is_rate($row, 'commits_per_second', 0, 'another session looked');
is($row->{$_}, '', "nothing happened: no $_")
  for qw(commits_per_flush delay_hit_share mean p99 flush_mean);

# Trends: the lowest character for nothing, the highest for the greatest value
$node->sql(q{CREATE DATABASE utf8 TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'});
$node->safe_psql('utf8', 'CREATE EXTENSION commit_stats');
for ([ 'LATIN1', '.', '#' ], [ 'UTF8', "\xe2\x96\x81", "\xe2\x96\x88" ])
{
	my ($encoding, $low, $high) = @$_;
	my $viewer = $node->background_psql('utf8');
	my $call = sub {
		return $viewer->query_safe(
			"SELECT commits_trend || '|' || p99_trend || '|' FROM commit_stats_rates()");
	};

	$viewer->query_safe("SET client_encoding = $encoding");
	is($call->(), '||', "$encoding: a call since the reset is no part of a trend");
	$call->();
	run_pgbench($node, '-c 1 -t 20', insert => $insert);
	$call->();
	is($call->(), "$low$high$low| $high |", "$encoding: trends of three calls");
	$call->() for 1 .. 57;
	is( $call->(),
		($high . $low x 59) . '|' . $high . ' ' x 59 . '|',
		"$encoding: trends of 60 calls");
	is($call->(), ($low x 60) . '|' . ' ' x 60 . '|', "$encoding: ... no longer");
	$viewer->quit;
}

# A sample
my $sample;
($sample, $counted, $records) = sample_around(
	sub {
		run_pgbench($node, '-c 4 -t 50', insert => $insert);
		run_pgbench($node, '-c 2 -t 10', async => "SET synchronous_commit = off;\n$insert");
	},
	4);
cmp_ok($sample->{elapsed}, '>=', 4, 'it takes its time');
is($sample->{commits}, 200, 'commits that waited');
is($counted->{commits}, 200, '... as in commit_flush_stats');
is($records->{COMMIT}, 220, '... and with the others in the WAL');
near($sample->{commits_per_second}, 200 / $sample->{elapsed}, 'commits/s');
near($sample->{commits_async_per_second}, 20 / $sample->{elapsed}, 'asynchronous commits/s');
near($sample->{flushes_per_second}, $counted->{flushes} / $sample->{elapsed}, 'flushes/s');
near($sample->{commits_per_flush}, 200 / $counted->{flushes}, 'commits per flush');
near(
	$sample->{wal_busy_share},
	100 * $counted->{flush_time} / 1000 / $sample->{elapsed},
	'share of time that leaders wrote and synced');
near($sample->{mean}, $counted->{commit_time} / 200, 'mean latency');
ok($sample->{p50} <= $sample->{p95} && $sample->{p95} <= $sample->{p99},
	'percentiles are in order');
is($sample->{delay_hit_share}, 0, 'no delay, no hits');

# With a delay that every leader sleeps, and without times
$node->alter_system(commit_delay => 5000, commit_siblings => 0, track_wal_io_timing => 'off');
($sample) = sample_around(
	sub {
		look();
		run_pgbench($node, '-c 1 -t 40', insert => $insert);
	},
	4);
is($sample->{commits}, 40, 'commits of a lone client');
near($sample->{delay_hit_share}, 100, 'each of which slept');
cmp_ok($sample->{p50}, '>', 4.75, 'for as long as the delay, to 5%');
is($sample->{wal_busy_share}, '', 'untimed flushes have no share of the time');

$row = look();
is_rate($row, 'commits_per_second', 40, 'a lone client');
cmp_ok($row->{delay_hit_share}, '>', 95, 'a lone client: each leader slept');
cmp_ok($row->{mean}, '>', 5, 'a lone client: for as long as the delay');
cmp_ok($row->{p99}, '>', 4.7, 'a lone client: p99, to 5%');
is($row->{flush_mean}, '', 'a lone client: flushes were not timed');

# A server that counts nothing
$node->alter_system('commit_stats.enabled' => 'off');
like(
	error_of($node, "SELECT * FROM $_()"),
	qr/55000: commit_stats is not counting.*commit_stats.enabled/s,
	"$_: there is nothing to measure while it is disabled"
) for 'commit_stats_rates', 'commit_stats_sample';

$session->quit;
end_test($node);
