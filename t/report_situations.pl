# Does the report name each situation that it knows?
#
# The test creates each situation, and looks for it in the text.  The counts
# must be those of the views.  In each situation the text must fit on a screen
# and show no number that is not finite.

use GroundTruth;

my $insert = 'INSERT INTO logged VALUES (1);';

# Holds a transaction id for a while, so that other commits see it active.
my $long_insert = "BEGIN; INSERT INTO logged VALUES (1); SELECT pg_sleep(0.002); COMMIT;";

# The device takes 2 ms for each flush and does not stall.  Its own schema, in
# which no statement finds the extension unless it says where.
my $node = start_truth(
	'report',
	q{log_statement = none; synchronous_standby_names = ''; commit_stats.stall_time = 0},
	allows_streaming => 1);
$node->sql(q{CREATE TABLE logged (n int);
CREATE SCHEMA "Odd Schema";
ALTER EXTENSION commit_stats SET SCHEMA "Odd Schema";
ALTER DATABASE postgres SET search_path = public, "Odd Schema";
});
set_device($node, flush_time => 2);

my %proposed;    # settings that some report has proposed
my %sweeps;      # ... and sweeps, with one and with two arguments

# A proposed sweep has a bound near the present p99, and no delay above it.
sub is_bounded ($name, $text, $sweep)
{
	my ($p99) = map { us(split / /) }
	  $text =~ /^  A commit \(without 'before', 'after'\): .* p99 ([\d.]+ \w+)\.$/m;
	my ($bound) = $sweep =~ /max_p99 => '([\d.]+) ms'/;
	my ($delays) = $sweep =~ /ARRAY\[([\d, ]+)\]/;

	die "$name: no p99\n" if !defined $p99;
	cmp_ok(1000 * $bound, '>=', $p99, "$name: the sweep may go on");
	cmp_ok(1000 * $bound, '<=', $p99 < 500 ? 1000 : 2.1 * $p99, "$name: ... with a bound");
	is((join ' ', grep { $_ > 1000 * $bound } split /, /, $delays),
		'', "$name: ... that no delay exceeds");
}

# A time of the report in us
sub us ($number, $unit)
{
	return $number * { us => 1, ms => 1000, s => 1_000_000 }->{$unit};
}

# The text, which must fit in each situation.
sub report ($name, $where = undef)
{
	my $text = ($where || $node)->report;

	# Samples decide how many causes there are, and how long each sentence is.
	# All other parts, at their longest, have 44 lines.
	cmp_ok(scalar(split /\n/, $text =~ s/^(Why:|Who commits).*?\n(?=\S)//msgr),
		'<=', 50, "$name: not too long");
	unlike($text, qr/^.{79}/m, "$name: not too wide");
	# query identifiers may be negative
	unlike(
		$text =~ s/statement\s+-\d+//r,
		qr/\b(nan|inf|infinity|null)\b|\s-\d/i,
		"$name: only numbers");
	note($text);
	$proposed{$_} = 1 for $text =~ /^(ALTER SYSTEM SET [^;]*;)/mg;
	my ($sweep) = $text =~ /^(SELECT \* FROM "Odd Schema"\.commit_delay_sweep\(.*\));$/ms;
	if (defined $sweep)
	{
		$sweeps{ $sweep =~ /\], ARRAY/ ? 2 : 1 } = $sweep;
		is_bounded($name, $text, $sweep);
	}
	return $text;
}

# What it says on a delay, without line breaks, with the statement.
sub delay ($text)
{
	my ($delay) = $text =~ /^commit_delay as a remedy: (.*?)\n\n/ms;

	return $delay =~ s/\n  / /gr;
}

# Does it say on a delay what the machine does, which has other work or is
# paused?  Then other views, or its causes, have the reason.
sub is_of_machine ($text)
{
	my $delay = delay($text);

	return 1
	  if $delay =~ /^not known while flushes wait for a processor/
	  || $delay =~ /^(?:no|not known)\. [\d.>]+% of commit time is outside of flushes/;
	return $text =~ /^  \d\. \S+ not run: /m
	  if $delay =~ /\. It would not shorten the flushes that stall \((?:pause|CPU limit)\)/;
	return $delay =~ /^no\. COMMIT takes [\d.<]+% of the time of transactions\./
	  && $node->sql(
		'SELECT sum(commit_time) < 0.1 * sum(transaction_time) FROM commit_client_stats') eq 't';
}

sub advises ($text, $pattern, $name)
{
	return is_of_machine($text) ? pass($name) : like(delay($text), $pattern, $name);
}

# The report about a load
sub loaded_report ($name, $options, %scripts)
{
	$node->sql('SELECT commit_stats_reset()');
	run_pgbench($node, $options, %scripts);
	return report($name);
}

# When leaders no longer follow a former commit_delay
my $settled = q{SELECT clock_timestamp() > pg_conf_load_time() + interval '2 s'};

# Nothing yet
my $text = report('new');
$node->sql('SELECT commit_stats_reset()');
$text = report('after reset');
like($text, qr/^No commit waits now for 1 s or longer\.\n/, 'the first line is about now');
like($text, qr/^  commits +0 +0$/m, 'after reset: no commits');
like($text, qr/^  commits per flush +-$/m, 'after reset: no average');
like(
	$text,
	qr/^  slow commits: 0 \(the limit follows commit times, now 100 ms\)$/m,
	'after reset: the limit of slow commits');
like($text, qr/^Commits in a flush: there was no flush$/m, 'after reset: no histogram');
like($text, qr/^Where the time of a commit goes: none has waited$/m, 'after reset: no times');
unlike($text, qr/^Why/m, 'after reset: no causes');
like(delay($text), qr/^not known\. 0 commits/, 'after reset: no advice');

# One client
$text = loaded_report('alone', '-c 1 -t 600', insert => $insert);
advises(
	$text,
	qr/^no\. Only 0% of (?:the newest )?flushes found another transaction active\.$/,
	'one client: no delay');
ok_eventually 'one client: rates of a load that has ended say when that was', sub {
	$node->report =~ /^Figures .* per second +newest, \S.* ago$/m;
};
$node->alter_system(commit_delay => 500, commit_siblings => 0);
$node->wait_until($settled);
$text = loaded_report('alone, asleep', '-c 1 -t 600', insert => $insert);
my $alone = flush_stats($node);
cmp_ok($alone->{delay_hits}, '>=', 590, 'flushes sleep, but for those that others led');
like(
	$text,
	qr/^  commit_delay = 500 us, commit_siblings = 0: $alone->{delay_hits} flushes slept, 0 did not\.$/m,
	'one client with commit_siblings = 0 sleeps');
like($text, qr/^  delay +[\d.]+ [um]s +[\d.]+%/m, '... which is a phase of its commits');
is( delay($text),
	"set it to 0. 100% of the newest sleeps carried no other commit.\nALTER SYSTEM SET commit_delay = 0;\nSELECT pg_reload_conf();",
	'... for nothing');
$node->alter_system(commit_delay => 0);
advises(report('alone, awake'), qr/^no\. Only/, '... and that is not said again');
$node->alter_system(commit_delay => 50000);
$node->wait_until($settled);
run_pgbench($node, '-c 10 -j 2 -t 30', insert => $long_insert);
unlike(
	delay(report('together, asleep')),
	qr/^set it to 0/,
	'after many sleeps for nothing, the newest carry others');

# Ten clients: the figures are those of the views.
$node->alter_system(commit_delay => 1000, commit_siblings => 5);
$text = loaded_report('delay', '-c 10 -j 2 -t 200', insert => $long_insert);
my $stats = flush_stats($node);
my %shown;
for my $line (split /\n/, $text)
{
	$shown{$1} = $2 if $line =~ /^  (commits|flushes|commits per flush) +([\d.]+) /;
}
is($shown{commits}, 2000, 'commits are those of pgbench');
is($shown{commits}, $stats->{commits}, '... and of the view');
is($shown{flushes}, $stats->{flushes}, 'flushes are those of the view');
# not commits_per_flush, as numeric rounds 3.125 to 3.13
is( $shown{'commits per flush'},
	sprintf('%.2f', ($stats->{commits} - $stats->{commits_without_leader}) / $stats->{flushes}),
	'commits per flush are those of the view');
like(
	$text,
	qr/^  commit_delay = 1000 us, commit_siblings = 5: $stats->{delay_hits} flushes slept, $stats->{delay_misses} did not\.$/m,
	'hits and misses are those of the view');
# not rounded as numeric, which rounds 91.25 to 91.3
my $reach = sprintf '%.1f%%', $node->sql(
	q{SELECT 100.0 * sum(flushes) FILTER (WHERE siblings >= 5) / sum(flushes)
FROM commit_sibling_histogram});
$reach = '100%' if $reach eq '100.0%';
like(
	$text,
	qr/^  Siblings: 5 or more at \Q$reach\E of (?:the newest )?flushes, median \d+, at most $stats->{siblings_max}\.$/m,
	'siblings are those of the view');
my %of_view =
  map { @$_ } $node->rows('SELECT commits_in_flush, flushes FROM commit_flush_histogram');
my %of_report = $text =~ /^ +(\d+) +(\d+) +[\d.<>]+% +[\d.<>]+%  [=#]+$/mg;
is_deeply(
	\%of_report,
	{ map { ($_ => $of_view{$_}) } keys %of_report },
	'the histogram is that of the view');
cmp_ok(scalar keys %of_report, '>', 0, '... where a line is one size');
like($text, qr/^ +\d+(?:-\d+)? +\d+ +[\d.<>]+% +[\d.<>]+%  =+#*$/m,
	'flushes that slept are marked');
is( $node->sql(q{SELECT abs(sum(l.delay_time) FILTER (WHERE role = 'leader') - s.delay_time) < 0.01,
	   sum(l.delay_time) FILTER (WHERE role = 'follower') > 0,
	   bool_and(l.delay_time <= l.commit_time)
FROM commit_latency_stats l, commit_flush_stats s GROUP BY s.delay_time}),
	't|t|t',
	'leaders slept as commit_flush_stats says, and followers waited meanwhile');
like(
	$text,
	qr/^  A flush: mean [\d.]+ [um]s, p50 [\d.]+ [um]s, p99 [\d.]+ [um]s; \S+ of time, newest \S+$/m,
	'the time of a flush is there');
advises(
	$text,
	qr/^SELECT \* FROM "Odd Schema"\.commit_delay_sweep\(\s*ARRAY\[0, (\d+, )*1000(, \d+)*\]/m,
	'a sweep is proposed, with 0 and the present setting');

# The parts of a commit add up to it.
my ($whole) = map { us(split / /) } $text =~ /^Where a commit's time goes +mean ([\d.]+ \w+)/m;
my %parts = $text =~ /^  ([a-z][\w' ]+?)  +([\d.]+ [um]?s) +[\d.<>]+%/mg;
my $sum = 0;
$sum += us(split / /) for values %parts;
ok(defined $parts{flush}, 'a commit has the phase flush');
cmp_ok(abs($sum - $whole), '<=', 0.03 * $whole, 'the phases add up to all of it');

# Never enough others
$node->alter_system(commit_siblings => 50);
$text = loaded_report('siblings', '-c 6 -j 2 -t 150', insert => $long_insert);
advises(
	$text,
	qr/^hardly any leader sleeps: at 0% of (?:the newest )?flushes, commit_siblings = 50 others were active; at half of them, [1-5]\. .*\nSELECT \* FROM "Odd Schema"\.commit_delay_sweep\(\s*ARRAY\[0, .*\], ARRAY\[50, [1-5]\],\s+max_p99/s,
	'siblings that are never seen are to be lowered');
$node->alter_system(commit_siblings => 5, commit_delay => 0);

# Untimed
$node->alter_system(track_wal_io_timing => 'off');
$text = loaded_report('untimed', '-c 6 -j 2 -t 150', insert => $long_insert);
like(
	$text,
	qr/^  A flush: mean [\d.]+ [um]s at most; none was timed \(track_wal_io_timing = off\)\.$/m,
	'untimed: the time of a flush is only bounded');
advises(
	$text,
	qr/^ALTER SYSTEM SET track_wal_io_timing = on;\nSELECT pg_reload_conf\(\);$/m,
	'untimed: what to set');
$node->alter_system(track_wal_io_timing => 'on');
like(report('timed too late'), qr/; none was timed\.$/m, 'timing from now on');

# A period without times of flushes: how much of its time one long flush is.
# The period must be one row, with one stall, which is the device's alone.
$node->alter_system(track_wal_io_timing => 'off', 'commit_stats.stall_time' => '300ms');
my ($from, $to);
ok_eventually 'a minute with one stall', sub {
	$from = $node->sql('SELECT commit_history_close()');
	run_pgbench($node, '-c 1 -t 20', insert => $insert);
	set_device($node, flush_time => 500);
	$node->sql($insert);
	set_device($node, flush_time => 2);
	$to = $node->sql('SELECT commit_history_close()');
	$text = $node->sql("SELECT commit_stats_report('$from', '$to')");
	return $text !~ /wait for a\s+processor/ && $node->sql(
		qq{SELECT count(*) = 1 AND sum(stalls) = 1 AND
	sum(pause_stall_time + cpu_limit_stall_time + segment_stall_time) = 0 AND
	coalesce(sum(not_run_time), 0) = 0
FROM commit_history WHERE resolution = 'minute' AND period_start >= '$from' AND period_start < '$to'}
	) eq 't';
};
my ($stalls) = $text =~ /^  \d\. ([\d.]+)% stalls /m;
my $share = $node->sql(
	qq{SELECT 100 * sum(phase_flush_time) / sum(commit_time + before_time + after_time)
	* sum(stall_time) / sum(commit_time)
FROM commit_history WHERE resolution = 'minute' AND period_start >= '$from' AND period_start < '$to'}
);
cmp_ok(abs(($stalls // 0) - $share), '<=', 0.1, 'a stall has its share of a period')
  or diag "$share%, not " . ($stalls // 'any');
$node->alter_system(track_wal_io_timing => 'on', 'commit_stats.stall_time' => 0);

# Asynchronous
$node->alter_system(synchronous_commit => 'off');
$text = loaded_report('asynchronous', '-c 2 -t 500', insert => $insert);
like($text, qr/: 1000 asynchronous,/, 'asynchronous commits are counted');
like(delay($text), qr/^no\. [\d.>]+% of the commits do not wait for the disk/, '... left alone');
$node->alter_system(synchronous_commit => 'on');

# The settings that are not to be had in a session
$node->alter_system(fsync => 'off');
$text = loaded_report('fsync', '-c 2 -t 500', insert => $insert);
like(delay($text), qr/^no\. With fsync = off/, 'fsync = off is left alone');
$node->alter_system(fsync => 'on');
$node->alter_system('commit_stats.enabled' => 'off');
$text = report('disabled');
like(
	$text,
	qr/^PostgreSQL \S+, commit_stats is not counting \(commit_stats\.enabled = off\)$/m,
	'disabled: says so');
like(
	delay($text),
	qr/\nALTER SYSTEM SET commit_stats\.enabled = on;\nSELECT pg_reload_conf\(\);$/,
	'disabled: what to set');
$node->alter_system('commit_stats.enabled' => 'on');

# A synchronous standby that takes its time, and its own report.
my $standby = add_standby($node, "recovery_min_apply_delay = 100ms\n");
$text = report('standby', $standby);
like($text, qr/^PostgreSQL \S+, a standby, commit_stats is counting$/m, 'a standby says so');
is( delay($text),
	'no. Nothing commits on a standby: look at its primary.',
	'a standby refers to its primary');
$node->alter_system(synchronous_commit => 'remote_apply');
require_standby($node, 'standby');
# Commits that begin meanwhile see the end of the local flush; so the clients
# must not begin all at once.
$text = loaded_report(
	'synchronous standby',
	'-c 10 -j 2 -t 20',
	insert => "\\set us random(1, 100000)\n\\sleep :us us\n$insert");
like($text, qr/^  standby +[\d.]+ ms +[\d.>]+%/m, 'the wait for a standby has its part');
like((causes_of($text))[0], qr/^[\d.>]+% standby\b/, '... the largest');
like(
	delay($text),
	qr/^no\. [\d.>]+% of commit time is outside of flushes, the largest part '(?:standby|not run)'\.$/,
	'... which no delay shortens');
$node->alter_system(synchronous_standby_names => '', synchronous_commit => 'on');
$standby->stop;

# Commits that fail take most of the time, and no mean counts them.
$node->sql('CREATE TABLE refused (n int)');
$node->create_deferred_trigger('refused', 'PERFORM pg_sleep(0.3); RAISE serialization_failure');
$node->sql('SELECT commit_stats_reset()');
my $refused = start_pgbench($node, '-c 8 -T 3600',
	refused => "BEGIN;\nINSERT INTO refused VALUES (1);\nCOMMIT;\n");
ok_eventually 'commits that fail: no mean', sub {
	$node->sql($insert);
	return $node->report =~ /^Where a commit's time goes +mean -/m;
};
like((causes_of(report('failing')))[0], qr/^\S+ before the record/, '... but a cause');
end_pgbench($node, $refused);

# What makes commits many, or slow
$node->alter_system('commit_stats.slow_commit_time' => 0);
{
	local $ENV{PGAPPNAME} = 'an application with a long name';
	$text =
	  loaded_report('causes', '-c 1 -t 600', notify => "BEGIN;\n$insert\nNOTIFY bell;\nCOMMIT;\n");
}
$node->alter_system('commit_stats.slow_commit_time' => '100ms');
unlike($text, qr/^Who commits/m, 'one client: nothing is said of clients');
like(
	delay($text),
	qr/^no\. NOTIFY commits come one after the other \(100% of the commits\)\.$/,
	'NOTIFY: no delay');
like(
	$text,
	qr/^  slow commits: 6\d\d \(the limit is commit_stats\.slow_commit_time, 0 us\)$/m,
	'slow commits are counted');
# Thousands of connections, and prepared transactions, of which one alone in
# its flush makes a line for 0 commits.
$node->append_conf('postgresql.conf', "max_connections = 3000\nmax_prepared_transactions = 2\n");
with_shim(sub { $node->restart });
set_device($node, flush_time => 2);
$node->sql('SELECT commit_stats_reset()');
$node->sql("BEGIN; $insert PREPARE TRANSACTION 'one'");
$text = report('prepared');
like($text, qr/^ +0, prepares only +1 +100% +0%  #+$/m, 'a flush of a prepare alone');
like(
	$text,
	qr/^  prepares: 1, [\d.]+ [um]s each; waits per flush with them: 1\.00$/m,
	'... whose wait is shown');
like($text, qr/^  commits per flush +0\.00$/m, '... carries no commits');
$node->sql("ROLLBACK PREPARED 'one'");
run_pgbench($node, '-c 40 -j 2 -t 20', insert => $long_insert);
$text = report('many connections');
my @bars = $text =~ /^ +\d+(?:-\d+|, prepares only)? +(\d+) +[\d.<>]+% +[\d.<>]+%  ?[=#]*$/mg;
cmp_ok(scalar @bars, '<=', 8, 'the histogram has at most eight lines');
my $bars = 0;
$bars += $_ for @bars;
is( $bars,
	$node->sql('SELECT sum(flushes) FROM commit_flush_histogram'),
	'... with all flushes in them');

# A name cannot begin a line of the report, nor of the server log.
$node->alter_system('commit_stats.slow_commit_time' => 0, 'commit_stats.log_slow_commits' => 'on');
{
	# from 19 on the server refuses a line break in a name
	my $break = $node->pg_version >= '19devel' ? "\t" : "\n";
	my $role = "odd${break}Why${break}\"DROP";

	$node->sql('CREATE ROLE "' . ($role =~ s/"/""/gr) . '" SUPERUSER LOGIN');
	$node->sql('SELECT commit_stats_reset()');
	run_pgbench($node, '-c 1 -t 200', insert => $insert);
	local $ENV{PGAPPNAME} = q{x" role=leader y};
	local $ENV{PGUSER} = $role;
	my $offset = -s $node->logfile;
	run_pgbench($node, '-c 1 -t 600', insert => $insert);
	$text = report('names');
	like(
		$text,
		qr/^Who commits, since the reset\n  75\.0% of the commits are of client "x"" role=\w+\.\.\."\s+\("odd\?Why\?""DROP",\s+postgres\)/m,
		'names are quoted');
	is(scalar(() = $text =~ /^Why\b/mg), 1, '... and begin no line');
	ok_soon '... nor end in the server log', sub {
		slurp_file($node->logfile, $offset) =~
		  /DETAIL: .* application_name="x\\" role=leader y" queryid=/;
	}, $PostgreSQL::Test::Utils::timeout_default;
}
$node->alter_system(
	'commit_stats.slow_commit_time' => '100ms',
	'commit_stats.log_slow_commits' => 'off');
$node->sql('ALTER DATABASE postgres SET search_path = pg_catalog');

# The proposed statements work under any search_path.
for my $n (sort keys %sweeps)
{
	# no session commits now
	like(
		error_of($node, $sweeps{$n}),
		qr/55000: there is no load to measure/,
		"a sweep with $n arguments is understood");
}
is(error_of($node, $_), '', $_) for sort keys %proposed;

end_test($node);
