# Is a COMMIT that waits in the callback of another library called so, even if
# that wait has no event?
#
# The library is loaded before commit_stats or after it, and so sleeps behind
# its callbacks or ahead of them.  The clients' own clocks are the witness.

use Symptoms;

my $library = compile_module('t/symptoms/sleeping_library.c');

sub says ($node, $sleep, $phase, $times_of, $cause)
{
	local $ENV{PGOPTIONS} = "-c sleeping_library.$sleep=100";
	$node->sql('SELECT commit_stats_reset()');
	my $load = start_load($node, '-c 4 -T 6',
		"BEGIN;\nINSERT INTO logged (n) VALUES (1);\nCOMMIT;\n", $sleep);

	$node->wait_until(qq{SELECT count(*) > 0 FROM commit_activity
WHERE application_name = '$sleep' AND phase = '$phase' AND detail ~ 'no wait event'});
	pass("commit_activity: $phase");
	$node->wait_until(qq{SELECT count(*) >= 100 FROM commit_slow_log
WHERE application_name = '$sleep'});
	my $report = report_of($node);
	my $clock = sum0(end_load($load));

	first_cause_is($report, $cause);
	cmp_ok($report->{causes}->[0]->{share}, '>', 80, '... of most of the time');
	is_consistent($report, "$sleep, $phase");
	my ($n, $slow, $part) =
	  $node->row(qq{SELECT count(*), sum(duration), sum($times_of) FROM commit_slow_log
WHERE application_name = '$sleep'});
	cmp_ok($slow, '<=', $clock, 'slow commits are not longer than the clients say');
	cmp_ok($part, '>=', 95 * $n, '... and sleep in each');
	return;
}

my $behind = qr/^after the commit record: it waits in an extension, /;
my $node = make_situation('first',
	conf =>
	  "commit_stats.slow_commit_time = 50ms\nshared_preload_libraries = '$library,commit_stats'\n");
says($node, 'before', 'record', 'record_time',
	qr/^record: it waits in an extension before its commit record, /);
says($node, 'after', 'after', 'after_time', $behind);
$node->stop;
$node = make_situation('last',
	conf =>
	  "commit_stats.slow_commit_time = 50ms\nshared_preload_libraries = 'commit_stats,$library'\n");
says($node, 'before', 'before', 'before_time', qr/^before the record: it waits in an extension, /);
# few see when a flush ends
says($node, 'after', 'commit log', 'commit_log_time + others_flush_time + unknown_time', $behind);

end_test($node);
