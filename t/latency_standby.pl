# Do the latencies show that a commit waits for a standby, and for how long?
#
# The standby applies WAL a fixed time later (recovery_min_apply_delay).  So a
# commit with remote_apply takes at least about that long.  What the wait for
# the standby may not be longer than is in t/statistics/latencies.pl.

use CommitStats;

my $apply_delay = 100;    # ms
my $primary = start_node(
	'primary',
	init => { allows_streaming => 'logical' },
	conf => "track_wal_io_timing = on\nwal_writer_delay = 10s\n");

# The commits of one level: how many, the mean, and the wait for the standby.
sub level_stats ($level)
{
	return $primary->row(qq{SELECT sum(commits), sum(commit_time) / sum(commits),
	   sum(standby_time_min) / sum(commits), sum(standby_time_max) / sum(commits)
FROM commit_latency_stats WHERE synchronous_commit = '$level'});
}

sub commit_with ($level, $options)
{
	run_pgbench($primary, $options,
		write => "SET synchronous_commit = $level;\nINSERT INTO logged VALUES (1);");
}

# Without a standby all commits wait for the local flush, whatever they asked
# for.
commit_with('remote_apply', '-c 1 -t 3');
commit_with('on', '-c 1 -t 2');
is( $primary->sql(
		q{SELECT DISTINCT synchronous_commit, wait_level, requested, standby_time_min IS NULL, standby_time_max IS NULL
FROM commit_latency_stats}),
	'on, remote_apply|local|{on,remote_apply}|t|t',
	'without a standby, all wait for the local flush');

my $standby = add_standby($primary, "recovery_min_apply_delay = ${apply_delay}ms\n");
require_standby($primary, 'standby');

# Each level is counted as itself.
my %commits = (local => 4, remote_write => 5, on => 6, remote_apply => 7);
my ($n, $mean, $min, $max);

# One client: no other commit sees the end of the local flush, but the leader
# knows how long its own I/O took.
$primary->sql('SET synchronous_commit = local; SELECT commit_stats_reset()');
commit_with($_, "-c 1 -t $commits{$_}") for sort keys %commits;
is( $primary->sql(
		q{SELECT synchronous_commit, sum(commits), min(requested) FROM commit_latency_stats
GROUP BY 1 ORDER BY 2}),
	join("\n", map { "$_|$commits{$_}|{$_}" } sort { $commits{$a} <=> $commits{$b} } keys %commits),
	'with a standby, each level is counted as itself');

# The commit takes at least about the delay, and the wait is a part of it.
sub waits ($name)
{
	($n, $mean, $min, $max) = level_stats('remote_apply');
	cmp_ok($mean, '>=', $apply_delay / 2, "$name: the commit waits");
	cmp_ok($max, '>', 0, "$name: ... for the standby");
	cmp_ok($max, '<=', $mean, "$name: not longer than it takes");
	cmp_ok($min, '<=', $max, "$name: the bounds are in order");
}

waits('remote_apply');
# The report names what takes most of the time.  On a busy machine that is the
# flush, or the way to the standby, unless one more commit waits for long.
$standby->sql('SELECT pg_wal_replay_pause()');
my $held =
  $primary->start_psql('SET synchronous_commit = remote_apply', 'INSERT INTO logged VALUES (1)');
$primary->wait_until(
	q{SELECT wait_time > 0.6 * (commit_time + 1000 * extract(epoch FROM clock_timestamp() - query_start))
FROM commit_standby_stats, pg_stat_activity,
	(SELECT sum(commit_time) AS commit_time FROM commit_latency_stats) l
WHERE stage = 'not applied' AND wait_event = 'SyncRep'});
$standby->sql('SELECT pg_wal_replay_resume()');
ok(end_background($held), 'remote_apply: a commit waits for longer');
like($primary->report, qr/^  1\. \S+% standby 'standby': not applied/m, '... which it alone tells');
# Of two that have its name, nothing tells which one it is.
is( $primary->sql(
		'SELECT DISTINCT s.pid = r.pid FROM commit_standby_stats s, pg_stat_replication r'),
	't',
	'... and whose walsender it has');
my $other = IPC::Run::start([
	qw(pg_receivewal --no-loop),
	'--directory=' . PostgreSQL::Test::Utils::tempdir(),
	'--dbname=' . $primary->connstr('postgres') . ' application_name=standby'
]);
$primary->wait_until('SELECT count(*) = 2 FROM pg_stat_replication');
is($primary->sql('SELECT DISTINCT pid IS NULL AND state IS NULL FROM commit_standby_stats'),
	't', '... unless another one has the same name');
$other->signal('INT');
$other->finish;
$primary->wait_until('SELECT count(*) = 1 FROM pg_stat_replication');
is( $primary->sql(q{SELECT count(*) FROM commit_latency_stats
WHERE wait_level = 'local'
	AND (standby_time_min IS NOT NULL OR standby_time_max IS NOT NULL)}),
	0,
	'local: there is no wait for a standby');

# Without the time of its I/O, it is not known.
$primary->alter_system(track_wal_io_timing => 'off');
$primary->sql('SET synchronous_commit = local; SELECT commit_stats_reset()');
commit_with('remote_apply', '-c 1 -t 7');
like(
	$primary->report =~ s/\n +/ /gr,
	qr/ 1\. \S+% unknown: .*? -> track_wal_io_timing = on/,
	'untimed: the report says so');
$primary->alter_system(track_wal_io_timing => 'on');

# With other clients, which see the end of the flush: the bounds are close.
$primary->sql('SET synchronous_commit = local; SELECT commit_stats_reset()');
commit_with('remote_apply', '-c 16 -j 2 -t 10');
waits('remote_apply, others');
is($n, 160, 'remote_apply, others: all are counted');
note sprintf('mean %.1f ms, for the standby %.1f to %.1f', $mean, $min, $max);

# A simulation takes the end of a commit for that of its flush.
my $load = start_pgbench(
	$primary,
	'-c 32 -j 2 -T 3600',
	write => "SET synchronous_commit = remote_apply;\nINSERT INTO logged VALUES (1);");
$primary->wait_until('SELECT commits > 300 FROM commit_flush_stats');
my ($failed, $said);
my $seconds = 3;
eventually(sub {
	# a busy machine may commit too little to learn from in a short sample
	($failed, $said) = $primary->psql('postgres',
		"SELECT DISTINCT reason, others_saved FROM commit_remedies('$seconds s')");
	$seconds *= 2 if $seconds < 48;
	return !$failed;
});
like(
	$said,
	qr/^\d+% of commit time is the wait for a standby, which the prediction takes for flushes\|$/,
	'nothing is predicted beside a standby');
end_background($load, 'KILL');

# Without the standby again, all levels are local again.
require_standby($primary, '');
$primary->sql('SELECT commit_stats_reset()');
commit_with('remote_apply', '-c 1 -t 3');
is($primary->sql(q{SELECT DISTINCT synchronous_commit, wait_level FROM commit_latency_stats}),
	'remote_apply|local', 'without the standby, it is local again');

# A program that reads changes is a standby, too, if its name is required.  It
# confirms them each second only.
SKIP:
{
	skip 'there is no test_decoding', 1 if !has_library('test_decoding');
	$primary->sql(q{SELECT pg_create_logical_replication_slot('changes', 'test_decoding')});
	my $reader = IPC::Run::start([
		qw(pg_recvlogical --start --no-loop --slot=changes --status-interval=1 --fsync-interval=1),
		'--file=' . PostgreSQL::Test::Utils::tempdir() . '/changes',
		'--dbname=' . $primary->connstr('postgres') . ' application_name=reader'
	]);
	require_standby($primary, 'reader');
	$primary->sql('SET synchronous_commit = local; SELECT commit_stats_reset()');
	commit_with('on', '-c 1 -t 1');
	my $report = $primary->report =~ s/\n +/ /gr;
	like(
		$report,
		qr/standby 'reader': not \w+( \([^)]*\))?\. -> leave it out of synchronous_standby_names,/,
		'a reader of a logical slot is not to be waited for');
	require_standby($primary, '');
	$reader->signal('INT');
	$reader->finish;
}

end_test($standby, $primary);
