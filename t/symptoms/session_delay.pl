# Does the report see sleeps of commit_delay that a role has set for itself,
# where the server has none?

use Symptoms;

my $node = make_situation('session_delay', conf => "commit_siblings = 1\n");

$node->sql('CREATE ROLE app SUPERUSER LOGIN; ALTER ROLE app SET commit_delay = 20000');
set_volume($node, 500);
$node->sql('SELECT commit_stats_reset()');
{
	local $ENV{PGUSER} = 'app';
	end_load(start_load($node, '-c 4 -T 8', 'INSERT INTO logged (n) VALUES (1);'));
}
my $report = report_of($node);

cmp_ok(flush_stats($node)->{delay_hits}, '>', 100, 'leaders sleep');
first_cause_is($report, qr/^asleep for a commit_delay of sessions, roles, databases or a sweep/);
like(
	$report->{delay},
	qr/^sessions, roles or databases have their own.* slept, and carried [\d.]+ commits each\. Most sleeps are of client load \(app, /,
	'the answer');
unlike($report->{text}, qr/may pay|commit_delay_sweep\(/, 'no other delay is proposed');
is($node->sql(q{SELECT rolname FROM commit_client_stats WHERE delay_hits > 100}),
	'app', 'commit_client_stats shows whose');

end_test($node);
