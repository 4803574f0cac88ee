# What the server really did, beside the counts of commit_stats.
#
# The shim (shim.c), preloaded into the server, counts the calls that sync the
# WAL and those that sleep commit_delay, and knows how far each sync flushed.
# pg_waldump lists the commit records.  Together they show which commits shared
# which flush, without commit_stats.
#
# t/counts_equal_system_calls.pl, t/statistics/ground_truth_limits.pl and
# others check with it; bench/ground-truth prints the figures.  The shim can
# also make a device with a quota or a slow one of the disk, for
# t/adaptive_spacing.pl and others.
#
# It exports what CommitStats.pm does, as well.

package GroundTruth;

use CommitStats;
use List::Util qw(max sum0 uniq);

our @ISA = ('CommitStats');
our @EXPORT = (
	@CommitStats::EXPORT,
	qw(start_truth start_standby stop_standby start_with_shim with_shim calibrate set_device run_stalling
	  run_beside_wal_writer wait_for_flushes hits_of_50 seen_by_shim make_tables measure limits figures adaptive_cases
	  describe_case prepare_sysbench));

my $shim;    # its path
my $standby;

sub _lsn ($text)
{
	my ($high, $low) = map { hex } split(m{/}, $text);

	return $high * 4294967296 + $low;
}

# Compile the shim; beside the cluster that tests copy, if there is one, it is
# for all of them.
sub _compile_shim ()
{
	my $shared = $ENV{INITDB_TEMPLATE} && "$ENV{INITDB_TEMPLATE}.shim.so";

	return $shared if $shared && -e $shared && -M $shared < -M 't/ground_truth/shim.c';
	my $own = compile_module('-Wl,-z,lazy', 't/ground_truth/shim.c', '-ldl');
	unlink $shared if $shared;
	return $shared && link($own, $shared) ? $shared : $own;
}

# Call $code with the shim preloaded into the programs that it starts, behind
# what else is.
sub with_shim ($code)
{
	$shim //= _compile_shim();
	local $ENV{LD_PRELOAD} = join ':', (grep { defined } $ENV{LD_PRELOAD}), $shim;
	return $code->();
}

# Start a server with the shim; its events and its device begin anew.
sub start_with_shim ($node)
{
	with_shim(sub { $node->start });
}

# Put a device in the place of the disk: a flush takes flush_time ms, and there
# may be a quota of flushes in each window (in ms), and a bandwidth in MB/s.
# One of write_every writes of WAL takes write_time ms.  Without quota and
# flush_time it is the disk again.
sub set_device ($node, %device)
{
	$node->sql(sprintf('SELECT shim_device(%d, %f, %f), shim_bandwidth(%f), shim_writes(%d, %f)',
		map { $device{$_} || 0 } qw(quota window flush_time bandwidth write_every write_time)));
}

# Five sessions commit on a device that stalls, until it has stalled a session
# for more than 60 ms at least four times; the counts begin anew.
sub run_stalling ($node, $commits, %device)
{
	set_device($node, %device, flush_time => 1);
	$node->sql('SELECT shim_reset(), commit_stats_reset()');
	local $ENV{PGAPPNAME} = 'load';
	eventually(sub {
		run_pgbench($node, "-c 5 -t $commits", insert => 'INSERT INTO tick VALUES (1);');
		return $node->sql(q{SELECT count(*) > 3 FROM shim_events()
WHERE kind = 'sync' AND backend AND length / 1e6 > 60}) eq 't';
	});
}

# Three sessions commit beside asynchronous commits, which the WAL writer
# flushes; the counts begin anew.
sub run_beside_wal_writer ($node)
{
	$node->sql('SELECT shim_reset(), commit_stats_reset()');
	my $async = start_pgbench($node, '-c 2 -T 3600',
		async => "SET synchronous_commit = off;\nINSERT INTO tick VALUES (1);");
	run_pgbench($node, '-c 3 -t 10', insert => 'INSERT INTO tick VALUES (1);');
	end_pgbench($node, $async);
}

# Wait for the next flushes of backends.
sub wait_for_flushes ($node, $flushes)
{
	$node->sql('SELECT shim_reset()');
	$node->wait_until(
		qq{SELECT count(*) >= $flushes FROM shim_events() WHERE kind = 'sync' AND backend});
}

# How many of the next 50 leaders slept commit_delay.  The shim also sees
# sleeps of processes that meet at a spinlock.
sub hits_of_50 ($node)
{
	my $hits = 'SELECT delay_hits FROM commit_flush_stats';
	my $before = $node->sql($hits);

	wait_for_flushes($node, 50);
	return $node->sql($hits) - $before;
}

# What backends did since shim_reset(): syncs, the sleeps of commit_delay and
# the stalls for lack of quota, how long these took (ms), and the longest sleep
# that was asked for (us).
sub seen_by_shim ($node)
{
	my %seen;

	@seen{qw(syncs sleeps slept stalls stalled longest)} =
	  $node->row(q{SELECT count(*) FILTER (WHERE kind = 'sync'),
	   count(*) FILTER (WHERE kind = 'sleep'),
	   coalesce(sum(length) FILTER (WHERE kind = 'sleep'), 0) / 1e6,
	   count(*) FILTER (WHERE kind = 'stall'),
	   coalesce(sum(length) FILTER (WHERE kind = 'stall'), 0) / 1e6,
	   coalesce(max(asked), 0)
FROM shim_events() WHERE backend});
	return \%seen;
}

# Let the shim find out where the server keeps the flush pointer: it must see
# it at several places from a session that does not flush.
sub calibrate ($node)
{
	my $looks = "INSERT INTO tick VALUES (1);\n\\c\nSELECT shim_calibrate();\n\\c\n" x 3;
	my $candidates;

	for (1 .. 7)
	{
		$candidates = (split /\n/, $node->sql($looks))[-1];
		return if $candidates == 1;
	}
	die "the shim found $candidates places for the flush pointer, not 1\n";
}

# A server with the library and the shim, in which no checkpoint starts by
# itself, and readers write no WAL for hint bits; %init is for Cluster.pm.
sub start_truth ($name, $conf = '', %init)
{
	my $node = init_node(
		$name,
		init => \%init,
		conf =>
		  q{wal_log_hints = off; track_wal_io_timing = on; max_wal_size = 4GB; checkpoint_timeout = 1h;
shared_buffers = 256MB; } . ($conf // ''));

	start_with_shim($node);
	$node->sql('CREATE EXTENSION commit_stats; CREATE TABLE tick (i int)');
	$node->create_functions(
		$shim,
		'shim_calibrate() RETURNS int',
		'shim_device(quota int, "window" float8, flush_time float8) RETURNS void',
		'shim_bandwidth(float8) RETURNS void',
		'shim_writes(every int, "time" float8) RETURNS void',
		'shim_reset() RETURNS void',
		'shim_events(OUT kind text, OUT backend bool, OUT pid int, OUT boundary pg_lsn,'
		  . ' OUT at bigint, OUT length bigint, OUT asked int) RETURNS SETOF record');
	calibrate($node);
	return $node;
}

# The tables of pgbench, for the loads of measure() without a script.
sub make_tables ($node, $scale = 1)
{
	$node->command_ok([ 'pgbench', '-q', '-i', '-s', $scale, 'postgres' ],
		'pgbench tables are there');
}

# Commits wait for a standby from now on.  The standby does not flush: it is
# fast, so that commits wait for little more than the server's own flush.
sub start_standby ($node)
{
	$standby = add_standby($node, "shared_preload_libraries = ''\nfsync = off\n");
	require_standby($node, '*');
}

sub stop_standby ($node)
{
	require_standby($node, '');
	$standby->stop;
}

# The positions of the commit records between two positions.
sub _commit_records ($node, $start, $end)
{
	return () if $start eq $end;
	return map { m/lsn: ([0-9A-F\/]+),.* desc: COMMIT/ ? _lsn($1) : () }
	  split(/\n/, waldump($node, $start, $end, '-r', 'Transaction'));
}

# The flushes: [where it ended, by a backend?, process], in order.  One that
# goes on into the next WAL segment syncs the first one on the way, and the
# flush pointer never stands there: that is one flush.
sub _flushes ($node)
{
	my @syncs = $node->rows(q{SELECT boundary - '0/0', backend, pid FROM shim_events()
		  WHERE kind = 'sync' ORDER BY 1});
	my $segment = 16 * 1024 * 1024;

	return map { $syncs[$_] } grep {
			 $_ == $#syncs
		  || $syncs[$_]->[0] % $segment != 0
		  || $syncs[$_]->[2] != $syncs[ $_ + 1 ]->[2]
	} 0 .. $#syncs;
}

# The counts of the shim and the WAL.
sub _truth ($node, $start, $end)
{
	my @syncs = _flushes($node);

	# A leader, too, may sleep for a spinlock, after the sync (see shim.c).  Of
	# two sleeps in a row, the one before the sync was that of commit_delay.
	my %count = map { @$_ } $node->rows(q{SELECT kind, count(*)
FROM (SELECT kind, lead(kind) OVER (PARTITION BY pid ORDER BY at) AS next
	  FROM shim_events() WHERE backend) e
WHERE kind <> 'sleep' OR next <> 'sleep' GROUP BY 1});
	# How many sleeps were late at the sync by ten times the timer's slack: the
	# processor was short, for leaders that slept and for the others.
	my $late = $node->sql(q{SELECT count(*)
FROM (SELECT kind, at, lead(kind) OVER w AS next, lead(at) OVER w AS next_at
	  FROM shim_events() WHERE backend
	  WINDOW w AS (PARTITION BY pid ORDER BY at)) e
WHERE kind = 'sleep' AND next = 'sync'
AND next_at - at > 1000 * current_setting('commit_delay')::int + 500000});
	my (@size, %histogram, $without_leader);
	my @commits = _commit_records($node, $start, $end);

	# both are in order
	my $flush = 0;
	for my $commit (@commits)
	{
		$flush++ while $flush < @syncs && $syncs[$flush]->[0] <= $commit;
		$size[$flush]++;
	}
	for my $i (0 .. $#syncs)
	{
		my $n = $size[$i] or next;
		if ($syncs[$i]->[1] eq 't')
		{
			$histogram{$n}++;
		}
		else
		{
			$without_leader += $n;
		}
	}
	return {
		commits => scalar @commits,
		flushes => $count{write} || scalar(grep { $_->[1] eq 't' } @syncs),
		hits => $count{sleep} || 0,
		late => $late,
		without_leader => $without_leader || 0,
		histogram => \%histogram
	};
}

# The counts of commit_stats.
sub _ours ($node)
{
	my %ours;

	@ours{ qw(commits flushes hits without_leader uncertain
		inferred_flushes unresolved_flushes unresolved_commits) } =
	  $node->row(q{SELECT commits, flushes, delay_hits, commits_without_leader, delay_uncertain,
	inferred_flushes, unresolved_flushes, unresolved_commits FROM commit_flush_stats});
	$ours{histogram} =
	  { map { @$_ } $node->rows('SELECT commits_in_flush, flushes FROM commit_flush_histogram') };
	return \%ours;
}

# sysbench, for a test of its own, or for "tpcc", whose scripts are in TPCC
sub _sysbench ($node, $test, @options)
{
	my @test =
	  $test eq 'tpcc'
	  ? ("$ENV{TPCC}/tpcc.lua", '--scale=2', '--use_fk=0', '--trx_level=RC')
	  : ($test, '--tables=4', '--table-size=20000');

	return (
		'sysbench', @test, '--db-driver=pgsql',
		'--pgsql-host=' . $node->host,
		'--pgsql-port=' . $node->port,
		'--pgsql-db=postgres', '--pgsql-user=' . getpwuid($<), @options);
}

# Make the tables of sysbench.
sub prepare_sysbench ($node)
{
	$node->command_ok([ _sysbench($node, $_, 'prepare') ], "the tables of $_ are there")
	  for 'oltp_write_only', $ENV{TPCC} ? 'tpcc' : ();
}

# The command of a case's load: sysbench with a test of its own; or pgbench
# with the case's script, another load of its own, or simple updates.
sub _load ($node, $case, $seconds)
{
	my @script =
	  $case->{script} ? ('-f', $case->{script}) : ('-b', $case->{load} || 'simple-update');

	return _sysbench($node, $case->{sysbench}, $case->{keys} ? "--rand-type=$case->{keys}" : (),
		"--threads=$case->{clients}", "--time=$seconds", 'run')
	  if $case->{sysbench};
	return ('pgbench', '-n', @script, '-c', $case->{clients}, '-j', 2, '-T',
		$seconds, '-h', $node->host, '-p', $node->port, 'postgres');
}

# Drive the load of a case, until $enough (true commits), and return what was
# counted by both.  On a busy machine the time may be over before the clients
# are there.
sub measure ($node, $case, $seconds, $enough = sub ($truth) { $truth->{commits} > 0 })
{
	my $result;

	for (1 .. 20)
	{
		$result = _measure_once($node, $case, $seconds);
		last if $enough->($result->{truth});
	}
	return $result;
}

sub _measure_once ($node, $case, $seconds)
{
	my $adaptive = $case->{adaptive} || 'off';
	my ($start, $end, $output, %result);

	set_device($node, %{ $case->{device} || {} });
	$node->alter_system(
		commit_delay => $case->{delay},
		commit_siblings => $case->{siblings},
		track_wal_io_timing => $case->{timing} // 'on',
		'commit_stats.adaptive_delay' => $adaptive);
	$node->wait_until("SELECT in_force = '$adaptive' FROM commit_delay_state");
	$node->sql('CHECKPOINT');
	$start = $node->lsn('write');
	$node->sql('SELECT shim_reset(), commit_stats_reset()');
	run_log([ _load($node, $case, $seconds) ], '>', \$output) or die "the load failed: $output\n";
	$result{ours} = _ours($node);
	$end = $node->lsn('flush');
	$result{truth} = _truth($node, $start, $end);
	return \%result;
}

sub describe_case ($case)
{
	return join ', ', map { "$_ $case->{$_}" } grep { $_ ne 'device' } sort keys %$case;
}

# Loads with delays that adapt: to a device with a quota, and to a slow one.
sub adaptive_cases ($clients)
{
	my %case = (clients => $clients, delay => 0, siblings => 5);

	return ({ %case, adaptive => 'on', device => { quota => 20, window => 50, flush_time => 0.3 } },
		{ %case, adaptive => 'on', device => { flush_time => 2 } });
}

# What is promised for a case: the largest errors, in percent.
sub limits ($case)
{
	my $delay = $case->{delay};

	return {
		flushes => 0.5,
		distribution => $case->{clients} <= 10 ? 1 : 2,
		hits => $case->{adaptive} || $delay > 400 ? 1 : $delay >= 200 ? 2 : $delay >= 50 ? 5 : 15
	};
}

# Half the sum of the differences of two distributions, in percent.
sub _total_variation ($a, $b)
{
	my ($na, $nb) = (max(1, sum0(values %$a)), max(1, sum0(values %$b)));

	return 50 *
	  sum0(map { abs(($a->{$_} || 0) / $na - ($b->{$_} || 0) / $nb) } uniq(keys %$a, keys %$b));
}

# The errors of a measurement, in percent.  Delay hits are compared with the
# real ones, or where there are hardly any, with a twentieth of the flushes;
# "uncertain" is the error in them that commit_stats itself expects, and "late"
# the share of the real ones that ended late.
sub figures ($result)
{
	my ($ours, $truth) = @$result{qw(ours truth)};
	my $hits = max($truth->{hits}, $truth->{flushes} / 20, 1);

	return {
		commits => $ours->{commits} - $truth->{commits},
		flushes => 100 * ($ours->{flushes} / max(1, $truth->{flushes}) - 1),
		distribution => _total_variation($ours->{histogram}, $truth->{histogram}),
		hits => 100 * ($ours->{hits} - $truth->{hits}) / $hits,
		uncertain => 100 * $ours->{uncertain} / $hits,
		late => 100 * $truth->{late} / $hits
	};
}

1;
