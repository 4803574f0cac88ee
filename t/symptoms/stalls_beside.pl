# Are commits told so that stall while another program writes to the volume,
# during a checkpoint, and in which phase, or while archive_command runs?
#
# The test makes flushes wait for a small part of the time, and knows when.
# The volume says that others have written 20 MB/s, and has hardly any time for
# flushes meanwhile.  Each file that the checkpoint syncs takes 250 ms, and
# flushes queue behind it.  The command syncs ten copies to the volume, each
# for 300 ms.
use Symptoms;
use Time::HiRes qw(time usleep);

my $folder = PostgreSQL::Test::Utils::tempdir();
my $node = make_situation('stalls_beside',
	conf =>
	  'archive_mode = on; commit_stats.stall_time = 100ms; commit_stats.slow_commit_time = 100ms');

# A load beside which $disturb() makes flushes stall, and returns since when
# and until when: these stalls have the cause, no others have it, and the
# report names it first.  Returns the report, and the condition on ended_at.
sub stalls_beside ($cause, $what, $pattern, $disturb)
{
	set_volume($node, 1000);
	$node->sql('SELECT commit_stats_reset()');
	my $load = start_load($node, '-c 4 -T 18 -R 100', 'INSERT INTO logged (n) VALUES (1);');
	$node->sql('SELECT pg_sleep(8)');
	my ($began, $ended) = $disturb->();
	end_load($load);
	set_slow_syncs($node, 0);
	$node->sql('SELECT pg_sleep(0.5)');

	my $inside = "ended_at BETWEEN '$began' AND '$ended'::timestamptz + interval '0.3 s'";
	stalls_are_of($node, $cause, $inside, $what);
	my $report = report_of($node);
	first_cause_is($report, $pattern);
	like($report->{delay}, qr/^no\b/, 'no delay');
	return ($report, $inside);
}

my ($report, $inside) = stalls_beside 'other I/O', 'the writes of others',
  qr/^stalls while others read or write on the volume of the WAL: it read, wrote or discarded [\d.]+ MB\/s, of which flushes at most [\d.]+ kB\/s/,
  sub {
	my $began = $node->sql('SELECT clock_timestamp()');
	my $start = time;
	my $slow = 0;

	while (time < $start + 6)
	{
		set_others($node, int(20e6 * (time - $start)));
		usleep(20_000);
		next if $slow || time < $start + 1;
		set_volume($node, 4);
		$slow = 1;
	}
	set_volume($node, 1000);
	return ($began, $node->sql('SELECT clock_timestamp()'));
  };
like($report->{causes}->[0]->{remedy}, qr/^a disk of its own for the WAL/, '... and what to do');

$node->sql("CREATE TABLE dirty_$_ (i int)") for 1 .. 6;
$node->sql('CHECKPOINT');
$node->sql("INSERT INTO dirty_$_ VALUES (1)") for 1 .. 6;
($report, $inside) = stalls_beside 'checkpoint', 'the checkpoint',
  qr/^stalls during the sync phase of checkpoints/, sub {
	set_slow_syncs($node, 250);
	return split /\n/,
	  $node->sql("SELECT clock_timestamp();\nCHECKPOINT;\nSELECT clock_timestamp()");
  };
is( $node->sql(qq{SELECT count(*) FILTER (WHERE checkpoint_phase = 'sync') > 0.5 * count(*)
FROM commit_stall_log WHERE $inside}),
	't',
	'... most of them in its sync phase');
is( $node->sql(
		qq{SELECT count(*) > 3, count(*) FILTER (WHERE cause = 'checkpoint') >= 0.9 * count(*)
FROM commit_slow_log WHERE $inside AND flush_time + others_flush_time > 150}),
	't|t',
	'the slow commits, too')
  or diag $node->sql(
	qq{SELECT cause, duration, flush_time, others_flush_time FROM commit_slow_log WHERE $inside});

# A leader wakes some of the commits before it counts the waiting ones.
share_is(
	$report,
	$node->sql(
		q{SELECT 100 * sum(s.duration) / max(f.commit_time) FROM commit_slow_log s, commit_flush_stats f
WHERE cause = 'checkpoint'}),
	10);

append_to_file(
	"$folder/archive", qq{
while ! test -f $folder/go; do sleep 0.05; done
test -f $folder/began || date +%s.%N > $folder/began
for i in 1 2 3 4 5 6 7 8 9 10; do
	dd if="\$1" of=$folder/copy.\$i bs=64k count=1 conv=fsync 2>/dev/null
done
test -f $folder/ended || date +%s.%N > $folder/ended
});
$node->alter_system(archive_command => qq{sh $folder/archive "%p"});
stalls_beside 'archiver', 'archive_command', qr/^stalls while archive_command runs/, sub {
	$node->sql('SELECT pg_switch_wal()');
	wait_for_commits($node, 10);    # they have made the next segment
	set_slow_syncs($node, 300);
	append_to_file("$folder/go", '');
	poll_until(sub { -s "$folder/ended" }, 5) or die "the command does not end\n";
	# after it, the archiver itself syncs a file
	my ($began, $ended) = map { slurp_file("$folder/$_") + 0 } qw(began ended);
	return $node->row("SELECT to_timestamp($began), to_timestamp($ended + 0.4)");
};

end_test($node);
