# Does commit_stats.adaptive_delay = gather let leaders wait for the sessions
# that are about to commit, and end the wait when they have come?
#
# The witness is the shim (t/ground_truth/shim.c).  It makes a device whose
# flushes all take 10 ms, as a volume that queues requests does, and sees how
# long the leaders' sleeps were to be and how long they were.

use strict;
use warnings;

use lib 't', 't/ground_truth', 't/adaptive';
use Adaptive;
use CommitStats;
use GroundTruth qw(start_truth set_device seen_by_shim);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $clients = 5;
my $node = start_truth(
	'gathered', q{
commit_stats.adaptive_delay = 'off'
commit_stats.log_delay_changes = on
});
# Think times differ, so that sleeps are planned longer than they need to be.
my @scripts = (
	insert => q{
\set think random(0, 4000)
\sleep :think us
INSERT INTO tick VALUES (1);
});

sub query
{
	my ($sql) = @_;

	return $node->safe_psql('postgres', $sql);
}

sub setting
{
	my ($mode) = @_;

	alter_system($node, 'commit_stats.adaptive_delay' => $mode);
	wait_for_delay_state($node, $mode eq 'off' ? 'NOT in_force' : 'in_force');
	return;
}

# Commits per flush of the present load, from now on
sub commits_per_flush
{
	my $flushes = shift || 100;

	query('SELECT commit_stats_reset(), shim_reset()');
	$node->poll_query_until('postgres',
		"SELECT flushes >= $flushes FROM commit_flush_stats")
	  or die "there are no flushes\n";
	return query('SELECT commits_per_flush FROM commit_flush_stats');
}

set_device($node, quota => 0, window => 0, flush_time => 10);
my $load = start_pgbench($node, "-c $clients -T 600", @scripts);
my $alone = commits_per_flush();

setting('gather');
ok( wait_for_delay_state(
		$node,
		"gathering = 'on' AND gathering_reason = 'the trial saved time' AND gathering_gain >= 0.03 AND times_tried > 0"
	),
	'sessions come back soon: gathering is on, and says why');

# a machine that does other things makes sessions late
my $together;
my $nearly_all =
  poll_until(sub { ($together = commits_per_flush(300)) > 0.7 * $clients },
	1);

note "$alone commits in a flush without gathering, $together with it";
cmp_ok($together, '>', $alone, 'leaders carry more commits than without');
ok($nearly_all, '... those of nearly all sessions');

# What is counted is what the shim saw.
my $kinds = query(
	q{
SELECT string_agg(DISTINCT delay_kind, ' '), bool_and(delay_end IN ('due', 'all came', 'woken'))
FROM commit_flush_log WHERE delayed});
is($kinds, 'gathered|t', 'the flush log tells why leaders slept');
is( query(
		q{
SELECT delay_hits > 0, delay_hits = delay_hits_gathered, delay_hits_paced, delay_uncertain
FROM commit_flush_stats}),
	't|t|0|0',
	'all sleeps are gathered ones, and certain');
is( query(
		q{
SELECT count(*) FROM commit_delay_changes
WHERE subject = 'gathering' AND mode = 'on' AND reason = 'the trial saved time' AND gain >= 0.03}
	) > 0,
	1,
	'the change is listed');

# The early wake: a sleep that was shorter than it was to be
my $woken = q{
SELECT count(*) FROM shim_events()
WHERE kind = 'sleep' AND backend AND length > 0 AND length / 1000 < asked - 100};

query('SELECT commit_stats_reset(), shim_reset()');
ok( $node->poll_query_until(
		'postgres', qq{
SELECT delay_hits_woken > 0 AND ($woken) > 0 FROM commit_flush_stats}),
	'the last session ends the sleep of the leader');

ok( $node->poll_query_until(
		'postgres', q{
SELECT count(DISTINCT delay_end) FILTER (WHERE delay_end IN ('woken', 'all came')) = 2
FROM commit_flush_log}),
	'sleeps end when all came, before the planned time or at it');

# Process IDs are those of the load.
ok( $node->poll_query_until(
		'postgres', q{
SELECT cardinality(waited_for) > 0 AND
       NOT EXISTS (SELECT FROM unnest(waited_for) pid
                   WHERE pid NOT IN (SELECT pid FROM pg_stat_activity))
FROM commit_delay_state}),
	'the state names the sessions that are waited for');

# Without commits under way, both counts are complete.
end_pgbench($node, $load);
right_in_one_round(
	'a load',
	sub {
		query('SELECT commit_stats_reset(), shim_reset()');
		run_pgbench($node, "-c $clients -t 200", @scripts);
		my ($seen, $counted) = (seen_by_shim($node), flush_stats($node));
		my $early = query($woken);
		my $missed = abs($counted->{delay_hits} - $seen->{sleeps});
		my $untimed = abs($counted->{delay_time} - $seen->{slept});

		note
		  "$counted->{delay_hits_woken} leaders were woken, $early sleeps were short";
		is( $counted->{delay_hits_paced} + $counted->{delay_hits_gathered},
			$counted->{delay_hits},
			'each sleep is a paced or a gathered one');
		return (
			[ $seen->{sleeps} > 20, 'leaders sleep' ],
			[ $missed <= 0.01 * $seen->{sleeps}, 'each sleep is counted' ],
			[
				$untimed < 0.2 * $seen->{slept},
				'... with the time that it took'
			],
			[
				$early > $counted->{delay_hits_woken} / 2,
				'leaders that count as woken have slept less'
			],
			[
				$early <= 1.2 * $counted->{delay_hits_woken} + 2,
				'... and no others have'
			],
			[
				$seen->{longest} <= 20_000,
				'no sleep was to take longer than two flushes'
			]);
	});
$load = start_pgbench($node, "-c $clients -T 600", @scripts);

# A transaction that holds an ID and does nothing is not waited for.
my $idle = start_psql($node,
	'BEGIN; INSERT INTO tick VALUES (2); SELECT pg_sleep(1000)');
$node->poll_query_until('postgres',
	"SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND backend_xid IS NOT NULL"
);
right_in_one_round(
	'an idle transaction',
	sub {
		my $beside = commits_per_flush(300);

		return (
			[ $beside > $alone, 'commits are gathered as before' ],
			[
				query('SELECT delay_hits_at_ceiling FROM commit_flush_stats')
				  == 0,
				'... and no leader waits for it until the ceiling'
			]);
	});
query(
	q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'}
);
end_background($idle);

# One that writes all the time, and commits of several statements
my $writer = start_psql($node,
	'DO $$ BEGIN LOOP INSERT INTO tick SELECT generate_series(1, 100); PERFORM pg_sleep(0.001); END LOOP; END $$'
);
$node->poll_query_until('postgres',
	"SELECT count(*) = 1 FROM pg_stat_activity WHERE query LIKE 'DO %' AND backend_xid IS NOT NULL"
);
my $statements = start_pgbench(
	$node,
	"-c $clients -T 600",
	statements => "BEGIN;\n$scripts[1]COMMIT;\n");
query('SELECT commit_stats_reset(), shim_reset()');
ok( $node->poll_query_until(
		'postgres',
		q{SELECT count(*) > 50 FROM shim_events() WHERE kind = 'sleep' AND backend}
	),
	'beside a transaction that writes, leaders sleep');
cmp_ok(seen_by_shim($node)->{longest},
	'<', 50_000, '... and for less than the ceiling');
wait_for_commits($node, 100);
is(errors_so_far($statements), '', '... and commits go on');
end_background($statements, 'TERM');
query(
	q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'DO %'}
);
end_background($writer);

# A client that hangs while it thinks, and its backend
my $victim = do
{
	local $ENV{PGAPPNAME} = 'victim';
	start_pgbench($node, '-c 1 -T 600', @scripts);
};
my $stopped;

commits_per_flush(300);
$victim->{run}->signal('STOP');
poll_until(
	sub {
		$stopped = query(
			q{SELECT pid FROM pg_stat_activity WHERE application_name = 'victim' AND state = 'idle'}
		);
		return $stopped ne '';
	}) or die "the session does not become idle\n";
kill 'STOP', $stopped;
# at first some leaders still wait for it
ok( poll_until(
		sub {
			commits_per_flush();
			return query(
				q{
SELECT count(*) FILTER (WHERE delay_end IN ('all came', 'woken')) > count(*) / 2
FROM commit_flush_log WHERE delayed AND
	  flushed_at > (SELECT stats_reset FROM commit_flush_stats)}) eq 't';
		},
		5),
	'a session that hangs: leaders wait for the others only');
ok( $node->poll_query_until(
		'postgres',
		q{SELECT cardinality(waited_for) > 0 FROM commit_delay_state}),
	'... who are waited for');
is( query(
		"SELECT count(*) FROM commit_delay_state WHERE $stopped = ANY (waited_for)"
	),
	0,
	'... it is not');
kill 'CONT', $stopped;
end_background($victim, 'KILL');

# A short ceiling
alter_system($node, 'commit_stats.adaptive_delay_max' => 100);
ok( poll_until(
		sub {
			commits_per_flush();
			return query(
				q{
SELECT delay_hits_at_ceiling > 5 AND
	   (SELECT count(*) = 0 FROM shim_events() WHERE kind = 'sleep' AND backend AND asked > 100)
FROM commit_flush_stats}) eq 't';
		},
		5),
	'sleeps that the ceiling shortens are counted, and none is longer');
alter_system($node, 'commit_stats.adaptive_delay_max' => 50000);

# Sessions that come and go
end_pgbench($node, $load);
right_in_one_round(
	'a session for each transaction',
	sub {
		query('SELECT commit_stats_reset(), shim_reset()');
		run_pgbench($node, '-c 12 -C -t 20', @scripts);
		is(query('SELECT commits FROM commit_flush_stats'),
			240, 'a session for each transaction: all of them commit');
		return [
			seen_by_shim($node)->{longest} <= 20_000,
			'no leader waits for long for sessions that have left'
		];
	});

# ... beside sessions that stay, so that leaders wait.  Others are terminated
# while they sleep, wait for a flush, or have opened one and wait for the lock
# of NOTIFY.  A process that has the place of one that was to be woken, or for
# which leaders waited, comes to no harm.
$load = start_pgbench($node, "-c $clients -T 600", @scripts);
wait_for_delay_state($node, "gathering = 'on'")
  or die "gathering is not on\n";
for my $round (1 .. 5)
{
	my $short = start_pgbench($node, '-c 8 -C -t 25', @scripts);
	my @victims = map {
		start_psql($node,
			'DO $$ BEGIN LOOP INSERT INTO tick VALUES (3); NOTIFY bell; COMMIT; END LOOP; END $$'
		)
	} 1 .. 3;

	$node->poll_query_until(
		'postgres', q{
SELECT count(*) = 3 FROM commit_activity JOIN pg_stat_activity USING (pid)
WHERE query LIKE 'DO %' AND commits > 5}
	) or die "the victims do not commit\n";
	query(
		q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'DO %'}
	);
	end_background($_) for @victims;
	like($_->{err}, qr/57P01/, "come and go, $round: it was told to end")
	  for @victims;
	ok(end_background($short), "come and go, $round: the others do not fail")
	  or diag $short->{err};
}
$node->poll_query_until(
	'postgres', q{
SELECT NOT EXISTS (SELECT FROM unnest(waited_for) pid
				   WHERE pid NOT IN (SELECT pid FROM pg_stat_activity))
FROM commit_delay_state}) or die "leaders wait for sessions that have left\n";
wait_for_commits($node, 100);
is(errors_so_far($load), '', 'come and go: the sessions that stay go on');
end_pgbench($node, $load);

# A single session is not gathered.
$load = start_pgbench($node, '-c 1 -T 600', @scripts);
ok(wait_for_delay_state($node, "gathering = 'too few sessions'"),
	'one session: there is nothing to gather');
commits_per_flush();
is( query(
		q{SELECT count(*) FROM shim_events() WHERE kind = 'sleep' AND backend}
	),
	0,
	'... and it does not sleep');

end_pgbench($node, $load);

#
# A commit that other sessions wait for (MariaDB's rule)
#
# Eight sessions come back after 5 ms, so that leaders wait for them.  Another
# one commits while all of them are in a flush or think, so that it leads the
# next flush, and a last one waits for a row that it has changed.
query('CREATE TABLE hot (n int); INSERT INTO hot VALUES (0)');
set_device($node, flush_time => 20);
$load = start_pgbench($node, '-c 8 -T 600',
	think => "\\sleep 5 ms\nINSERT INTO tick VALUES (1);\n");

my ($holder, $waiter) =
  map { $node->background_psql('postgres') } 1 .. 2;
my ($holder_pid, $waiter_pid) =
  map { $_->query_safe('SELECT pg_backend_pid()') } $holder, $waiter;
my $update = 'UPDATE hot SET n = n + 1';

sub commit_hot
{
	my ($contended) = @_;

	$holder->query_safe("BEGIN; $update");
	if ($contended)
	{
		$waiter->query_until(qr/sent/, "\\echo sent\n$update;\n");
		$node->poll_query_until('postgres',
			"SELECT count(*) = 1 FROM pg_locks WHERE pid = $waiter_pid AND NOT granted"
		) or die "nothing waits for the row\n";
	}
	$holder->query_safe('COMMIT');
	$waiter->query_safe($contended ? 'SELECT 1' : $update);
	return;
}

# Of the flushes that the holder has led: how many, and before how many did it
# sleep, while gathering was on?
sub sleeps_of_holder
{
	my ($contended) = @_;
	my ($tried, $result);

	for (1 .. 10)
	{
		wait_for_delay_state($node, "gathering = 'on'")
		  or die "gathering is not on\n";
		$tried = delay_state($node, 'times_tried');
		commit_hot($contended) for 1 .. 3;
		query('SELECT shim_reset()');
		commit_hot($contended) for 1 .. 20;
		$result = query(
			qq{
SELECT count(*) FILTER (WHERE kind = 'sync'), count(*) FILTER (WHERE kind = 'sleep')
FROM shim_events() WHERE pid = $holder_pid});
		last
		  if delay_state($node, 'gathering, times_tried') eq "on|$tried";
	}
	return split /\|/, $result;
}

right_in_one_round(
	'a commit',
	sub {
		my ($free, $slept_free) = sleeps_of_holder(0);
		my ($contended, $slept_contended) = sleeps_of_holder(1);

		note
		  "$slept_free sleeps in $free flushes, $slept_contended in $contended with a waiter";
		return (
			[ $slept_free > 0.5 * $free, 'its leader waits for others' ],
			[
				$contended > 0
				  && $slept_contended * $free * 2 < $slept_free * $contended,
				'... but not if one of them waits for its lock'
			]);
	});
$_->quit for $holder, $waiter;

end_pgbench($node, $load);

#
# Why sleeps end
#
# Each leader reports the end of its sleep to the flush log, and counts it.
# Without commits under way, both are complete.
set_device($node, flush_time => 10);

my $ends = q{
SELECT (SELECT count(*) FILTER (WHERE delay_end = 'all came') || ' ' ||
               count(*) FILTER (WHERE delay_end = 'woken') || ' ' ||
               count(*) FILTER (WHERE delay_end = 'due')
        FROM commit_flush_log WHERE delayed AND flushed_at > stats_reset),
       delay_hits_all_came || ' ' || delay_hits_woken || ' ' ||
       delay_hits - delay_hits_all_came - delay_hits_woken - delay_hits_at_ceiling,
       delay_hits_all_came > 0 AND delay_hits_woken > 0
FROM commit_flush_stats};
my ($logged_ends, $counted_ends, $both);

poll_until(
	sub {
		$node->poll_query_until('postgres',
			'SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = \'client backend\''
		) or die "the load did not end\n";
		query('SELECT commit_stats_reset()');
		run_pgbench($node, "-c $clients -t 100", @scripts);
		($logged_ends, $counted_ends, $both) = split /\|/, query($ends);
		return $both eq 't';
	},
	1) or die "sleeps do not end in both ways\n";
is($counted_ends, $logged_ends,
	'sleeps that ended when all came, early, and when due are counted');

#
# A session that waits for a lock for longer than it takes to be forgotten
#
# As above: eight sessions, for which a leader waits, a holder and a waiter.
# The waiter commits each time, so that it is one of those that commit often.
# Those idle for a second are forgotten when a slot of the trial ends, here
# after 0.6 s each.
set_device($node, flush_time => 20);
$load = start_pgbench($node, '-c 8 -T 600',
	think => "\\sleep 5 ms\nINSERT INTO tick VALUES (1);\n");
($holder, $waiter) = map { $node->background_psql('postgres') } 1 .. 2;
($holder_pid, $waiter_pid) =
  map { $_->query_safe('SELECT pg_backend_pid()') } $holder, $waiter;

# Of the flushes that the holder has led: how many, and before how many did it
# sleep, while gathering was on?
sub sleeps_beside_waiter
{
	my ($seconds) = @_;
	my ($flushes, $slept) = (0, 0);

	for (1 .. 60)
	{
		wait_for_delay_state($node, "gathering = 'on'")
		  or die "gathering is not on\n";
		my $tried = delay_state($node, 'times_tried');
		$holder->query_safe("BEGIN; $update");
		if ($seconds > 0)
		{
			$waiter->query_until(qr/sent/, "\\echo sent\n$update;\n");
			$node->poll_query_until('postgres',
				"SELECT count(*) = 1 FROM pg_locks WHERE pid = $waiter_pid AND NOT granted"
			) or die "nothing waits for the row\n";
			query("SELECT pg_sleep($seconds)");
		}
		query('SELECT shim_reset()');
		$holder->query_safe('COMMIT');
		$waiter->query_safe($seconds > 0 ? 'SELECT 1' : $update);
		my ($led, $asleep) = split /\|/, query(
			qq{
SELECT count(*) FILTER (WHERE kind = 'sync'), count(*) FILTER (WHERE kind = 'sleep')
FROM shim_events() WHERE pid = $holder_pid});
		next
		  if delay_state($node, 'gathering, times_tried') ne "on|$tried";
		$flushes += $led;
		$slept   += $asleep;
		last if $flushes >= 12;
	}
	return ($flushes, $slept);
}

right_in_one_round(
	'a commit that another session has long waited for',
	sub {
		my ($free, $slept_free) = sleeps_beside_waiter(0);
		my ($contended, $slept_contended) = sleeps_beside_waiter(2);

		note
		  "$slept_free sleeps in $free flushes, $slept_contended in $contended with a waiter";
		return (
			[ $contended >= 12, 'it leads flushes' ],
			[
				$slept_contended * $free * 2 < $slept_free * $contended,
				'... and does not sleep'
			]);
	});
$_->quit for $holder, $waiter;
end_pgbench($node, $load);

# The server log has a line for each change of gathering.
my @changes = split /\n/, query(
	q{
SELECT concat(mode, ' (', reason, ')') FROM commit_delay_changes
WHERE subject = 'gathering' ORDER BY change});

my @logged;

ok( poll_until(
		sub {
			@logged = slurp_file($node->logfile) =~
			  /LOG:  commit_stats gathering: (.*)$/mg;
			return @logged >= @changes;
		},
		20),
	'the last change is logged');
is( join("\n", @logged[ -@changes .. -1 ]),
	join("\n", @changes),
	'the log has all changes, in the same order');
like(
	slurp_file($node->logfile),
	qr/gathering: on \(the trial saved time\)\n.*DETAIL:  In the last trial, gathering changed the time from commit to commit by -\d+\.\d%\.$/m,
	'... and what the trial saved');

$node->stop;
unlike(
	slurp_file($node->logfile),
	qr/PANIC|TRAP|terminated by signal/,
	'the log has no surprise');

done_testing();
