# Does the WAL of a backend stay in the checkpoint cycle in which it was
# written, if the backend is idle while cycles pass?
#
# The slot of a backend has what it wrote in all cycles.  Whoever ends a cycle
# notes the sum of all slots.

use CommitStats;
use WalCycles;

my $node = start_wal_server();

# A backend writes, does nothing for three cycles, and writes again.
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
