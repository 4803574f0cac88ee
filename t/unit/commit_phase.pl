# Does a commit wait for its flush, or to make room for its WAL?
#
# A temporary table that is emptied on COMMIT writes WAL after the first
# callback, whose mark says that the commit waits for no flush, or is none.

use CommitStats;

my $program = compile_program('t/unit/commit_phase.c');

is( $program->([qw(async lock)]),
	"another's flush, makes room",
	'one that waits for no flush makes room, holding the lock');
is($program->([qw(async write)]), 'flush, makes room', '... and then writes');
is( $program->([qw(async until_free)]),
	"another's flush",
	'... unless it waits until its WAL is flushed');
is($program->([qw(async sync)]), 'flush', '... or syncs it');
is($program->([qw(waits lock)]), "another's flush", 'one that waits for its flush');
is($program->([qw(none until_free)]), "another's flush", 'one without a mark that waits so');
is($program->([qw(none sync)]), 'flush', '... or syncs it');
is($program->([qw(none lock)]), '-', 'a statement that makes room');

done_testing();
