# Does commit_stall_log have the flushes for which the device stalled?
#
# The shim (t/ground_truth/shim.c) makes a device with a quota of the disk and
# knows how long each flush took.  That the log has no other flush, with its
# time and the quota, is in t/statistics/stalls_agree.pl.

use GroundTruth;
use List::Util qw(min);

my $stall_time = 50;    # ms
my $node = start_truth('stalls');

for my $timing (qw(on off))
{
	$node->alter_system(
		track_wal_io_timing => $timing,
		'commit_stats.stall_time' => "${stall_time}ms");
	run_stalling($node, 15, quota => 2, window => 300);
	# A leader measures its stall; without timing it is inferred.  From 18 on,
	# a few leaders do not know that they led (flushes_uncertain).
	is( $node->sql(q{SELECT count(*) > 3, bool_and(EXISTS (
	SELECT FROM commit_stall_log WHERE leader_pid = pid AND duration >= length / 1e6 - 0.001))
FROM shim_events() WHERE kind = 'sync' AND backend AND length / 1e6 > 60}),
		't|t',
		"timing $timing: each stall is in commit_stall_log"
	) if $timing eq 'on' && $node->pg_version < 18;
	is($node->sql('SELECT count(*) > 0, bool_and(duration > stall_limit) FROM commit_stall_log'),
		't|t', "timing $timing: the device stalled");
	is( $node->sql(
			q{SELECT stalls = n, abs(stall_time - length) < 0.001
FROM commit_flush_stats, (SELECT count(*) AS n, coalesce(sum(duration), 0) AS length
	FROM commit_stall_log WHERE leader_pid IS NOT NULL) log}
		),
		't|t',
		"timing $timing: the totals are those of the log");
	is( $node->sql('SELECT bool_or(flush_timed) FROM commit_stall_log'),
		$timing eq 'on' ? 't' : 'f',
		"timing $timing: flush_timed");

	# where nobody told flushes apart, one has the commits of several
	is( $node->sql(
			qq{SELECT count(*) FROM commit_stall_log
WHERE sessions NOT BETWEEN 1 AND 5 OR commits < 1 OR stall_limit <> $stall_time
OR wal_bytes <= 0 OR application_name <> 'load' OR checkpoint}
		),
		0,
		"timing $timing: the sessions that waited, and the leader");
}

# The report needs 500 commits.  If they get little of a processor, the device
# does not always stall.
set_device($node, quota => 10, window => 300, flush_time => 1);
ok_eventually 'the report names the stalls', sub {
	run_pgbench($node, '-c 5 -t 90', insert => 'INSERT INTO tick VALUES (1);');
	my ($first) = causes_of($node->report);
	return ($first // '') =~ /^[\d.]+% stalls\b[^%]* \([1-9]\d* stalls?, mean [\d.]+ ms\)[.:]/;
};

# If the log does not go back to the reset, the report shows the part of the
# time that it has: more than the same stalls are of all commit time since the
# reset.  Those that waited for a processor are left out.
$node->alter_system(track_wal_io_timing => 'on', 'commit_stats.stall_time' => '1ms');
my $flush_time = 1;
ok_eventually 'the report names the latest stalls', sub {
	# of a longer flush, a smaller part is a wait for a processor
	$flush_time = min(2 * $flush_time, 32);
	set_device($node, flush_time => $flush_time);
	$node->sql('SELECT commit_stats_reset()');
	$node->sql('SELECT pg_sleep(2)');
	run_pgbench($node, '-c 1 -t 600', insert => 'INSERT INTO tick VALUES (1);');
	my ($share, $n, $mean) = $node->report =~ s/\n +/ /gr =~
	  / >?([\d.]+)% stalls\b[^%]* \((\d+) stalls, mean ([\d.]+) ms\)/;
	return
		 defined $n
	  && $n > 100
	  && $n <= 512
	  && $share > 1.1 * 100 * $n * $mean / flush_stats($node)->{commit_time};
};
is($node->sql('SELECT count(*) FROM commit_stall_log'), 512, '... of those that are kept');
$node->alter_system(track_wal_io_timing => 'off', 'commit_stats.stall_time' => '50ms');

# Whose WAL it was: that of a bulk load, on a device that writes 5 MB/s.  The
# WAL writer would flush some of it, more or less by chance.
sub load_beside ($code)
{
	$node->sql('SELECT commit_stats_reset()');
	local $ENV{PGAPPNAME} = 'load';
	my $pgbench = start_pgbench($node, '-c 4 -T 3600', insert => 'INSERT INTO tick VALUES (1);');
	wait_for_commits($node, 10);
	$ENV{PGAPPNAME} = 'bulk';
	$code->();
	end_pgbench($node, $pgbench);
}

my $text = 'x' x 100;
set_device($node, flush_time => 1, bandwidth => 5);
$node->alter_system(wal_writer_delay => '10s');
$node->sql('CREATE TABLE bulk (t text)');
ok_eventually 'a stall in a session that writes little: the bulk load wrote most', sub {
	load_beside(sub { $node->sql("COPY bulk FROM PROGRAM 'yes $text | head -n 150000'") });
	return $node->sql(q{SELECT count(*) > 0 FROM commit_stall_log
WHERE application_name = 'load' AND writer_application_name = 'bulk' AND
	  leader_pid <> writer_pid AND wal_bytes > 1000000}) eq 't';
};
is( $node->sql(
		q{SELECT count(*) FROM commit_stall_log
WHERE writer_share NOT BETWEEN 50 AND 100 OR
	  (writer_application_name <> 'bulk' AND wal_bytes > 1000000) OR
	  (writer_application_name = 'bulk' AND
	   (SELECT queryid FROM commit_statement_stats ORDER BY wal_bytes DESC LIMIT 1)
	   IS DISTINCT FROM writer_queryid)}
	),
	0,
	'... with a share, and its statement');

# Of autovacuum, which writes pages whole after a checkpoint
set_device($node, flush_time => 1, bandwidth => 1);
my $vacuums = q{(SELECT autovacuum_count FROM pg_stat_user_tables WHERE relname = 'dead')};
$node->sql('CREATE TABLE dead (t text) WITH (autovacuum_vacuum_cost_delay = 0)');
$node->alter_system(autovacuum_naptime => '1s');
ok_eventually '... or autovacuum, whose processes are no client', sub {
	$node->sql("TRUNCATE dead; INSERT INTO dead SELECT '$text' FROM generate_series(1, 30000)");
	$node->sql('DELETE FROM dead WHERE random() < 0.3; CHECKPOINT');
	my $before = $node->sql("SELECT $vacuums");
	load_beside(sub {
		$node->alter_system(autovacuum => 'on');
		$node->wait_until("SELECT $vacuums > $before");
		$node->alter_system(autovacuum => 'off');
	});
	return $node->sql(q{SELECT count(*) > 0 FROM commit_stall_log
WHERE writer_share >= 50 AND writer_pid IS NULL}) eq 't';
};

# A flush of the WAL writer, which carries commits that no commit led
$node->alter_system(wal_writer_delay => '10ms', 'commit_stats.slow_commit_time' => '50ms');
set_device($node, flush_time => 120);
ok_eventually 'a stall that no commit led', sub {
	run_beside_wal_writer($node);
	return $node->sql('SELECT count(*) > 2 FROM commit_stall_log WHERE leader_pid IS NULL') eq 't';
};
is( $node->sql(
		q{SELECT count(*) FROM commit_stall_log s
WHERE leader_pid IS NULL AND (sessions < 1 OR duration <= stall_limit OR
	  coalesce(application_name, leader_wal_bytes::text) IS NOT NULL)}
	),
	0,
	'... for which somebody waited');
is( $node->sql(
		q{SELECT stalls - (SELECT count(*) FROM commit_stall_log WHERE leader_pid IS NOT NULL)
FROM commit_flush_stats}
	),
	0,
	'... and not among those of leaders');
$node->alter_system(wal_writer_delay => '10s', 'commit_stats.slow_commit_time' => '100ms');

# What is usual here
$node->alter_system(track_wal_io_timing => 'on', 'commit_stats.stall_time' => -1);
set_device($node, flush_time => 1);
$node->sql('SELECT commit_stats_reset()');
is($node->sql('SELECT count(*) FROM commit_stall_log'), 0, 'a reset empties it');
run_pgbench($node, '-c 2 -t 100', insert => 'INSERT INTO tick VALUES (1);');
# several times what a flush takes here
$node->wait_until(q{SELECT abs(stall_limit / greatest(8 * p50, p50 + 5) - 1) < 0.06
FROM commit_stats_info, commit_flush_latency_stats});
$node->alter_system('commit_stats.stall_time' => 0);
is($node->sql('SELECT stall_limit FROM commit_stats_info'), '', 'stall_limit: null when it is off');
run_stalling($node, 15, quota => 2, window => 300);
is($node->sql('SELECT count(*) FROM commit_stall_log'), 0, '... and no stall is noted');

# A checkpoint
$node->alter_system('commit_stats.stall_time' => "${stall_time}ms");
set_device($node, flush_time => 100);
ok_eventually 'a stall beside a checkpoint says so', sub {
	$node->sql('UPDATE bulk SET t = t');
	my $checkpoint = $node->start_psql('CHECKPOINT');
	$node->sql('INSERT INTO tick VALUES (1)') for 1 .. 5;
	end_background($checkpoint);
	return $node->sql('SELECT bool_or(checkpoint) FROM commit_stall_log') eq 't';
};

# A leader that then waits for a standby, which applies the commit a second
# after it was made
set_device($node);
my $standby = add_standby($node, "recovery_min_apply_delay = 1s\n");
$node->alter_system(track_wal_io_timing => 'on', 'commit_stats.slow_commit_time' => '500ms');
require_standby($node, 'standby');
set_device($node, flush_time => 100);
ok_eventually 'a leader that waits for a standby: the stall ended before', sub {
	$node->sql('SELECT commit_stats_reset()');
	$node->sql('SET synchronous_commit = remote_apply; INSERT INTO tick VALUES (1)');
	return $node->sql(
		q{SELECT bool_and(stall.ended_at BETWEEN slow.ended_at - (slow.duration - 99) * interval '1 ms'
				AND slow.ended_at - interval '500 ms')
FROM commit_stall_log stall, commit_slow_log slow
WHERE slow.pid = stall.leader_pid AND stall.wal_bytes > 0}) eq 't';
};

# ... while a follower, who joined during its sleep, tells of the flush first
$node->alter_system(
	commit_delay => 100_000,
	commit_siblings => 0,
	'commit_stats.slow_commit_time' => '50ms');
ok_eventually '... while a follower does not', sub {
	$node->sql('SELECT commit_stats_reset()');
	my @sessions =
	  map { $node->start_psql("SET synchronous_commit = $_", 'INSERT INTO tick VALUES (1)') }
	  qw(remote_apply local);
	end_background($_) for @sessions;
	return $node->sql(
		q{SELECT count(*) > 0 FROM commit_slow_log WHERE role = 'follower' AND leader_pid IS NULL})
	  eq 't';
};
is($node->sql('SELECT count(*), count(leader_pid) FROM commit_stall_log'),
	'1|1', '... the stall is in the log once, as that of its leader');

$standby->stop('immediate');
end_test($node);
