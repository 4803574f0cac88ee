# Do the statistics survive a clean restart, and only that?
#
# A clean restart is a smart or fast stop of a primary, a standby or a
# stand-alone backend, and a start.  Each view then shows what it showed
# before, and counting goes on from there.  While the server runs there is no
# file.

use CommitStats;
use Persist;

my $node = start_node(
	'keep',
	no_checksums => 1,
	conf =>
	  q{commit_stats.flush_log_size = 128; track_wal_io_timing = on; max_prepared_transactions = 2;
max_logical_replication_workers = 0; restart_after_crash = on});
my $file = stats_file($node);
my ($before, $began);

# Do all views show what they showed before?
sub same ($how)
{
	is_deeply(statistics($node), $before, "$how: all views show the same");
}

# Statistics with something in every view: several databases and cycles,
# delays, more groups than are in the ring, and groups that still are.
$node->sql(q{CREATE DATABASE other;
CREATE UNLOGGED TABLE unlogged (n int)});
{
	local $ENV{PGOPTIONS} = '-c commit_delay=500 -c commit_siblings=1';
	run_pgbench($node, '-c 20 -j 2 -t 30', load => 'INSERT INTO logged VALUES (1)');
}
$node->sql('CHECKPOINT');
run_pgbench($node, '-c 2 -j 2 -t 300', load => 'INSERT INTO logged VALUES (1)');
$node->safe_psql('other', 'CREATE TABLE elsewhere (n int)');
$node->sql('CHECKPOINT');
$node->sql(q{INSERT INTO unlogged VALUES (1);
INSERT INTO unlogged VALUES (2);
SET synchronous_commit = off;
INSERT INTO logged VALUES (2);
RESET synchronous_commit;
BEGIN;
INSERT INTO logged VALUES (3);
ROLLBACK});
$node->sql(q{
BEGIN;
INSERT INTO logged VALUES (4);
PREPARE TRANSACTION 'prepared'});

$before = statistics($node);
is( $node->sql(q{SELECT commits > 1200, commits_async > 0, commits_unlogged > 0, prepares > 0,
	   followers > 0, delay_hits > 0, timed_flushes > 0, wal_bytes > 0,
	   flushes > 256, (SELECT count(*) > 0 FROM commit_flush_log),
	   (SELECT count(*) >= 2 FROM commit_database_stats WHERE commits > 0),
	   (SELECT count(*) >= 3 FROM commit_wal_stats)
FROM commit_flush_stats}),
	join('|', ('t') x 12),
	'there are statistics of all kinds');

# Clean restarts
my $read_only = $node->sql('SELECT commits_read_only FROM commit_flush_stats');
my $finished_cycles = q{SELECT to_jsonb(s) FROM commit_wal_stats s
WHERE redo_lsn < '%s' ORDER BY redo_lsn};
my $newest_cycle = $node->sql('SELECT max(redo_lsn) FROM commit_wal_stats');
my $finished = $node->sql(sprintf($finished_cycles, $newest_cycle));

ok(!-e $file, 'no file while the server runs');
$node->stop('fast');
ok(-s $file, 'a file while it does not');
is_deeply([ grep { /commit_stats\.stat/ } slurp_dir($node->data_dir . '/pg_stat') ],
	['commit_stats.stat'], 'and no other');
is( (stat $file)[2] & 0777,
	(stat $node->data_dir . '/PG_VERSION')[2] & 0777,
	'with the permissions of the data directory');

# postgres -C needs no shared memory.
my $content = slurp_file($file);
my ($out, $err) = run_command([ 'postgres', '-D', $node->data_dir, '-C', 'shared_memory_size' ]);
like($out, qr/^\d+$/, 'postgres -C answers');
is(slurp_file($file), $content, 'postgres -C leaves the file alone');

# A start that fails late.
my $hba = $node->data_dir . '/pg_hba.conf';
rename $hba, "$hba.good" or die;
append_to_file($hba, "nonsense\n");
my $history = slurp_file($file =~ s/(?=\.stat$)/_history/r);
ok(!$node->start(fail_ok => 1), 'a server that does not start');
is(slurp_file($file =~ s/(?=\.stat$)/_history/r), $history, '... leaves the history as it is');
rename "$hba.good", $hba or die;

$node->start;
ok(!-e $file, 'no file when it runs again');
same('fast stop');
cmp_ok($node->sql('SELECT commits_read_only FROM commit_flush_stats'),
	'>', $read_only, 'fast stop: read-only commits go on');
is($node->sql(sprintf($finished_cycles, $newest_cycle)), $finished, 'fast stop: finished cycles');
is($node->sql('SELECT count(*) FROM commit_flush_log'), 0,
	'fast stop: single flushes are not kept');
like($node->report, qr/^Commits in a flush/m, 'fast stop: there is a report without them');

# Counting goes on, and the next stop saves it.
my ($counted, $records) = $node->observe(sub { some_load($node) });
is($counted->{commits}, 2, 'commits are counted again');
is($counted->{commits_async}, 1, 'asynchronous ones too');
views_agree($node, 'counted again');
$before = statistics($node);
$node->stop('smart');
$node->start;
same('smart stop');

# Many sessions have been connected for 800 years, added up.
$node->stop;
$content = slurp_file($file);
my $clients = part_at($content, 'clients');
my $end = $clients + 32 + unpack 'Q', substr $content, $clients + 24, 8;
substr($content, $end - 8, 8) = pack 'Q', 800 * 365 * 86400 * 1e6;
unlink $file;
append_to_file($file, sealed($content));
$node->start;
is($node->sql('SELECT round(max(session_time) / 1000 / 86400 / 365) FROM commit_client_stats'),
	800, 'the time of sessions, in years');

# A stand-alone backend between two starts
my $commits = $node->sql('SELECT commits FROM commit_flush_stats');
$node->stop;
($out) = $node->single_user(q{COMMIT PREPARED 'prepared'
SELECT commits FROM commit_flush_stats
});
$commits++;
like($out, qr/commits = "$commits"/, 'a stand-alone backend goes on');
$node->start;
is($node->sql('SELECT commits FROM commit_flush_stats'),
	$commits, 'and the server goes on from there');

# Another max_connections: the last row has all larger values
my $sizes = q{SELECT commits_in_flush, flushes FROM commit_flush_histogram ORDER BY 1};
my $siblings = q{SELECT siblings, flushes FROM commit_sibling_histogram ORDER BY 1};

sub clamp ($rows, $last)
{
	my %clamped;

	for (split /\n/, $rows)
	{
		my ($cell, $n) = split /\|/;
		$clamped{ $cell > $last ? $last : $cell } += $n;
	}
	return join "\n", map { "$_|$clamped{$_}" } sort { $a <=> $b } keys %clamped;
}

my @had = map { $node->sql($_) } $sizes, $siblings;
my $small = "max_connections = 4\nsuperuser_reserved_connections = 0\nmax_wal_senders = 0\n"
  . "max_worker_processes = 1\nautovacuum_max_workers = 1\n";
$small .= "autovacuum_worker_slots = 1\n" if $node->pg_version >= 18;
my $conf = slurp_file($node->data_dir . '/postgresql.conf');

$node->append_conf('postgresql.conf', $small);
$node->restart;
my @has = map { $node->sql($_) } $sizes, $siblings;
my ($last) = $has[1] =~ /(\d+)\|\d+$/;
cmp_ok($last, '<', 15, 'fewer connections: fewer rows');
is($has[0], clamp($had[0], $last), 'fewer connections: flushes by size');
is($has[1], clamp($had[1], $last), 'fewer connections: flushes by siblings');
$before = statistics($node);
write_file($node->data_dir . '/postgresql.conf', $conf);
$node->restart;
same('more connections');

# A reset survives as well, with flushes in the ring from before it
some_load($node);
$began = $node->sql('SELECT commit_stats_reset()');
some_load($node);
$before = statistics($node);
$node->restart;
same('after a reset');
is(start_of_statistics($node), $began, 'after a reset: its time');
$node->sql('SELECT commit_stats_reset()');
starts_from_zero($node, $began, 'reset of what was kept');

# Statistics that must not survive
$began = some_load($node);
$node->stop('immediate');
ok(!-e $file, 'immediate stop: no file');
$node->start;
starts_from_zero($node, $began, 'immediate stop');

# The backend of a session is killed.
my $session = $node->start_psql('SELECT pg_sleep(1000)');

$node->wait_until("SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
$began = some_load($node);
kill_backend($node, "wait_event = 'PgSleep'");
ok(!end_background($session), 'killed backend: its session has ended');
starts_from_zero($node, $began, 'killed backend');
some_load($node);
$before = statistics($node);
$node->restart;
same('clean restart after a crash');

# commit_stats.save off at the stop, and off at the start
$began = start_of_statistics($node);
$node->alter_system('commit_stats.save' => 'off');
$node->stop;
ok(!-e $file, 'not saved: no file');
$node->start;
starts_from_zero($node, $began, 'not saved');
$node->sql('ALTER SYSTEM RESET commit_stats.save');
$node->restart;
$began = some_load($node);
$node->stop;
ok(-s $file, 'saved, but not wanted: a file');
$node->append_conf('postgresql.conf', 'commit_stats.save = off');
$node->start;
ok(!-e $file, 'saved, but not wanted: it is removed');
starts_from_zero($node, $began, 'saved, but not wanted');
$node->append_conf('postgresql.conf', 'commit_stats.save = on');
$node->restart;

# A standby
my $standby = add_standby($node);
$began = $standby->sql('SELECT commit_stats_reset()');
$standby->sql("SELECT $_") for 1 .. 5;
$read_only = $standby->sql('SELECT commits_read_only FROM commit_flush_stats');
$standby->restart;
is($standby->sql('SELECT pg_is_in_recovery()'), 't', 'standby: it is one');
is(start_of_statistics($standby), $began, 'standby: goes on');
cmp_ok($standby->sql('SELECT commits_read_only FROM commit_flush_stats'),
	'>', $read_only, 'standby: with its counts');
$standby->stop('immediate');
$standby->start;
cmp_ok($standby->sql('SELECT commits_read_only FROM commit_flush_stats'),
	'<', $read_only, 'standby: not after an immediate stop');
ok(!$_->log_contains(qr/refused file/), $_->name . ' refused no file') for $node, $standby;
ends_well($standby);
ends_well($node, 1);
done_testing();
