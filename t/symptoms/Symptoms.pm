# What the tests of t/symptoms share: a server on a volume whose flushes are
# delayed (bench/volume.c), loads whose clients time each transaction, samples
# of pg_stat_activity meanwhile, and the report, taken apart.
#
# It exports what CommitStats.pm does, as well.

package Symptoms;

use CommitStats;
use Cwd 'abs_path';
use List::Util qw(sum0);

our @ISA = ('CommitStats');
our @EXPORT = (
	@CommitStats::EXPORT,
	qw(sum0 make_situation restart_on_volume set_volume set_slow_syncs set_others start_load end_load sample_waits
	  report_of report_since note_stalls stalls_are_of first_cause first_cause_is share_is logged_commits microseconds)
);

my $library;    # volume.c, compiled

# Writes numbers into the file that the volume reads, from the given one on.
sub _write_volume ($node, $first, @numbers)
{
	my $path = $node->basedir . '/volume';
	my $length = 8 * @numbers;

	open(my $file, -e $path ? '+<' : '>', $path) or die "cannot open $path: $!\n";
	sysseek($file, 8 * $first, 0) or die "cannot seek in $path: $!\n";
	syswrite($file, pack('Q*', @numbers)) == $length or die "cannot write $path: $!\n";
	close($file) or die "cannot write $path: $!\n";
	return;
}

# RATE flushes/s, none of them at once; 0: the disk again, and flushes under
# way go on.
sub set_volume ($node, $rate)
{
	return _write_volume($node, 0, $rate == 0 ? 0 : int(1e9 / $rate), 0, 0);
}

# fsync(), as of tables and new WAL segments, takes so long.
sub set_slow_syncs ($node, $ms)
{
	return _write_volume($node, 3, $ms * 1_000_000);
}

# Other programs have written so many bytes to the volume.
sub set_others ($node, $bytes)
{
	return _write_volume($node, 9, $bytes);
}

# Start a server, which may be running already, on a volume of its own; $start
# does so with the volume's library preloaded.
sub restart_on_volume ($node, $start = sub { $node->start })
{
	if (!defined $library)
	{
		$library = abs_path(PostgreSQL::Test::Utils::tempdir()) . '/volume.so';
		compile_c($library, '-U_GNU_SOURCE', '-fPIC', '-shared', 'bench/volume.c', '-ldl');
	}
	$node->stop;
	_write_volume($node, 0, (0) x 10);
	local $ENV{VOLUME_STATE} = $node->basedir . '/volume';
	local $ENV{LD_PRELOAD} = $library;
	return $start->();
}

# A running server with the extension, on a volume as fast as the disk.
# commit_stats.stall_time and slow_commit_time are as a user has them.
sub make_situation ($name, %params)
{
	my $node = init_node(
		$name,
		init => $params{init} || {},
		conf => "track_wal_io_timing = on\nmax_wal_size = 4GB\ncheckpoint_timeout = 1h\n"
		  . ($params{conf} // ''));

	restart_on_volume($node);
	$node->sql(q{CREATE EXTENSION commit_stats;
CREATE TABLE logged (id bigserial, n int);
});
	return $node;
}

# pgbench --log, named $name.  The time when the load began is that when
# pgbench was started.
sub start_load ($node, $options, $sql, $name = 'load')
{
	my $prefix = $node->basedir . "/log_$name";

	unlink glob "$prefix.*";
	local $ENV{PGAPPNAME} = $name;
	my $pgbench = start_pgbench($node, "--log --log-prefix=$prefix $options", "load_$name" => $sql);
	return { pgbench => $pgbench, prefix => $prefix };
}

# Wait for its end; the latencies of its transactions, ms.  "TERM" ends one
# that has no end of its own; it has then logged nothing of its last
# transactions.
sub end_load ($load, $signal = undef)
{
	end_background($load->{pgbench}, $signal)
	  or defined $signal
	  or die "pgbench failed: $load->{pgbench}->{err}\n";
	return map { $_->[2] / 1000 } pgbench_log($load->{prefix});
}

# Samples of active sessions, 50 a second: a hash from "Lock/object", "CPU" and
# so on to their number; of COMMIT only if $query says so.
sub sample_waits ($node, $name, $seconds, $query = '')
{
	my $samples = $node->sql(qq{SET application_name = 'sampler';
CREATE TEMP TABLE seen (wait text);
DO \$\$ DECLARE stop timestamptz := clock_timestamp() + interval '$seconds s';
BEGIN
	WHILE clock_timestamp() < stop LOOP
		PERFORM pg_stat_clear_snapshot();
		INSERT INTO seen SELECT coalesce(wait_event_type || '/' || wait_event, 'CPU')
		FROM pg_stat_activity WHERE application_name = '$name' AND state = 'active'
		AND query ~* '$query';
		PERFORM pg_sleep(0.02);
	END LOOP;
END \$\$;
SELECT wait, count(*) FROM seen GROUP BY wait;
});

	return map { split /\|/ } split /\n/, $samples;
}

# A time of the report, as "4.18 ms"
sub microseconds ($time)
{
	my ($number, $unit) = $time =~ /^([\d.]+) (us|ms|s)$/ or die "not a time: $time\n";

	return $number * { us => 1, ms => 1e3, s => 1e6 }->{$unit};
}

# "94.7%", "<0.1%" and ">99.9%" as a number
sub _percent ($text)
{
	return $text =~ /([\d.]+)/ ? $1 : die "not a share: $text\n";
}

# The lines of the report after one that begins with $title, up to one that is
# not indented.
sub _section ($text, $title)
{
	return $text =~ /^\Q$title\E[^\n]*\n((?:[ (][^\n]*\n)*)/m ? $1 : '';
}

# The breakdown of a mean commit, and that of a slow one, as hashes from phase
# to [us, percent].
sub _phases ($text)
{
	my (%mean, %slow);
	my $number = qr/([<>]?[\d.]+ (?:us|ms|s)) +([<>]?[\d.]+%)/;

	for my $line (split /\n/, _section($text, q{Where a commit's time goes}))
	{
		my ($name, @number) = $line =~ /^  (\S.*?)  +(?:$number)?(?: +$number)?$/ or next;

		$mean{$name} = [ microseconds($number[0]), _percent($number[1]) ] if defined $number[0];
		$slow{$name} = [ microseconds($number[2]), _percent($number[3]) ] if defined $number[2];
	}
	return (\%mean, \%slow);
}

# The causes that a report names: share, text, what to do
sub _causes ($text)
{
	my @causes;

	for my $cause (named_causes($text))
	{
		my ($said, @remedies) = split / -> /, $cause;
		my ($share, $what) = $said =~ /^(\S+) (.*)/;

		push @causes, { share => _percent($share), text => $what, remedy => join "\n", @remedies };
	}
	return \@causes;
}

# The text with its line breaks as spaces
sub _one_line ($text)
{
	return defined $text ? join(' ', split /\n +/, $text) : '';
}

sub report_of ($node)
{
	my $text = $node->report . "\n";
	my ($mean, $slow) = _phases($text);
	my %report = (
		text => $text,
		now => _one_line($text =~ /^(.*(?:\n  +.*)*)/),
		phases => $mean,
		slow_phases => $slow,
		causes => _causes($text),
		delay => _one_line($text =~ /^commit_delay as a remedy: (.*(?:\n  .*)*)/m));

	if ($text =~ /^Where a commit's time goes +mean ([\d.]+ \w+)/m)
	{
		$report{mean} = microseconds($1);
	}
	note($text);
	note_stalls($node);
	is(join("\n", consistent(\%report)), '', 'no contradiction');
	return \%report;
}

# The report of the time since a minute of the history was closed, with its
# line breaks as spaces
sub report_since ($node, $from)
{
	my $to = $node->sql('SELECT commit_history_close()');

	return $node->sql("SELECT commit_stats_report('$from', '$to')") =~ s/\n +/ /gr;
}

sub note_stalls ($node)
{
	note($node->sql(q{SELECT ended_at::time(2), duration::int, sessions, wal_bytes, leader_pid,
	writer_pid, cause, certainty, checkpoint_phase, segment_time::int, quota_flushes
FROM commit_stall_log LIMIT 50}));
	return;
}

# The stalls of commit_stall_log that fulfil the condition, and no others, have
# the cause.
sub stalls_are_of ($node, $cause, $condition, $what)
{
	is( $node->sql(
			qq{SELECT count(*) > 3, bool_and(cause = '$cause' AND certainty > 0.6), count(quota_flushes)
FROM commit_stall_log WHERE $condition}),
		't|t|0',
		"the stalls during $what");
	return is(
		$node->sql(
			qq{SELECT count(*) FROM commit_stall_log WHERE cause = '$cause' AND NOT ($condition)}),
		0,
		'... and no others');
}

# The first line of "Why", without its number
sub first_cause ($report)
{
	return @{ $report->{causes} } ? $report->{causes}->[0]->{text} : '';
}

sub first_cause_is ($report, $pattern, $name = 'the first cause')
{
	return like(first_cause($report), $pattern, $name);
}

# The share of the first cause, give or take so much, %
sub share_is ($report, $share, $error)
{
	my $said = @{ $report->{causes} } ? $report->{causes}->[0]->{share} : 0;

	return cmp_ok(abs($said - $share), '<=', $error, '... with its share')
	  || diag "$said%, not $share%";
}

# ms that each COMMIT took by the server log, in lines that begin like this
sub logged_commits ($node, $prefix = '')
{
	return slurp_file($node->logfile) =~
	  /^\Q$prefix\E.*LOG:  duration: ([\d.]+) ms  statement: COMMIT/mg;
}

# Contradictions of a breakdown.  Phases below half a percent are not printed,
# and each number has three digits.
sub _contradictions_of_phases ($what, $mean, %phases)
{
	my @found;
	my $sum = sum0(map { $_->[0] } values %phases);

	return () if !%phases;
	$mean //= $sum;
	push @found, "$what: the phases take $sum us, the commit $mean us"
	  if abs($sum - $mean) > 0.04 * $mean + 1;
	for my $name (sort keys %phases)
	{
		my ($us, $percent) = @{ $phases{$name} };

		push @found, "$what: $name takes $us of $mean us, and is $percent%"
		  if abs(100 * $us / $mean - $percent) > 0.2 + 0.02 * $percent;
	}
	return @found;
}

# Causes named for a phase have its share; they are in order, and no two are of
# the same time.
sub _contradictions_of_causes ($report)
{
	my @found;
	my @causes = @{ $report->{causes} };
	my %phase_of = (
		qr/^NOTIFY\b/ => 'NOTIFY lock',
		qr/^standby\b/ => 'standby',
		qr/^not run\b/ => 'not run',
		qr/^after the commit\b/ => 'after');

	for my $i (0 .. $#causes)
	{
		my $cause = $causes[$i];

		push @found, "cause $cause->{text} has $cause->{share}%, less than the next"
		  if $i < $#causes && $cause->{share} < $causes[ $i + 1 ]->{share};
		for my $start (grep { $cause->{text} =~ $_ } keys %phase_of)
		{
			my $phase = $report->{phases}->{ $phase_of{$start} };

			push @found, "$phase_of{$start} has $phase->[1]%, its cause $cause->{share}%"
			  if defined $phase && abs($phase->[1] - $cause->{share}) > 0.11;
		}
	}
	my $sum = sum0(map { $_->{share} } @causes);
	push @found, "the causes have $sum%" if $sum > 100.5;
	return @found;
}

# A delay that is refused is proposed nowhere; one that is proposed is not
# refused by a cause.
sub _contradictions_of_delay ($report)
{
	my $proposed =
	  $report->{text} =~
	  /commit_delay_sweep\(|SET commit_delay = [1-9']|adaptive_delay = '?(?:on|pace)/;

	return ('a delay is refused, and proposed') if $report->{delay} =~ /^no\b/ && $proposed;
	return ('a delay is proposed, but commits come one after the other')
	  if $proposed && $report->{text} =~ /one after the other/;
	return ();
}

sub consistent ($report)
{
	my @found = (
		_contradictions_of_phases('mean commit', $report->{mean}, %{ $report->{phases} }),
		_contradictions_of_phases('slow commit', undef, %{ $report->{slow_phases} }),
		_contradictions_of_causes($report),
		_contradictions_of_delay($report));

	push @found, "$1 of $2 commits wait" if $report->{now} =~ /^(\d+) of (\d+) commits/ && $1 > $2;
	push @found, 'a number is not finite' if $report->{text} =~ /\b(?:nan|inf|infinity|null)\b/i;
	return @found;
}

1;
