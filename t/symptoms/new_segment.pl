# Are commits that wait for a new WAL segment told so?
#
# Without wal_recycle each segment is made when the first flush needs it, here
# for at least 600 ms.  How many there were follows from the position in the
# WAL; a flush takes a millisecond.

use Symptoms;

my $node = make_situation(
	'new_segment',
	conf => q{wal_recycle = off; archive_mode = on; min_wal_size = 32MB; wal_buffers = 16MB;
wal_writer_delay = 10s; commit_stats.stall_time = 300ms; commit_stats.slow_commit_time = 300ms});
my $segment = q{SELECT floor((pg_current_wal_flush_lsn() - '0/0') / (16 * 1024 * 1024))};

$node->sql(q{CREATE TABLE big (t text); ALTER TABLE big ALTER t SET STORAGE EXTERNAL});
set_volume($node, 1000);
set_slow_syncs($node, 600);
$node->sql('SELECT commit_stats_reset()');
my $from = $node->sql('SELECT commit_history_close()');
my $first = $node->sql($segment);
my $load = start_load(
	$node,
	'-c 4 -T 90 -R 100',
	q{INSERT INTO big SELECT string_agg(md5(i::text), '') FROM generate_series(1, 2000) i;});
$node->wait_until("$segment >= $first + 5");
end_load($load, 'TERM');
my $made = $node->sql($segment) - $first;
$node->sql('SELECT pg_sleep(0.5)');

# one may have been made for a commit that was terminated
is( $node->sql(
		qq{SELECT count(*) FILTER (WHERE cause = 'new segment' AND certainty = 1) BETWEEN $made - 1 AND $made,
	count(*) FILTER (WHERE cause <> 'new segment'),
	bool_and(duration >= 600 AND segment_time >= 500), count(quota_flushes)
FROM commit_stall_log}),
	't|0|t|0',
	"the stall log has the $made segments, and nothing else");
is( $node->sql(
		q{SELECT count(*) > 5, count(*) FILTER (WHERE cause <> 'new segment') < 0.1 * count(*)
FROM commit_slow_log WHERE duration > 550}),
	't|t',
	'... and so do the slow commits');

my $report = report_of($node);
first_cause_is($report, qr/^a new WAL segment is made \(\d+ stalls, mean \d+ ms\)/);
like($report->{causes}->[0]->{remedy}, qr/wal_recycle = on/, '... and what to do');
like($report->{delay}, qr/^no\b/, 'no delay');

# Segments that wal_keep_size keeps, or a slot, or that are not archived, are
# not recycled.
sub advises ($remedy, $name)
{
	my $of_period = report_since($node, $from);

	like(report_of($node)->{text} =~ s/\n +/ /gr, qr/-> $remedy/, "... and where $name");
	return $of_period;
}

set_slow_syncs($node, 0);
$node->alter_system(wal_recycle => 'on', archive_command => 'true', wal_keep_size => '1GB');
$node->wait_until(q{SELECT archived_count > 0 FROM pg_stat_archiver});
like(
	advises(
		'to wait until pg_wal has wal_keep_size \(now 1024MB\); ',
		'wal_keep_size keeps the old ones'),
	qr/-> to wait until pg_wal has wal_keep_size /,
	'... in a period');
$node->alter_system(archive_command => 'false', wal_keep_size => 0);
$node->sql(q{SELECT pg_switch_wal()});
$node->wait_until(q{SELECT failed_count > 0 FROM pg_stat_archiver});
like(
	advises(
		'an archive_command that succeeds \(it fails for [0-9A-F]{24}\): ',
		'archive_command fails'),
	qr/-> an archive_command that succeeds \(it failed \d+ times?\): /,
	'... in a period');
$node->sql(q{SELECT pg_create_physical_replication_slot('gone', true)});
$node->sql(q{SELECT pg_switch_wal(); INSERT INTO big VALUES ('');
SELECT pg_switch_wal(); CHECKPOINT});
unlike(
	report_of($node)->{text},
	qr/the replication slot/,
	'a slot that may have been read in the last cycle keeps nothing');
$node->sql(q{INSERT INTO big VALUES ('');
SELECT pg_switch_wal(); CHECKPOINT});
like(
	advises('let the reader of the replication slot gone catch up \(', 'a slot keeps them'),
	qr/-> let the reader of the replication slot that was behind then catch up \(/,
	'... in a period');
end_test($node);
