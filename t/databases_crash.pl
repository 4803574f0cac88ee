# Do the counts per database start from zero after a crash, and are they exact
# then?
#
# A backend is killed under load.  The server restarts its processes and counts
# from zero, as commit_stats does.

use lib 't', 't/databases';
use CommitStats;
use Databases;

my $node = start_database_server(qw(one two));

my @load = map { start_clients($_, '-c 3 -t 100000', %mixture) } @databases;
$node->wait_until(q{SELECT count(DISTINCT datid) = 2 FROM pg_stat_activity
WHERE datname IN ('one', 'two') AND state = 'active'});
kill_backend($node, "datname = 'one'");
end_background($_) for @load;
is($node->sql(q{SELECT string_agg(datname, ' '), sum(commits) FROM commit_database_stats}),
	'postgres|0', 'killed: everything starts from zero');
# the transactions prepared just then still hold their locks

my %left = map {
	$_ => $node->safe_psql($_,
		'SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()')
} @databases;

$node->safe_psql(
	$_, q{SELECT format('ROLLBACK PREPARED %L', gid) FROM pg_prepared_xacts
WHERE database = current_database() \gexec
}) for @databases;
finish_all(start_all());
agrees_with_server('after the crash', %left);
adds_up('after the crash');

$node->stop;
done_testing();
