# Does commit_slow_log have the commits that were slow, and say why?
#
# The shim (t/ground_truth/shim.c) makes a device that is slow for each flush,
# so each leader's commit is slow; the other witness is commit_flush_stats.
# What clients saw at the same time is in t/statistics/slow_commits_agree.pl.

use GroundTruth;

my $limit = 100;    # ms
my $node = start_truth('slow',
	qq{commit_stats.slow_commit_time = $limit; wal_writer_delay = 10s; listen_addresses = '127.0.0.1'}
);

# Runs a load, in which each flush is slow, or leaders sleep: each leader is in
# the log, and the parts of a commit are the whole.
sub is_logged ($name, $options, $script, $condition)
{
	$node->sql('SELECT commit_stats_reset()');
	run_pgbench($node, $options, ($name =~ s/ /_/gr) => $script);
	is( $node->sql(qq{SELECT flushes > 0,
	   flushes - (SELECT count(*) FROM commit_slow_log WHERE role = 'leader'),
	   (SELECT count(*) FROM commit_slow_log WHERE duration < $limit),
	   (SELECT count(*) FROM commit_slow_log WHERE role = 'leader' AND NOT ($condition)),
	   (SELECT count(*) FROM commit_slow_log
		WHERE role = 'follower' AND leader_pid = pid OR role = 'leader' AND leader_pid <> pid)
FROM commit_flush_stats}),
		't|0|0|0|0',
		"$name: each leader is in the log, no fast commit, and for this reason");
	is( $node->sql(
			q{SELECT count(*) FROM commit_slow_log
WHERE least(notify_time, delay_time, flush_time, standby_time_min, other_time) < 0
OR standby_time_min > standby_time_max
OR notify_time + coalesce(delay_time, 0) + coalesce(flush_time, 0) + standby_time_max > duration + 0.001
OR abs(notify_time + delay_time + flush_time + standby_time_min + other_time - duration) > 0.001
OR abs(before_time + record_time + others_flush_time + segment_time + commit_log_time + after_time
   + not_run_time + unknown_time - other_time) > 0.001
OR (notify_time > 0) <> (notify_pid IS NOT NULL) OR notify_pid = pid}
		),
		0,
		"$name: the parts are the whole");
}

my $insert = "INSERT INTO tick VALUES (1);\n";
my $queryid = $node->queryid($insert);
my $notify = "BEGIN;\n${insert}NOTIFY bell;\nCOMMIT;\n";

# Of these, half have nothing to flush
my $either =
  "\\set writes random(0, 1)\nBEGIN;\n\\if :writes\n$insert\\endif\nNOTIFY bell;\nCOMMIT;\n";

# Three clocks measure a flush (on 19 the server's is the TSC) and the time of
# a transaction; they do not differ by as much as the transaction sleeps.
my $sleeping = "BEGIN;\nSELECT pg_sleep(0.1);\n${insert}COMMIT;\n";

set_device($node, flush_time => 120);
is_logged('slow flushes', '-c 8 -t 4', $sleeping, 'flush_time >= 100 AND flush_timed');
is( $node->sql(
		q{SELECT count(*) > 0, count(*) - count(*) FILTER (WHERE transaction_time > duration + 50),
	   count(client_addr), string_agg(DISTINCT queryid::text, ' ')
FROM commit_stall_log WHERE leader_pid IS NOT NULL}),
	"t|0|0|$queryid",
	'slow flushes: the statement, and the time of its whole transaction');
is_logged('notify', '-c 4 -t 3', $notify, 'flush_time >= 100 AND flush_timed');
ok_eventually 'notify: sessions wait for the lock during a flush', sub {
	run_pgbench($node, '-c 4 -t 3', notify => $notify);
	$node->sql('SELECT count(*) > 0 FROM commit_slow_log WHERE notify_time >= 119') eq 't';
};
is_logged('notify alone', '-c 4 -t 4', $either, 'flush_time >= 100 AND flush_timed');
$node->alter_system(track_wal_io_timing => 'off');
is_logged('untimed', '-c 8 -t 4', $insert, 'NOT flush_timed');
$node->alter_system(track_wal_io_timing => 'on');
set_device($node, flush_time => 20);
$node->alter_system(commit_delay => 100000, commit_siblings => 0);
is_logged('delay', '-c 4 -t 3', $insert, 'delay_time >= 90');
$node->alter_system(commit_delay => 0);
set_device($node);

# A standby that does not answer
my $standby = add_standby($node);
require_standby($node, 'standby');
my $receiver = $standby->sql('SELECT pid FROM pg_stat_wal_receiver');

# Wait until $n sessions wait for one of these events; their process numbers.
sub wait_for ($n, @events)
{
	my $waiting = sprintf q{
FROM pg_stat_activity WHERE backend_type = 'client backend' AND lower(wait_event) IN (%s)},
	  join ', ', map { "'$_'" } @events;

	$node->wait_until("SELECT count(*) >= $n $waiting");
	return split /\n/, $node->sql("SELECT pid $waiting");
}

sub end_all
{
	end_background($_) or die "psql failed: $_->{err}\n" for @_;
}

# Without a look of the worker at them, nothing saw when the last flush ended.
# Some follow in it, as the one before lasts.
set_device($node, flush_time => 200);
my $worker = $node->stop_worker;
$node->sql('SELECT commit_stats_reset()');
kill 'STOP', $receiver;
my @sessions = map { $node->start_psql($insert) } 1 .. 4;
wait_for(4, 'syncrep');
$node->sql("SELECT pg_sleep(2 * $limit / 1000.0)");
kill 'CONT', $receiver;
end_all(@sessions);
is( $node->sql(
		qq{SELECT count(*), bool_and(synchronous_commit = 'on'), bool_and(standby_time_max >= $limit)
FROM commit_slow_log}),
	'4|t|t',
	'standby: the commits wait for it');
is( $node->sql(q{SELECT coalesce(bool_and(cause = 'standby'), true) FROM commit_slow_log
WHERE role = 'leader' AND flush_timed AND standby_time_max > duration / 2}),
	't',
	'... which is their cause');
my ($part) = $node->report =~ /^  standby +([\d.]+ m?s) /m;
is( $node->sql(qq{SELECT abs(sum(standby_time_min + standby_time_max) / 2 / sum(commits) /
	   (extract(epoch FROM '$part'::interval) * 1000) - 1) < 0.01
FROM commit_latency_stats}),
	't',
	'... in the report, for the middle of what may be');
kill 'CONT', $worker;
set_device($node);

# Two flushes, of which no process sees the end of the first, because the
# commits that led them wait for the standby.  The first one goes on until the
# second commit waits for it.  A leader in fdatasync() has chosen what it
# flushes, one that waits for the lock has not.  The background writer's own
# record makes the WAL writer flush, which would carry either commit.
my $writer =
  $node->sql(q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'background writer'});
kill 'STOP', $writer;
set_device($node, flush_time => 5_000);
$node->sql('SELECT commit_stats_reset()');
kill 'STOP', $receiver;
@sessions = $node->start_psql($insert);
my ($leader) = wait_for(1, 'walsync');
kill 'STOP', $leader;
push @sessions, $node->start_psql($insert);
wait_for(2, 'walsync', 'walwrite');
set_device($node, flush_time => 150);
kill 'CONT', $leader;
wait_for(2, 'syncrep');
kill 'CONT', $receiver;
end_all(@sessions);
is( $node->sql(q{SELECT s.flushes || ' ' || inferred_flushes || ' ' || unresolved_flushes || ', ' ||
	   string_agg(commits_in_flush || ':' || h.flushes, ' ')
FROM commit_flush_stats s, commit_flush_histogram h
GROUP BY s.flushes, inferred_flushes, unresolved_flushes}),
	'2 2 0, 1:2',
	'merged flushes: both count, with a commit each');
is( $node->sql(q{SELECT string_agg(role || ' ' || coalesce((leader_pid = pid)::text, 'unknown') ||
				  ' ' || coalesce(commits_in_flush, 0), ', ' ORDER BY leader_pid)
FROM commit_slow_log}),
	'leader true 2, leader unknown 0',
	'merged flushes: the slow log shows one, for one of the leaders');
kill 'CONT', $writer;
set_device($node);
$node->alter_system(synchronous_standby_names => '');
$standby->stop;

# More at once than the log keeps
set_device($node, flush_time => 0);
$node->alter_system('commit_stats.slow_commit_time' => 0, 'commit_stats.log_slow_commits' => 'on');
$node->stop_worker;
$node->sql('SELECT commit_stats_reset()');
run_pgbench($node, '-c 8 -t 100', insert => $insert);
kill 'CONT', $worker;
$node->wait_for_log(qr/commit_stats could not log 288 slow commits/);
$node->alter_system('commit_stats.log_slow_commits' => 'off');

# The limit that is derived: several medians, where each commit takes at least
# 30 ms.
set_device($node, flush_time => 30);
$node->alter_system('commit_stats.slow_commit_time' => -1);
$node->stop_worker;
$node->sql('SELECT commit_stats_reset()');
is($node->sql('SELECT slow_commit_limit FROM commit_stats_info'),
	100, 'slow_commit_limit: 100 ms until commits are counted');
run_pgbench($node, '-c 10 -t 15', insert => $insert);
is($node->sql('SELECT slow_commit_limit FROM commit_stats_info'), 100,
	'... and no look derives it');
kill 'CONT', $worker;
# ... then several times what a commit takes
$node->wait_until('SELECT slow_commit_limit > 230 FROM commit_stats_info');
my $since = $node->sql('SELECT clock_timestamp()');
set_device($node, flush_time => 120);
$node->sql($insert) for 1 .. 3;
# Each commit may move the median, and so the limit.
ok_eventually '... and a commit that takes longer is in the log', sub {
	set_device($node,
		flush_time => 10 + $node->sql('SELECT ceil(slow_commit_limit) FROM commit_stats_info'));
	$node->sql($insert);
	$node->sql("SELECT count(*) > 0 FROM commit_slow_log WHERE ended_at > '$since'") eq 't';
};
is( $node->sql("SELECT count(*) FROM commit_slow_log WHERE ended_at > '$since' AND duration < 230"),
	0, '... but none that does not');

# Ten flushes tell that each takes long, and none of them stalled.
set_device($node, flush_time => 120);
$node->sql('SELECT commit_stats_reset()');
$node->sql($insert) for 1 .. 15;
$node->wait_until('SELECT stall_limit > 900 FROM commit_stats_info');
unlike($node->report, qr/% stalls/, 'each flush is long: no stalls');
set_device($node, flush_time => 30);

# Since when, from where, and for which statement
$node->psql(
	'postgres',
	"SET commit_stats.slow_commit_time = 0; BEGIN; $insert SELECT pg_sleep(0.2); COMMIT",
	connstr => $node->connstr('postgres') . ' host=127.0.0.1');
is( $node->sql(q{SELECT client_addr, transaction_time - duration > 200, queryid FROM commit_slow_log
ORDER BY ended_at DESC LIMIT 1}),
	"127.0.0.1|t|$queryid",
	'client_addr, statement, and the time of the transaction before its COMMIT');

# In the server log
set_device($node, flush_time => 150);
$node->alter_system(
	'commit_stats.slow_commit_time' => "${limit}ms",
	'commit_stats.log_slow_commits' => 'on');
my $offset = -s $node->logfile;
ok_soon 'log_slow_commits writes them to the server log', sub {
	$node->sql($insert);
	return slurp_file($node->logfile, $offset) =~
	  /LOG:  commit of process \d+ took [1-9]\d\d+\.\d+ ms\n.*DETAIL:  datid=\d+ roleid=\d+ application_name="slow_commits\.pl" queryid=$queryid transaction_time=[1-9]\d\d\.\d+ synchronous_commit=on role=leader .*flush_time=[1-9]\d\d.* commits_in_flush=1 leader_pid=\d+ .* checkpoint=false$/m;
}, 5;

end_test($node);
