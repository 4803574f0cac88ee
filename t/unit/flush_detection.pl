# What does it cost if errno tells nothing, and is the answer right?
#
# From PostgreSQL 18 on, errno tells who flushed, and now and then the server's
# statistics do.  The test compiles src/probe/flush_detection_errno.c into a
# program (t/unit/flush_detection.c) that commits in a simulated server, and
# counts how often these statistics are read.

use CommitStats;

my $EINTR = 4;
my $program = compile_program('t/unit/flush_detection.c', 'src/probe/flush_detection_errno.c');

# "flushes uncertain before after" for each of these lines
sub answers
{
	return split /\n/, $program->(@_);
}

my @a = answers();
plan skip_all => 'this server tells who flushed' if @a && $a[0] eq 'not needed';

# The first commit is looked up, and then each 65th.
@a = answers('6500 1 - 0 0', '6500 0 - 0 0');
is($a[0], '6500 0 100 0', 'leaders: one of 65 commits is looked up');
is($a[1], '0 0 100 0', 'followers: likewise');

# A signal now and then interrupts the wait for a standby.
my @lines = ('1 1 - 0 0', ("1 1 $EINTR 0 0", '49 1 - 0 0') x 130);
my @sum = (0) x 4;
for my $answer (answers(@lines))
{
	my @value = split / /, $answer;
	$sum[$_] += $value[$_] for 0 .. 3;
}
is("@sum[0, 1]", '6501 0', 'one mark of 50 is lost: each flush is found');
is($sum[2], 651, '... with five look-ups after each');
is($sum[3], 130, '... and one reading for each lost mark');

# ... or in each commit
@a = answers("6500 1 $EINTR 0 0", "6500 0 $EINTR 0 0", '6500 1 - 0 0');
is($a[0], '6500 0 6500 0', 'each mark is lost: each commit is looked up');
is($a[1], '0 0 6500 0', '... and followers are followers');
is($a[2], '6500 0 104 0', '... until marks are not lost any more');

# A commit whose only WAL comes after its begin, as that of ON COMMIT DELETE
# ROWS, which truncates files: each mark is lost.
@a = answers('1 1 - 0 0', "6500 1 u$EINTR 0 0", "6500 0 u$EINTR 0 0");
is($a[1], '6500 0 6499 1', 'WAL comes late, and each mark is lost: each flush is found');
is($a[2], '0 0 6500 0', '... and followers are followers');
@a = answers('1 1 - 0 0', '6500 1 u- 0 0');
is($a[1], '6500 0 0 0', '... and no look-up, if no mark is lost');

# Leaders and followers by turns, each mark lost
@a = answers('1 1 - 0 0', ("1 1 $EINTR 0 0", "2 0 $EINTR 0 0") x 20);
is_deeply(
	[ map { (split / /)[0] } @a ],
	[ 1, (1, 0) x 20 ],
	'each leader is found, commit by commit');

# A mark is lost now and then: a flush outside commits, or a second sync at the
# end of a segment, is taken for one of the commit.  Marks that are lost one
# after the other, or by turns, leave nothing to guess.
for my $other ('1 0 - 1 0', '1 2 - 0 0')
{
	@a = answers(
		'10 1 - 0 0', $other,
		("1 0 $EINTR 0 0") x 2,
		(($other, "1 0 $EINTR 0 0") x 20),
		("1 0 $EINTR 1 0") x 20);
	my @flushes = map { (split / /)[0] } @a;
	my $one = (split / /, $other)[1] > 0 ? 1 : 0;

	is_deeply(
		\@flushes,
		[ 10, $one, 1, 0, ($one, 0) x 20, (0) x 20 ],
		"commits like '$other': one flush is guessed, and no more");
}

# Statistics are dropped
@a = answers('1 1 - 0 0', "1 1 $EINTR 0 1", "1 1 $EINTR 0 0");
is($a[1], '0 1 0 0', 'statistics were dropped: a lost mark leaves the commit uncertain');
is($a[2], '1 0 1 0', '... and the next commit is looked up');

# Errno lies: it says that no commit flushed
@a = answers('200 1 -1 0 0', '10000 1 -1 0 0');
is($a[0], '200 64 200 0', 'errno lies: all commits are looked up');
is($a[1], '10000 0 10000 0', '... and none is uncertain any more');

done_testing();
