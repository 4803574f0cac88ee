# Is what another library does after the commit record told from the session's
# own work before it?
#
# Its callback sleeps for 50 ms, without a wait event, before that of
# commit_stats.  The clients' own clocks are the witness.

use Symptoms;

my $library = compile_module('t/symptoms/other_library.c');
my $node =
  make_situation('other_library', conf => "shared_preload_libraries = 'commit_stats, $library'\n");

$node->sql('SELECT commit_stats_reset()');

my $load =
  start_load($node, '-c 4 -T 8',
	"BEGIN;\nSET LOCAL other_library.ms = 50;\nINSERT INTO logged (n) VALUES (1);\nCOMMIT;\n",
	'audited');
$node->wait_until(q{SELECT count(*) >= 3 FROM commit_activity
WHERE application_name = 'audited' AND phase = 'commit log'});
pass('commit_activity: the record is there');
$node->wait_until(q{SELECT commit_stats_report() ~ 'from samples'});
my $report = report_of($node);
my @times = end_load($load);

cmp_ok((sort { $a <=> $b } @times)[0], '>=', 50, 'each transaction takes 50 ms');
first_cause_is($report, qr/^commit log: .* or an extension works after its record/);
cmp_ok(($report->{phases}->{record} // [ 0, 0 ])->[1],
	'<=', 5, 'hardly any time is before the record');
like($report->{delay}, qr/^no\b/, 'no delay');
is_consistent($report, 'other library');

end_test($node);
