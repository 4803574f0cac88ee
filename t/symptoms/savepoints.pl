# Is a COMMIT that ends thousands of savepoints told from one that runs
# triggers?
#
# COMMIT ends each open savepoint into the one before, and copies the ids of
# those in it, so the time grows with the square of their number.  The
# server's log of statements is the witness.  Savepoints that were released
# leave COMMIT nothing to do.

use Symptoms;

my $node = make_situation('savepoints',
	conf => "log_min_duration_statement = 0\ncommit_stats.slow_commit_time = 0\n");
my $nested = 8000;

# Returns the row of the slow log, and ms by the server log.
sub commit_after ($name, $released)
{
	my $release = $released ? '\; RELEASE SAVEPOINT s' : '';

	$node->sql("SELECT commit_stats_reset()");
	$node->sql(
		join "\n",
		"SET application_name = '$name'; SET log_min_duration_statement = -1; BEGIN;",
		"SAVEPOINT s\\; INSERT INTO logged (n) VALUES (1)$release;" x $nested,
		'SET log_min_duration_statement = 0;',
		'COMMIT;');
	my $logged = (logged_commits($node))[-1];
	my ($cause, $before, $duration) =
	  $node->row(qq{SELECT cause, before_time, duration FROM commit_slow_log
WHERE application_name = '$name' ORDER BY ended_at DESC LIMIT 1});

	return ($cause, $before, $duration, $logged);
}

my (undef, $released) = commit_after('released', 1);
my ($cause, $before, $duration, $logged) = commit_after('nested', 0);

is($cause, 'before', 'before the record');
cmp_ok($duration, '<=', $logged + 0.1, 'not longer than the server log says');
cmp_ok($before, '>', 10 * $released, 'released savepoints are no work');
my $report = report_of($node);
first_cause_is($report, qr/^before the record: COMMIT ends $nested open savepoints/);
unlike($report->{text}, qr/deferred/, 'no trigger is named');

end_test($node);
