# When does the background worker see a checkpoint?
#
# A wait event of the checkpointer tells a phase of a checkpoint, and the phase
# lasts while the checkpointer runs or waits for WAL.  But WAL alone is none:
# archive_timeout makes the checkpointer switch to another segment.

use CommitStats;

my $program = compile_program('t/unit/watch.c');

sub phases (@events)
{
	return $program->([ 'checkpoint', @events ]);
}

is( phases(qw(idle wal_write wal_sync wal_init idle)),
	'none none none none+ none',
	'a switch to another WAL segment');
is( phases(qw(idle runs file_write wal_sync runs file_sync slru_sync wal_sync wal_init idle)),
	'none write write write write sync sync sync sync+ none',
	'a checkpoint');
is( phases(qw(wal_sync file_write file_sync file_write idle wal_write)),
	'none write sync sync none none',
	'... after a switch; what it writes while it syncs is no phase');

is( $program->([ 'pause', 1, 4, 1 ]),
	'1.50 s not run, 0.20 s of flushes',
	'one commit before a pause, four after it');
is( $program->([ 'pause', 1, 4, 0 ]),
	'6.00 s not run, 0.20 s of flushes',
	'... and a limit of the CPU, of which each look sees a part');

is( $program->([qw(naps 60 0 299 0 300 0 1550 700 1550 800 1550 0)]),
	'0 0 250 1500 0q 1500',
	'a nap that is late is a pause, unless it waits for a processor');
is($program->([qw(naps 69 19 70 10 70 9 130 80 40 0)]),
	'0 0q 0 0q 0', '... in which case commits do, too, if it is late by 20 ms');

is($program->([qw(processor 0 0)]), '1 1', 'a flush waits for a processor, and makes a segment');
is($program->([qw(processor 1 0)]), '0 0', '... which began after the time that is asked for');
is($program->([qw(processor 1 1)]), '1 0', '... unless the worker waited for one in that time');

is($program->([qw(flusher wal_write D 0)]), '0 2', 'two commits wait as WAL is written');
is($program->([qw(flusher wal_write R 0)]), '2 0', '... or as that process could run');
is($program->([qw(flusher wal_sync D 0)]), '0 0', '... or as WAL is synced');
is($program->([qw(flusher wal_write D 1)]), '0 0', '... or as the write is the sync');

# A volume: looks, and before each of them flushes, requests and kB
sub others (@looks)
{
	return $program->([ 'volume', 3, @looks ]);
}

is(others(30, 10, 20, 100), '0', 'flushes alone, of two requests');
is(others(30, 10, 41, 100), '2', '... of four, of which a flush may have as many');
is(others(30, 10, 67, 100), '40 others', 'more requests than flushes can have');
is($program->([ 'volume', 2, 30, 10, 67, 100 ]), '0', '... while flushes leave it free');
is(others(30, 0, 1, 1), '0', '... but few');
is( others(130, 10, 20, 100, 30, 10, 33, 100, 30, 10, 34, 100, 30, 10, 20, 100),
	'0 39 41 others 0',
	'two requests, as 1,024 flushes have shown, and those of others');
is(others(130, 10, 20, 100, -30, 10, 40, 100), '0 0',
	'... unless WAL is synced in another way now');
is(others(30, 1, 2, 70), '0 others', 'many bytes');
is(others(30, 1, 2, 60), '0', '... of flushes, as may be');

# Positions in the WAL, in kB; segments are of 16384 kB
sub inserted (@positions)
{
	return $program->([ 'inserted', @positions ]);
}

is(inserted(1000, 1001, 16384, 16385), '1 0 1', 'a switch to another segment is no WAL');
is(inserted(1000, 1001, 16000), '1 14999', '... nor is it one within a segment');
is( inserted(1000, 1001, 21001, 41001, 61001),
	'1 0 20000 20000',
	'WAL at once, of which one look sees nothing');
is(inserted(16000, 16400, 16900), '400 500', 'WAL that reaches another segment');

is($program->(['processes']),
	'01 11 11', 'before its record, a commit may use parallel workers, for which it waits');

is($program->([qw(writes 0)]), '0 1 2 3 4 5 6 7 8', 'commits that write WAL, in each phase');
is( $program->([qw(writes 1)]),
	'0 1 2 1 1 1 1 7 8',
	'... make room for their record, if they wait for no flush');

is($program->([qw(writers 20 100 10 0)]), '100:20 101:20 102:20 103:20', 'who wrote');
is( $program->([qw(writers 20 100 5 200 5 103)]),
	'103:25 100:20 101:20 102:20',
	'... in most looks, though others did in the newest ones');

is($program->(['waits']), '20 30 0', 'waits of a process are those of its own place');

is($program->([qw(holder 8 8 8 8 9 9)]),
	'8 of 300 ms', 'the holder of a lock for most of a wait, not the next one in the queue');
is($program->([qw(holder 0 0 0 7 8)]), '0 of 250 ms', '... a prepared transaction');
is($program->([qw(holder 8 8 9 9 9)]), '9 of 250 ms', '... or the later one');
is($program->([qw(holder 8 +9 9)]), '9 of 100 ms', '... of the longest wait');
is($program->([qw(holder 8 8 8 +9)]), '8 of 150 ms', '... which is not the last one');

is($program->([qw(set 300 300 600 600)]),
	'0 0 3 3', 'settings of checkpoints: the reload that changed them');
is($program->(['apart']), 'apart', 'a worker that is away: the WAL stays where it was');

is($program->([qw(busy 12 12 12 0 0)]), '2', 'commits became few; what ends does so at once');
is($program->([qw(busy 12 12 12 0 1 7)]), '3', '... and are few since');
is($program->([qw(busy 1 0 1)]), '0', '... or always were');
is($program->([ 'busy', 90, (0) x 1800 ]), '0', '... as far as samples are kept');

# Idle, the worker looks less often; its looks have no vote.
is($program->([ 'event', qw(0 0 500 7 3 10 8 2 10 7 3 10 0 0 500) ]),
	'4 of 8 for 7', 'an event leads by the waits of looks, however long they are');

done_testing();
