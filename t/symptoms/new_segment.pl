# Are commits that wait for a new WAL segment told so?
#
# Without wal_recycle each segment is made when the first flush needs it, here
# for at least 600 ms.  How many there were follows from the position in the
# WAL; a flush takes a millisecond.

use Symptoms;

my $node = make_situation(
	'new_segment', conf => q{
wal_recycle = off
archive_mode = on
min_wal_size = 32MB
wal_buffers = 16MB
wal_writer_delay = 10s
commit_stats.stall_time = 300ms
commit_stats.slow_commit_time = 300ms
});
my $segment = q{SELECT floor((pg_current_wal_flush_lsn() - '0/0') / (16 * 1024 * 1024))};

$node->sql(q{CREATE TABLE big (t text); ALTER TABLE big ALTER t SET STORAGE EXTERNAL});
set_volume($node, 1000);
set_slow_syncs($node, 600);
$node->sql('SELECT commit_stats_reset()');
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
		q{SELECT count(*) > 5, count(*) FILTER (WHERE cause NOT IN ('new segment', 'new WAL segment')) < 0.1 * count(*)
FROM commit_slow_log WHERE duration > 550}),
	't|t',
	'... and so do the slow commits');

my $report = report_of($node);
note_stalls($node);
first_cause_is($report, qr/^a new WAL segment is made \(\d+ stalls, mean \d+ ms\)/);
like($report->{causes}->[0]->{remedy}, qr/wal_recycle = on/, '... and what to do');
like($report->{delay}, qr/^no\b/, 'no delay');
is_consistent($report, 'new segment');

# Segments that are not archived, or that a slot keeps, are not recycled.
set_slow_syncs($node, 0);
$node->alter_system(wal_recycle => 'on', archive_command => 'false');
$node->sql(q{SELECT pg_switch_wal()});
$node->wait_until(q{SELECT failed_count > 0 FROM pg_stat_archiver});
like(
	report_of($node)->{text} =~ s/\n +/ /gr,
	qr/-> an archive_command that succeeds \(it fails for [0-9A-F]{24}\): /,
	'... and where archive_command fails');
$node->sql(q{SELECT pg_create_physical_replication_slot('gone', true)});
$node->sql(q{SELECT pg_switch_wal(); INSERT INTO big VALUES ('');
SELECT pg_switch_wal(); CHECKPOINT});
like(
	report_of($node)->{text} =~ s/\n +/ /gr,
	qr/-> drop the replication slot gone, /,
	'... and where a slot keeps the old ones');
end_test($node);
