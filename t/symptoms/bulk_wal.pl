# Are commits that stall behind the WAL of a bulk load told whose it is, while
# the load runs and when it has ended, and beside VACUUM?
#
# The shim (t/ground_truth/shim.c) is a device that writes 5 MB/s.

use GroundTruth;
use Symptoms;

my $node = start_truth(
	'bulk_wal', q{wal_writer_delay = 10s; wal_buffers = 64MB; commit_stats.stall_time = 100ms;
commit_stats.slow_commit_time = 100ms});
my $text = 'x' x 200;
my $stalls = q{FROM commit_stall_log WHERE wal_bytes > 1024 * 1024};

$node->sql('CREATE TABLE bulk (t text); CREATE TABLE bulk_2 (t text); CREATE TABLE logged (i int)');
set_device($node, flush_time => 1, bandwidth => 5);

# Runs loads beside small commits until there are stalls; the loads go on until
# the code has been called.
sub load_beside ($code, @tables)
{
	$node->sql('SELECT commit_stats_reset()');
	local $ENV{PGAPPNAME} = 'small';
	my $small =
	  start_pgbench($node, '-c 3 -T 120 -R 30', small => 'INSERT INTO logged VALUES (1);');
	local $ENV{PGAPPNAME} = 'bulk';
	my @bulk = map {
		$node->start_psql(
			"COPY $_ FROM PROGRAM 'for i in \$(seq 20); do yes $text | head -n 5000; sleep 0.3; done'"
		)
	} @tables;
	ok(poll_until(sub { $node->sql("SELECT count(*) > 4 $stalls") eq 't' }, 5), 'there are stalls');
	$code->();
	end_background($_) for @bulk;
	$node->sql('SELECT pg_sleep(0.5)');
	end_background($small, 'TERM');
}

my $is_bulk = qq{SELECT count(*) > 2,
	count(*) FILTER (WHERE cause = 'bulk WAL' AND writer_application_name = 'bulk') >= 0.8 * count(*)
$stalls};

load_beside(sub { is($node->sql($is_bulk), 't|t', 'a load that has not ended') }, 'bulk');
is($node->sql($is_bulk), 't|t', 'a load that has ended');
my $report = report_of($node);
like($report->{text}, qr/stalls with the WAL of client bulk\b/, 'the report names the client');
load_beside(sub { is($node->sql($is_bulk), 't|t', 'two loads that have not ended') },
	'bulk', 'bulk_2');

# A session that has written once is no writer, however long it is active;
# beside a load, it may be.
sub start_idler
{
	local $ENV{PGAPPNAME} = 'idler';
	return $node->start_psql(
		q{BEGIN; INSERT INTO logged VALUES (1); COPY bulk FROM PROGRAM 'sleep 100'});
}

sub end_idler ($idler)
{
	$node->sql(
		q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'idler'});
	end_background($idler);
}

my $idler = start_idler();
load_beside(
	sub {
		is( $node->sql(qq{SELECT count(*) FILTER (WHERE cause = 'bulk WAL') >= 0.8 * count(*),
	count(*) FILTER (WHERE writer_application_name = 'idler')
$stalls}),
			't|0',
			'a load beside a session that seems to write');
	},
	'bulk');
end_idler($idler);
$node->sql('SELECT commit_stats_reset()');
$node->sql(q{CREATE TABLE wide (t text);
ALTER TABLE wide ALTER t SET STORAGE EXTERNAL});
$idler = start_idler();
local $ENV{PGAPPNAME} = 'wide';

# groups of twenty take turns
my $many = q{FROM commit_stall_log WHERE wal_bytes > 256 * 1024};
my $wide = start_pgbench(
	$node,
	'-c 40 -j 2 -T 120',
	wide => q{INSERT INTO wide VALUES (repeat('x', 20000));});
# what is in COMMIT as the load begins has not ended, either
$node->wait_until(q{SELECT commits > 400 FROM commit_flush_stats});
$node->sql('SELECT commit_stats_reset()');
ok_soon 'flushes of many transactions stall',
  sub { $node->sql("SELECT count(*) > 4 $many") eq 't' }, 30;
is($node->sql("SELECT count(*) $many AND writer_pid IS NOT NULL"), 0, '... of no writer');
unlike(report_of($node)->{text}, qr/seen writing|idler/, '... and nobody was seen writing');
end_background($wide, 'TERM');
end_idler($idler);

# VACUUM, which writes 30 MB of WAL: commits wait for flushes that none of them
# leads, or stall.
set_device($node);
$node->sql(
	q{CREATE TABLE old AS SELECT i, repeat('x', 100) AS t FROM generate_series(1, 800000) i;
CHECKPOINT});
set_device($node, flush_time => 1, bandwidth => 5);
$node->sql('SELECT commit_stats_reset()');
my $small = start_load($node, '-c 4 -T 60 -R 60', 'INSERT INTO logged VALUES (1);', 'small');
$node->wait_until('SELECT commits > 20 FROM commit_flush_stats');
local $ENV{PGAPPNAME} = 'cleaner';
my $vacuum = $node->start_psql('VACUUM (FREEZE) old');
$node->wait_until(q{SELECT count(*) = 1 FROM pg_stat_progress_vacuum});
$node->sql('SELECT commit_stats_reset()');
$node->sql('SELECT pg_sleep(4)');
$report = report_of($node);

ok(end_background($vacuum), 'VACUUM ends');
end_load($small, 'TERM');
like(
	$report->{text} =~ s/\n +/ /gr,
	qr/(?:flushes that no commit leads: .*, as|stalls with the WAL of) client cleaner /,
	'who writes the WAL');
unlike($report->{text}, qr/commit_delay_sweep\(/, 'no delay');

end_test($node);
