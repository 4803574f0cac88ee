# Of 100 stalls of each cause that were made, does commit_stall_log name the
# cause of 95 (quota: 90, bulk WAL: 85; in each round, of one less), and
# commit_slow_log that of most commits that waited for them?
#
# Each round makes stalls of one cause, with other lengths than the round
# before, beside a load of small commits; nothing else makes a flush take
# 60 ms.  The shim (t/ground_truth/shim.c) has quota and bandwidth, and
# bench/volume.c makes a flush queue behind files that others sync.  The test
# ends with what it saw.

use GroundTruth;
use Statistics;
use Symptoms;
use Time::HiRes qw(time usleep);

my $node = start_truth(
	'causes', q{
archive_mode = on
archive_command = 'true'
min_wal_size = 320MB
wal_buffers = 64MB
commit_stats.stall_time = 60ms
commit_stats.slow_commit_time = 60ms
});
my $copies = PostgreSQL::Test::Utils::tempdir();
my $small = 'INSERT INTO tick VALUES (1);';
my $text = 'x' x 200;
my (%made, $round);

restart_on_volume($node, sub { start_with_shim($node) });
calibrate($node);
$node->sql(
	q{CREATE TABLE bulk (t text); CREATE TABLE wide (t text); ALTER TABLE wide ALTER t SET STORAGE EXTERNAL}
);
$node->sql("CREATE TABLE dirty_$_ (i int)") for 1 .. 3;

# A number that is another one in each round
sub one_of (@numbers)
{
	return $numbers[ $round % @numbers ];
}

sub pause_for ($seconds)
{
	return usleep(1e6 * $seconds * (0.5 + rand));
}

sub checkpoint
{
	$node->sql("INSERT INTO dirty_$_ VALUES (1)") for 1 .. 3;
	return $node->sql('CHECKPOINT');
}

sub stop_for ($seconds)
{
	my @pids =
	  split /\n/, $node->sql('SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');

	kill 'STOP', @pids;
	usleep(1e6 * $seconds);
	return kill 'CONT', @pids;
}

# How many stalls, how many of them have the cause, and the same of slow
# commits that waited for a flush
sub count_causes ($cause, $names)
{
	return $node->row(qq{WITH slow AS (SELECT cause FROM commit_slow_log
	WHERE flush_time + others_flush_time + segment_time + not_run_time > 0.8 * duration)
SELECT count(*), count(*) FILTER (WHERE cause = '$cause'), (SELECT count(*) FROM slow),
	(SELECT count(*) FROM slow WHERE cause IN ('$cause', $names))
FROM commit_stall_log});
}

sub make_quiet (%device)
{
	set_device($node, %device);
	set_volume($node, 1000);
	return set_slow_syncs($node, 0);
}

# Stalls of a cause, which $make makes for 20 s, while each sync of a file
# takes one of the times in "syncs"; slow commits may have one of the other
# names.
sub names_cause ($cause, $make, %more)
{
	$round = 0;
	right_in_most_rounds(
		$cause,
		sub {
			make_quiet(%{ $more{device} || {} });
			# segments for later: the volume takes what is recycled for new
			$node->sql("$small SELECT pg_switch_wal()") for 1 .. $more{segments} // 0;
			$node->sql('SELECT pg_sleep(2); CHECKPOINT; SELECT commit_stats_reset()');
			my $load =
			  start_load($node, $more{load} || '-c 4 -T 600 -R 100', $more{script} || $small);
			wait_for_commits($node, 50);
			$round++;
			set_slow_syncs($node, one_of(@{ $more{syncs} || [0] }));
			my $end = time + 20;
			$make->() while time < $end;
			make_quiet(%{ $more{device} || {} });
			$node->sql('SELECT pg_sleep(0.5)');
			my @n = count_causes($cause, $more{names} || "'none'");
			end_load($load, 'TERM');
			note_stalls($node);
			$made{$cause}->[$_] += $n[$_] for 0 .. 3;
			diag "$cause: $n[1] of $n[0] stalls, $n[3] of $n[2] slow commits";
			return (
				[ $n[0] >= 8, 'there are stalls' ],
				[ $n[1] >= ($more{least} // 0.95) * $n[0] - 1, 'they have their cause' ],
				[ $n[3] >= 0.8 * $n[2], '... and so do slow commits' ]);
		});
	return;
}

$node->alter_system(wal_recycle => 'off');
names_cause(
	'new segment',
	sub { $node->sql('SELECT pg_switch_wal()'); pause_for(0.4) },
	syncs => [ 80, 200, 500 ]);
$node->alter_system(wal_recycle => 'on');
names_cause('checkpoint', sub { checkpoint(); pause_for(3) }, syncs => [ 100, 400, 1000 ]);
$node->alter_system(archive_command =>
	  qq{for i in 1 2 3 4 5; do dd if="%p" of=$copies/copy.\$i bs=64k count=1 conv=fsync 2>/dev/null; done}
);
names_cause(
	'archiver',
	sub { $node->sql('SELECT pg_switch_wal()'); pause_for(5) },
	syncs => [ 100, 200, 300 ],
	segments => 8);
$node->alter_system(archive_command => 'true');
my $bytes = 0;
names_cause(
	'other I/O',
	sub {
		set_volume($node, one_of(4, 8, 10));
		for (0 .. 40 + rand 50) { set_others($node, $bytes += 1e6); usleep(20_000) }
		set_volume($node, 1000);
		pause_for(2);
	});
names_cause(
	'quota',
	sub {
		my ($quota, $window) = @{ one_of([ 10, 100 ], [ 40, 300 ], [ 100, 500 ]) };

		set_device($node, quota => $quota, window => $window, flush_time => 2);
		checkpoint();
		pause_for(5);
	},
	load => '-c 6 -T 600',
	least => 0.9);
names_cause(
	'bytes',
	sub { pause_for(1) },
	device => { flush_time => 2, bandwidth => 10 },
	load => '-c 4 -T 600 -R 25',
	script => q{\set n random(1, 100)
INSERT INTO wide SELECT repeat('y', 20000) FROM generate_series(1, CASE WHEN :n > 88 THEN 40 ELSE 2 END);
});
names_cause(
	'bulk WAL',
	sub {
		my $rows = one_of(8000, 16000, 30000);

		$node->sql("INSERT INTO bulk SELECT '$text' FROM generate_series(1, $rows)");
		pause_for(0.5);
	},
	device => { flush_time => 2, bandwidth => 10 },
	least => 0.85);
names_cause(
	'pause',
	sub { stop_for(one_of(0.4, 0.8, 1.5)); pause_for(0.5) },
	device => { flush_time => 10 },
	load => '-c 4 -T 600',
	names => q{'not run'});
names_cause(
	'unknown',
	sub {
		set_volume($node, one_of(3, 5, 10));
		usleep(50_000);
		set_volume($node, 1000);
		pause_for(0.7);
	},
	names => q{'flush', 'another''s flush'});

diag sprintf '%-12s %4d stalls, %5.1f%% right; %4d slow commits, %5.1f%% right',
  $_, $made{$_}->[0], 100 * $made{$_}->[1] / ($made{$_}->[0] || 1), $made{$_}->[2],
  100 * $made{$_}->[3] / ($made{$_}->[2] || 1)
  for sort keys %made;
end_test($node);
