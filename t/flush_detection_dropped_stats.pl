# Does commit_stats leave the server's statistics alone after a commit during
# which some were dropped?
#
# From PostgreSQL 18 on, a look at them releases the references of this process
# to dropped entries, which takes locks and can fail.  So such a commit is not
# looked up, and its flush is uncertain.

use CommitStats;

plan skip_all => 'this server tells who flushed'
  if PostgreSQL::Test::Cluster->new('version')->pg_version < 18;

my $node = start_node('dropped', conf => "track_wal_io_timing = on\n");

# A session that knows the statistics of a table, and then waits in COMMIT for
# a standby that does not come.  Every commit is looked up, as its time is
# wanted.
$node->sql('CREATE TABLE doomed (n int)');
$node->alter_system(synchronous_standby_names => 'nobody');
my $session = $node->start_psql(
	'SET synchronous_commit = local',
	'INSERT INTO doomed VALUES (1)',
	'SELECT pg_stat_force_next_flush()',
	'SELECT commit_stats_reset()',
	'RESET synchronous_commit',
	'INSERT INTO logged VALUES (1)');

$node->wait_until("SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
$node->sql("SET synchronous_commit = local;\nDROP TABLE doomed;\n");
is(flush_stats($node)->{flushes_uncertain}, 0, 'nothing is uncertain so far');
$node->alter_system(synchronous_standby_names => '');
ok(end_background($session), 'the commit ends');

my $counted = flush_stats($node);
is($counted->{flushes_uncertain}, 1, 'a commit is uncertain in which statistics were dropped');
is($counted->{commits}, 2, '... and counted, as is that of the DROP TABLE');
cmp_ok($counted->{timed_flushes},
	'<=', $counted->{flushes}, '... and no flush has a time that was not looked up');

done_testing();
