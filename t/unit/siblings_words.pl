# How many words of its bitmaps does a count of siblings read?
#
# A commit counts, so the work must not grow with max_connections: the few
# backends of a large server may be anywhere in the process array.  The program
# (t/unit/siblings_words.c) calls src/probe/siblings.c in one process.

use CommitStats;

my $program = compile_program('t/unit/siblings_words.c');

sub counts (@backends)
{
	return $program->(\@backends) =~ s/\n/, /gr;
}

# Of one word of the summary and 2 words of backends, or of 3 and 157
is(counts(122, 5, 6, '=5'), '1 2', 'two backends of 122, in one word');
is(counts(122, 5, 100, '=5', '=100'), '1 3, 1 3', '... in two words');
is( counts(10_000, 900, 899, 9_990, '=900', '=899', '=9990'),
	'2 5, 2 5, 2 4',
	'three backends of 10,000, far from each other');
is(counts(10_000, 5_000, map({ 1_300 * $_ } 0 .. 7), '=5000'),
	'8 12', '... and nine: one word for each, and the summary');
is(counts(262_143, 0, 262_142, '=0', '=262142'), '1 66, 1 4', 'two of as many as can be');
is( counts(10_000, map({ 64 * $_ } 0 .. 150), '=0', '=9600'),
	'150 67, 150 67',
	'more than a count visits: at most a word for each visit');

# Those that leave
is(counts(10_000, 0, map({ ($_, "-$_") } 1 .. 9_999), 9_000, '=0'),
	'1 5', 'places that were in use cost nothing');
is(counts(10_000, 0, 1, 64, 65, '-64', '=0'), '2 3', 'a word that one of two has left');
is(counts(10_000, 0, 9_000, '-9000+9001', '=0', '=9001'),
	'1 5, 1 4', 'one registers while the last one of its word unregisters');

done_testing();
