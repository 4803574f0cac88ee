# Are the phases of commits, and the share of stalls, right where only some
# flushes were timed, or a stop is in sums as well, and the causes of stalls
# where only some are kept?
#
# track_wal_io_timing may be on in few sessions, or since a few minutes.  The
# other flushes are taken to be like those that were timed.  t/unit/period.pl
# has what the report says since a reset.  commit_stall_log has the latest 512.

use CommitStats;

my $row = compile_program('t/unit/timed_flushes_history.c');

# 20 commits, 8 of which others carried, and 10 flushes of 1 ms
sub of_row ($timed, $carried = 8, $stalls = 0, @logged)
{
	return $row->([ 20, $carried, 10, $timed, 15e6, $timed * 1e6, $stalls, @logged ]);
}

is(of_row(10), '10000000 5000000 0 0', 'a row: all were timed');
is(of_row(1), '10000000 5000000 0 0', 'a row: one was');
is(of_row(0), '0 0 15000000 0', 'a row: none was, nobody knows whose flushes they are');
is(of_row(0, 0), '15000000 0 0 0', '... unless no other carried a commit');
is(of_row(10, 8, 2e6), '10000000 5000000 0 3000000', 'stalls have a fifth of the flushes');
is(of_row(1, 8, 2e6), '10000000 5000000 0 3000000', '... and of the waits, if one was timed');
is( of_row(10, 8, 2e6, 2, 5),
	'10000000 5000000 0 10000000',
	'... or the commits that waited for them');
is( of_row(10, 8, 2e6, 1, 5),
	'10000000 5000000 0 10000000',
	'... and as many for one that is not logged');
is(of_row(10, 8, 2e6, 0, 5), '10000000 5000000 0 3000000', '... if another one is');
is(of_row(10, 8, 2e6, 2, 9), '10000000 5000000 0 15000000', '... but no more than all wait');
is($row->([ 20, 8, 10, 1, 15e6, 9e6, 0 ]),
	'15000000 0 0 0', 'no commit waits longer than it takes');
is( $row->([ 20, 0, 10, 0, 15e6, 0, 12e6 ]),
	'15000000 0 0 15000000',
	'... nor for all causes of stalls together, if no flush was timed');

# A stop of all backends is a part of each phase, also of those with sums.
is($row->([ 'stopped', 1e9, 0, 0, 700, 300 ]), '0 700000000 300000000', 'a stop: its samples');
is( $row->([ 'stopped', 1e9, 6e8, 420, 280, 300 ]),
	'600000000 280000000 120000000',
	'... of the rest, its part, beside a phase that has a sum');
is( $row->([ 'stopped', 1e9, 6e8, 0, 0, 300 ]),
	'600000000 0 400000000',
	'... all, if no sample saw anything else');

# A minute: its stalls, those of a checkpoint and of no known cause that are
# kept, and how many are not
sub causes (@stalls)
{
	return $row->([ 'stalls', @stalls ]);
}

is(causes(500, 400, 100, 0), '400 400000, 100 100000', 'stalls: all are kept');
is(causes(500, 300, 100, 0), '300 300000, 200 200000', '... or will be');
is(causes(1200, 384, 128, 688), '900 900000, 300 300000', '... or the latest, which stand for all');
is(causes(1201, 384, 128, 689), '900 900750, 301 300250', '... whole ones');
is(causes(301, 1, 0, 300), '1 1000, 300 300000', '... but not those after a reset of the log');
is(causes(600, 0, 0, 600), '0 0, 600 600000', '... or none');

done_testing();
