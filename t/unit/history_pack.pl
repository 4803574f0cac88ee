# Do packed rows of the history come back as they were, whatever they are, and
# is nothing written beyond them if the file is damaged?
#
# pack() and unpack() of src/history/history_file.c are static: the test
# compiles the file into a module (t/unit/history_pack.c).

use CommitStats;

my $node = start_node('history_pack');

$node->create_functions(compile_module('t/unit/history_pack.c'),
	'history_pack_check(n int) RETURNS int');
is($node->sql('SELECT history_pack_check(100000)'), 0, '100,000 random pieces, each also damaged');

ends_well($node);
done_testing();
