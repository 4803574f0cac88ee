# Can a session go on whose commits fail before it is registered?
#
# It connects while counting is off, so that its first counted commit registers
# it, and applies a rule to its name that takes minutes.  Each commit is
# cancelled there, more often than a process can have callbacks for its exit.

use CommitStats;

my $tries = 25;
my $node = start_node('enter_fails', conf => "commit_stats.enabled = off\n");
my $session = $node->background_psql('postgres', on_error_stop => 0);

# An even number of characters, in a name that has an odd one
my $rule = 's/^' . '(a*)' x 10 . join('', map { "\\$_" } 1 .. 9) . '\\10b$/x/';

$session->query_safe(q{SET application_name = '} . 'a' x 51 . q{b'});
$session->query_safe("SET commit_stats.client_name_pattern = '$rule'");
$node->alter_system('commit_stats.enabled' => 'on');
$session->query_until(qr/begins/, "\\echo begins\n" . "SELECT 1;\n" x $tries . "\\echo \"done\"\n");

# A cancellation that comes while a commit still fails is lost.
for my $i (1 .. $tries)
{
	poll_until(sub {
		$node->sql(q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity
			  WHERE application_name ^@ 'aaa' AND state = 'active'});
		return (() = slurp_file($node->logfile) =~ /canceling statement/g) >= $i;
	}) or die "commit $i is not cancelled\n";
}
$session->query('RESET commit_stats.client_name_pattern');
is(scalar $session->query('SELECT 2'), 2, "the session goes on after $tries failures");
$session->quit;
$node->wait_until_alone;
# ... and leaves nothing behind; the psql before may not have left
$node->wait_until('SELECT clients_tracked > 0 AND connected_backends = 1 FROM commit_stats_info');
end_test($node);
