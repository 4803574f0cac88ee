# What do the rows of commit_history say when the calendar clock is set, and
# whom do they name?
#
# commit_stats.history_start sets the clock of the history, forwards and
# backwards, and commit_stats.history_speed lets it go faster.  No minute comes
# twice, and no row starts before another one ends.

use CommitStats;

my $start = 1_800_000_000;    # 2027-01-15 08:00:00 UTC, a whole hour
my $node = start_node(
	'clock',
	conf => qq{commit_stats.history_start = $start; commit_stats.history_minutes = 10;
commit_stats.history_hours = 3; timezone = UTC});

# Set the clock to a number of seconds after $start.
sub set_clock ($seconds)
{
	my $to = $start + $seconds;
	my $age = $node->sql('SELECT extract(epoch FROM now() - pg_postmaster_start_time())::int');

	$node->append_conf('postgresql.conf', 'commit_stats.history_start = ' . ($to - $age));
	$node->reload;
}

sub minutes
{
	return $node->sql(q{SELECT count(*) FROM commit_history WHERE resolution = 'minute'});
}

sub in_order ($name)
{
	is( $node->sql(q{SELECT bool_and(period_start < period_end), bool_and(before <= period_start)
FROM (SELECT *, lag(period_end) OVER (ORDER BY period_start) AS before
	FROM commit_history WHERE resolution = 'minute') h}),
		't|t',
		"$name: rows are in order, and none overlaps another");
}

# The commits of a row are asked for before the clock is set, so that they are
# in the row that the step ends.
sub write_rows ($n)
{
	$node->sql('INSERT INTO logged VALUES (1)') for 1 .. $n;
}

is($node->sql(q{SELECT date_trunc('day', commit_history_close()) = '2027-01-15'}),
	't', 'the clock of the history starts where the setting says');

# Names, as in commit_statement_stats: members of pg_read_all_stats see the top
# client and the top statement of each row, and others only those of their own
# role.  Of an hour and of a period, top is who led most flushes in all
# minutes.
$node->sql(q{CREATE ROLE other LOGIN; CREATE ROLE stats LOGIN IN ROLE pg_read_all_stats;
GRANT INSERT ON logged TO other; GRANT SELECT ON commit_history TO other;
GRANT EXECUTE ON FUNCTION commit_history() TO other});

# What a role sees of the newest row with a client
sub seen ($role)
{
	return $node->sql(
		q{SELECT top_client_flushes > 0, top_datname IS NULL, top_rolname,
	top_application_name IS NULL, top_queryid IS NULL, top_reason
FROM commit_history WHERE resolution = 'minute' AND top_statement_flushes > 10
ORDER BY period_start DESC LIMIT 1},
		connstr => $node->connstr('postgres') . " user=$role");
}

# A minute may end at any time, so enough for the newest of two rows
sub commit_as ($role, $n = 40)
{
	$node->sql('SELECT commit_history_close()');
	$node->sql('INSERT INTO logged VALUES (1);' x $n,
		connstr => $node->connstr('postgres') . " user=$role");
	$node->sql('SELECT commit_history_close()');
}

my $superuser = $node->sql('SELECT current_user');

commit_as($superuser);
is(seen($superuser), "t|f|$superuser|f|f|", 'a superuser sees all names');
is(seen('stats'), "t|f|$superuser|f|f|", 'so does a member of pg_read_all_stats');
is( seen('other'),
	't|t||t|t|insufficient_privilege',
	'others see that there is a client and a statement');
commit_as('other');
is(seen('other'), 't|f|other|f|f|', '... and the names of their own');

# Nobody commits in the second row
$node->sql('SELECT commit_history_close()') for 1 .. 2;
is( $node->sql(q{SELECT count(top_client_flushes_share) - count(top_client_flushes),
	count(top_statement_flushes_share) - count(top_statement_flushes) FROM commit_history}),
	'0|0',
	'no share without flushes');

# The top of the first minute led more than the other one in any minute
$node->sql('SELECT commit_history_reset()');
commit_as($superuser, 60);
commit_as('other', 30) for 1 .. 4;
is( $node->sql(q{SELECT top_rolname, top_client_flushes >= 100, top_statement_flushes >= 100
	FROM commit_history WHERE resolution = 'hour'}),
	'other|t|t',
	'an hour names who led most in all its minutes');
like(
	$node->sql(q{SELECT commit_stats_report('-infinity', 'infinity')}),
	qr{are led by client [^.]*\.\.\."\s+\(other, },
	'... and so does a period');

# The clock is set.  Minutes of its own may end before and after.
$node->sql('SELECT commit_history_reset()');
my $ended = $node->sql('SELECT commit_history_close()');

# The commits of rows from then on
sub commits_since_end
{
	return $node->sql(qq{SELECT sum(commits) FROM commit_history
	WHERE resolution = 'minute' AND period_start >= '$ended'});
}

write_rows(3);
set_clock(7205);
$node->wait_until(
	q{SELECT max(period_end) >= '2027-01-15 10:00' FROM commit_history WHERE resolution = 'minute'}
);
is(commits_since_end(), 3, 'forwards: the row that spans the step has the commits');
in_order('forwards');

my $rows;
($rows, $ended) =
  $node->row(q{SELECT count(*), max(period_end) FROM commit_history WHERE resolution = 'minute'});
write_rows(5);
set_clock(3605);
$node->sql('SELECT commit_history_close()');
cmp_ok(minutes(), '>', $rows, 'backwards: a row comes when it is asked for');
is(commits_since_end(), 5, 'backwards: it starts where the one before ended, and has the commits');
in_order('backwards');

# The first hour ended with the step forwards.  Its minutes go, so that its own
# row answers.
$node->sql('SELECT commit_history_close()') for 1 .. 10;
my $report =
  $node->sql(q{SELECT commit_stats_report('2027-01-15 08:00', '2027-01-15 09:30', 1000)});
my ($commits) = $report =~ /^  commits +(\d+) /m;
is( $commits,
	$node->sql(q{SELECT commits FROM commit_history
	WHERE resolution = 'hour' AND period_start < '2027-01-15 09:00'}),
	'an hour that ends late can be asked for');
like(
	$report,
	qr/ of the 1 h 30 min asked for \(of its hours, those that lie in the period\)\./,
	'... with a half that is no longer known');

# No rows while nothing is counted, also as a session ends that was counted,
# and then a gap.
my $session = $node->background_psql('postgres');
$session->query_safe('INSERT INTO logged VALUES (1)');
my $pid = $session->query_safe('SELECT pg_backend_pid()');
$node->alter_system('commit_stats.enabled' => 'off');
$node->sql('SELECT commit_history_close()') for 1 .. 2;
my $last = $node->sql('SELECT max(period_start) FROM commit_history');
$session->quit;
$node->wait_until("SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $pid");
$node->sql('SELECT commit_history_close()');
is($node->sql('SELECT max(period_start) FROM commit_history'),
	$last, 'no rows while commit_stats.enabled is off');
$node->alter_system('commit_stats.enabled' => 'on');
write_rows(1);
$node->sql('SELECT commit_history_close()');
is( $node->sql(qq{SELECT after_gap FROM commit_history WHERE resolution = 'minute'
	AND period_start > '$last' ORDER BY period_start LIMIT 1}),
	't',
	'the first row after that tells the gap');

is($node->sql(q{SELECT commit_history_reset() < '2027-01-15 10:00'}),
	't', 'backwards: a reset lets the present minute begin at the time of the clock');

# A gap before the first hour of a period is not in between its rows.  Minutes
# go, so that hours answer.
sub newest_start
{
	return $node->sql(q{SELECT max(period_start) FROM commit_history});
}

write_rows(1);
$node->sql('SELECT commit_history_close()');
$node->alter_system('commit_stats.enabled' => 'off');
ok_soon 'nothing is counted', sub {
	my $before = newest_start();

	$node->sql('SELECT commit_history_close()') for 1 .. 2;
	return newest_start() eq $before;
};
set_clock(15605);
$node->wait_until(q{SELECT commit_history_close() >= '2027-01-15 12:20'});
$node->alter_system('commit_stats.enabled' => 'on');
ok_soon '... for hours', sub {
	$node->sql('SELECT commit_history_close()');
	return newest_start() ge '2027-01-15 12:20';
};
$node->sql('SELECT commit_history_close()') for 1 .. 10;
like(
	$node->sql(q{SELECT commit_stats_report('2027-01-15 09:00', '2027-01-15 13:00', 1000)}),
	qr/ Rows are missing 1 time in between /,
	'hours with a gap in between');
like(
	$node->sql(q{SELECT commit_stats_report('2027-01-15 12:00', '2027-01-15 13:00', 1000)}),
	qr/^PostgreSQL \S+, commit_history from 2027-01-15 12:(?!.* Rows are missing)/,
	'... and before all of them');
set_clock(7230);
$node->wait_until(q{SELECT commit_history_reset() < '2027-01-15 11:00'});

# Hours in seconds: the rings keep the newest rows.
$node->append_conf('postgresql.conf', "commit_stats.history_speed = 1800");
$node->reload;
$node->wait_until(
	q{SELECT count(*) = 10 AND min(period_start) > '2027-01-15 11:00' FROM commit_history
	WHERE resolution = 'minute'});
in_order('fast');
$node->wait_until(
	q{SELECT count(*) = 3 AND min(period_start) > '2027-01-15 12:00' FROM commit_history
	WHERE resolution = 'hour'});
ok($node->sql(q{SELECT bool_and(NOT after_gap) FROM commit_history}) eq 't',
	'steps of the clock are no gaps');

# A full disk: the worker writes the file each 5 minutes of this clock.
my $file = $node->data_dir . '/pg_stat/commit_stats_history.stat';
my $log_start = -s $node->logfile;

ok(poll_until(sub { symlink '/dev/full', "$file.tmp" }), 'a full disk');
$node->wait_for_log(
	qr/LOG:  could not write file "pg_stat\/commit_stats_history.stat.tmp": No space left on device/,
	$log_start);
my $of_before = (stat $file)[1];
ok(defined $of_before, 'the file of before stays');
ok_soon '... until the next one can be written',
  sub { my @now = stat $file; @now && $now[1] != $of_before };
# a row can be overwritten while it is read
ok(poll_until(sub { minutes() == 10 }), '... and no row is lost');

end_test($node);
