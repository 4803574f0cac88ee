# Is the WAL of each checkpoint cycle what the WAL says, if no transaction runs
# across a checkpoint, and does that of an idle backend stay in its cycle while
# others pass?
#
# pg_waldump lists every record between two redo positions, with its length and
# its full-page images.  commit_wal_stats adds up what each backend counted
# itself.  Both must be equal; WalCycles.pm says which records belong to no
# backend.

use CommitStats;
use WalCycles;

my $node = start_wal_server();

reset_in_new_cycle();
for my $clients (1, 8, 8)
{
	run_pgbench($node, "-c $clients -j 2 -t " . int(240 / $clients), %load);
	checkpoint();
}
my @cycles = finished_cycles();

is(scalar @cycles, 3, 'at rest: each checkpoint began a cycle');
for my $cycle (@cycles)
{
	my $truth = truth($cycle->{redo_lsn}, end_of($cycle));

	is_deeply(counts_of($cycle), $truth,
		"at rest: the cycle from $cycle->{redo_lsn} is what the WAL says");
	cmp_ok($truth->{fpi}, '>', 20, 'at rest: there are full-page images');
	cmp_ok($cycle->{aborted}, '>', 0, 'at rest: there are aborted transactions');
	cmp_ok($cycle->{aborted}, '<', $cycle->{bytes}, '... and others');
	cmp_ok($cycle->{bytes}, '<', $cycle->{distance}, 'at rest: the distance has all WAL');
}

# A new backend uses the slot of one that has exited, in another cycle or in
# the same one.
reset_in_new_cycle();
for (1 .. 2)
{
	run_pgbench($node, '-C -c 4 -t 20', one => 'INSERT INTO logged VALUES (1)');
	run_pgbench($node, '-C -c 4 -t 20', two => 'INSERT INTO logged VALUES (1)');
	checkpoint();
}
@cycles = finished_cycles();
is(scalar @cycles, 2, 'reconnecting: two cycles');
for my $cycle (@cycles)
{
	is($cycle->{commits}, 160, 'reconnecting: all commits are there');
	is_deeply(
		counts_of($cycle),
		truth($cycle->{redo_lsn}, end_of($cycle)),
		"reconnecting: the cycle from $cycle->{redo_lsn} is what the WAL says");
}

# The server adds the WAL of parallel workers to the leader's.  But a worker
# that builds an index logs its lock of the index before the server begins to
# count.  So one record for each worker may be missing, of the size of a record
# for one lock.
reset_in_new_cycle();
$node->sql(q{SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
SET max_parallel_maintenance_workers = 2;
CREATE INDEX ON pages (n);
CREATE INDEX ON pages (filler);
DELETE FROM pages WHERE id % 3 = 0;
VACUUM (PARALLEL 2) pages;
});
checkpoint();
my ($cycle) = finished_cycles();
my $truth = truth($cycle->{redo_lsn}, end_of($cycle));
my $missing = $truth->{records} - $cycle->{records};

cmp_ok($missing, '>=', 0, 'parallel workers: no more records than there are');
cmp_ok($missing, '<=', 4, 'parallel workers: none missing but their locks');
is($truth->{bytes} - $cycle->{bytes}, 42 * $missing, '... which have this size');
is($cycle->{fpi}, $truth->{fpi}, 'parallel workers: full-page images are exact');
is($cycle->{commits}, $truth->{commits}, 'parallel workers: so are commits');

# fpi_share_max is an upper bound of the share of full-page images.
my $share = 100 * $image_bytes / $truth->{bytes};
my $share_max =
  $node->sql(qq{SELECT fpi_share_max FROM commit_wal_stats WHERE redo_lsn = '$cycle->{redo_lsn}'});

cmp_ok($share, '>', 1, 'images: there are some');
cmp_ok($share_max, '>=', $share - 1, 'images: the bound holds');
cmp_ok($share_max, '<=', 100, 'images: and is a percentage');

# The slot of a backend has what it wrote in all cycles, and whoever ends a
# cycle notes the sum of all slots.  A backend writes, does nothing for three
# cycles, and writes again.
my $idle = $node->background_psql('postgres');

reset_in_new_cycle();
$idle->query_safe('INSERT INTO logged VALUES (1); SELECT 1');
for (1 .. 3)
{
	$node->sql('INSERT INTO logged VALUES (2)');
	checkpoint();
}
my @before = finished_cycles();

is(scalar @before, 3, 'idle: three cycles passed');
is($before[0]->{commits}, 2, 'idle: what it wrote is in the first');
$idle->query_safe('INSERT INTO logged VALUES (1); SELECT 1');
is_deeply([ finished_cycles() ], \@before, 'idle: it is still there when it writes again');
is((cycles())[-1]->{commits}, 1, 'idle: and what it writes now is in the last');

# While commit_stats.enabled is off, a backend counts nothing, and does not
# catch up when it is on again.  The same backend must see both.
sub switch ($value)
{
	$node->sql(qq{ALTER SYSTEM SET commit_stats.enabled = $value;
SELECT pg_reload_conf()});
	poll_until(sub { $idle->query_safe('SHOW commit_stats.enabled') eq $value })
	  or die "commit_stats.enabled does not become $value";
}

reset_in_new_cycle();
switch ('off');
$idle->query_safe('INSERT INTO logged SELECT i FROM generate_series(1, 10000) i; SELECT 1');
switch ('on');
$idle->query_safe('INSERT INTO logged VALUES (1); SELECT 1');
my $sum = (cycles())[-1];

is($sum->{commits}, 1, 'switched off and on: one commit');
cmp_ok($sum->{bytes}, '<', 100_000, 'switched off and on: and its WAL only');
$idle->quit;

# More cycles than the view keeps, and a backend that is idle until the cycle
# in which it wrote is gone.
$idle = $node->background_psql('postgres');
$idle->query_safe('INSERT INTO logged VALUES (1); SELECT 1');
my $session = $node->background_psql('postgres');

for (1 .. $shown + 10)
{
	$session->query_safe('INSERT INTO logged VALUES (1); SELECT 1');
	$session->query_safe('CHECKPOINT; SELECT count(*) FROM commit_wal_stats');
}
@before = cycles();
is(scalar @before, $shown, 'more cycles than are kept: the last ones are shown');
is((grep { $_->{commits} == 1 && $_->{finished} eq 't' } @before),
	$shown, '... with what belongs to them');
$idle->query_safe('INSERT INTO logged VALUES (1); SELECT 1');
my @after = cycles();

is(scalar @after, $shown, 'a backend that comes from a cycle that is gone');
is_deeply([ @after[ 0 .. $shown - 2 ] ], [ @before[ 1 .. $shown - 1 ] ], '... adds to no other');
is($after[-1]->{commits}, 1, '... but to the present one');
$idle->quit;
$session->quit;

end_test($node);
