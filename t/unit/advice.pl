# What does the report conclude from figures?
#
# Each situation has the figures that were seen in it once, or the smallest
# ones that decide: the cause named first, the answer on a delay, and what must
# not be said.  src/report/causes.c needs no server.  The test compiles it into
# a program (t/unit/advice.c) that reads plain numbers.

use CommitStats;
use List::Util qw(sum);

my $program =
  compile_program('t/unit/advice.c', map { "src/report/$_.c" } qw(causes report_format));

# A server with ten clients on a device that takes 500 us: the load is half of
# what the threshold is, 4000/s.
my %usual = (
	counting => 1,
	fsync => 1,
	io_timing => 1,
	siblings => 5,
	commits => 20000,
	carried => 20000,
	flushes => 10000,
	commit_rate => 2000,
	flush_rate => 1000,
	phase_mean => 1000,
	'phase:flush' => 0.25,
	'phase:other' => 0.75,
	own_flush => 0.25,
	commit_p99 => 3000,
	flush_time => 500,
	flush_p50 => 450,
	flush_p99 => 900,
	disk_busy => 0.5,
	listeners => -1,
	wal_recycle => 1,
	wal_init_zero => 1,
	archiver => 'archive_command',
	min_wal_size => 80,
	max_wal_size => 1024,
	completion_target => 0.9,
	checkpoint_timeout => 300,
	siblings_half => 7,
	siblings_mean => 6,
	concurrency => 0.99,
	reach => 0.9);

# A device that takes 4 ms for each flush, and commits that come one by one.
my %queue = (
	flush_time => 4100,
	flush_p50 => 4000,
	flush_p99 => 4900,
	flush_rate => 239,
	commit_rate => 239,
	disk_busy => 0.98);
my %one_by_one = (%queue, carried => 10000, commits => 10000);

sub conclude (%figures)
{
	my %all = (%usual, %figures);
	my @phases = grep { /^phase:/ } keys %figures;

	# flushes have the time that the phases of a situation leave
	$all{'phase:other'} = $figures{'phase:other'} // 0 if @phases;
	$all{'phase:flush'} = $figures{'phase:flush'} // 1 - sum(@figures{@phases}) if @phases;
	my $out = $program->(join "\t", map { "$_=$all{$_}" } sort keys %all);

	unlike($out, qr/\b(nan|inf|null)\b|-\d+ /i, 'only numbers');
	unlike($out, qr/^.{79}/m, 'not too wide');
	my ($said, $sweep) = split /^Its sweep\n/m, $out;
	# of a period, nothing is said of a delay
	my ($causes, $step, $delay) =
	  $said =~ /^(.*?)((?:^(?:First step:|To predict) .*?)?)^commit_delay as a remedy: (.*)/ms
	  ? ($1, $2, $3)
	  : ($said, '', '');
	my ($first) = $causes =~ /^  1\. (.*?)(?=^  \S|^\w|^     ->|\z)/ms;
	my ($max_p99) = $sweep =~ /max_p99 => '([\d.e+]+) ms'/;
	my ($delays) = $sweep =~ /ARRAY\[([\d, ]+)\]/;
	my ($siblings) = $sweep =~ /\], ARRAY\[([\d, ]+)\]/;
	my ($remedy) = $causes =~ /^     -> (.*?)(?=^  \S|^\w|\z)/ms;

	s/\n +/ /g for grep { defined } $first, $remedy;
	return {
		causes => $causes =~ s/\n {5,}/ /gr,
		first => $first // '',
		remedy => $remedy // '',
		step => $step,
		delay => $delay =~ s/\n  / /gr,
		max_p99 => $max_p99,
		delays => $delays,
		siblings => $siblings
	};
}

# The cause named first, and the answer on a delay; "not" is said nowhere.
sub says ($name, $first, $delay, %figures)
{
	my $not = delete $figures{not};
	my $remedy = delete $figures{remedy};
	my $said = conclude(%figures);

	like($said->{first}, qr/^$first/, "$name: the first cause");
	like($said->{delay}, qr/^$delay/s, "$name: a delay");
	like($said->{remedy}, qr/$remedy/, "$name: what to do") if defined $remedy;
	unlike(join("", @$said{qw(causes step delay)}), qr/$not/, "$name: nothing false")
	  if defined $not;
	unlike($said->{delay}, qr/SELECT|ALTER/, "$name: nothing to try") if $delay =~ /^no\b/;
	unlike($said->{delay}, qr/To try.*To try/s, "$name: nothing is said twice");
	return;
}

says(
	'NOTIFY',
	'94\.7% NOTIFY: .* 4\.18 ms each, of which 4\.10 ms for its flush: at most 239 such commits/s\. No session of its database listens\.',
	'no\. NOTIFY commits come one after the other \(100% of the commits\)\.',
	%one_by_one,
	'phase:NOTIFY' => 0.947,
	'phase:flush' => 0.05,
	commits_notify => 10000,
	'notify.commits' => 100,
	'notify.hold_time' => 418e6,
	'notify.flush_time' => 410e6,
	listeners => 0,
	not => 'sweep|adaptive');
says(
	'... that waits for a standby',
	'89\.7% NOTIFY: .* 28\.5 ms each, of which 3\.54 ms for its flush, and more the wait for its standby: at most 35\.1 such',
	'no\. NOTIFY commits',
	%one_by_one,
	'phase:NOTIFY' => 0.897,
	'phase:flush' => 0.014,
	'phase:standby' => 0.087,
	commits_notify => 10000,
	'notify.commits' => 100,
	'notify.hold_time' => 2850e6,
	'notify.flush_time' => 354e6);
says(
	'... with a listener that does not read',
	'80\.0% NOTIFY: only one commit at a time can hold its lock\. Its queue is 12\.0% full: a session that listens has not read it yet\.',
	'no\. NOTIFY commits',
	%one_by_one,
	'phase:NOTIFY' => 0.8,
	commits_notify => 10000,
	listeners => 3,
	queue => 0.12);
says(
	'LISTEN, with another listener that does not read',
	'90\.0% record: .*, as LISTEN, which reads the queue of NOTIFY \(1\.3% full\), ON COMMIT DELETE ROWS or DROP, or that of an extension\.',
	'no\. 90\.0% of commit time',
	'phase:record' => 0.9,
	queue => 0.013,
	remedy =>
	  '^if it is LISTEN, end the transaction of the session that does not read the queue; else');
says(
	'... in a short queue',
	'90\.0% record: .*, as ON COMMIT DELETE ROWS or DROP, or that of an extension\.',
	'no\. 90\.0% of commit time',
	'phase:record' => 0.9,
	queue => 0.0009,
	not => 'LISTEN');
says(
	'NOTIFY of many messages',
	'80\.0% NOTIFY: .* 15\.0 ms each, mostly to write its messages: at most 66\.7 such commits/s\.',
	'no\. NOTIFY commits',
	%one_by_one,
	'phase:NOTIFY' => 0.8,
	commits_notify => 10000,
	'notify.commits' => 100,
	'notify.hold_time' => 1500e6,
	'notify.flush_time' => 40e6,
	'notify.write_time' => 1400e6,
	remedy => '^fewer messages in a transaction: one for many rows');
says(
	'... alone',
	'90\.0% NOTIFY: only one commit at a time can hold its lock, 19\.0 ms each, mostly to write its messages: at most 52\.6 such commits/s\.',
	'no\. 90\.0% of commit time',
	notifies => 1,
	commits_notify => 7,
	'notify.commits' => 7,
	'notify.hold_time' => 133e6,
	'notify.write_time' => 126e6,
	'phase:record' => 0.9,
	remedy => '^fewer messages in a transaction',
	not => 'ON COMMIT');
says(
	'... that few of many commits have',
	'45\.7% NOTIFY: .* 576 us each, of which 373 us for its flush: at most 1740 such commits/s\.',
	'no\. NOTIFY commits',
	notifies => 1,
	'phase:record' => 0.097,
	'phase:NOTIFY' => 0.36,
	'phase:flush' => 0.38,
	'phase:other' => 0.037,
	commits_notify => 10000,
	'notify.commits' => 1325,
	'notify.hold_time' => 763e6,
	'notify.flush_time' => 494e6,
	'notify.write_time' => 126e6,
	remedy => '^fewer messages in a transaction',
	not => 'ON COMMIT|record');
says(
	'... of which not enough is known',
	'90\.0% record: .*, as messages of NOTIFY, ON COMMIT DELETE ROWS or DROP, or that of an extension\.',
	'no\. 90\.0% of commit time',
	'phase:record' => 0.9,
	commits_notify => 100,
	remedy => '^fewer messages of NOTIFY in a transaction, or fewer temporary tables');
says(
	'NOTIFY without a flush',
	'90\.0% NOTIFY: only one commit at a time can hold its lock\. ?$',
	'no\. 90\.0%',
	'phase:NOTIFY' => 0.9,
	commits_notify => 5,
	'notify.commits' => 190000,
	'notify.hold_time' => 2e6);
says(
	'half of it', '80\.0% NOTIFY: only one commit at a time can hold its lock\. ?$',
	'no\. NOTIFY commits',
	'phase:NOTIFY' => 0.8,
	'phase:other' => 0.1,
	commits_notify => 10000);
says(
	'a standby that is gone', "100% standby 'ghost': not connected\\.",
	'no\. Commits hang',
	commits => 8,
	flushes => 8,
	'now.longest' => 12e6,
	seen_enough => 1,
	'phase:standby' => 1,
	standby => 'ghost',
	standby_share => 1,
	remedy => '^start it, or correct');
says(
	"a standby's disk", "83\\.0% standby 'sb1': not flushed \\(90\\.0% of these waits\\)\\.",
	'no\. 83\.0% of commit time is outside of flushes, most of it \'standby\'\.',
	'phase:standby' => 0.83,
	standby => 'sb1',
	standby_stage => 3,
	standby_share => 0.9,
	remedy =>
	  '^its disk or processors, or its walreceiver, which does not answer \(a pg_receivewal needs --slot and --synchronous\); or synchronous_commit = remote_write \(still waits while the walreceiver flushes; if both systems crash, it loses commits\)\n$'
);
says(
	'... of which another stage has much',
	"83\\.0% standby 'sb1': not flushed \\(38\\.7% of these waits; another 33\\.6% 'sb1': not connected\\)\\.",
	'no\.',
	'phase:standby' => 0.83,
	standby => 'sb1',
	standby_stage => 3,
	standby_share => 0.387,
	standby_next => "'sb1': not connected",
	standby_next_share => 0.336);
says(
	"a standby's network",
	"97\\.0% standby 'sb1': not written\\.",
	'no\. 97\.0% of commit time',
	phase_mean => 21000,
	flush_wal => 16384,
	'phase:standby' => 0.97,
	standby => 'sb1',
	standby_stage => 2,
	standby_share => 1,
	remedy =>
	  '^its network, if a ping takes as long \(20\.4 ms a commit\) or it carries no more than 16\.4 MB/s; else its walreceiver, which first flushes to its disk what came before, lacks a processor, or does not answer\n$'
);
says(
	'a standby that did not answer for some time',
	"98\\.6% standby 'sb1': not written\\.",
	'no\. 98\.6% of commit time',
	phase_mean => 102000,
	commit_p50 => 2200,
	'phase:standby' => 0.986,
	standby => 'sb1',
	standby_stage => 2,
	standby_share => 1,
	remedy => '^its network or processors, or its walreceiver, which does not answer \(',
	not => 'ping');
says(
	"a standby's replay",
	"97\\.0% standby 'sb1': not applied\\.",
	'no\. 97\.0% of commit time',
	'phase:flush' => 0.03,
	'phase:other' => 0,
	'phase:standby' => 0.97,
	standby => 'sb1',
	standby_stage => 4,
	standby_share => 1,
	remedy =>
	  '^queries that conflict with its replay, or a replay that is paused, delayed .* or slow .* \(a pg_receivewal applies nothing\)\n$'
);
my %behind = (
	'phase:standby' => 0.97,
	standby => 'sb1',
	standby_stage => 1,
	standby_share => 1,
	standby_behind => 35e6);
says(
	'... that the WAL of others fills',
	"97\\.0% standby 'sb1': not sent, 35\\.0 MB behind\\.",
	'no\. 97\.0% of commit time',
	%behind,
	running_writer => 'autovacuum',
	remedy => '^less WAL at a time of autovacuum, behind which commits wait; else its network');
says(
	'... and nobody writes',
	"97\\.0% standby 'sb1': not sent, 35\\.0 MB behind\\.",
	'no\. 97\.0% of commit time',
	%behind, remedy => '^its network');
says(
	'... that writes little',
	"97\\.0% standby 'sb1': not sent\\.",
	'no\. 97\.0% of commit time',
	%behind,
	standby_behind => 1e6,
	running_writer => 'autovacuum',
	remedy => '^its network');
says(
	'a standby that was away',
	"97\\.0% standby 'sb1': not connected\\.",
	'no\. 97\.0% of commit time',
	%behind,
	standby_stage => 0,
	standby_behind => 0,
	remedy =>
	  '^if it is still away, start it, or correct synchronous_standby_names; else the logs of both servers say why it was\n$'
);
my $row = conclude(
	%behind,
	'seen.n' => 200,
	'seen.in_commit' => 200,
	'seen.blocked_rows' => 2200,
	of_transactions => 0.08);
like(
	$row->{causes} =~ s/\n  / /gr,
	qr/^On average 11\.0 sessions wait for a row or lock that one in COMMIT holds, and so for what that waits for\.\nWhy: /,
	'a row that a COMMIT keeps while it waits for a standby');
unlike($row->{causes}, qr/No setting/, '... is not said to be no matter of COMMIT');
my %hangs = (
	'now.longest' => 12e6,
	'phase:standby' => 1,
	standby => 'sb1',
	standby_share => 1);
says(
	'... which is behind',
	"100% standby 'sb1': not sent\\.",
	'no\. Commits hang',
	%hangs,
	standby_stage => 1,
	remedy =>
	  "^its network, a walreceiver that does not answer, or the primary's processors; while it catches up \\(pg_stat_replication\\), no commit goes on\n\$"
);
says(
	'... which hangs',
	"100% standby 'sb1': not written\\.",
	'no\. Commits hang',
	%hangs,
	standby_stage => 2,
	remedy =>
	  '^its network or processors, or its walreceiver, which does not answer \(a pg_receivewal needs --slot and --synchronous\)\n$'
);
says(
	'a subscription', "83\\.0% standby 'sub': not flushed\\.",
	'no\. 83\.0%',
	'phase:standby' => 0.83,
	standby => 'sub',
	standby_stage => 3,
	standby_share => 1,
	standby_logical => 1,
	remedy =>
	  '^ALTER SUBSCRIPTION \.\.\. SET \(synchronous_commit = on\): without it, its WAL writer flushes what it applies, up to wal_writer_delay later; else its network, if a ping takes as long \(830 us a commit\); else what its subscription waits for as it applies one transaction after the other: locks, triggers or missing indexes there\n$'
);
says(
	'... that takes no more while it applies',
	"97\\.0% standby 'sb1': not sent, 35\\.0 MB behind\\.",
	'no\. 97\.0%',
	%behind,
	standby_logical => 1,
	running_writer => 'client batch (a, b)',
	remedy =>
	  '^less WAL at a time of client batch \(a, b\), behind which commits wait; else its network, if a ping takes as long \(970 us a commit\); else what',
	not => 'processors');
says(
	'... which hangs', "100% standby 'sub': not sent\\.",
	'no\. Commits hang',
	%hangs,
	standby => 'sub',
	standby_stage => 1,
	standby_logical => 1,
	remedy => '^what its subscription waits for');
says(
	'... whose walsender waits for a standby', "100% standby 'sub': not sent\\.",
	'no\. Commits hang',
	%hangs,
	standby => 'sub',
	standby_stage => 1,
	standby_logical => 1,
	standby_slots => 'near, far',
	remedy => "^the standbys of synchronized_standby_slots \\('near, far'\\), to which");
says(
	'... which is none', "100% standby 'cdc': not written\\.",
	'no\. Commits hang',
	%hangs,
	standby => 'cdc',
	standby_stage => 2,
	standby_logical => 1,
	standby_reader => 1,
	remedy => '^leave it out of synchronous_standby_names, unless it is a subscription:',
	not => 'locks, triggers');
says(
	'... which is a backup', "100% standby 'pg_basebackup': not flushed\\.",
	'no\. Commits hang',
	%hangs,
	standby => 'pg_basebackup',
	standby_stage => 3,
	remedy => "^names of standbys in synchronous_standby_names, in place of '\\*': a backup",
	not => 'disk');
says(
	'... in a period, by all of its waits',
	"100% standby 's1': not flushed \\(54\\.2% of its waits while connected since noon\\)\\.",
	'',
	'phase:standby' => 1,
	period => 1,
	standby => 's1',
	standby_stage => 3,
	standby_share => 0.542,
	standby_since => 'noon',
	remedy => '^its disk or processors');
says(
	'some standby',
	'83\.0% standby: which one is not known\.',
	'no\. 83\.0% of commit time is outside',
	'phase:standby' => 0.83);
says(
	'a prepared transaction that nobody ends',
	'100% before the record: deferred triggers wait for row of relation s, held by a prepared transaction\.',
	'no\. Commits hang',
	'now.longest' => 12e6,
	lock => 'row of relation s, held by a prepared transaction',
	lock_prepared => 1,
	'phase:before' => 1,
	remedy => '^COMMIT PREPARED or ROLLBACK PREPARED: pg_prepared_xacts');
says(
	'a flush that hangs',
	'100% flushes that have not ended, or of usual length\.',
	'no\. Commits hang',
	'now.longest' => 12e6);
says(
	'a deferred trigger',
	'98\.0% before the record: deferred triggers wait for row of relation sum, held by pid 7\.',
	'no\. 98\.0% of commit time is outside of flushes, most of it \'before\'\.',
	'phase:before' => 0.98,
	lock => 'row of relation sum, held by pid 7',
	not => 'sweep');
my %serial = (
	'phase:before' => 0.9,
	lock => 'advisory lock 42, held by pid 7',
	'seen.commit_locks' => 100);
says(
	'COMMITs that hold it for each other',
	'90\.0% before the record, one COMMIT after the other: each holds until its end what deferred triggers of others wait for: advisory lock 42, held by pid 7\.',
	'no\. 90\.0% of commit time is outside of flushes, most of it \'before\'\.',
	%serial,
	'seen.commit_queue' => 80,
	remedy => '^fewer transactions that take that lock .*; all in one order, if some deadlock\n$',
	not => 'shorter');
says(
	'... but mostly another session',
	'90\.0% before the record: deferred triggers wait for advisory lock 42',
	'no\. 90\.0%', %serial,
	'seen.commit_queue' => 79,
	remedy => '^a shorter transaction of its holder');
says(
	'deferred keys', '96\.0% before the record: deferred triggers, constraints',
	'no\. 96\.0% of commit time',
	commits => 4,
	flushes => 4,
	seen_enough => 1,
	'phase:before' => 0.96);
says(
	'... beside which some wait for another server',
	'96\.0% before the record: deferred triggers, constraints',
	'no\. 96\.0% of commit time',
	'phase:before' => 0.96,
	'seen.phase[PHASE_BEFORE]' => 200,
	'seen.extension_waits' => 99);
my %elsewhere = (
	seen_enough => 1,
	'phase:before' => 0.2,
	'phase:record' => 0.3,
	'phase:log' => 0.1,
	'phase:after' => 0.38,
	'seen.phase[PHASE_BEFORE]' => 40,
	'seen.phase[PHASE_RECORD]' => 60,
	'seen.phase[PHASE_LOG]' => 20,
	'seen.phase[PHASE_AFTER]' => 76);
says(
	'another library, in each of its callbacks',
	'48\.0% after the commit record: it waits in an extension, as for COMMIT PREPARED',
	'no\. 98\.0% of commit time',
	%elsewhere,
	'seen.extension_waits' => 190,
	not => 'DROP');
says(
	'... which takes a small part',
	'38\.0% after the commit, for files of tables',
	'no\. 98\.0% of commit time',
	%elsewhere,
	'seen.extension_waits' => 90,
	not => 'waits in an extension');
says(
	'savepoints',
	'97\.0% before the record: COMMIT ends 60000 open savepoints, one in the other\.',
	'no\. 97\.0% of commit time',
	savepoints => 60000,
	'phase:before' => 0.97,
	remedy => '^RELEASE SAVEPOINT after each',
	not => 'deferred');
my %new_tables = (wal_minimal => 1, 'phase:record' => 0.9);
says(
	'new tables', '90\.0% record: the sync of new or truncated tables, in place of their WAL',
	'no\. 90\.0% of commit time', %new_tables,
	'seen.sync_waits' => 12,
	'seen.phase[PHASE_RECORD]' => 20,
	remedy => '^larger wal_skip_threshold',
	not => 'ON COMMIT');
says(
	'... that samples saw, but no sync',
	'90\.0% record: the session\'s own work before its commit record, as the WAL of small new tables \(wal_level = minimal\), ON COMMIT DELETE ROWS or DROP, or that of an extension\.',
	'no\. 90\.0% of commit time', %new_tables,
	'seen.phase[PHASE_RECORD]' => 20,
	remedy => '^fewer temporary tables');
says(
	'... with a sync, but mostly not',
	'90\.0% record: the session\'s own work before its commit record, as the sync of new or truncated tables',
	'no\. 90\.0% of commit time', %new_tables,
	'seen.sync_waits' => 1,
	'seen.phase[PHASE_RECORD]' => 20,
	remedy => '^larger wal_skip_threshold');
says(
	'... that no sample saw',
	'90\.0% record: the session\'s own work before its commit record, as the sync of new or truncated tables',
	'no\. 90\.0% of commit time',
	%new_tables,
	remedy => '^larger wal_skip_threshold');
says(
	'DROP', '97\.0% after the commit',
	'no\. 98\.0% of commit time is outside of flushes, most of it \'after\'',
	'phase:after' => 0.97,
	'phase:before' => 0.01,
	remedy =>
	  '^fewer tables, or large objects, in a transaction that drops or truncates them; DELETE');
my %signals = ('phase:after' => 0.3, 'phase:other' => 0.45, commits_notify => 5, listeners => 0);
like(
	conclude(%signals)->{causes} =~ s/\n +/ /gr,
	qr/30\.0% after the commit, .*, or to pass on messages of NOTIFY\. -> fewer messages, fewer sessions that listen, or fewer tables in/,
	'messages of NOTIFY, whether a session listens or not');
says(
	'few commits of which little is known',
	'80\.0% unknown: ',
	'not known\. 80\.0% of commit time is outside of flushes or unknown\.',
	'phase:unknown' => 0.8,
	remedy =>
	  '^commit_stats\.slow_commit_time below this mean: commit_slow_log then has more phases\n$');
says(
	'... and much is outside',
	'45\.0% (?:after|unknown)',
	'not known\. 90\.0% of commit time is outside of flushes or unknown\.',
	'phase:unknown' => 0.45,
	'phase:after' => 0.45,
	remedy => '');
says(
	'... as nothing times flushes',
	'80\.0% unknown: ', 'not known\. 80\.0% of commit time is outside of flushes or unknown\.',
	'phase:unknown' => 0.8,
	io_timing => 0,
	remedy => '^track_wal_io_timing = on');
my $locked =
  'It is not the commit: on average 6\.40 sessions wait for locks in their statements \(pg_blocking_pids\(\) has the holders\), 0\.850 are in COMMIT\.';
like(
	conclude('seen.n' => 100, 'seen.lock_waits' => 640, 'seen.in_commit' => 85)->{causes} =~
	  s/\n  / /gr,
	qr/^$locked/,
	'a locked table');
like(
	conclude(
		'seen.n' => 100,
		'seen.lock_waits' => 640,
		'seen.prepared_waits' => 321,
		'seen.in_commit' => 85)->{causes} =~ s/\n  / /gr,
	qr/ in their statements \(prepared transactions hold most: pg_prepared_xacts\), 0\.850 are/,
	'... by prepared transactions');
unlike(
	conclude('seen.n' => 100, 'seen.lock_waits' => 640, 'seen.in_commit' => 330)->{causes},
	qr/It is not the commit/,
	'... beside many that commit');
says(
	'... which a delay would hold longer',
	'100% flushes of usual length',
	'no\. Sessions wait for locks in their statements, and a delay would make their holders commit later\.',
	'seen.n' => 100,
	'seen.lock_waits' => 640,
	'seen.in_commit' => 85);
my %full = (
	'seen.n' => 100,
	'seen.wal_waits' => 640,
	'seen.in_commit' => 85,
	of_transactions => 0.044,
	wal_buffers => 65536);
like(
	conclude(%full)->{causes} =~ s/\n  / /gr,
	qr/^On average 6\.40 sessions wait in their statements until WAL is written, more than are in COMMIT\. Larger wal_buffers \(now 64kB\), if pg_stat_wal\.wal_buffers_full grows; else larger shared_buffers, unless it is COPY or VACUUM\.\nCOMMIT takes 4\.4% of the time of transactions that write\.\n/,
	'full WAL buffers in statements');
like(
	conclude(%full, wal_buffers => 16 * 1024 * 1024)->{causes} =~ s/\n  / /gr,
	qr/in COMMIT\. Less WAL, or a faster volume for it, if pg_stat_wal\.wal_buffers_full grows; else/,
	'... which are as large as the server chooses them');
is(conclude(%full)->{step}, '', '... and no first step for commits');
says(
	'... where COMMIT matters',
	'100% flushes',
	'no\. Its leader would hold the lock that statements wait for \(WALWriteLock\)\.',
	%full, of_transactions => 0.2);
unlike(
	conclude(%full, 'seen.in_commit' => 640)->{causes},
	qr/in their statements/,
	'... beside many that commit');
says(
	'predicate locks',
	'97\.0% after the commit, for predicate locks',
	'no\. 97\.0% of commit time is outside of flushes, most of it \'after\'',
	serializable => 1,
	'phase:after' => 0.97,
	not => 'truncated');
says(
	'temporary tables', '83\.0% record: the session\'s own work',
	'no\. 83\.0% of commit time',
	commits => 0,
	flushes => 0,
	flush_time => 0,
	seen_enough => 1,
	'phase:record' => 0.83,
	remedy => 'fewer temporary tables');
says(
	'a CPU limit',
	'60\.0% not run: a CPU limit \(cgroup\) stopped the server for 500 ms of each second\.',
	'no\. 60\.0% of commit time',
	'phase:not_run' => 0.6,
	'phase:other' => 0.2,
	'seen.throttled' => 5e9,
	'seen.seconds' => 10);
says(
	'... or a pause',
	'60\.0% not run: all processes of the server stood still, as in a pause of its machine or container, for 75\.0 ms of each second\.',
	'no\. 60\.0% of commit time',
	'phase:not_run' => 0.6,
	'phase:other' => 0.2,
	'seen.throttled' => 4.5e9,
	'seen.paused' => 2,
	'seen.seconds' => 60,
	remedy => '^who stops it: snapshots');

# New segments, and advice that was followed
my %segment = ('stall:segment' => 0.7, delay => 1000, siblings => 1000);
my $segment = '70\.0% a new WAL segment is made \(5 stalls, mean 650 ms\)\.';
my $no_segment =
  'no\. It would not shorten the flushes that stall \(segment\), 70\.0% of commit time\.';
says(
	'new segments', $segment, $no_segment, %segment,
	wal_recycle => 0,
	remedy => '^wal_recycle = on \(now off\)\n$',
	not => 'asleep');
says(
	'... and kept by an archive_command that is behind', $segment, $no_segment, %segment,
	'seen.n' => 200,
	'seen.activity[ACTIVITY_ARCHIVER]' => 180,
	remedy => '^an archive_command that ends sooner: segments are kept until they are archived\n$');
says(
	'... that fails', $segment, $no_segment, %segment,
	archive_fails => 'fails for 000000010000000000000007',
	remedy =>
	  '^an archive_command that succeeds \(it fails for 000000010000000000000007\): segments are kept'
);
says(
	'... that is empty', $segment, $no_segment, %segment,
	archive_fails => 'is empty',
	remedy => '^an archive_command that succeeds \(it is empty\): segments are kept');
says(
	'... or a library', $segment, $no_segment, %segment,
	archiver => 'archive_library',
	archive_fails => 'fails for 000000010000000000000007',
	remedy => '^an archive_library that succeeds \(it fails for');
says(
	'... and not by one that pauses', $segment, $no_segment, %segment,
	'seen.n' => 200,
	'seen.activity[ACTIVITY_ARCHIVER]' => 179,
	remedy => '^min_wal_size');
says(
	'... and kept for a slot', $segment, $no_segment, %segment,
	slot => 'gone',
	remedy =>
	  '^let the reader of the replication slot gone catch up, or drop the slot if nobody needs it: segments are kept for it\n$'
);
says(
	'... and kept by wal_keep_size', $segment, $no_segment, %segment,
	wal_keep_size => 16384,
	keep_size_grows => 1,
	remedy =>
	  '^smaller wal_keep_size \(now 16384MB; a replication slot keeps only what its reader lacks\): segments are kept until pg_wal has as much\n$'
);
says('... that are recycled', $segment, $no_segment, %segment,
	remedy =>
	  q{^min_wal_size = '1024MB' \(now 80MB\): keeps what pg_wal has once had; while it grows});
says(
	'... and ended early', $segment, $no_segment, %segment,
	segment_size => 16 * 2**20,
	archive_timeout => 2,
	wal_rate => 8e6,
	remedy => '^larger archive_timeout \(now 2 s\): each switch takes another segment\n$');
says(
	'... and kept', $segment, $no_segment, %segment,
	min_wal_size => 1024,
	remedy => '^wal_init_zero = off');
says(
	'... and not zeroed', $segment, $no_segment, %segment,
	min_wal_size => 1024,
	wal_init_zero => 0,
	not => '->');
my %zeros = (%segment, segment_size => 16 * 2**20, 'fit.share' => 0.5);
says(
	'... that a bandwidth explains',
	'70\.0% a new WAL segment is made \(5 stalls, mean 650 ms\): 16\.8 MB of zeros take 1\.29 s at 13\.0 MB/s\.',
	$no_segment, %zeros,
	'fit.rate' => 13,
	remedy => '^min_wal_size');
says('... or not', $segment, $no_segment, %zeros, 'fit.rate' => $_) for 12.9, 51.7;
says(
	'... which is not that of flushes', $segment, $no_segment, %zeros,
	'fit.rate' => 13,
	'fit.share' => 0.49);
my %checkpoint = ('stall:checkpoint' => 0.6, checkpoint_phase => 'sync');
says(
	'checkpoints', '60\.0% stalls during the sync phase of checkpoints \(5 stalls, mean 650 ms\)',
	'no\. It would not shorten the flushes that stall \(checkpoint\), 60\.0% of commit time',
	%checkpoint,
	completion_target => 0.1,
	remedy => '^checkpoint_completion_target = 0\.9 \(now 0\.1\)\n$');
says(
	'... that never pause',
	'60\.0% stalls during the sync phase of checkpoints \(5 stalls, mean 650 ms, 62\.0% certain\)',
	'no\.',
	%checkpoint,
	'stall[STALL_CHECKPOINT].certainty' => 0.62);
says(
	'... that WAL asks for', '60\.0% stalls', 'no\.', %checkpoint,
	completion_target => 0.1,
	checkpoint_distance => 3.5,
	checkpoint_wal => 540e6,
	remedy => '^larger max_wal_size \(now 1024MB\): checkpoints begin every 3\.50 s,',
	not => 'completion_target');
says(
	'... that commands ask for', '60\.0% stalls', 'no\.', %checkpoint,
	checkpoint_distance => 3.5,
	checkpoint_wal => 30e6,
	remedy => '^fewer commands that ask for a checkpoint .*: checkpoints begin every 3\.50 s,',
	not => 'max_wal_size');
says(
	'... spread out', '60\.0% stalls', 'no\.', %checkpoint,
	remedy => '^larger max_wal_size \(now 1024MB\), checkpoint_timeout \(now 300 s\)\n$',
	not => 'completion_target');
says(
	'... and far below max_wal_size', '60\.0% stalls', 'no\.', %checkpoint,
	checkpoint_distance => 300,
	checkpoint_wal => 250e6,
	remedy => '^larger checkpoint_timeout \(now 300 s\)\n$');
says(
	'an archiver', '90\.0% stalls while archive_command runs',
	'no\. It would not shorten .* 90\.0%',
	'stall:archiver' => 0.9,
	not => 'quota|allows');
says(
	'bulk WAL',
	'50\.0% stalls with the WAL of client load \(a, b\) \(5 stalls',
	'no\. It would not',
	'stall:bulk' => 0.5,
	bulk_writer => 'client load (a, b)');
says(
	'... of autovacuum',
	'50\.0% stalls with the WAL of autovacuum \(5 stalls',
	'no\. It would not',
	'stall:bulk' => 0.5,
	bulk_writer => 'autovacuum',
	remedy => 'a VACUUM with cost delay');
my %bytes = (
	'fit.share' => 0.98,
	'fit.rate' => 10.5,
	'fit.base' => 500,
	flush_wal => 270000);
says(
	'bandwidth',
	'98\.0% flushes of many bytes: 10\.5 MB/s, 270 kB in a mean flush; without bytes it would take 500 us\.',
	'no\. It would not shorten .* 98\.0%',
	%bytes,
	checkpoint_distance => 3.5,
	checkpoint_wal => 540e6,
	remedy => '^less WAL, or a faster volume\n$',
	not => 'allows');
says(
	'... of one client that fills it',
	'98\.0%', 'no\.', %bytes,
	images => 0.49,
	heaviest => 'docs (a, b)',
	heaviest_share => 0.9,
	remedy => '^less WAL \(90\.0% of it is of client docs \(a, b\)\), or a faster volume\n$');
says(
	'... beside one that has not ended, whose WAL does not count yet',
	'98\.0%', 'no\.', %bytes,
	heaviest => 'docs (a, b)',
	heaviest_share => 0.9,
	running_writer => 'client batch (a, b)',
	remedy => '^less WAL of client batch \(a, b\), which was seen writing, or a faster volume\n$',
	not => 'docs');
says(
	'... and images',
	'98\.0%', 'no\.', %bytes,
	images => 0.5,
	heaviest => 'docs (a, b)',
	heaviest_share => 0.9,
	remedy =>
	  '^wal_compression = on, larger checkpoint_timeout \(now 300 s\): pages go to the WAL whole after each checkpoint; or less WAL \(90\.0% of it is of client docs \(a, b\)\), or a faster volume\n$'
);
says(
	'... which are compressed',
	'98\.0%', 'no\.', %bytes,
	images => 1,
	wal_compression => 1,
	remedy => '^larger checkpoint_timeout');
says(
	'... as checkpoints come early',
	'98\.0%', 'no\.', %bytes,
	images => 1,
	checkpoint_distance => 3.5,
	checkpoint_wal => 540e6,
	remedy => '^larger max_wal_size');
my %quota = ('stall:quota' => 0.6, quota_flushes => 51, quota_window => 500000);
says(
	'a quota',
	'60\.0% stalls as on a disk that allows 51\.0 flushes in 500 ms \(5 stalls, mean 650 ms\)',
	'may pay, fixed or adaptive: stalls show a quota\. .*sweep',
	%quota,
	commit_rate => 9000);
says(
	'... with one session',
	'60\.0%', 'perhaps\. .*ALTER SYSTEM SET commit_stats.adaptive_delay = on',
	%quota, concurrency => 0);
says(
	'... beside more stalls of another cause',
	'60\.0%', 'no\. It would not shorten .* 60\.0%', %quota,
	'stall:checkpoint' => 0.6,
	'stall:quota' => 0.3);
says(
	'... of flushes or of bytes',
	'60\.0% stalls as on a disk that allows 51\.0 flushes or 2\.50 MB of WAL in 500 ms; which of both, these stalls do not show \(5 stalls',
	'not known\. Stalls show a quota of flushes or of bytes, .*sweep',
	%quota,
	quota_bytes => 2.5e6,
	remedy => '^the provider');
says(
	'bandwidth in bursts',
	'60\.0% flushes of many bytes: 9\.85 MB/s, which a limiter lets through in windows of 100 ms \(5 stalls',
	'no\. It would not shorten .* 60\.0%',
	'stall:bytes' => 0.6,
	'fit.rate' => 9.85,
	'fit.window' => 100000,
	not => 'without bytes');
my @others = (
	'stall:others' => 0.6,
	'volume.seconds' => 2,
	'volume.bytes' => 70e6,
	'volume.flushed' => 2e5,
	'volume.requests' => 600,
	'volume.of_flushes' => 200);
says(
	'other I/O',
	'60\.0% stalls while others read or write on the volume of the WAL: it read and wrote 35\.0 MB/s, of which flushes at most 100 kB/s \(5 stalls',
	'no\. It would not',
	@others);
says(
	'... of many small requests',
	'60\.0% stalls while others read or write on the volume of the WAL: it had 300 reads and writes/s, of which flushes about 100 \(5 stalls',
	'not known\. Flushes stall beside others\' requests, 60\.0% of commit time; fewer flushes may stall less often\..*sweep',
	@others,
	'volume.flushed' => 60e6);
my @long = (
	seen_enough => 1,
	'seen.n' => 100,
	'seen.in_commit' => 100,
	flush_time => 3000,
	'seen.activity[ACTIVITY_OTHERS]' => 51,
	'seen.volume.seconds' => 1,
	'seen.volume.bytes' => 4e6,
	'seen.volume.flushed' => 3e6,
	'seen.volume.requests' => 300,
	'seen.volume.of_flushes' => 90);
says(
	'others that make no flush stall',
	'100% flushes of usual length: the disk takes this time for each, while others read or write on it: it had 300 reads and writes/s, of which flushes about 90\.',
	'.*',
	@long,
	remedy => '^a volume of its own');
says(
	'... while WAL is archived',
	'100% flushes of usual length: the disk takes this time for each, while others, perhaps archive_command, read or write on it',
	'.*',
	@long,
	archiver => 'archive_command',
	'seen.activity[ACTIVITY_ARCHIVER]' => 95);
says(
	'... for less than half of the time',
	'100% flushes of usual length: the disk takes this time for each\.',
	'.*', @long, 'seen.activity[ACTIVITY_OTHERS]' => 49);
says(
	'stalls',
	'60\.0% stalls of unknown cause',
	'not known\. Flushes stall for an unknown reason, 60\.0% of commit time; fewer flushes may stall less often\..*sweep',
	'stall:unknown' => 0.6);
my @slower = (
	flush_slower => 10000,
	seen_enough => 1,
	'seen.in_commit' => 1000,
	remedy => '^its burst balance');
says(
	'... of most flushes now',
	'100% flushes take 10\.0 ms now, and took 450 us \(median of all\): the volume has become slower, as when a burst credit is used up\.',
	'may pay, fixed or adaptive: flushes take long now.*adaptive => true',
	'stall:unknown' => 0.6,
	@slower);
says('... and none of them a stall', '100% flushes take 10\.0 ms now, ', 'may pay', @slower);
says(
	'... while others use the volume',
	'100% flushes that take longer than they did, while others read or write on it',
	'may pay',
	'seen.n' => 1200,
	'seen.activity[ACTIVITY_OTHERS]' => 700,
	@slower,
	remedy => '^a volume of its own');
says(
	'... as few samples tell',
	'100% flushes of usual length',
	'may pay',
	@slower,
	seen_enough => 0,
	remedy => '');
says(
	'... while a commit hangs',
	'60\.0% flushes take 10\.0 ms now, ',
	'no\. Commits hang',
	'stall:unknown' => 0.6,
	'now.longest' => 2e6,
	@slower);
says(
	'... that are not timed',
	'60\.0% stalls of unknown cause',
	'not known\. Flushes are not timed',
	'stall:unknown' => 0.6,
	flush_time => 0,
	io_timing => 0);
says('few of them', '90\.0% flushes ', 'may pay', 'stall:unknown' => 0.1);
says(
	'... beside fewer that a quota may explain',
	'79\.0% flushes ', 'may pay: ',
	'stall:unknown' => 0.12,
	'stall:quota' => 0.09,
	quota_flushes => 68,
	not => 'quota');

# Who flushes, and whether the disk is what it waits for
my %flusher = (seen_enough => 1, 'seen.n' => 200, 'seen.in_commit' => 1000);
says(
	'VACUUM',
	'90\.0% flushes that no commit leads: .*, as client vac \(a, b\) did\.',
	'no\. It would not shorten the flushes that no commit leads, 90\.0%',
	%flusher,
	'seen.outside_waits' => 900,
	running_writer => 'client vac (a, b)',
	disk_busy => 0.08,
	remedy => 'smaller transactions of that client');
my %switches = (
	%flusher,
	'seen.outside_waits' => 900,
	segment_size => 16 * 2**20,
	archive_timeout => 2,
	wal_rate => 400e3);
says(
	'archive_timeout',
	'90\.0% flushes that no commit leads: those of the WAL writer, or of the checkpointer, which fills a segment before it switches to the next one\.',
	'no\. It would not',
	%switches,
	remedy => '^larger archive_timeout \(now 2 s\)\n$');
says(
	'... which is long enough',
	'90\.0% flushes that no commit leads: .* session that writes much\.',
	'no\. It would not', %switches,
	archive_timeout => 60,
	not => 'archive_timeout');
says(
	'the WAL writer', '60\.0% flushes of usual length', 'no\. It would not', %flusher,
	'seen.outside_waits' => 400,
	not => 'smaller|much, as');
says(
	'processors',
	'80\.0% flushes that wait for a processor: ',
	'not known while flushes wait for a processor, 80\.0%',
	%flusher,
	'seen.cpu_waits' => 800,
	commit_rate => 9000,
	remedy => '^more processors, or less at a time: sessions \(a pooler\), other programs\n$');
says(
	'work in COMMIT',
	'80\.0% before the record: deferred triggers, constraints, open cursors or savepoints, or an extension',
	'no\. 80\.0%',
	'phase:before' => 0.8,
	'phase:other' => 0,
	remedy =>
	  '^fewer rows or savepoints in a transaction, or rows in its cursors WITH HOLD, or an index that the deferred checks lack'
);
says(
	'full WAL buffers', '70\.0% record: COMMIT waits to insert',
	'no\.', %flusher,
	'seen.insert_waits' => 500,
	'seen.phase[PHASE_RECORD]' => 700,
	'phase:record' => 0.7,
	'phase:other' => 0.05,
	remedy => '^larger wal_buffers');
says(
	'... which are large', '70\.0% record: COMMIT waits to insert',
	'no\.', %flusher,
	wal_buffers => 16 * 2**20,
	'seen.insert_waits' => 500,
	'seen.phase[PHASE_RECORD]' => 700,
	'phase:record' => 0.7,
	'phase:other' => 0.05,
	remedy => '^less WAL at a time of other sessions, or a faster volume');
says(
	'... within stalls', '60\.0% stalls', 'no\.', %flusher, %checkpoint,
	'seen.cpu_waits' => 700,
	'phase:other' => 0.5,
	'phase:log' => 0.25);

# One hot row: commits never come during the flush of another one.
my %hot = (
	%one_by_one,
	seen_enough => 1,
	'seen.n' => 280,
	'seen.in_commit' => 280,
	'seen.blocked_rows' => 3920,
	'phase:flush' => 1);
my $hot =
  '100% flushes, one after the other: on average 14\.0 sessions wait for a row or lock that one in COMMIT holds; 1\.00 are in COMMIT\.';
says('a hot row', $hot, 'no\. No commit can come while a committing session holds the row\.', %hot);
says(
	'... that each holds before its COMMIT, too',
	'100% flushes, one after the other: on average 14\.0 sessions wait for a row or lock that one in COMMIT holds, and 15\.0 for one that is not yet there; 1\.00 are in COMMIT\.',
	'no\. No commit can come',
	%hot,
	'seen.lock_waits' => 4200);
says(
	'... and a delay',
	'60\.0% flushes, one after the other: on average 14',
	'set it to 0\. 94\.0% of the sleeps carried no other commit\..*commit_delay = 0', %hot,
	delay => 2000,
	delay_hits => 912,
	alone_hits => 0.94,
	'phase:flush' => 0.6,
	'phase:delay' => 0.4);
says(
	'commits one by one',
	'100% flushes', 'no\. A flush carries 1\.00 commits, and a commit spends 90\.0%',
	%one_by_one, own_flush => 0.9);
says(
	'one session', '100% flushes', 'no\. Only 0% of flushes found',
	concurrency => 0,
	remedy => '^larger transactions: one session commits at a time\n$');
says(
	'a subscription', '100% flushes of usual length', 'no\.',
	%one_by_one,
	applied => 0.96,
	concurrency => 0,
	remedy => '^ALTER SUBSCRIPTION \.\.\. SET \(synchronous_commit = off\)');
says(
	'... on a disk that is idle', '100% flushes', 'no\.',
	concurrency => 0,
	disk_busy => 0.4,
	not => '->');
says(
	'siblings idle in transaction', '100% flushes',
	'no\. Of 6\.00 other active transactions \(siblings\) that a leader counts, 5\.00 are idle in transaction\.',
	%one_by_one,
	seen_enough => 1,
	'seen.n' => 100,
	'seen.in_commit' => 100,
	'seen.idle_xids' => 500);
says(
	'asynchronous siblings',
	'100%', 'no\. 66\.7% of the commits are asynchronous',
	%one_by_one, commits_async => 20000);

# What no printed cause has
my @phases = map { "phase:$_" } qw(NOTIFY standby after log);
for my $case (
	[ [ 0.6, 0.27 ], '13.0%' ],
	[ [ 0.94, 0 ], '6.0%' ],
	[ [ 0.96, 0 ] ],
	[ [ 0.5, 0.3, 0.13, 0.07 ], '7.0%' ],
	[ [ 0.7, 0.6 ] ])
{
	my ($shares, $rest) = @$case;
	my ($said) = conclude(
		'phase:flush' => 0,
		map { $phases[$_] => $shares->[$_] } 0 .. $#$shares)->{causes} =~ /(The other .*)/;

	is($said, $rest && "The other $rest: smaller causes.", "causes of @$shares: the rest");
}

# Who commits
my $lease = conclude(
	%quota,
	top => 'lease (a, b)',
	top_share => 0.37,
	top_time => 0.3,
	top_wal => 120);
like(
	$lease->{causes},
	qr/^Who commits\n  37\.0% of the commits are of client lease \(a, b\), 30\.0% of commit time, 120 B of WAL each\.$/m,
	'one client of many: named, and larger transactions are not promised under a quota');
like(
	conclude(
		%quota,
		'now.longest' => 12e6,
		top => 'lease (a, b)',
		top_share => 0.37,
		top_time => 0.3,
		top_wal => 120)->{causes},
	qr/^Who commits\n  37\.0% of the commits are of client lease \(a, b\), 120 B of WAL each\.$/m,
	'... without its time while commits hang, which are not in it');
like(
	conclude(
		'phase:before' => 0.9,
		'phase:flush' => 0.25,
		top => 'shop',
		top_share => 0.7,
		top_time => 0.73)->{causes} =~ s/\n +/ /gr,
	qr/ 70\.0% of the commits are of client shop, 73\.0% of commit time \(without 'before', 'after'\), /,
	'... whose time is that of commits as clients count it');
like(
	conclude(
		top => 'api',
		top_share => 0.77,
		longest => 'lease',
		longest_time => 0.53)->{causes} =~ s/\n +/ /gr,
	qr/^Who commits 77\.0% of the commits are of client api, .* each\. Most commit time, 53\.0%, is of client lease\.$/m,
	'... and another one that waits most');
like(
	conclude(top => 'lease', top_share => 0.37, top_wal => 120, top_of_transactions => 0.1)
	  ->{causes},
	qr/-> larger transactions/,
	'... but elsewhere');
unlike(
	conclude(top => 'lease', top_share => 0.37, top_wal => 120, top_of_transactions => 0.09)
	  ->{causes},
	qr/larger transactions/,
	'... not where COMMIT is a small part of them');
unlike(
	conclude(
		top => 'lease',
		top_share => 0.37,
		top_wal => 120,
		top_of_transactions => 1,
		'seen.n' => 100,
		'seen.lock_waits' => 640)->{causes},
	qr/larger transactions/,
	'... nor where statements wait for locks, which these would hold for longer');

for my $limit ('stall:checkpoint', 'stall:unknown', 'phase:standby', 'fit.share')
{
	unlike(
		conclude(
			top => 'lease',
			top_share => 0.37,
			top_wal => 120,
			top_of_transactions => 1,
			$limit => 0.6,
			'phase:other' => $limit =~ /phase/ ? 0.15 : 0.75)->{causes},
		qr/larger transactions/,
		"... nor where other limits take the time ($limit)");
}
like(
	conclude(top => 'shop', top_share => 1, top_slow_least => 170, top_slow_most => 2e6)->{causes},
	qr/^  100% of the commits are of client shop\. One name, slow commits of 170 B to 2\.00 MB of WAL: several/m,
	'one name for several kinds of work');
like(
	conclude(nameless => 1)->{causes},
	qr/^  100% of the commits have no name: the application sets none, or a driver or pooler clears it\. +-> SET commit_stats\.client_tag/m,
	'a pooler');
like(
	conclude(overflow => 0.99, clients_evicted => 2866)->{causes},
	qr/^  99\.0% .*: 2866 clients lost their row .*application_name_add_host = 0/m,
	'a pooler that adds addresses');
my %statement = (
	statement => 'statement 42 (insert into ev)',
	statement_flushes => 0.64,
	statement_wal => 170);
like(
	conclude(%statement)->{causes},
	qr/^Who commits\n  64\.0% of the flushes are led by statement 42 \(insert into ev\), with 170 B of WAL in a transaction\. -> larger transactions/m,
	'the statement that fills the flushes');
unlike(
	conclude(%statement, %quota)->{causes},
	qr/larger transactions/,
	'... of which fewer are worth nothing under a quota');
like(
	conclude(
		%statement,
		top => 'shop',
		top_share => 1,
		top_slow_least => 170,
		top_slow_most => 2e6)->{causes},
	qr/several kinds of work\. -> commit_statement_stats tells them apart\n  64\.0% of the flushes/,
	'one name for several kinds of work: the statements tell them apart');
unlike(conclude(%statement, statement_flushes => 1)->{causes},
	qr/statement/, 'one statement: nothing');
unlike(conclude(top => 'app', top_share => 1)->{causes}, qr/Who commits/, 'one client: nothing');

# One thing to do first
my $predict = "SELECT * FROM public.commit_remedies();\n";
my $others = "Predict others (10 s, changes nothing):\n$predict";
my $compare = "First step: predict each remedy, also a delay (10 s, changes nothing):\n$predict";
my %outside = ('phase:standby' => 0.8);

is(conclude()->{step}, $compare, 'plain flushes: remedies are compared');
is(conclude(%quota)->{step}, $compare, '... as for a quota');
is( conclude(%quota, adaptive => 1)->{step},
	"First step: what cause 1 says. $others",
	'... unless the adaptive delay is on');
is( conclude('stall:bulk' => 0.6)->{step},
	"First step: what cause 1 says. $others",
	'a cause of its own');
is(conclude(%checkpoint)->{step}, "First step: what cause 1 says.\n", '... of most of the time');
is( conclude(%outside)->{step},
	"First step: what cause 1 says.\n",
	'... that leaves no time to flushes');
is( conclude(%hot, delay => 2000, delay_hits => 912, alone_hits => 0.94)->{step},
	"First step: the statement on a delay. $others",
	'a setting that is wrong comes before all');
is( conclude(prediction => 'Newest prediction (a time, from 10 s): the adaptive delay.')->{step},
	"To predict each remedy again, also a delay (10 s, changes nothing):\n${predict}"
	  . "Newest prediction (a time, from 10 s): the adaptive delay.\n",
	'the newest prediction');
my %predicted = (predicted_delay => 1100, predicted_siblings => 1);
my ($with, $without) = (conclude(%predicted), conclude());
like(", $with->{delays},", qr/, 1100,/, 'a sweep tries the pair that was predicted');
is($with->{siblings}, '5, 1', '... with its commit_siblings');
unlike(", $without->{delays},", qr/, 1100,/, '... which it has from nowhere else');
is(conclude('phase:log' => 0.8, 'phase:flush' => 0.25)->{step}, '', 'nothing to do');
is(conclude('now.longest' => 12e6)->{step}, '', 'what hangs stands in the first line');

# Is it the commit at all?
my %light = (
	of_transactions => 0.01,
	of_sessions => 0.007,
	busiest => 'app (a, b)',
	busiest_of_transactions => 0.012,
	busiest_of_sessions => 0.008,
	'seen.n' => 100,
	'seen.idle_xids' => 1960);
my $no_commit = 'no\. COMMIT takes 1\.0% of the time of transactions\.';
like(
	conclude(%light)->{causes} =~ s/\n  / /gr,
	qr/^COMMIT takes 1\.0% of the time of transactions that write, and 0\.7% of the time that their sessions are connected\. Of client app \(a, b\): 1\.2% and 0\.8%\. No setting of commits helps\. On average 19\.6 sessions are idle in transaction; a delay counts them as siblings, and sleeps for nothing\.$/m,
	'idle in transaction: said first');
says('idle in transaction',
	'100%', $no_commit, %light, not => 'sweep|larger transactions|remedies');
says(
	'... where some hang now', '100%', 'no\. Commits hang', %light,
	'now.longest' => 12e6,
	not => 'COMMIT takes|No setting|remedies');
says(
	'... whose work is after it',
	'80\.0%', 'no\. 80\.0%', %light,
	'phase:after' => 0.8,
	'phase:other' => 0.1,
	not => 'COMMIT takes|No setting');
says(
	'... that hang at times', '100%', 'may pay', %light,
	slow_commits => 201,
	slow_mean => 2e5,
	not => 'No setting');
says(
	'... for less than a transaction', '100%', $no_commit, %light,
	slow_commits => 201,
	slow_mean => 5e4);
says(
	'one client that waits for its commits',
	'100%', 'may pay', %light,
	busiest_of_transactions => 0.95,
	not => 'No setting');
says(
	'transactions that wait for the row of a commit',
	'100%', 'no\. No commit can come',
	%light, %hot, not => 'No setting');
says(
	'COMMITs with deferred work',
	'80\.0%', 'no\. 80\.0% of commit time is outside',
	%light,
	'phase:before' => 0.8,
	'phase:other' => 0.1,
	not => 'COMMIT takes|No setting');

# What is left
says(
	'above lambda*',
	'100% flushes of usual length: ',
	'no\. From 4000 commits/s on, two in the time of a flush, flushes fill without a delay\.',
	commit_rate => 4500);
says('... and a delay', '100% flushes', 'perhaps 0\. .*sweep', commit_rate => 4500, delay => 1000);
says('below', '100% flushes', 'may pay: 250 us to 707 us by two rules of thumb\. .*sweep');
says('a device that queues',
	'100%', 'may pay, fixed or adaptive: flushes take long without stalls.*sweep', %queue);
says(
	'... an hour ago',
	'100%', 'not known\. The latest flush of a commit ended 1 h 0 min ago: ask under load\.',
	%queue, newest_age => 3600);
my %idle = (disk_busy => 0.05, 'phase:flush' => 0.75, 'phase:other' => 0.25);
says('an idle disk', '100%', 'no\. The disk is busy with flushes 5\.0%', %idle);
says(
	'... where commits wait for each other at times',
	'100%',
	'not known\. Commits come in bursts, .* flushes, 75\.0% of commit time; .* 5\.0% of the time\.',
	%idle,
	'phase:flush' => 0.25,
	'phase:other' => 0.75,
	not => 'hardly ever|sweep');
my %healthy = (
	%one_by_one,
	flush_time => 240,
	flush_p50 => 229,
	flush_p99 => 432,
	disk_busy => 0.024,
	own_flush => 0.95,
	'phase:other' => 0.05);
is( conclude(%healthy)->{step},
	"First step: none. A commit takes about one flush of this disk, 240 us.\n",
	'nothing stands out');

for my $other (
	[ flush_p99 => 1000 ],
	[ disk_busy => 0.1 ],
	[ own_flush => 0.8 ],
	[ 'stall:unknown' => 0.3 ],
	[ slow_commits => 2 ])
{
	like(conclude(%healthy, @$other)->{step}, qr/commit_remedies/, "... but with $other->[0]");
}
says(
	'... and sleeps', '60\.0%',
	'perhaps 0\. .* commit_delay = 1000 us is as long as 2\.00 flushes\..*sweep',
	disk_busy => 0.05,
	delay => 1000,
	'phase:delay' => 0.4,
	'phase:other' => 0.35);
says(
	'... as long as ten flushes, while processors are busy',
	'90\.0% asleep for commit_delay',
	'perhaps 0\. Commits sleep for 90\.0% of their time: commit_delay = 5000 us is as long as 10\.0 flushes\..*sweep',
	%flusher,
	'seen.cpu_waits' => 900,
	delay => 5000,
	'phase:delay' => 0.9);
says(
	'a delay of some sessions',
	'60\.0% asleep for a commit_delay of sessions, roles, databases or a sweep',
	'sessions, roles or databases have their own, or a sweep has just run: 303 of the newest flushes slept, nearly all for nothing\. Of all sleeps, 95\.0% are of client old \(app, old\)\. delay_hits of public\.commit_client_stats',
	slept_unset => 303,
	sleeper => 'old (app, old)',
	sleeper_share => 0.95,
	remedy =>
	  '^unless a sweep has just run: ALTER ROLE or ALTER DATABASE ... RESET commit_delay, or what client old \(app, old\) itself sets\n\z',
	alone_hits => 0.95,
	'phase:delay' => 0.6,
	'phase:other' => 0.15,
	not => 'may pay|SELECT');
says(
	'a delay that hardly hits', '100%',
	'hardly any leader sleeps: at 5\.0% of flushes, commit_siblings = 9 others were active; at half of them, 7\..*sweep',
	delay => 100,
	siblings => 9,
	reach => 0.05);
says(
	'not timed', '100%', 'not known\. .*track_wal_io_timing = on',
	flush_time => 0,
	io_timing => 0);
says('not timed yet', '100%', 'not known\. No flush was timed', flush_time => 0);
says('an adaptive delay', '100%', 'commit_stats\.adaptive_delay decides', adaptive => 1);
says(
	'asynchronous', '100%', 'no\. 99\.5% of the commits do not wait for the disk',
	commits => 5,
	commits_async => 1000);
my %unlogged = (commits => 6, commits_unlogged => 213801, of_transactions => 0.98);
says(
	'unlogged tables',
	'100%',
	'no\. Hardly any transaction waits for a flush: 0 were read-only, 213801 wrote to unlogged or temporary tables only, 6 waited\.',
	%unlogged,
	not => 'COMMIT takes');
says('... beside some that wait', '100%', 'not known\.', %unlogged, commits_unlogged => 599);
says('few commits', '100%', 'not known\. 499 commits', commits => 499);
says('nothing', '', 'not known\. 0 commits', commits => 0, flushes => 0, phase_mean => 0);
# ... where commit_remedies() would refuse
says(
	'fsync = off', '100%', 'no\. With fsync = off',
	fsync => 0,
	not => 'commit_remedies');
says(
	'a standby', '100%', 'no\. Nothing commits on a standby',
	is_standby => 1,
	not => 'commit_remedies');
says(
	'switched off', '100%', 'not known\. Counting is off.*enabled = on',
	counting => 0,
	is_standby => 1,
	not => 'commit_remedies');
says(
	'a delay that was adaptive', '60\.0% asleep for commit_stats\.adaptive_delay', '.',
	'phase:delay' => 0.6,
	delay_hits => 100,
	hits_adaptive => 90);

# Sweeps: 0, the present delay, F0 from a quarter to four times, and the
# square-root rule
is(conclude()->{delays}, '0, 120, 250, 500, 710, 1000, 2000', 'delays to try');
for my $flush_time (1, 10, 333, 4567, 99999, 1e6, 1e9)
{
	my @delays = split /, /,
	  conclude(
		flush_time => $flush_time,
		delay => 100000,
		commit_p99 => $flush_time + 100000)->{delays};

	is($delays[0], 0, "F0 of $flush_time: 0 is there");
	ok((grep { $_ == 100000 } @delays), "F0 of $flush_time: the present one is there");
	ok(!(grep { $delays[$_] <= $delays[ $_ - 1 ] } 1 .. $#delays), "F0 of $flush_time: in order");
	cmp_ok($delays[-1], '<=', 100000, "F0 of $flush_time: not too long");
}

# ... bounded by twice the p99 of commits, which no delay may exceed alone
my $slow = conclude(flush_time => 25000, commit_p99 => 51000);
is($slow->{max_p99}, 100, 'the bound is twice the present p99');
is($slow->{delays}, '0, 6200, 12000, 25000, 50000', '... and delay and flush stay below it');
is(conclude(commit_p99 => 0)->{max_p99}, 1, 'the bound is at least 1 ms');
is(conclude(commit_p99 => 1234)->{max_p99}, 2.5, '... and has two digits');
is( conclude(delay => 7000)->{delays},
	'0, 120, 250, 500, 710, 1000, 2000',
	'... which the present delay does not exceed');
# 1,000 flushes/s of 16 kB fill half of 64 kB in 2 ms
is( conclude(wal_buffers => 65536, flush_wal => 16384)->{delays},
	'0, 120, 250, 500, 710, 1000, 2000',
	'... and which do not fill half of the WAL buffers');
is( conclude(wal_buffers => 65536, flush_wal => 65536)->{delays},
	'0, 120, 250, 500',
	'... at the present rate');
is(conclude()->{siblings}, undef, 'siblings that are reached are left');
is(conclude(siblings => 9, reach => 0.05)->{siblings},
	'9, 7', 'others are held against better ones');
is(conclude(siblings => 9, reach => 0.05, siblings_half => 0)->{siblings},
	'9, 1', '... of at least 1');

# What is said of a period first
sub says_of_period ($name, $first, %figures)
{
	is(conclude(period => 1, %figures)->{first} =~ s/\n\z//r, $first, "of a period: $name");
	return;
}

says_of_period(
	'processors',
	'80.0% flushes that wait for a processor: the process that flushes was ready to run, or the next one was not yet awake.',
	%flusher,
	'seen.cpu_waits' => 800);
says_of_period(
	'flushes of others',
	'90.0% flushes that no commit leads: those of the WAL writer, or of a session that writes much.',
	%flusher,
	'seen.outside_waits' => 900);

is( conclude(
		%checkpoint,
		checkpoint_distance => 3.5,
		checkpoint_wal => 30e6,
		period => $_->[0])->{remedy} =~ s/: .*//sr,
	$_->[1],
	"... early checkpoints, with max_wal_size = $_->[0]MB")
  for [ 100 => 'larger max_wal_size (then 100MB, now 1024MB)' ],
  [ 120 => 'fewer commands that ask for a checkpoint (CHECKPOINT, DROP DATABASE, a fast backup)' ];

says_of_period(
	'larger flushes',
	'100% flushes of usual length: the disk takes this time for each, with 512 kB of WAL.',
	flush_wal => 512000);
says_of_period(
	'... and small ones',
	'100% flushes of usual length: the disk takes this time for each.',
	flush_wal => 8000);
my %asleep = ('phase:delay' => 0.9, delay_hits => 100);
says_of_period('a delay', '90.0% asleep for commit_delay.', %asleep, delay => 2000);
says_of_period('... which the configuration no longer has',
	'90.0% asleep for a commit_delay that was not that of the configuration when it ended.',
	%asleep);
says_of_period(
	'... which adapts',
	'90.0% asleep for commit_stats.adaptive_delay.',
	%asleep, hits_adaptive => 51);
says_of_period(
	'a volume that became slower',
	'60.0% most flushes took 10.0 ms, a stall by what was usual before: the volume had become slower, as when a burst credit is used up.',
	'stall:unknown' => 0.6,
	flush_slower => 10000);
says_of_period(
	'work after the commit',
	'60.0% after the commit, for files of dropped or truncated tables, predicate locks, or messages of NOTIFY.',
	'phase:after' => 0.6);

done_testing();
