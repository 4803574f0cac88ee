# Which sessions count as listeners?
#
# A session with which commit_stats.enabled is off may LISTEN before it enters,
# if it ever does, and only one that has entered leaves.

use CommitStats;

my $node = start_node('listeners');

$node->create_functions(compile_module('t/unit/listeners.c', 'src/probe/notify_lock.c'),
	'listeners(steps text) RETURNS text');
is($node->sql(q{SELECT listeners('+-')}), '00', 'a session that has not entered does not');
is($node->sql(q{SELECT listeners('+e-+l')}),
	'01010', 'one that enters does, until it ends to listen, or leaves');

done_testing();
