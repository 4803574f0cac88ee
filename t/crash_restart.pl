# Does commit_stats start from zero after a crash?
#
# Its shared memory must be as good as new then: without counts, flush groups
# and connected backends from before the crash.  The same holds after a clean
# restart with commit_stats.save = off.

use CommitStats;

# Without its launchers the server has no backends but ours.
my $node = start_node(
	'crash',
	conf => q{
restart_after_crash = on
max_logical_replication_workers = 0
max_prepared_transactions = 2
});
my $fresh = $node->sql('SELECT connected_backends, shared_memory FROM commit_stats_info');
my $stats_reset;

sub stats_reset
{
	return $node->sql('SELECT stats_reset FROM commit_stats_info');
}

# Are all counts from before forgotten, and are new ones right?
sub counts_again ($how)
{
	my ($counted, $records);

	starts_from_zero($node, $stats_reset, $how);
	# a moment may pass before the session of the psql before is gone
	ok( $node->poll_query_until(
			'postgres', 'SELECT connected_backends, shared_memory FROM commit_stats_info', $fresh),
		"$how: no backend of the life before is connected");

	($counted, $records) = $node->observe(sub {
		run_pgbench($node, '-c 4 -j 2 -t 50', load => 'INSERT INTO logged VALUES (1)');
	});
	counts_load($counted, $records, 200, $how);
	views_agree($node, $how);
}

# A load that is running when the server ends.
sub start_load
{
	my $load =
	  start_pgbench($node, '-c 4 -t 100000000', endless => 'INSERT INTO logged VALUES (1)');

	$node->wait_until('SELECT commits > 100 FROM commit_flush_stats');
	$stats_reset = stats_reset();
	return $load;
}

# A backend is killed in the middle of its work; the postmaster lives on.
my $load = start_load();
kill_backend($node, "query ~ '^INSERT INTO logged'");
end_background($load);
counts_again('killed backend');

# A prepared transaction outlives the crash.  Its COMMIT PREPARED counts.
$node->sql(q{
BEGIN;
INSERT INTO logged VALUES (2);
PREPARE TRANSACTION 'survivor'});

# The whole server goes at once.
$load = start_load();
$node->stop('immediate');
end_background($load);
$node->start;
counts_again('immediate stop');

my ($counted, $records) = $node->observe(sub { $node->sql("COMMIT PREPARED 'survivor'") });
is($records->{COMMIT_PREPARED}, 1, 'a prepared transaction survived');
is($counted->{commits}, 1, 'and its commit is counted');

# A clean restart without commit_stats.save; persist_clean_restart.pl has the
# other.
$node->alter_system('commit_stats.save' => 'off');
$stats_reset = stats_reset();
$node->restart;
counts_again('clean restart');

ends_well($node, 1);
done_testing();
