# Does commit_delay_whatif() find that a delay does not pay where it does not?
#
# A delay of 20 ms is longer than anything else here.  Sessions that wait for
# each other's locks commit one after the other, however long the leader
# sleeps.

use CommitStats;
use Statistics;

my $node = start_node('whatif', conf => "commit_delay = 7\ntrack_wal_io_timing = on\n");

# A prediction beside a load, and what else it said
sub whatif ($columns, $arguments)
{
	my (undef, $out, $err) =
	  $node->psql('postgres', "SELECT $columns FROM commit_delay_whatif($arguments, '2 s')");

	return ($out, $err);
}

my $load = start_pgbench($node, '-c 4 -T 600', load => "INSERT INTO logged VALUES (1);\n");
right_in_most_rounds 'a long delay', sub {
	my ($out, $err) = whatif(
		q{max(commits_per_second) FILTER (WHERE commit_delay = 20000) <
			  max(commits_per_second) FILTER (WHERE commit_delay = 0)}, "'{0,1000,20000}', '{0}'");

	return [ $out eq 't', "a delay of 20 ms, longer than anything else, does not pay: $err" ];
};
end_background($load, 'KILL');

$node->sql('CREATE TABLE hot AS SELECT 0 AS n');
$load = start_pgbench($node, '-c 8 -T 600',
	load => "BEGIN;\nSELECT n FROM hot FOR UPDATE;\nUPDATE hot SET n = n + 1;\nCOMMIT;\n");
right_in_most_rounds 'locks', sub {
	my ($out, $err) = whatif('max(commits_per_flush) < 2', "'{0,1000}', '{0}'");

	return (
		[ $err =~ /WARNING: .*sessions wait for each other's locks, \d+\.\d of 8/, 'a warning' ],
		[ $out eq 't', 'a delay does not gather sessions that wait' ]);
};
end_background($load, 'KILL');

end_test($node);
