# Do packed rows of the history come back as they were, whatever they are, and
# is nothing written beyond them if the file is damaged?
#
# pack() and unpack() of src/history/history_file.c are static: the test
# compiles the file into a program (t/unit/history_pack.c).

use CommitStats;

my $program = compile_program('t/unit/history_pack.c');

is($program->([100_000]), 0, '100,000 random pieces, each also damaged');

done_testing();
