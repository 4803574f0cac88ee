# Which standby does the report of a period name, and when the archiver?  Which
# phases does it take from sums, and which checkpoints count?
#
# The history keeps how long commits waited, but not for which standby.  Slow
# commits know that, and the latest are kept.  They stand for all only if slow
# ones have a quarter of the waits.  A share is of all waits.

use CommitStats;

my $program = compile_program(
	't/unit/period.c', 'src/report/report_format.c',
	'src/base/histogram.c', 'src/stats/commit_phase.c',
	'src/stats/slow_log.c', 'src/stats/standby.c');

sub named (@arguments)
{
	return $program->(\@arguments);
}

sub blamed (@waits)
{
	return named('standby', @waits);
}

is(blamed(29, 4, ('away=1.65') x 4),
	'list', 'slow commits have 6.6 s of 29: none, as it is less than a quarter');
is(blamed(12, 4, ('away=1.65') x 4), 'away 0.55', '... of 12: theirs');
is(blamed(26.4, 16, ('away=1.65') x 4),
	'away 0.25', 'four of 16 that are kept, all like these: at least theirs');
is(blamed(26.4, 17, ('away=1.65') x 4, 'late=1'),
	'away 0.25', '... and not those of another standby');
is(blamed(26.4, 8, ('away=1.65') x 4), 'away 0.25', '... or of 8');
is(blamed('only 26.4', 16, ('away=1.65') x 4), 'away 1.00', '... or all, if there is no other one');
is(blamed(20, 3, 'one=4', 'two=7', 'one=4'), 'one 0.40', 'of two, that with most of the waits');
is(blamed('hang 100', 1, 'away=60'),
	'away 0.60', 'where commits hang, samples know all waits: of these');
is(blamed('hang 100', 1, 'away=1'), 'list', '... of which those that have ended are too few');
is(blamed('hang 100', 0, 'away=90:30'), 'away 0.60', '... also those that ended after the period');
is(blamed('hang 100', 1, 'away=160'), 'away 1.00', '... or began before it');
is(blamed('hang 100', 1, 'away=120:-40'), 'away 0.60', '... of which those parts are not in it');
is(blamed('hang 100', 0, 'away=60:60', 'late=40:5'), 'late 0.35', '... or all but nothing');
is(blamed(29, 0), 'list', 'no slow commit: none, but the list, as nothing was counted since then');
is(blamed('only 29', 0), '-', '... or not that, as it is older');
is(blamed(0, 0), 'list', 'no wait: none');
is(blamed('counted 25 of 29 after 6', 0),
	'listed 0.66', 'the list was set in the period: its standby, if that has half of the waits');
is(blamed('counted 20 of 29 after 6', 0), '-', '... less all that came later');
is(blamed('counted 90 of 3 after 87', 0), '-', '... which samples saw, and these miss some');
is(blamed('later 30 of 29 after 6', 0), '-', 'the list was set after the period: none');

# Of commits that wait for no flush, no sum tells how long their records took.
is(named('hanging', 0.25, 120, 80), '0.20', 'commits that hang: samples have more than sums');
is(named('hanging', 7, 120, 80), '0.00', '... but not twice of that');
is(named('hanging', 0.25, 20, 180), '0.00', '... or too few samples of waits for a flush');
is(named('hanging', 0.25, 20, 180, 170, 0), '0.20', '... but for locks, which samples see as well');
is(named('hanging', 10, 20, 180, 170, 0), '0.00', '... not twice of that');
is(named('hanging', 0.25, 20, 180, 170, 17), '0.00', '... or which asynchronous commits can have');
is(named('hanging', 0.25, 20, 180, 170, 4), '0.20', '... or these only in part');

# Locks, by the time of all waits for their holder
is( named('locks', 80, 100, 0, 'before:row:7:2', map { "before:transaction:8:$_" } 1, 1, 1),
	'transaction of 8 0.80; - 0.00;',
	'most time, in shorter waits');
is( named(
		'locks', 80, 100, 0, 'before:transaction:8:1', 'before:row:8:1', 'before:transaction:8:1'),
	'row of 8 0.80; - 0.00;',
	'... also for a row of the same holder');
is( named('locks', 80, 100, 0, map { "before:row:$_:1" } qw(7:2 8:3 7:2 9:1)),
	'row of 7 0.80; - 0.00;',
	'who held it for most of the waits, not for the newest one');
is( named('locks', 80, 100, 0, 'before:row:6:3:2', map { "before:row:$_:1" } qw(7:2 8:1 9:1)),
	'row of 7 0.80; - 0.00;',
	'... of the lock with the most of them');
is( named('locks', 150, 100, 100, 'before:row:7:2', 'record:row:8:1'),
	'row of 7 1.00; row of 8 0.50;',
	'a lock of each phase');
is( named('locks', 150, 50, 100, 'before:row:7:2'),
	'row of 7 1.00; - 1.00;',
	'more waits than a phase has are of the other one');
is(named('lock', 0), 'a lock (which one is not known)', 'after a restart: some lock');
is( named('lock', 10),
	'a lock (which one is not known; pg_prepared_xacts may have its holder)',
	'... perhaps of a prepared transaction');

# From 18 on, nothing tells whether a commit that got its id late has flushed.
is( named('uncertain', 1961, 1953),
	'  Perhaps more flushes: 1953 of these commits may have led one.',
	'commits that got their id late');
is(named('uncertain', 10000, 500), '', '... few of them');
is( named('uncertain', 100, 128),
	'  Perhaps more flushes: 100 of these commits may have led one.',
	'... or all');

# Transactions of more than 1 MB tell who wrote most of the WAL.
is(named('heaviest', 100, qw(1=30:10 2=20:10 1=31:20)) =~ s/.* //r,
	'0.61', 'most WAL is of one client');
is(named('heaviest', 100, qw(1=30:10 2=20:10 1=31:200)), '-: 0.00', '... not in this period');

# A stop of all backends, of which sums have a part
is(named('stopped', 0.6, 300), '42 30 28', 'a stop: its part of each phase, also of sums');
is(named('stopped', 0.6, 0), '60 30 10', '... or none');

# An archiver that fails tries again after a minute at most.
is(named('archiver', 13, 3600), 'failed 13 times', 'an archiver that failed for minutes');
is(named('archiver', 1, 60), 'failed 1 time', '... or just now');
is(named('archiver', 1, 3600), '-', '... or once in an hour');

# A checkpoint every 300 s, before max_wal_size asks for it.  A reset forgets
# what was before the oldest one.
my @once = (950, 300, 701, 200);
my @twice = (960, 310, @once);
is(named('cycles', 1000, 0, 0, 951, @once), '0 s, 100 MB, asked', 'a checkpoint for a command');
is(named('cycles', 1000, 0, 0, 961, @twice), '0 s, 55 MB, asked', '... or the second of two');
is(named('cycles', 1000, 0, 0, 951, @twice), '0 s, 55 MB, asked', '... or both');
is(named('cycles', 1000, 0, 0, 949, @twice),
	'0 s, 55 MB', '... or, as may be, one before these was in time');
is(named('cycles', 1000, 0, 0, 0, @once), '0 s, 100 MB', '... or no flush stalled');
is(named('cycles', 1000, 0, 0, 1002, 1001, @once[ 1 .. 3 ]), '0 s, 100 MB', '... or in time');
is(named('cycles', 400, 0, 0, 951, @once), '0 s, 100 MB', '... or, as may be, for its WAL');
is(named('cycles', 1000, 0, 702, 951, @once), '0 s, 0 MB', '... or by another setting');
is(named('cycles', 1000, 702, 0, 951, @once), '0 s, 0 MB', '... or as the server has restarted');

# The server was down, or a standby, from 100 to 5,000
my @newest = (6000, 40, 5700, 30, 5400, 20, 5100, 10);
is(named('cycles', 0, 5000, 0, 0, @newest, 100, 4),
	'300 s, 10 MB', 'the distance of checkpoints since the server started');
is(named('cycles', 0, 5200, 0, 0, @newest), '0 s, 10 MB', '... unknown, if they are too few');
is(named('cycles', 0, 7000, 0, 0, @newest), '0 s, 0 MB', '... or none');
is(named('cycles', 0, 0, 5300, 0, @newest),
	'0 s, 10 MB', '... or since the settings of checkpoints have changed');
is(named('cycles', 0, 7000, 0, 0), '0 s, 0 MB', '... or if there is no cycle');

# Where only some flushes were timed, the others are taken to be like these.
# 20 commits: 10 lead, in 12 ms; the others take 8 ms
sub since_reset ($timed, $length = 1e6)
{
	return named('phases', 20, 10, 10, $timed, 12e6, 8e6, $timed * $length);
}

is(since_reset(10), '50 50 0', 'since the reset: all were timed');
is(since_reset(1), '50 50 0', '... or one');
is(since_reset(0), '60 40 0', 'none was: the time of leaders');
is(since_reset(1, 9e6), '60 40 0', '... which is no longer with one that was slow');

# Slow commits are kept since the reset, and samples for a minute.
like(
	named('head', 60, 345600),
	qr/\n\(1 commit in the last 1 min 0 s, from samples; slow ones in the last 4 d 0 h;\s+in % of/,
	'slow commits that are older than the samples say so');
like(
	named('head', 60, 119),
	qr/\n\(1 commit in the last 1 min 0 s, from samples; in % of/,
	'... or are hardly older');

my $before = qr/from samples; slow ones with their time before that; in/;
like(named('head', 60, 61, 100) =~ s/\n / /gr, $before, '... or longer than these');
unlike(named('head', 60, 61, 59) =~ s/\n / /gr, $before, '... or shorter');

is(named('ended', 301, 150, 150),
	101, 'of a commit that hung for long, the minute has its own part');
is(named('ended', 41, 40), 41, '... which may be all of it');

# The last row of a period closes some ms late, or early.
like(named('head', $_->[0], 0), qr/^\(1 commit in the last $_->[1], from samples;/m, "$_->[0] s")
  for [ 59.9, '59\.9 s' ], [ 60.4, '1 min 0 s' ], [ 3599.4, '59 min 59 s' ],
  [ 3599.996, '1 h 0 min' ], [ 7199.996, '2 h 0 min' ], [ 7259, '2 h 0 min' ],
  [ 86399.996, '1 d 0 h' ], [ 176400, '2 d 1 h' ], [ 9435181017599.9, '109203484 d 0 h' ];

# A load of one client ended, and many commit together.  With many connections,
# few commits count siblings.
is(named('siblings', 1, 20, 80, 700), '0.8 1.6 0.8 2 2',
	'siblings are those of the newest flushes');
is(named('siblings', 1, 19, 80, 700), '0.047 0 0 0 1', '... not where too few of these counted');
is(named('siblings', 61, 20, 80, 700), '0.047 0 0 0 1', '... or are older than a minute');

# A former commit_delay is not the present one's; a session may have read the
# configuration just now.
is(named('sleeps', 1000, 1, 3600, 7200), '0 0.75', 'sleeps of the newest flushes');
is(named('sleeps', 0, 1, 3600, 7200), '40 0.75', '... where commit_delay is 0');
is(named('sleeps', 0, 1, 3.05, 7200), '21 0.71', '... since a second after it was set to 0');
is(named('sleeps', 0, 1, 3600, 2.05), '21 0.71', '... or since a reset');
is(named('sleeps', 1000, 61, 3600, 7200),
	'0 0.00', '... not if the newest flush is older than a minute');
is(named('sleeps', 100, 1, 3600, 7200), '40 0.75', '... that are much longer than commit_delay');
is(named('sleeps', 100, 1, 3600, 7200, 'short'), '0 0.75', '... always');
is(named('alone', 19, 0, 19, 0, 19), '0.00', 'few sleeps: nothing is known of what they carried');
is(named('alone', 2400, 0, 2416, 0, 2464),
	'1.00', 'as many flushes as commits: they carried nobody');
is(named('alone', 2400, 1200, 2500, 20, 2400),
	'0.90', '... or at most as many as there are more commits and prepares');
is(named('alone', 100, 0, 1000, 0, 100), '0.00', '... which may be any of them');
is(named('sleeper', 11, 21, 12, 50, 51, 52), '1', 'the client of most leaders that are there');
is(named('sleeper', 11, 21, 31, 12), '0', '... of no more than half of these');
is(named('sleeper', 50, 51), '0', '... none is');
is(named('made', 1149, 223, 926), '0', '... of which the client of most sleeps may have none');
is(named('made', 1036, 223, 925), '1', '... or must have most');
is(named('made', 925, 223, 926), '1', '... or has more now than were counted before');

# Where the phases are those of the last minute, what was behind its stalls is,
# too: a backup in the night had longer ones.
my @night = ('checkpoint:39600:4:1:sync', 'bulk:39600:5:1:7');
my @lately = ('checkpoint:30:0.4:0.6:write', 'bulk:20:0.4:1:8', 'bulk:10:0.1:1:9');
is( named('stalls', 60, @night, @lately),
	'write, pid 8, and of others, 0.6',
	'stalls of the last minute');
is(named('stalls', 60, @night), '-, -, 0', '... in which there were none');
is( named('stalls', 60, 'bulk:30:0.4:1:8', 'bulk:20:0.5:1:9', 'bulk:10:0.2:1:8'),
	'-, pid 8, and of others, 0',
	'... most behind the WAL of a client that had several');
is(named('stalls', 60, 'bulk:30:0.4:1:8', 'bulk:20:0.5:1:0'),
	'-, pid 8, 0', '... beside one whose client is not known');
is(named('stalls', 60, 'bulk:20:0.5:1:0'), '-, -, 0', '... which one is not known');
is(named('stalls', 2592000, @night, @lately), 'sync, pid 7, 0.8', '... or of all since the reset');
is( named('stalls', 'period', 86400, @night, @lately),
	'sync, pid 7, 0.8',
	'... or of all of a period');
is( named('stalls', 60, map { "checkpoint:30:$_" } qw(0.2:1:write 0.5:1:segment 0.2:1:sync)),
	'segment, -, 1',
	'... most as a checkpoint made a segment');
is(named('stalls', 60, map { "checkpoint:30:$_" } qw(0.3:1:segment 0.45:1:sync 0.25:1:write)),
	'sync, -, 1', '... the largest phase, though the others are longer together');
is(named('stalls', 'period', 3600, @night), '-, -, 0', '... but none before it');
is(named('stalls', 'period', 3600, 'unknown:60:1:0:0'), 'unknown, -, -, 0',
	'some of unknown cause');
is(named('stalls', 'period', 3600, 'unknown:3660:1:0:0'), '-, -, 0', '... before it');

# The log has the stalls since the server started, and sums of commits are
# those since the reset, 30 days ago.
is(named('share', 259200, 1000, 1), '0.01', 'a stall in the tenth of the time that the log has');
is(named('share', 120, 6, 0.06), '6e-05', '... or in all of it, just after the start');

is(named('round', $_->[0]), $_->[1], "$_->[0] as a share")
  for [ '0.04', '0' ], [ '-0.04', '0' ], [ '-0', '0' ], [ '-0.06', '-0.1' ], [ '-2.04', '-2' ];

done_testing();
