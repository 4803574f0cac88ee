# Does a single-user server work with commit_stats, and does it count?
#
# Administrators use single-user mode for repairs.  It has no postmaster, no
# background worker and no other backend, but commits.

use CommitStats;

my $node = init_node('single', conf => 'max_prepared_transactions = 2');

# Run SQL, one statement a line, in a server of its own; returns its rows as
# strings "column=value,...".
sub single_user ($name, $sql)
{
	my ($out, $err) = $node->single_user($sql);
	my @rows;

	is($?, 0, "$name: the server ends well");
	unlike($err, qr/PANIC|TRAP|terminated by signal/, "$name: without a crash");

	# A row begins with ---- or column 1 and has a line for each column.
	for ($out =~ /^\t\s*(\d+: \w+ = ".*?")\t\(typeid/mg)
	{
		my ($column, $name, $value) = /^(\d+): (\w+) = "(.*)"$/;

		push @rows, '' if $column == 1;
		$rows[-1] .= ($column == 1 ? '' : ',') . "$name=$value";
	}
	return (\@rows, $err);
}

# Not yet started: initdb made it, and nothing was ever preloaded.
my ($rows, $err) = single_user(
	'first', q{CREATE EXTENSION commit_stats
CREATE TABLE logged (n int)
CREATE UNLOGGED TABLE unlogged (n int)
SELECT commits, flushes, followers FROM commit_flush_stats
SELECT commit_stats_reset() IS NOT NULL AS reset
INSERT INTO logged VALUES (1)
INSERT INTO logged VALUES (2)
SET synchronous_commit = off
INSERT INTO logged VALUES (3)
RESET synchronous_commit
INSERT INTO unlogged VALUES (1)
BEGIN
INSERT INTO logged VALUES (4)
PREPARE TRANSACTION 'alone'
SET commit_stats.log_flushes = on
COMMIT PREPARED 'alone'
SELECT commits, commits_async, commits_unlogged, prepares, flushes, followers FROM commit_flush_stats
SELECT commits_in_flush, flushes FROM commit_flush_histogram
SELECT siblings, flushes FROM commit_sibling_histogram
SELECT count(*) AS flushes, count(*) FILTER (WHERE message = 'Flushed 1 out of 1 commits') AS messages FROM commit_flush_log
SELECT enabled, siblings_exact, connected_backends FROM commit_stats_info
SELECT commit_history_close()
SELECT 1 / 0
SELECT count(*) AS rows FROM logged
});

is_deeply(
	$rows,
	[
		'commits=3,flushes=3,followers=0',
		'reset=t',
		'commits=3,commits_async=1,commits_unlogged=1,prepares=1,flushes=4,followers=0',
		'commits_in_flush=0,flushes=1',
		'commits_in_flush=1,flushes=3',
		'siblings=0,flushes=4',
		'flushes=4,messages=3',
		'enabled=t,siblings_exact=t,connected_backends=1',
		'rows=4'
	],
	'first: statements run and are counted');
like(
	$err,
	qr/ERROR:  the background worker of commit_stats does not run/,
	'first: what needs the worker does not wait for it');
like($err, qr/ERROR:  division by zero/, 'first: an error is no more than that');

# The same data directory, as a server ...
$node->start;
is($node->sql('SELECT count(*) FROM logged'), 4, 'a server starts with what was committed');
$node->sql('INSERT INTO logged VALUES (5)');
is($node->sql('SELECT commits FROM commit_flush_stats'), 4, 'and counts on from there');

# ... and alone again, this time after a crash, so that it recovers first.
$node->stop('immediate');
($rows) = single_user(
	'crashed', q{INSERT INTO logged VALUES (6)
SELECT commits, (SELECT count(*) FROM logged) AS rows FROM commit_flush_stats
});
is_deeply($rows, ['commits=1,rows=6'], 'crashed: statements run and are counted');

# Nobody noted where their WAL began.
$node->start;
$node->wait_until(
	q{SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE backend_type = 'commit_stats worker'}
);
is( $node->sql(
		'SELECT commits_per_second > 0, wal_bytes_per_second IS NULL FROM commit_stats_rates()'),
	't|t',
	'then a server: its rates have these commits, and no WAL');

end_test($node);
