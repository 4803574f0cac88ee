# What if errno does not tell who flushed?
#
# From PostgreSQL 18 on, errno tells it, and for one commit in 64 a look at the
# server's statistics shows whether that was true.  The shim counts the syncs
# of each process, and leaves in errno what the test wants, as an unknown
# server or C library might.

use GroundTruth;

# A server without timing, which would have each commit looked up.  Writes of
# at least $size bytes leave $errno.
sub start_with ($name, $errno, $size = 0)
{
	local $ENV{SHIM_ERRNO} = $errno;
	local $ENV{SHIM_ERRNO_SIZE} = $size;
	delete $ENV{SHIM_ERRNO} unless defined $errno;

	return start_truth($name, 'track_wal_io_timing = off');
}

# $clients clients with $commits commits each: our counts, and those of the
# shim.
sub commit_and_count ($node, $clients, $commits)
{
	# into one WAL segment, as a flush across two has two syncs
	$node->sql('SELECT pg_switch_wal()');
	$node->sql('SELECT commit_stats_reset(), shim_reset()');
	run_pgbench($node, "-c $clients -j 2 -t $commits", insert => 'INSERT INTO tick VALUES (1);');
	my ($counted, $uncertain, $followers, $synced) =
	  $node->row(q{SELECT c.flushes, c.flushes_uncertain, c.followers, s.syncs
FROM commit_flush_stats c,
     (SELECT count(*) AS syncs FROM shim_events()
      WHERE kind = 'sync' AND backend) s});

	return {
		flushes => $counted,
		uncertain => $uncertain,
		followers => $followers,
		syncs => $synced
	};
}

plan skip_all => 'this server tells who flushed'
  if PostgreSQL::Test::Cluster->new('version')->pg_version < 18;

my $node = start_with('honest', undef);
my $seen = commit_and_count($node, 8, 400);
is($seen->{flushes}, $seen->{syncs}, 'flushes are the syncs of backends');
is($seen->{uncertain}, 0, '... without any doubt');
cmp_ok($seen->{followers}, '>', 0, '... though not every commit flushed');

# ON COMMIT DELETE ROWS truncates files, which leaves something else in errno,
# and writes the only WAL of these transactions.
is( $node->sql(
		q{CREATE TEMP TABLE emptied (id int PRIMARY KEY) ON COMMIT DELETE ROWS;
SELECT commit_stats_reset(), shim_reset();
} . ("INSERT INTO emptied VALUES (1);\n" x 300) . q{
SELECT f.flushes = s.syncs, f.commits, flushes_uncertain
FROM commit_flush_stats f,
     (SELECT count(*) AS syncs FROM shim_events()
      WHERE kind = 'sync' AND pid = pg_backend_pid()) s}) =~ s/^.*\n//r,
	't|300|0',
	'... nor of commits whose only WAL comes as they begin');

# A look at the server's statistics releases the references of this process to
# dropped ones, which takes locks and can fail.  So a commit during which some
# were dropped is not looked up, and its flush is uncertain.  Here a session
# that knows the statistics of a table waits in COMMIT for a standby that does
# not come; every commit is to be looked up, as its time is wanted.
$node->sql('CREATE TABLE doomed (n int)');
$node->alter_system(track_wal_io_timing => 'on', synchronous_standby_names => 'nobody');
my $session = $node->start_psql(
	'SET synchronous_commit = local',
	'INSERT INTO doomed VALUES (1)',
	'SELECT pg_stat_force_next_flush()',
	'SELECT commit_stats_reset()',
	'RESET synchronous_commit',
	'INSERT INTO tick VALUES (1)');

$node->wait_until("SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
$node->sql("SET synchronous_commit = local;\nDROP TABLE doomed;\n");
is(flush_stats($node)->{flushes_uncertain}, 0, 'dropped statistics: nothing is uncertain so far');
$node->alter_system(synchronous_standby_names => '');
ok(end_background($session), '... the commit ends');
my $counted = flush_stats($node);
is($counted->{flushes_uncertain}, 1, '... and is uncertain');
is($counted->{commits}, 2, '... and counted, as is that of the DROP TABLE');
cmp_ok($counted->{timed_flushes},
	'<=', $counted->{flushes}, '... and no flush has a time that was not looked up');
$node->stop;

# As if the server did not touch errno before it writes.
$node = start_with('silent', -1);
$seen = commit_and_count($node, 1, 300);
is($seen->{flushes}, $seen->{syncs},
	'errno is not touched: the first commit is looked up, and then all of them');
is($seen->{uncertain}, 64, '... and 64 flushes are said to be uncertain');
# Half of the checks are of a commit that did not flush, and notice nothing.
$seen = commit_and_count($node, 8, 3000);
cmp_ok(
	$seen->{flushes}, '>=',
	0.75 * $seen->{syncs},
	'... and each of several backends notices soon');
cmp_ok($seen->{uncertain}, '>=', 64, '... and says so');
$node->stop;

# As if a signal had come after the write, each time.
$node = start_with('spoilt', 4);
$seen = commit_and_count($node, 1, 300);
is($seen->{flushes}, $seen->{syncs}, 'errno is spoilt: the server knows who flushed');
is($seen->{uncertain}, 0, '... which leaves no doubt');
$node->stop;

# As if the server did not touch errno in one kind of commit only, each fifth
# of a session that repeats itself.  A look at each 65th commit would never
# find one.
$node = start_with('cycle', -1, 100_000);
$node->sql(q{CREATE TABLE large (t text);
ALTER TABLE large ALTER t SET STORAGE EXTERNAL;
CREATE PROCEDURE cycle(n int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		FOR j IN 1 .. 4 LOOP
			INSERT INTO tick VALUES (j);
			COMMIT;
		END LOOP;
		INSERT INTO large VALUES (repeat('x', 150000));
		COMMIT;
	END LOOP;
END $$});
my @seen = split /\n/, $node->sql(q{SELECT commit_stats_reset(), shim_reset();
CALL cycle(800);
SELECT flushes_uncertain FROM commit_flush_stats;
SELECT commit_stats_reset(), shim_reset();
CALL cycle(40);
SELECT s.syncs - flushes BETWEEN 0 AND 1, commits
FROM commit_flush_stats,
     (SELECT count(*) AS syncs FROM shim_events()
      WHERE kind = 'sync' AND pid = pg_backend_pid()) s});
is($seen[1], 64, 'errno lies of one kind of commit in five: that is noticed');
# a flush across two WAL segments has two syncs
is($seen[3], 't|200', '... and from then on all are looked up');
end_test($node);
