# Do all kinds of commits sleep with commit_stats.adaptive_delay that wait for
# their flush and no others, and do those that fail leave nothing behind?  And
# does a sweep beside all of them?
#
# The shim (t/ground_truth/shim.c) makes a device with a quota of the disk, and
# sees the sleeps of each process.  With the configuration here, no sleep of
# the server's own takes more than 13 us.

use Adaptive;
use AllCommits;

my $node = start_truth(
	'commits', q{commit_delay = 7; commit_siblings = 3; commit_stats.adaptive_delay = on;
max_prepared_transactions = 20; autovacuum = on; autovacuum_naptime = 1; log_statement = none},
	allows_streaming => 1);

$node->sql('CREATE TABLE logged (n int)');

# All kinds at once
my %all = start_all_commits($node);

# On a busy machine slots may be late or have no commit.
my ($sweep, @rows);
ok( eventually(sub {
		$sweep = $node->start_psql(
			"SELECT rounds, commits > 0, delay_hit_share FROM commit_delay_sweep('{0,500,3000}', '{0,3}', '9 s', '500 ms')"
		);
		end_background($sweep);
		@rows = map { [ split /\|/ ] } split /\n/, $sweep->{out};
		return ($rows[2]->[2] || 0) > 0;
	}),
	'a sweep beside all of it, which lets commits sleep') or diag $sweep->{err};
is(scalar @rows, 6, '... has its rows');
is($node->sweep_pid, '', '... and is over');

# Sleeps are longer than what a session does between two commits.
set_quota($node, $quota / 5);
wait_for_quota($node);
$node->sql('SELECT shim_reset(), commit_stats_reset()');
$node->wait_until(q{SELECT count(*) > 300 FROM shim_events() WHERE kind = 'sleep' AND asked > 13});
end_all_commits($node, %all);
$node->wait_until_alone;

# What a session had prepared when it was ended
$node->sql("ROLLBACK PREPARED '$_'")
  for split /\n/, $node->sql('SELECT gid FROM pg_prepared_xacts');

# A sleep can be as short as those of the server's own.
my ($hits, $sleeps, $short) = $node->row(q{SELECT delay_hits_adaptive,
	   (SELECT count(*) FROM shim_events() WHERE kind = 'sleep'),
	   (SELECT count(*) FROM shim_events() WHERE kind = 'sleep' AND asked <= 13)
FROM commit_flush_stats});

note "$hits hits, $sleeps sleeps, $short of which at most 13 us";
cmp_ok($hits, '<=', 1.01 * $sleeps, 'all kinds: no hit without a sleep');
cmp_ok($hits, '>=', 0.99 * ($sleeps - $short), 'all kinds: no sleep without a hit');

# Each kind, in a session that is alone

# How often a session with these statements sleeps.
sub sleeps_of (@statements)
{
	my ($status, $out, $err) = $node->psql(
		'postgres',
		join("\n", @statements) . q{
\set ON_ERROR_STOP on
SELECT same_settings();
SELECT 'slept', count(*) FROM shim_events()
WHERE kind = 'sleep' AND asked > 13 AND pid = pg_backend_pid()},
		on_error_stop => 0);

	die $err if $status != 0;
	return ($out =~ /^slept\|(\d+)$/m)[0];
}

my @numbers = 1 .. 20;
my $insert = 'INSERT INTO logged VALUES (2);';
my @inserts = map { $insert } @numbers;

# Does a session with these statements sleep, when leaders do?
sub sleeps ($statements, $before = undef, $after = undef)
{
	return eventually(sub {
		learn_quota($node);
		$node->sql("@$before") if $before;
		my $sleeps = sleeps_of(@$statements);
		$node->sql("@$after") if $after;
		return $sleeps > 0;
	});
}

my $async = 'SET synchronous_commit = off;';
my @prepares = map { "BEGIN; $insert PREPARE TRANSACTION 'p$_';\n" } @numbers;
my @waits = (
	[ 'a commit', \@inserts ],
	[ 'a commit after a NOTIFY alone', [ map { ('NOTIFY someone;', $insert) } @numbers ] ],
	[ 'a commit of a procedure', [ map { 'CALL commits();' } @numbers ] ],
	[ 'PREPARE TRANSACTION', \@prepares, [], [ map { "ROLLBACK PREPARED 'p$_';\n" } @numbers ] ],
	[ 'COMMIT PREPARED', [ map { "COMMIT PREPARED 'p$_';" } @numbers ], \@prepares ],
	[
		'an asynchronous commit that deletes a file',
		[
			$async,
			(map { "CREATE TABLE gone$_ (n int);" } @numbers),
			(map { "DROP TABLE gone$_;" } @numbers)
		]
	]);
my @does_not_wait = (
	[ 'an asynchronous commit', $async, @inserts ],
	[ 'a commit that only reads', map { 'TABLE serial;' } @numbers ],
	[ 'NOTIFY', map { 'NOTIFY someone;' } @numbers ],
	[ 'ROLLBACK', map { "BEGIN; $insert ROLLBACK;" } @numbers ],
	[ 'a failing commit', map { 'INSERT INTO failing VALUES (1);' } @numbers ],
	[
		'a failing COMMIT PREPARED',
		map { "BEGIN; SAVEPOINT s; COMMIT PREPARED 'none'; ROLLBACK TO s; COMMIT;" } @numbers
	]);

for (@waits)
{
	my ($what, @session) = @$_;

	ok(sleeps(@session), "$what: it sleeps");
}
# Nobody knows of the first one that it has a NOTIFY.
for my $notify ('NOTIFY someone;', q{SELECT pg_notify('someone', '');})
{
	my @notifying = map { "BEGIN; $insert $notify COMMIT;" } @numbers;

	learn_quota($node);
	cmp_ok(sleeps_of(@notifying), '<=', 1, "$notify with a row: none sleeps but the first");
	ok(sleeps([ @notifying, @inserts ]), "$notify with a row: the next commits do");
}
for (@does_not_wait)
{
	my ($what, @statements) = @$_;

	learn_quota($node);
	is(sleeps_of(@statements), 0, "$what: it does not sleep");
	ok(sleeps([ @statements, @inserts ]), "$what: the next commits do") if $what =~ /^a failing/;
}

# Interrupts
for my $end (ways_to_end($node, sub { asleep($node) }, '500 ms'))
{
	my ($how, $first, $code, $error) = @$end;
	my $session = $node->start_psql($first,
		'DO $$ BEGIN LOOP INSERT INTO logged VALUES (3); COMMIT; PERFORM same_settings(); END LOOP; END $$'
	);

	$code->();
	end_background($session);
	like($session->{err}, $error, "$how in a sleep: the session notices");
	ok(sleeps(\@inserts), "$how in a sleep: the next session sleeps");
}

# A commit between its two callbacks, where it waits for the lock of NOTIFY.
# Another one, which waits for a standby that does not exist, holds the lock.
$node->alter_system(synchronous_commit => 'local', synchronous_standby_names => 'none');

my $holder = $node->start_psql('SET synchronous_commit = on',
	'BEGIN; INSERT INTO logged VALUES (4); NOTIFY someone; COMMIT');

sub waiting_for ($wait_event)
{
	my $pid;

	poll_until(
		sub {
			$pid = $node->sql(
				qq{SELECT pid FROM pg_stat_activity WHERE wait_event IN ($wait_event) AND query ~ 'COMMIT'}
			);
			return $pid ne '';
		},
		20) or die "nothing waits for $wait_event\n";
	return $pid;
}

waiting_for("'SyncRep'");
# Nothing ends a COMMIT by statement_timeout.
for my $end (grep({ $_->[0] ne 'timeout' } ways_to_end($node, sub { waiting_for("'object'") }, '')),
	[ 'lock timeout', "SET lock_timeout = '100 ms'", sub { } ])
{
	my ($how, $first, $code) = @$end;
	my $session = $node->background_psql('postgres', on_error_stop => 0);

	$session->query($first);
	$session->query_until(
		qr/begun/, q{
\echo begun
BEGIN;
INSERT INTO logged VALUES (5);
NOTIFY someone;
COMMIT;
\echo failed
});
	$code->();
	if ($how eq 'terminate')
	{
		ok_soon "$how between the callbacks: the error", sub {
			$session->{run}->pump_nb;
			return $session->{stderr} =~ /terminating connection due to administrator command/;
		};
		next;
	}
	$session->query_until(qr/failed/, "\n");
	like(
		$session->{stderr},
		qr/ERROR:  canceling statement/,
		"$how between the callbacks: the error");
	$session->{stderr} = '';
	is( $session->query(q{SELECT same_settings();
INSERT INTO logged VALUES (6);
SHOW commit_delay;
}) =~ s/\s//gr,
		'7',
		"$how between the callbacks: the session goes on");
	is($session->{stderr}, '', "$how between the callbacks: without an error");
	$session->quit;
}
$node->sql('SELECT pg_cancel_backend(' . waiting_for("'SyncRep'") . ')');
ok(end_background($holder), 'the commit that held the lock ends');
like($holder->{err}, qr/canceling wait for synchronous replication/, '... as it is told');
ok(sleeps(\@inserts), 'after that: the next session sleeps');

# A session that has followed the setting sleeps by its own again
learn_quota($node);
my $session = $node->background_psql('postgres');

$session->query("@inserts");
$node->alter_system('commit_stats.adaptive_delay' => 'off');
wait_for_delay_state($node, 'NOT in_force');
$session->query(
	"SELECT commit_stats_reset(); SET commit_delay = 1000; SET commit_siblings = 5; @inserts");
is($node->sql(q{SELECT commits >= 20, delay_hits_adaptive FROM commit_flush_stats}),
	't|0', 'off again: no sleep counts as one that adapts');
$session->quit;

end_test($node);
