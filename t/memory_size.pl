# How much shared memory does commit_stats take?
#
# Less than 5 MB with 100 connections and without the history, at most 11 kB
# for each further connection, and less than 7 MB for the history, as
# commit_stats_info says.  The witnesses are pg_shmem_allocations and a second
# server.

use CommitStats;

my $node = init_node('memory', conf => 'shared_buffers = 1MB');

$node->start;
$node->sql('CREATE EXTENSION commit_stats');

# The sizes that commit_stats_info shows, in all and for each connection, and
# the size that the server allocated.
sub memory_with ($connections)
{
	$node->adjust_conf('postgresql.conf', 'max_connections', $connections);
	$node->restart;
	return $node->row(
		q{SELECT i.shared_memory, i.memory_per_connection, m.size
FROM commit_stats_info i, pg_shmem_allocations m WHERE m.name = 'commit_stats'}
	);
}

my ($info, $each, $allocated) = memory_with(100);
my ($more_info, $more_each, $more_allocated) = memory_with(300);
my $really = ($more_allocated - $allocated) / 200;
my $history = $node->sql('SELECT history_memory FROM commit_stats_info');

note(
	"$allocated bytes with 100 connections, $history of them for the history, $really for each connection more"
);
cmp_ok(
	$allocated - $history,
	'<',
	5 * 1024 * 1024,
	'less than 5 MB with 100 connections, without the history');
cmp_ok($history, '<', 7 * 1024 * 1024, 'less than 7 MB for the history');
cmp_ok($really, '<=', 11264, 'at most 11 kB for a connection');

cmp_ok(abs($info - $allocated), '<', 1024, 'commit_stats_info has the sum');
cmp_ok(abs($more_info - $more_allocated), '<', 1024, '... with more connections');
cmp_ok(abs($each - $really), '<', 16, '... and how much for each of them');
is($more_each, $each, '... however many there are');

# Prepared transactions are no backends
$node->append_conf('postgresql.conf', 'max_prepared_transactions = 500');
is((memory_with(100))[2], $allocated, 'prepared transactions take none');

end_test($node);
