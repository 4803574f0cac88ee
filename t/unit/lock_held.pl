# Does LWLOCK_IS_HELD() of src/base/compat.h know whether a process holds
# WALWriteLock?
#
# A module (t/unit/lock_held.c) takes the lock, and asks before, meanwhile and
# afterwards.  A lock that many have waited for has flags set, which are no
# holders.

use CommitStats;

my $node = PostgreSQL::Test::Cluster->new('lock_held');

$node->init;
$node->append_conf('postgresql.conf', 'fsync = on');
$node->start;
$node->sql('CREATE TABLE tick (i int)');
$node->create_functions(compile_module('t/unit/lock_held.c'),
	'lock_held(exclusive boolean) RETURNS text');

# Nobody writes WAL, and then nobody any more.
sub is_right ($when)
{
	for my $exclusive ('true', 'false')
	{
		ok_soon "$when: held by whom takes it, exclusive $exclusive", sub {
			return $node->sql("SELECT lock_held($exclusive)") eq '0 1 0';
		}, 20;
	}
}

is_right('at start');
run_pgbench($node, '-c 10 -t 200', insert => 'INSERT INTO tick VALUES (1);');
is_right('after others have waited for it');

end_test($node);
