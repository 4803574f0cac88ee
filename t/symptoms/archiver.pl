# Are commits that stall while archive_command runs told so?
#
# The command syncs ten copies to the volume of the WAL, each for 300 ms, and
# flushes queue behind it.  It writes down when it began and ended, in a small
# part of the time.

use Symptoms;

my $folder = PostgreSQL::Test::Utils::tempdir();
my $script = "$folder/archive";
append_to_file(
	$script, qq{
while ! test -f $folder/go; do sleep 0.05; done
test -f $folder/began || date +%s.%N > $folder/began
for i in 1 2 3 4 5 6 7 8 9 10; do
	dd if="\$1" of=$folder/copy.\$i bs=64k count=1 conv=fsync 2>/dev/null
done
test -f $folder/ended || date +%s.%N > $folder/ended
});
my $node = make_situation(
	'archiver', conf => qq{
archive_mode = on
archive_command = 'sh $script "%p"'
commit_stats.stall_time = 100ms
commit_stats.slow_commit_time = 100ms
});

set_volume($node, 1000);
$node->sql('SELECT commit_stats_reset()');
my $load = start_load($node, '-c 4 -T 18 -R 100', 'INSERT INTO logged (n) VALUES (1);');
$node->sql('SELECT pg_sleep(8); SELECT pg_switch_wal()');
wait_for_commits($node, 10);    # they have made the next segment
set_slow_syncs($node, 300);
append_to_file("$folder/go", '');
end_load($load);
ok(poll_until(sub { -s "$folder/ended" }, 5), 'the command has ended');
$node->sql('SELECT pg_sleep(0.5)');
my ($began, $ended) = map { slurp_file("$folder/$_") + 0 } qw(began ended);

# after it, the archiver itself syncs a file
my $inside = "ended_at BETWEEN to_timestamp($began) AND to_timestamp($ended) + interval '0.7 s'";
stalls_are_of($node, 'archiver', $inside, 'archive_command');

my $report = report_of($node);
note_stalls($node);
first_cause_is($report, qr/^stalls while archive_command runs/);
like($report->{delay}, qr/^no\b/, 'no delay');

set_slow_syncs($node, 0);
end_test($node);
