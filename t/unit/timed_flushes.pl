# Are the phases of commits, and the share of stalls, right where only some
# flushes were timed?
#
# track_wal_io_timing may be on in few sessions, or since a few minutes.  The
# other flushes are taken to be like those that were timed.  t/unit/period.pl
# has what the report says since a reset.

use CommitStats;

my $row = compile_program('t/unit/timed_flushes_history.c');

# 20 commits, 8 of which others carried, and 10 flushes of 1 ms
sub of_row ($timed, $carried = 8, $stalls = 0)
{
	return $row->([ 20, $carried, 10, $timed, 15e6, $timed * 1e6, $stalls ]);
}

is(of_row(10), '10000000 5000000 0 0', 'a row: all were timed');
is(of_row(1), '10000000 5000000 0 0', 'a row: one was');
is(of_row(0), '0 0 15000000 0', 'a row: none was, nobody knows whose flushes they are');
is(of_row(0, 0), '15000000 0 0 0', '... unless no other carried a commit');
is(of_row(10, 8, 2e6), '10000000 5000000 0 3000000', 'stalls have a fifth of the flushes');
is(of_row(1, 8, 2e6), '10000000 5000000 0 3000000', '... and of the waits, if one was timed');
is($row->([ 20, 8, 10, 1, 15e6, 9e6, 0 ]),
	'15000000 0 0 0', 'no commit waits longer than it takes');

done_testing();
