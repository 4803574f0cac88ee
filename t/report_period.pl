# Does the report of a period say what was counted in it, and do the parts of a
# comparison add up to the change?
#
# Two loads, each with a minute of the history of its own, which
# commit_history_close() ends.  The witness of the counts is commit_flush_stats
# before and after each load, that of the means the rows of commit_history.

use CommitStats;
use List::Util  qw(sum0);
use Time::HiRes qw(time);

my $node = start_node('period',
	conf =>
	  "max_prepared_transactions = 1\nwal_level = replica\nmax_wal_senders = 1\narchive_mode = on\narchive_command = 'false'\n"
);

$node->sql('CREATE TABLE t (i int); CREATE TABLE slow (i int)');
$node->create_deferred_trigger('slow', 'PERFORM pg_sleep(0.02)');

sub close_minute ()
{
	return $node->sql('SELECT commit_history_close()');
}

# Runs a load: its period, and by how much the counters grew
sub measure (@statements)
{
	my @columns = qw(commits commits_async flushes);
	my $from = close_minute();
	my $before = flush_stats($node);

	$node->sql($_) for @statements;
	my $after = flush_stats($node);
	return {
		from => $from,
		to => close_minute(),
		map { $_ => $after->{$_} - $before->{$_} } @columns
	};
}

sub report_of ($from, $to)
{
	return $node->sql("SELECT commit_stats_report('$from', '$to')");
}

# The counts that a report has
sub counts_of ($report)
{
	my ($commits) = $report =~ /^  commits +(\d+) /m;
	my ($flushes) = $report =~ /^  flushes +(\d+) /m;
	my ($async) = $report =~ /(\d+) asynchronous/;

	return "$commits $flushes $async";
}

my $insert = 'INSERT INTO t VALUES (1)';
my $quick = measure(($insert) x 30, ("SET synchronous_commit = off; $insert") x 7);
my $slow = measure(($insert) x 10, ('BEGIN; INSERT INTO slow VALUES (1); COMMIT') x 10);

for my $period ($quick, $slow)
{
	my $report = report_of($period->{from}, $period->{to});

	is( counts_of($report),
		join(' ', @$period{qw(commits flushes commits_async)}),
		'a period has what was counted in it');
	like($report, qr/^PostgreSQL \S+, commit_history from /, '... says which it is');
	like($report =~ s/\n +/ /gr, qr/: \d+ rows?, in all [\d.]+ \w+/, '... and what it covers');
	unlike($report, qr/^.{79}/m, '... in 78 columns');
	like($report, qr/^  slow commits: \d+$/m, '... without a limit, which may be another one now');
	# samples decide how many causes and clients there are
	my $rest = $report =~ s/^(Why:|Who commits).*?\n(?=\S)//msgr;
	cmp_ok(($rest =~ tr/\n//), '<', 50, '... on one screen');
	unlike(
		$report,
		qr/siblings|^commit_delay as|waits now|\b(nan|inf|null)\b/im,
		'... and nothing that the history does not know');
}
is( counts_of(report_of($quick->{from}, $slow->{to})),
	join(' ', map { $quick->{$_} + $slow->{$_} } qw(commits flushes commits_async)),
	'both periods have both counts');
is( counts_of(report_of(
		$node->row(
			qq{SELECT '$quick->{from}'::timestamptz + i, '$quick->{to}'::timestamptz - i
	FROM (SELECT interval '1 us' AS i) i}))),
	counts_of(report_of(@$quick{qw(from to)})),
	'a period within them has each row that it overlaps');

# Commits whose statement has no identifier, only a reason for that
my $nameless = measure(("SET compute_query_id = off; $insert") x 10, ($insert) x 5);
unlike(
	report_of($nameless->{from}, $nameless->{to}),
	qr/led by\s+statement/,
	'a reason is not called a statement');

# Settings of the newest row
my $delayed_from = close_minute();
$node->sql($insert);
$node->alter_system(commit_delay => 1000);
ok_eventually 'a delay is that of the end', sub {
	report_of($delayed_from, close_minute()) =~ s/\n +/ /gr =~
	  / commit_delay = 1000 us, commit_siblings = 5 as the period ended: /;
};
$node->alter_system(commit_delay => 0);

# Sessions that wait for a lock in their statements, in all of the period, of a
# prepared transaction first
sub report_of_waits ()
{
	my $from = close_minute();
	my $report;

	eventually(sub {
		$report = report_of($from, close_minute()) =~ s/\n +/ /gr;
		return $report =~ /wait for locks/;
	});
	return $report;
}
my $waits =
  'It is not the commit: on average 3\.00 sessions wait for locks in their statements, or as a procedure commits';
$node->sql(q{BEGIN; LOCK TABLE slow; PREPARE TRANSACTION 'holder'});
my @waiting = map { $node->start_psql('INSERT INTO slow VALUES (1)') } 1 .. 3;
$node->wait_until(q{SELECT count(*) = 3 FROM pg_stat_activity WHERE wait_event = 'relation'});
like(
	report_of_waits(),
	qr/^$waits \(prepared transactions hold most: pg_prepared_xacts\)/m,
	'waits for locks of a prepared transaction');
$node->sql(q{COMMIT PREPARED 'holder'});
ok(end_background($_), '... which are over') for @waiting;
my $holder = $node->background_psql('postgres');
$holder->query_safe('BEGIN; LOCK TABLE slow');
@waiting = map { $node->start_psql('INSERT INTO slow VALUES (1)') } 1 .. 3;
$node->wait_until(q{SELECT count(*) = 3 FROM pg_stat_activity WHERE wait_event = 'relation'});
like(
	report_of_waits(),
	qr/^$waits \(with log_lock_waits, /m,
	'waits for locks in statements are said');
$holder->quit;
ok(end_background($_), '... and are over') for @waiting;

# A COMMIT that waited for a row, whose name only the log of slow commits has
$node->sql(q{CREATE TABLE sums (i int); INSERT INTO sums VALUES (1); CREATE TABLE parts (i int)});
$node->create_deferred_trigger('parts', 'UPDATE sums SET i = i + 1');
my $row_from = close_minute();
$holder = $node->background_psql('postgres');
$holder->query_safe('BEGIN; UPDATE sums SET i = 0');
@waiting = $node->start_psql('BEGIN; INSERT INTO parts VALUES (1); COMMIT');
$node->wait_until(q{SELECT count(*) = 1 FROM commit_activity WHERE blocked_by IS NOT NULL});
$node->sql('SELECT pg_sleep(1)');
$holder->quit;
ok(end_background($_), 'a COMMIT that waited for a row') for @waiting;
ok_eventually '... and for what', sub {
	report_of($row_from, close_minute()) =~ s/\n +/ /gr =~
	  / \d\. \S+% before the record: deferred triggers, foreign keys, open cursors or an extension wait, as for transaction \d+, held by pid /;
};

# How much of the time since then commits waited for a standby, or the server
# was stopped, if it was
sub share_of_standby ($report, $from)
{
	my $stopped = $node->sql(
		qq{SELECT sum(not_run_time) > 0 FROM commit_history
WHERE resolution = 'minute' AND period_start >= '$from'}
	) eq 't';
	my $phase = $stopped ? qr/standby|not run/ : qr/standby/;

	return sum0($report =~ /^  $phase .* >?([\d.]+)%$/mg);
}

# Commits that hang, by the samples of a period in which none ends
my $hang_from = close_minute();
$node->sql($insert);
$node->alter_system(synchronous_standby_names => 'ghost');
@waiting = map { $node->start_psql($insert) } 1 .. 3;
$node->wait_until(q{SELECT count(*) = 3 FROM commit_activity WHERE waiting_for = 'standby'});
my $inside_from = close_minute();
my $inside_to;
my $hanging;
my $compared;
# each needs enough samples
eventually(sub {
	$inside_to = close_minute();
	$hanging = report_of($inside_from, $inside_to);
	$compared = $node->sql(
		"SELECT sentence FROM commit_stats_compare('(,$hang_from)', '[$hang_from,)') LIMIT 1");
	return "$hanging$compared" =~ s/\n +/ /gr =~ /did not end.*did not end/s;
});
like(
	$hanging =~ s/\n +/ /gr,
	qr/ On average 3\.00 commits waited, and most of that time is of those that did not end: phases are by samples\.\n/,
	'commits that hang are said');
like(
	(causes_of($hanging))[0],
	qr/^\S+ standby 'ghost': not connected \(100% of its waits since /,
	'... and what for');
cmp_ok(share_of_standby($hanging, $inside_from), '>=', 99, '... all of the time');
like(
	$compared,
	qr/ In "after", on average \S+ commits waited, and most of that time is of those that did not end\.$/,
	'... in a comparison');
$node->alter_system(synchronous_standby_names => '');
ok(end_background($_), '... and are over') for @waiting;
ok_eventually '... and then, for whom', sub {
	my $report = report_of($inside_from, $inside_to);

	return share_of_standby($report, $inside_from) >= 99
	  && (causes_of($report))[0] =~
	  /^\S+ standby 'ghost': not connected( \(at least \S+ of these waits\))?\.( ->|$)/;
};

# A commit that waited for one standby, and then for another.  One of the waits
# may become nearly all, if the machine is busy.
ok_eventually 'a commit that waited for two standbys: not all of it for one', sub {
	my $both_from = close_minute();

	$node->alter_system(synchronous_standby_names => 'ghost');
	my $waiting = $node->start_psql($insert);
	for my $name ('ghost', 'spirit')
	{
		$node->alter_system(synchronous_standby_names => $name);
		$node->wait_until(
			"SELECT wait_time > 1000 FROM commit_standby_stats WHERE standby = '$name'");
	}
	$node->alter_system(synchronous_standby_names => '');
	end_background($waiting);
	my $both_to = close_minute();
	my $cause;
	# the worker notes at its next look for whom that was
	poll_until(sub {
		($cause) = causes_of(report_of($both_from, $both_to));
		return $cause !~ /: which one is not known/;
	});
	return $cause =~ /^\S+ standby '\w+': not connected \(at least \S+ of these waits\)\.( ->|$)/;
};

# Counts of the server, which adds some late, since it started
sub counts_as ($column, $query)
{
	$node->sql('SELECT pg_switch_wal(); CHECKPOINT') for 1 .. 3;
	ok_eventually "the history has $column", sub {
		close_minute();
		return $node->sql(
			"SELECT sum($column) >= 3 AND sum($column) = ($query)
				FROM commit_history WHERE resolution = 'minute'") eq 't';
	};
	return;
}
counts_as('checkpoints',
	$node->pg_version < 17
	? 'SELECT checkpoints_timed + checkpoints_req FROM pg_stat_bgwriter'
	: 'SELECT num_timed + num_requested FROM pg_stat_checkpointer');
counts_as('archive_failures', 'SELECT failed_count FROM pg_stat_archiver');

# What changed, against the rows of the history
sub mean_of ($period)
{
	return $node->sql(qq{SELECT sum(commit_time + before_time + after_time) / sum(commits)
		FROM commit_history WHERE resolution = 'minute'
		AND period_start >= '$period->{from}' AND period_start < '$period->{to}'});
}

sub range_of ($period)
{
	return "tstzrange('$period->{from}', '$period->{to}')";
}

$node->sql(sprintf 'CREATE VIEW changed AS SELECT * FROM commit_stats_compare(%s, %s)',
	range_of($quick), range_of($slow));
my ($before, $after) =
  $node->row(q{SELECT mean_before, mean_after FROM changed WHERE part = 'commit'});
near($before, mean_of($quick), 'the mean of the first period');
near($after, mean_of($slow), '... and that of the second');

# each is rounded to a microsecond
is( $node->sql(q{SELECT abs(sum(mean_change) FILTER (WHERE part <> 'commit')
	- sum(mean_change) FILTER (WHERE part = 'commit')) < 0.001 * count(*) FROM changed}),
	't',
	'the parts add up to the change');
is( $node->sql('SELECT bool_and(abs(mean_after - mean_before - mean_change) < 0.002) FROM changed'),
	't', '... and each is the difference of two times');
is( $node->sql(q{SELECT mean_after >= 10 AND sentence LIKE 'Before the commit record%'
	FROM changed WHERE part = 'before'}),
	't',
	'half of the commits had a deferred trigger of 20 ms');
is($node->sql('SELECT (array_agg(part))[1] FROM changed'), 'commit', 'the whole comes first');

# A restart: what was counted before stays, and the gap is said
$node->restart;
my $last = measure($insert);
my $report = report_of($quick->{from}, $last->{to});
like(
	$report =~ s/\n +/ /gr,
	qr/Rows are missing 1 time in between \(the server or commit_stats was off, or a crash lost them\)\./,
	'a restart between two rows is said');
my $after_gap = $node->sql(
	q{SELECT max(period_start) FROM commit_history WHERE resolution = 'minute' AND after_gap});
unlike(report_of($after_gap, $last->{to}), qr/missing/, '... but not one before all of them');
cmp_ok(
	(split / /, counts_of($report))[0],
	'>=',
	$quick->{commits} + $slow->{commits} + $last->{commits},
	'... and nothing is lost');

# Periods of which little is known; sql/report.sql has more
my $idle = measure();
like(
	error_of(
		$node, sprintf 'SELECT * FROM commit_stats_compare((%s), (%s))',
		range_of($last), range_of($idle)),
	qr/22023.*no commit that waits ended in "after"/s,
	'a comparison with an idle period');
is( $node->sql('SELECT count(*) > 1 FROM commit_stats_compare(\'(,)\', \'[-infinity,infinity]\')'),
	't', 'periods without an end');

# Each row is of the period that has most of it, and one of none is compared.
# A minute may have ended within the load.
is( $node->sql(qq{WITH minute AS (
	SELECT period_start AS a, period_end AS z, commits, period_end - period_start AS length,
		   lag(period_end - period_start) OVER w AS before,
		   lead(period_end - period_start) OVER w AS after
	FROM commit_history WHERE resolution = 'minute' WINDOW w AS (ORDER BY period_start)),
	slow AS (
	SELECT * FROM minute WHERE a >= '$slow->{from}' AND z <= '$slow->{to}' ORDER BY commits DESC LIMIT 1)
	SELECT count(DISTINCT mean_after)
	FROM slow, LATERAL (VALUES (a, z), (a - before / 4, z + after / 4),
		(a + length / 4, z - length / 4), (a + 0.4 * length, a + 0.6 * length),
		(a + 0.7 * length, a + 0.8 * length)) p(f, t),
	commit_stats_compare('(,)', tstzrange(f, t)) WHERE part = 'commit'}),
	1,
	'a period has no row of which it has little');

like(
	$node->sql("SELECT commit_stats_report('-infinity', 'infinity', 1000)"),
	qr/^PostgreSQL .*, in all .* in between .*\.$/m,
	'a width: the first sentence takes one line');

$node->append_conf('postgresql.conf', 'commit_stats.history_minutes = 0');
$node->restart;
my $hours = $node->sql('SELECT count(*) FROM commit_history');
like(
	$node->sql("SELECT commit_stats_report('-infinity', 'infinity', 1000)"),
	qr/: $hours rows?, in all /,
	'hours count once each, not as their minutes');

$node->append_conf('postgresql.conf', 'commit_stats.history_hours = 0');
$node->restart;
is( $node->sql("SELECT commit_stats_report('-infinity', 'infinity', 1000)"),
	'commit_history has no row: commit_stats.history_minutes and commit_stats.history_hours are 0.',
	'a history that keeps nothing says so');

end_test($node);
