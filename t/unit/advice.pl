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

my %situation;    # those that others name
my @expected = qw(cause answer remedy not says exactly);
my $expected = join '|', @expected;

# The figures of a situation, and what is expected, by name
sub read_situation ($text)
{
	my %read;

	for (split /\n/, $text)
	{
		if (/^\t($expected): (.*)/)
		{
			$read{$1} = $2;
			next;
		}
		while (/([^\s=]+)(?:=(?|'([^']*)'|"([^"]*)"|(\S+)))?/g)
		{
			my ($name, $value) = ($1, $2);

			die "no situation is called $name\n" if !defined $value && !$situation{$name};
			%read = (%read, defined $value ? ($name => $value) : %{ $situation{$name} });
		}
	}
	return %read;
}

# The line of a situation that the program reads
sub line_of (%figures)
{
	my %all = (%{ $situation{usual} }, %figures);
	my @phases = grep { /^phase:/ } keys %figures;

	delete @all{@expected};
	# flushes have the time that the phases of a situation leave
	$all{'phase:other'} = $figures{'phase:other'} // 0 if @phases;
	$all{'phase:flush'} = $figures{'phase:flush'} // 1 - sum(@figures{@phases}) if @phases;
	return join "\t", map { "$_=$all{$_}" } sort keys %all;
}

# What the program prints of a situation, in parts
sub parts_of ($out)
{
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

sub conclude ($text = '')
{
	return parts_of($program->(line_of(read_situation($text))) =~ s/^end\z//mr);
}

sub check ($name, $said, %case)
{
	like($said->{first}, qr/^$case{cause}/, "$name: the first cause") if defined $case{cause};
	is($said->{first} =~ s/\n\z//r, $case{exactly}, $name) if defined $case{exactly};
	like($said->{causes} =~ s/\n +/ /gr, qr/$case{says}/m, $name) if defined $case{says};
	like($said->{remedy}, qr/$case{remedy}/, "$name: what to do") if defined $case{remedy};
	unlike(join("", @$said{qw(causes step delay)}), qr/$case{not}/, "$name: nothing false")
	  if defined $case{not};
	return if !defined $case{answer};
	like($said->{delay}, qr/^$case{answer}/s, "$name: a delay");
	unlike($said->{delay}, qr/SELECT|ALTER/, "$name: nothing to try") if $case{answer} =~ /^no\b/;
	unlike($said->{delay}, qr/To try.*To try/s, "$name: nothing is said twice");
	return;
}

# The table: the name, behind "%" if it is only for others; behind "|" or in
# lines of their own, figures, and names of situations whose figures and
# expectations it has, too; then what is expected:
#
#	cause, exactly	the cause that is named first
#	remedy			what to do about it
#	says			something of all that stands above the first step
#	answer			that on a delay
#	not				what must not be said
my $table = <<'END';
# A server with ten clients on a device that takes 500 us: the load is half of
# what the threshold is, 4000/s.
%usual | counting=1 fsync=1 io_timing=1 siblings=5 commits=20000 carried=20000 flushes=10000
	phase_commits=20000 commit_rate=2000 flush_rate=1000 phase_mean=1000 phase:flush=0.25
	phase:other=0.75 own_flush=0.25 commit_p99=3000 flush_time=500 flush_p50=450 flush_p99=900
	disk_busy=0.5 listeners=-1 wal_recycle=1 wal_init_zero=1 archiver=archive_command
	min_wal_size=80 max_wal_size=1024 full_pages=1 completion_target=0.9 checkpoint_timeout=300
	siblings_max=9 siblings_half=7 siblings_mean=6 concurrency=0.99 reach=0.9 siblings_of=flushes

%plain_flushes
	cause: 100% flushes
%hanging | now.longest=12e6
	answer: no\. Commits hang
%record | phase:record=0.9
	answer: no\. 90\.0% of commit time

# A device that takes 4 ms for each flush, and commits that come one by one.
%queue | flush_time=4100 flush_p50=4000 flush_p99=4900 flush_rate=239 commit_rate=239 disk_busy=0.98
	cause: 100%
%one_by_one | queue carried=10000 commits=10000
	answer: no\. NOTIFY commits

a new WAL segment: its time is no part of the flushes | phase:segment=0.4
	cause: 60\.0% flushes of usual length
	says: 2\. 40\.0% a new WAL segment is made
NOTIFY | one_by_one phase:NOTIFY=0.947 phase:flush=0.05 commits_notify=10000 notify.commits=100
	notify.hold_time=418e6 notify.flush_time=410e6 listeners=0
	cause: 94\.7% NOTIFY: .* 4\.18 ms each, of which 4\.10 ms for its flush: at most 239 such commits/s\. No session listens to these messages\.
	remedy: ^NOTIFY from one session only, or none; commits_notify of commit_client_stats has the senders\n$
	answer: no\. NOTIFY commits come one after the other \(100% of the commits\)\.
	not: sweep|adaptive
... when those that listened may have left | one_by_one phase:NOTIFY=0.947 phase:flush=0.05 commits_notify=10000 listeners=0 newest_age=2
	cause: 94\.7% NOTIFY:
	not: listens
... that waits for a standby | one_by_one phase:NOTIFY=0.897 phase:flush=0.014 phase:standby=0.087
	commits_notify=10000 notify.commits=100 notify.hold_time=2850e6 notify.flush_time=354e6
	cause: 89\.7% NOTIFY: .* 28\.5 ms each, of which 3\.54 ms for its flush, and more the wait for its standby: at most 35\.1 such
... beside a flush that is not timed | one_by_one phase:NOTIFY=0.594 phase:flush=0.03 phase:standby=0.35
	commits_notify=10000 notify.commits=100 notify.hold_time=2500e6 notify.flush_time=896e6
	flush_time=0 io_timing=0 seen_enough=1 seen.in_commit=1000 phase_mean=77000 standby=sb1 standby_share=1
	cause: 59\.4% NOTIFY: .* 25\.0 ms each, of which 2\.31 ms for its flush, and more the wait for its standby: at most 40\.0 such
%notify_before | one_by_one commits_notify=10000 notify.commits=100 notify.hold_time=413e6
	notify.flush_time=411e6 seen_enough=1 seen.in_commit=1000 phase_mean=960000
... beside a volume that has just become slower
	notify_before phase:NOTIFY=0.958 phase:flush=0.042 flush_slower=40000
	cause: 95\.8% NOTIFY: .* 40\.3 ms each, of which 40\.3 ms for its flush: at most 24\.8 such commits/s; flushes take 40\.0 ms now, and took 4\.00 ms \(median of all\)\.
	remedy: ^NOTIFY from one session only, or none; .* senders; or, of the volume: its burst balance
... a volume that is no longer slow | notify_before notify.hold_time=4130e6 notify.flush_time=4110e6
	phase_mean=96000 phase:NOTIFY=0.956 phase:flush=0.043 phase:record=0.001
	cause: 95\.6% NOTIFY: .* 4\.22 ms each, of which 4\.13 ms for its flush: at most 237 such
... as far as is known beside commits without NOTIFY | notify_before notify.hold_time=4130e6
	notify.flush_time=4110e6 phase_mean=96000 phase:NOTIFY=0.957 phase:flush=0.043 commits=11000
	cause: 95\.7% NOTIFY: .* 41\.3 ms each, of which 41\.1 ms for its flush: at most 24\.2 such
... as usual, by some samples more
	notify_before phase_mean=96000 phase:NOTIFY=0.955 phase:flush=0.045
	cause: 95\.5% NOTIFY: .* 4\.13 ms each, of which 4\.11 ms for its flush: at most 242 such
... as usual, with a commit_delay | notify_before notify.hold_time=500e6 notify.flush_time=380e6
	phase_mean=120000 phase:NOTIFY=0.958 phase:flush=0.032 phase:delay=0.01
	cause: 95\.8% NOTIFY: .* 5\.04 ms each, of which 1\.20 ms asleep, 3\.84 ms for its flush: at most 198 such
... where a flush waits for a leader that sleeps | notify_before notify.hold_time=2080e6
	notify.flush_time=1220e6 phase_mean=58700 phase:NOTIFY=0.642 phase:flush=0.123 phase:delay=0.235
	cause: 64\.2% NOTIFY: .* 21\.0 ms each, of which 13\.8 ms asleep, 7\.22 ms for its flush: at most 47\.6 such
... that others do, and for longer | notify_before commits_notify=6000 phase_mean=58700
	phase:NOTIFY=0.642 phase:flush=0.053 phase:delay=0.305
	cause: 64\.2% NOTIFY: .* 4\.13 ms each, of which 4\.11 ms for its flush: at most 242 such
... or a standby
	notify_before phase_mean=4900000 phase:NOTIFY=0.958 phase:flush=0.001 phase:standby=0.041
	cause: 95\.8% NOTIFY: .* 206 ms each, of which 4\.90 ms for its flush, and more the wait for its standby: at most 4\.86 such commits/s\.
%notify_behind | notify_before phase:NOTIFY=0.4 phase:standby=0.33 standby=sb1 standby_share=1
... of one that hangs | notify_behind now.longest=6e6 now.commits=6 now.all=6 now.phase=7
	answer: no\. Commits hang
	cause: 40\.0% NOTIFY: only one commit at a time can hold its lock, and the holder waits for standby 'sb1': not connected\. ?$
	remedy: ^start it \(
... of one that hung in a period | notify_behind period=1 hanging=6
	answer: \z
	cause: 40\.0% NOTIFY: .* lock, and the holder waits for standby 'sb1': not connected\. ?$
... of one that was away
	commits=2690 commits_notify=1383 phase_commits=2690 phase_mean=72300 phase:NOTIFY=0.41
	phase:standby=0.577 phase:flush=0.01 standby=dr standby_share=1 standby_dropped=1 seen_enough=1
	slow_recent=22 slow_standby=111.7e6 notify.commits=1383 notify.hold_time=58.8e9
	answer: no\. 99\.0% of commit time is outside of flushes, the largest part 'standby'\.
	says: 2\. 41\.0% NOTIFY: only one commit at a time can hold its lock, and the holder waits for standby: one that synchronous_standby_names no longer has\. -> none: no commit waits for it any more
	not: such commits
... of one that was away in a period | notify_behind period=1 phase_mean=72000 commit_p50=549
	answer: \z
	cause: 40\.0% NOTIFY: .* lock, and the holder waits for standby 'sb1': not connected\. ?$
... of one that goes on | notify_behind
	cause: 40\.0% NOTIFY: .* such commits/s
	remedy: ^NOTIFY from one session only
... of one that goes on, beside some that hang
	notify_behind now.longest=6e6 now.commits=1 now.all=6 now.phase=7
	cause: 40\.0% NOTIFY: .* such commits/s
... of one whose flush hangs | notify_behind now.longest=6e6 now.commits=6 now.all=6 now.phase=4
	answer: no\. Commits hang
	cause: 40\.0% NOTIFY: .* such commits/s
... beside more commits without, whose flushes are larger
	notify_before commits=20001 phase:NOTIFY=0.9 phase:flush=0.1
	cause: 90\.0% NOTIFY: .* 4\.13 ms each, of which 4\.11 ms for its flush
	answer: no\. 90\.0% of commit time
... until another load, of which samples tell | notify_before phase:NOTIFY=0.04 phase:flush=0.26
	phase:other=0.7 newest=1 newest_flushes=2000 newest_carried=9000
	cause: 96\.0% flushes of usual length
	answer: may pay
... while its lock takes little, and its messages much
	notify_before phase:NOTIFY=0.04 phase:record=0.3 notify.write_time=400e6
	cause: 66\.0%
	answer: no\. NOTIFY commits
... with a listener that does not read
	one_by_one phase:NOTIFY=0.8 commits_notify=10000 listeners=3 queue=0.12
	cause: 80\.0% NOTIFY: only one commit at a time can hold its lock\. Its queue is 12\.0% full: a session that listens has not read it yet\.
LISTEN, with another listener that does not read | record queue=0.013
	cause: 90\.0% record: .*, as LISTEN, which reads the queue of NOTIFY \(1\.3% full\), ON COMMIT DELETE ROWS or DROP, or that of an extension\.
	remedy: ^if it is LISTEN, end the transaction of the session that does not read the queue; else
... in a short queue | record queue=0.0009
	cause: 90\.0% record: .*, as ON COMMIT DELETE ROWS or DROP, or that of an extension\.
	not: LISTEN
NOTIFY of many messages | one_by_one phase:NOTIFY=0.8 commits_notify=10000 notify.commits=100
	notify.hold_time=1500e6 notify.flush_time=40e6 notify.write_time=1400e6
	cause: 80\.0% NOTIFY: .* 15\.0 ms each, mostly to write its messages: at most 66\.7 such commits/s\.
	remedy: ^fewer messages in a transaction: one for many rows
... alone | notifies=1 commits_notify=7 notify.commits=7 notify.hold_time=133e6
	notify.write_time=126e6 phase:record=0.9
	cause: 90\.0% NOTIFY: only one commit at a time can hold its lock, 19\.0 ms each, mostly to write its messages: at most 52\.6 such commits/s\.
	answer: no\. 90\.0% of commit time
	remedy: ^fewer messages in a transaction
	not: ON COMMIT
... that few of many commits have | notifies=1 phase:record=0.097 phase:NOTIFY=0.36 phase:flush=0.38
	phase:other=0.037 commits_notify=10000 notify.commits=1325 notify.hold_time=763e6
	notify.flush_time=494e6 notify.write_time=126e6
	cause: 45\.7% NOTIFY: .* 576 us each, of which 373 us for its flush: at most 1740 such commits/s\.
	answer: no\. NOTIFY commits
	remedy: ^fewer messages in a transaction
	not: ON COMMIT|record
... of which not enough is known | record commits_notify=100
	cause: 90\.0% record: .*, as messages of NOTIFY, ON COMMIT DELETE ROWS or DROP, or that of an extension\.
	remedy: ^fewer messages of NOTIFY in a transaction, or fewer temporary tables
NOTIFY without a flush
	phase:NOTIFY=0.9 commits_notify=5 notify.commits=190000 notify.hold_time=2e6
	cause: 90\.0% NOTIFY: only one commit at a time can hold its lock\. ?$
	answer: no\. 90\.0%
half of it | phase:NOTIFY=0.8 phase:other=0.1 commits_notify=10000
	cause: 80\.0% NOTIFY: only one commit at a time can hold its lock\. ?$
	answer: no\. NOTIFY commits
a standby that is gone | commits=8 flushes=8 hanging seen_enough=1 phase:standby=1 standby=ghost
	standby_share=1
	cause: 100% standby 'ghost': not connected\.
	remedy: ^start it \(if it runs, its log says why it is not connected\), or correct
a standby's disk | phase:standby=0.83 standby=sb1 standby_stage=3 standby_share=0.9
	cause: 83\.0% standby 'sb1': not flushed \(90\.0% of these waits\)\.
	answer: no\. 83\.0% of commit time is outside of flushes, the largest part 'standby'\.
	remedy: ^its disk or processors, or a walreceiver that does not answer \(a pg_receivewal needs --slot and --synchronous\); or synchronous_commit = remote_write \(still waits while the walreceiver flushes; if both systems crash, it loses commits\)\n$
... by slow commits that are kept
	phase:standby=0.83 standby=sb1 standby_stage=3 standby_share=0.9 standby_at_least=1
	cause: 83\.0% standby 'sb1': not flushed \(at least 90\.0% of these waits\)\.
	answer: no\.
... of which another stage has much | phase:standby=0.83 standby=sb1 standby_stage=3
	standby_share=0.387 standby_next="'sb1': not connected" standby_next_share=0.336
	cause: 83\.0% standby 'sb1': not flushed \(38\.7% of these waits; another 33\.6% 'sb1': not connected\)\.
	answer: no\.
a standby's network
	phase_mean=21000 flush_wal=16384 phase:standby=0.97 standby=sb1 standby_stage=2 standby_share=1
	cause: 97\.0% standby 'sb1': not written\.
	answer: no\. 97\.0% of commit time
	remedy: ^its network, if a ping takes as long \(20\.4 ms a commit\) or it carries no more than 16\.4 MB/s; else its walreceiver, which first flushes to its disk what came before, lacks a processor, or does not answer\n$
... for which a nearer one is down
	phase_mean=21000 phase:standby=0.97 standby=far standby_stage=2 standby_share=1 standby_former=1
	remedy: ^the one that synchronous_standby_names has before it, which is away or catches up; else its network
... or another one of a quorum
	phase_mean=50000 phase:standby=0.97 standby=oslo standby_stage=3 standby_share=1 standby_missing=bergen
	remedy: ^start 'bergen', whose answer would do, too: it is in synchronous_standby_names, and not connected; else its disk
... or both
	phase_mean=50000 phase:standby=0.97 standby=oslo standby_stage=0 standby_share=1 standby_missing=bergen
	now.longest=12e6 now.all=8 now.blame=oslo
	answer: no\.
	remedy: ^start it \(.*; 'bergen' is not connected either\n$
a standby that did not answer for some time | phase_mean=102000 commit_p50=2200 phase:standby=0.986
	standby=sb1 standby_stage=2 standby_share=1
	cause: 98\.6% standby 'sb1': not written\.
	answer: no\. 98\.6% of commit time
	remedy: ^its network, processors or disk \(it writes, and makes segments\), or a walreceiver that does not answer \(
	not: ping
... or had not flushed, for as long | seen_enough=1 seen.n=100 seen.in_commit=1000 phase_mean=25500
	phase_commits=3304 phase:standby=0.6 standby=sb1 standby_stage=2 standby_share=0.538
	slow_recent=6 slow_standby=24e6 slow_at_stage[STANDBY_NOT_WRITTEN]=24e6
	remedy: ^its network, processors or disk
	not: ping
... in a period | phase_mean=24500 phase_commits=3352 commit_p50=10000 phase:standby=0.598 period=1
	standby=sb1 standby_stage=2 standby_share=0.483 standby_at_least=1 slow_commits=6
	slow_at_stage[STANDBY_NOT_WRITTEN]=24e6
	remedy: ^its network, processors or disk
	not: ping
... which hardly matters beside its network | seen_enough=1 seen.n=100 seen.in_commit=1000
	phase_mean=25500 phase_commits=3304 phase:standby=0.6 standby=sb1 standby_stage=2
	standby_share=0.538 slow_recent=6 slow_standby=12e6 slow_at_stage[STANDBY_NOT_WRITTEN]=12e6
	remedy: ^its network, if a ping takes as long
... beside a network for which all commits are slow | seen_enough=1 seen.n=100 seen.in_commit=1000
	phase_mean=25500 phase_commits=3304 phase:standby=0.6 standby=sb1 standby_stage=2
	standby_share=1 slow_recent=3000 slow_standby=40e6 slow_at_stage[STANDBY_NOT_WRITTEN]=40e6
	remedy: ^its network, if a ping takes as long
... for most of the waits | phase_mean=102000 commit_p50=25000 phase:standby=0.986 standby=sb1
	standby_stage=2 standby_share=1
	remedy: ^its network, processors or disk
	not: ping
... in each commit | phase_mean=1170000 phase:standby=1 standby=sb1 standby_stage=2 standby_share=1
	remedy: ^its network, processors or disk
	not: ping
a standby that is new | seen_enough=1 seen.n=100 seen.in_commit=1000 phase_mean=2500 commit_p50=500
	phase:standby=0.8 standby=sb1 standby_stage=2 standby_share=1
	remedy: ^its network, if a ping takes as long \(2\.00 ms a commit\)
... that did not answer for some time | seen_enough=1 seen.n=100 seen.in_commit=1000 phase_mean=2500
	phase:standby=0.8 standby=sb1 standby_stage=2 standby_share=1 slow_recent=10 slow_standby=39e6
	remedy: ^its network, processors or disk \(it writes, and makes segments\), or a walreceiver that does not answer \(
	not: ping
a subscription that hung, whose wait began before the samples | seen_enough=1 seen.n=1000
	seen.in_commit=10100 phase_mean=101000 phase_commits=3010 commit_p50=1000 phase:standby=0.98
	standby=sub standby_logical=1 standby_stage=2 standby_share=1 slow_recent=10 slow_standby=3e8
	remedy: \(1\.00 ms a commit\)
a standby's replay
	phase:flush=0.03 phase:other=0 phase:standby=0.97 standby=sb1 standby_stage=4 standby_share=1
	cause: 97\.0% standby 'sb1': not applied\.
	answer: no\. 97\.0% of commit time
	remedy: ^queries that conflict with its replay, or a replay that is paused \(pg_wal_replay_resume\(\)\), delayed .* or slow .* \(a pg_receivewal applies nothing\)\n$
%behind | phase:standby=0.97 standby=sb1 standby_stage=1 standby_share=1 standby_behind=35e6
	standby_before=34e6
	answer: no\. 97\.0% of commit time
	cause: 97\.0% standby 'sb1': not sent, 35\.0 MB behind\.
... that the WAL of others fills | behind running_writer=autovacuum
	remedy: ^less WAL at a time of autovacuum, behind which commits wait; else its network
... of many transactions | behind heaviest='stage (a, b)' heaviest_share=0.98
	remedy: ^less WAL at a time, behind which commits wait \(since the reset, 98\.0% of the WAL is of client stage \(a, b\)\); else its network
... and nobody writes | behind
	remedy: ^its network
... that writes little | behind standby_behind=1e6 standby_before=1e6 running_writer=autovacuum
	cause: 97\.0% standby 'sb1': not sent\.
	remedy: ^its network
... that writes after the commits | behind standby_before=8192 running_writer=autovacuum
	cause: 97\.0% standby 'sb1': not sent, 35\.0 MB behind\.
	remedy: ^its network
a standby that was away | behind standby_stage=0 standby_behind=0
	cause: 97\.0% standby 'sb1': not connected\.
	remedy: ^if it is still away, start it \(if it runs, its log says why it is not connected\), or correct its name in synchronous_standby_names, or take it out there and lower the number \(reload; commits then go on, perhaps on the primary alone\); else the logs of both servers say why it was\n$
... and is so now, for few of the commits
	behind standby_stage=0 standby_behind=0 now.longest=12e6 now.all=8 now.blame=sb1
	cause: 97\.0% standby 'sb1': not connected\.
	remedy: ^start it \(
... and is no longer listed | behind standby_dropped=1 running_writer=autovacuum
	cause: 97\.0% standby: one that synchronous_standby_names no longer has\.
	remedy: ^none: no commit waits for it any more\n$
... and is no longer listed, beside one that is
	behind standby_dropped=1 standby_share=0.6 standby_next="'sb2': not flushed" standby_next_share=0.4
	cause: 97\.0% standby: one that synchronous_standby_names no longer has \(60\.0% of these waits; another 40\.0% 'sb2': not flushed\)\.
... and was listed in the period | behind standby_dropped=1 period=1
	answer: \z
	cause: 97\.0% standby 'sb1': not sent, 35\.0 MB behind\.
	remedy: ^none: synchronous_standby_names no longer has it\n$
a row that a COMMIT keeps while it waits for a standby
	behind seen.n=200 seen.in_commit=200 seen.row_holders=200 seen.blocked_rows=2200 of_transactions=0.08
	says: ^On average 11\.0 sessions wait for a row or lock that one in COMMIT holds, and so for what that waits for\. Fewer updates .* make this less\.\nWhy:
	not: No setting
%hangs | hanging phase:standby=1 standby=sb1 standby_share=1
... beside one that goes on | hangs standby_stage=2 standby_ahead="'b' is ahead of it"
	remedy: ; or, if any standbys will do, ANY in place of FIRST or '\*': 'b' is ahead of it\n$
... whose disk stands still | hangs standby_stage=3
	remedy: ; or synchronous_commit = remote_write \(.*\); commits that hang keep their level: they wait for the standby, or until it is out of synchronous_standby_names\n$
... whose replay is paused | hangs standby_stage=4
	remedy: ; or synchronous_commit = on \(a pg_receivewal applies nothing\); commits that hang keep their level:
... for a few of those that commit | phase:standby=0.83 standby=sb1 standby_stage=4 standby_share=1
	now.longest=8e6 now.commits=2 now.all=14 now.phase=7 now.blame=sb1 now.blame.stage=4
	remedy: ; or synchronous_commit = on \(.*\); commits that hang keep their level:
... which no setting names any more | hangs standby_unset=1
	cause: 100% standby: synchronous_standby_names is empty, but the checkpointer has not read that yet\.
	remedy: ^none: commits go on when
... which lacks nothing | hangs standby_answers=1
	cause: 100% standby: those that commits need have their WAL, and commits go on when one of those answers\.
	remedy: ^none until the next flush, or for wal_receiver_status_interval of the standbys; then a walreceiver
... whose name no standby has
	hangs standby=sb1 standby_stage=0 standby_unlisted="'15/main' or 'dr'"
	remedy: ^if it is '15/main' or 'dr', which is connected: application_name = sb1 in its primary_conninfo; else start it \(
... which is behind | hangs standby_stage=1
	cause: 100% standby 'sb1': not sent\.
	remedy: ^its network, a walreceiver that does not answer, or the primary's processors; while it catches up \(pg_stat_replication\), no commit goes on\n$
... which hangs | hangs standby_stage=2
	cause: 100% standby 'sb1': not written\.
	remedy: ^its network, processors or disk \(it writes, and makes segments\), or a walreceiver that does not answer \(a pg_receivewal needs --slot and --synchronous\)\n$
any standby, of which too few are there | hangs standby=* standby_share=1
	cause: 100% standby '\*': too few are connected\.
	remedy: ^start another one, or lower the number in synchronous_standby_names \(if it is 1, empty the list; reload; commits then go on, perhaps on the primary alone\)\n$
... and were there | behind standby=* standby_stage=0 standby_behind=0 standby_share=0.9
	cause: 97\.0% standby '\*': too few are connected \(90\.0% of these waits\)\.
	remedy: ^if too few still are, start another one, or lower the number .*; else the logs of both servers say why it was\n$
... in a period | phase:standby=1 hanging=4 period=1 standby=* standby_share=1 standby_since=noon
	cause: 100% standby '\*': too few are connected \(100% of its waits since noon\)\.
a subscription | phase:standby=0.83 standby=sub standby_stage=3 standby_share=1 standby_logical=1
	cause: 83\.0% standby 'sub': not flushed\.
	answer: no\. 83\.0%
	remedy: ^ALTER SUBSCRIPTION \.\.\. SET \(synchronous_commit = on\): without it, its WAL writer flushes what it applies, up to wal_writer_delay later; else its network, if a ping takes as long \(830 us a commit\); else what its subscription waits for as it applies one transaction after the other: locks, triggers or missing indexes there\n$
... of which a minority of the commits waits
	seen_enough=1 seen.n=100 seen.in_commit=1000 phase_mean=25500 phase_commits=3304 phase:standby=0.6
	standby=sub standby_stage=3 standby_share=1 standby_logical=1 slow_recent=900 slow_standby=40e6
	slow_at_stage[STANDBY_NOT_FLUSHED]=40e6
	remedy: ^ALTER SUBSCRIPTION
... that takes no more while it applies
	behind standby_logical=1 running_writer='client batch (a, b)'
	answer: no\. 97\.0%
	remedy: ^less WAL at a time of client batch \(a, b\), behind which commits wait; else its walsender here, .*; else what its subscription
	not: processors
... whose walsender decodes
	phase:standby=0.83 standby=sub standby_stage=1 standby_share=1 standby_logical=1
	cause: 83\.0% standby 'sub': not sent\.
	remedy: ^its walsender here, unless that waits for WalSenderWriteData: it decodes, on one processor \(larger logical_decoding_work_mem, less DDL in a transaction\); else what its subscription waits for
... or hangs | hangs standby=sub standby_stage=1 standby_logical=1
	cause: 100% standby 'sub': not sent\.
	remedy: ^its walsender here
... which hangs | hangs standby=sub standby_stage=2 standby_logical=1
	cause: 100% standby 'sub': not written\.
	remedy: ^what its subscription waits for
... whose walsender waits for a standby
	hangs standby=sub standby_stage=1 standby_logical=1 standby_slots='near, far'
	cause: 100% standby 'sub': not sent\.
	remedy: ^the standbys of synchronized_standby_slots \('near, far'\), to which
... which is none | hangs standby=cdc standby_stage=2 standby_logical=1 standby_reader=1
	cause: 100% standby 'cdc': not written\.
	remedy: ^leave it out of synchronous_standby_names, if it is no subscription: .*; else what its subscription waits for as it applies
... which is one without a slot of its name
	phase:standby=0.83 standby=sub standby_stage=3 standby_share=1 standby_logical=1 standby_reader=1
	remedy: ^leave it out of synchronous_standby_names, if it is no subscription: .*; else ALTER SUBSCRIPTION
... which is a backup | hangs standby=pg_basebackup standby_stage=3
	cause: 100% standby 'pg_basebackup': not flushed\.
	remedy: ^names of standbys in synchronous_standby_names, in place of '\*': a backup
	not: disk
... in a period, by all of its waits
	phase:standby=1 period=1 standby=s1 standby_stage=3 standby_share=0.542 standby_since=noon
	cause: 100% standby 's1': not flushed \(54\.2% of its waits while connected since noon\)\.
	answer: \z
	remedy: ^if it was at this stage in the period, too: its disk or processors
... nearly all of them at one stage
	phase:standby=1 period=1 standby=s1 standby_stage=3 standby_share=0.9 standby_since=noon
	answer: \z
	remedy: ^its disk or processors
some standby | phase:standby=0.83
	cause: 83\.0% standby: which one is not known\.
	answer: no\. 83\.0% of commit time is outside
	remedy: ^commit_standby_stats\n$
... that a restart has forgotten | phase:standby=0.83 standby_list=s1
	cause: 83\.0% standby: which one is not known\.
	remedy: ^none known: a restart, a reset, or another synchronous_standby_names \(now 's1'\), empties commit_standby_stats; the logs of both servers\n$
a prepared transaction that nobody ends
	hanging lock='row of relation s, held by a prepared transaction' lock_share=1 lock_prepared=1
	phase:before=1
	cause: 100% before the record: deferred triggers, foreign keys, open cursors or an extension wait, as for row of relation s, held by a prepared transaction\.
	remedy: ^unless one is under way, COMMIT PREPARED or ROLLBACK PREPARED \(pg_prepared_xacts has its name\), whichever its transaction manager has decided; start that first
... which has ended since | phase:before=1 lock=l lock_share=1 lock_prepared=1 lock_ended=1
	remedy: ^none: no transaction is prepared any more
a flush that hangs | hanging now.phase=4
	cause: 100% flushes that have not ended, or did not stall\.\n
	remedy: ^what the volume does: iostat, the kernel's log, the provider's graphs\n$
... behind a commit that computes | hanging
	cause: 100% flushes of usual length
	not: have not ended
... beside the sync of a checkpoint | hanging now.beside_sync=1 wal_rate=1 completion_target=0.1
	cause: 100% flushes that have not ended, or did not stall\. A checkpoint syncs files all the while: flushes wait behind that, or the volume hangs\.
	remedy: ^larger checkpoint_timeout \(now 300 s\); or, if the volume hangs: the kernel's log, the provider's graphs\n$
... for which a command asked | hanging now.beside_sync=1 checkpoint_asked=1
	remedy: ^no command then that asks for a checkpoint
... on another volume | hanging now.phase=4 now.beside_sync=1 wal_apart=1
	cause: 100% flushes that have not ended, or did not stall\.\n
	not: checkpoint
a deferred trigger | phase:before=0.98 lock='row of relation sum, held by pid 7' lock_share=1
	cause: 98\.0% before the record: deferred triggers, foreign keys, open cursors or an extension wait, as for row of relation sum, held by pid 7\.
	remedy: ; for a foreign key, FOR NO KEY UPDATE in place of FOR UPDATE of the row that it refers to\n$
	answer: no\. 98\.0% of commit time is outside of flushes, the largest part 'before'\.
	not: sweep
... of transactions that wait for each other | phase:before=0.98 lock=row lock_share=1 lock_circle=1
	remedy: ^rows, keys and locks in one order in all transactions
	answer: no\. 98\.0%
%serial | phase:before=0.9 lock='advisory lock 42, held by pid 7' lock_share=1 seen.commit_locks=100
COMMITs that hold it for each other | serial seen.commit_queue=80
	cause: 90\.0% before the record, one COMMIT after the other: each holds until its end what deferred triggers or cursors of others, or an extension, wait for, as advisory lock 42, held by pid 7\.
	answer: no\. 90\.0% of commit time is outside of flushes, the largest part 'before'\.
	remedy: ^fewer transactions that take that lock .*; all in one order, if some deadlock\n$
	not: shorter
... and wait for a standby meanwhile
	serial seen.commit_queue=80 phase:standby=0.09 standby=ghost standby_share=1 now.longest=12e6
	cause: 90\.0% before the record, one COMMIT after the other: .* held by pid 7, which itself waits for standby 'ghost': not connected\.
	remedy: ^start it \(if it runs, .*\), or correct its name in synchronous_standby_names
... and sleep with it, for nothing
	serial seen.commit_queue=80 phase:delay=0.08 now.longest=2e6 now.phase=3 delay=10000 alone_hits=1
	answer: set it to 0\. 100% of the newest sleeps carried no other commit\..*commit_delay = 0
... which some sleeps were, as they wait for something else
	serial seen.commit_queue=80 phase:delay=0.08 now.longest=2e6 now.phase=7 delay=10000 alone_hits=1
	answer: no\. Commits hang
COMMITs that wait for it, but mostly for another session | serial seen.commit_queue=79
	cause: 90\.0% before the record: deferred triggers, foreign keys, open cursors or an extension wait, as for advisory lock 42
	answer: no\. 90\.0%
	remedy: ^a shorter transaction of its holder
... beside other work of deferred triggers
	phase:before=0.95 lock='row of relation sum, held by pid 7' lock_share=0.6 seen_enough=1 seen.phase[PHASE_BEFORE]=100
	cause: 57\.0% before the record: deferred triggers, foreign keys, open cursors or an extension wait, as for row of relation sum
	says: 2\. 38\.0% before the record: deferred triggers, constraints
... which too few looks tell apart
	phase:before=0.95 lock='row of relation sum, held by pid 7' lock_share=0.6 seen_enough=1 seen.phase[PHASE_BEFORE]=19
	cause: 95\.0% before the record: .* as for row of relation sum
	not: constraints
... or takes nearly all of the time
	phase:before=0.95 lock='row of relation sum, held by pid 7' lock_share=0.95 seen_enough=1 seen.phase[PHASE_BEFORE]=100
	cause: 95\.0% before the record: .* as for row of relation sum
	not: constraints
two locks, one in each phase
	phase:before=0.5 lock='row of relation sum, held by pid 7' lock_share=1 phase:record=0.4 record_lock='relation pg_type, held by pid 8' record_lock_share=1
	cause: 50\.0% before the record: .* as for row of relation sum, held by pid 7\.
	says: 2\. 40\.0% record: COMMIT waits, as for relation pg_type, held by pid 8, before its commit record\.
	not: own work
deferred keys | commits=4 flushes=4 seen_enough=1 phase:before=0.96
	cause: 96\.0% before the record: deferred triggers, constraints
	answer: no\. 96\.0% of commit time
... beside which some wait for another server
	phase:before=0.96 seen.phase[PHASE_BEFORE]=200 seen.extension_waits=99
	cause: 96\.0% before the record: deferred triggers, constraints
	answer: no\. 96\.0% of commit time
... where all do, or for the server's log
	phase:before=0.96 seen.phase[PHASE_BEFORE]=200 seen.extension_waits=100
	cause: 96\.0% before the record: it waits in an extension, as postgres_fdw for COMMIT on another server, a deferred trigger for a query by dblink, or to write to the server's log
	remedy: of the server's log: its disk, syslog; of dblink: its query\n$
%elsewhere | seen_enough=1 slow_recent=1 phase:before=0.2 phase:record=0.3 phase:log=0.1
	phase:after=0.38 seen.phase[PHASE_BEFORE]=40 seen.phase[PHASE_RECORD]=60
	seen.phase[PHASE_LOG]=20 seen.phase[PHASE_AFTER]=76
	answer: no\. 98\.0% of commit time
another library, in each of its callbacks | elsewhere seen.extension_waits=190
	cause: 48\.0% after the commit record: it waits in an extension, as for COMMIT PREPARED
	not: DROP
at a lock of the server | elsewhere seen.event_waits=196 wait_event=ProcArrayGroupUpdate
	cause: 98\.0% wait event ProcArrayGroupUpdate: there COMMIT waits for other processes, outside of its flush\.
	remedy: ^fewer sessions that commit at a time
	not: DROP|own work
... of pg_stat_statements | elsewhere seen.event_waits=196 wait_event=pg_stat_statements
	cause: 98\.0% wait event pg_stat_statements
	remedy: ^larger pg_stat_statements\.max \(a restart\), or
... of NOTIFY | elsewhere seen.event_waits=160 wait_event=NotifyQueue
	remedy: ^fewer messages of NOTIFY
... of track_commit_timestamp | elsewhere seen.event_waits=196 wait_event=CommitTsSLRU
	remedy: ^larger commit_timestamp_buffers \(from 17 on; a restart\); or, if nothing reads commit timestamps \(.*\), track_commit_timestamp = off \(a restart\), which discards them\n$
... of prepared transactions, beside a checkpoint
	elsewhere seen.event_waits=196 wait_event=TwoPhaseState
	remedy: ^prepared transactions that end sooner
... of transactions with many locks | elsewhere seen.event_waits=196 wait_event=LockManager
	remedy: ^fewer tables, partitions and indexes in a transaction; or, from 18 on, larger max_locks_per_transaction \(a restart; of standbys first\)
... of the status of transactions | elsewhere seen.event_waits=196 wait_event=XactSLRU
	remedy: ^larger transaction_buffers \(from 17 on; a restart\), or fewer sessions
... whose buffer others read | elsewhere seen.event_waits=196 wait_event=XactBuffer
	remedy: ^larger transaction_buffers
... of the transactions that lock a row
	elsewhere seen.event_waits=196 wait_event=MultiXactOffsetBuffer
	remedy: ^fewer transactions at a time that lock, .*, larger multixact_offset_buffers and multixact_member_buffers \(a restart\)
... of savepoints | elsewhere seen.event_waits=196 wait_event=SubtransSLRU
	remedy: ^fewer savepoints .*, larger subtransaction_buffers \(a restart\)
... of their locks that SERIALIZABLE has
	elsewhere seen.event_waits=196 wait_event=PredicateLockManager
	remedy: ^shorter SERIALIZABLE
... that wait for a leader of theirs | elsewhere seen.event_waits=196 wait_event=XactGroupUpdate
	remedy: ^fewer sessions that commit
... of SERIALIZABLE | elsewhere seen.event_waits=196 wait_event=SerializableXactHash
	cause: 98\.0% wait event SerializableXactHash
	remedy: ^shorter SERIALIZABLE
... for half of that time | elsewhere seen.event_waits=98 wait_event=ProcArrayGroupUpdate
	cause: 49\.0% wait event ProcArrayGroupUpdate
	says: 2\. 19\.0% after the commit, for files of tables
... beside a lock that has an object
	elsewhere seen.event_waits=160 wait_event=ProcArrayGroupUpdate lock='row of t, held by pid 7' lock_share=1
	record_lock='row of t, held by pid 7' record_lock_share=1
	not: wait event
... that one look of few saw | elsewhere seen.event_waits=160 wait_event=ProcArrayGroupUpdate
	lock='row of t, held by pid 7' lock_share=1 seen.phase[PHASE_BEFORE]=1
	says: wait event ProcArrayGroupUpdate
... which takes a small part | elsewhere seen.extension_waits=90
	cause: 38\.0% after the commit, for files of tables
	not: waits in an extension
savepoints | savepoints=60000 phase:before=0.97
	cause: 97\.0% before the record: COMMIT ends 60000 open savepoints, one in the other\.
	answer: no\. 97\.0% of commit time
	remedy: ^RELEASE SAVEPOINT after each, .*; if pgjdbc sets them, cleanupSavepoints = true
	not: deferred
%new_tables | wal_minimal=1 record
	remedy: ^larger wal_skip_threshold
new tables | new_tables seen.sync_waits=12 seen.phase[PHASE_RECORD]=20
	cause: 90\.0% record: the sync of new or truncated tables, in place of their WAL
	not: ON COMMIT
... that samples saw, but no sync | new_tables seen.phase[PHASE_RECORD]=20
	cause: 90\.0% record: the session's own work before its commit record, as the WAL of small new tables \(wal_level = minimal\), ON COMMIT DELETE ROWS or DROP, or that of an extension\.
	remedy: ^fewer temporary tables
... with a sync, but mostly not | new_tables seen.sync_waits=1 seen.phase[PHASE_RECORD]=20
	cause: 90\.0% record: the session's own work before its commit record, as the sync of new or truncated tables
... that no sample saw | new_tables
	cause: 90\.0% record: the session's own work before its commit record, as the sync of new or truncated tables
DROP | slow_recent=1 phase:after=0.97 phase:before=0.01
	cause: 97\.0% after the commit
	answer: no\. 98\.0% of commit time is outside of flushes, the largest part 'after'
	remedy: ^fewer tables, or large objects, in a transaction that drops or truncates them; DELETE
... with shared_buffers that take a while to search
	slow_recent=1 phase:after=0.97 phase:before=0.01 shared_buffers=8589934592
	remedy: ^fewer transactions that drop or truncate tables, as the COMMIT of each searches all of shared_buffers \(now 8192MB
... of temporary tables, or of both kinds
	temporary=1 slow_recent=1 phase:after=0.97 phase:before=0.01 shared_buffers=8589934592
	cause: 97\.0% after the commit, for files of temporary or other tables that it dropped or truncated, or to release
	remedy: ^smaller temp_buffers, which COMMIT searches for each temporary table and index; .* for other tables, fewer transactions that drop or truncate tables, as
... or not, as no slow commit tells | phase:after=0.97 phase:before=0.01
	cause: 97\.0% after the commit, for files of dropped or truncated tables, predicate locks, or messages of NOTIFY\.
	remedy: ^$
%signals | slow_recent=1 phase:after=0.3 phase:other=0.45 commits_notify=5 listeners=0
messages of NOTIFY, whether a session listens or not | signals
	says: 30\.0% after the commit, .*, or to pass on messages of NOTIFY\. -> fewer messages, fewer sessions that listen, or fewer tables in
few commits of which little is known | phase:unknown=0.8
	cause: 80\.0% unknown:
	answer: not known\. 80\.0% of commit time is outside of flushes or unknown\.
	remedy: ^commit_stats\.slow_commit_time below this mean: commit_slow_log then has more phases\n$
... with prepared transactions | phase:unknown=0.8 prepares=9
	cause: 80\.0% unknown: .* this time, or COMMIT PREPARED deletes files of dropped tables\.
time after the record, with prepared transactions | phase:log=0.8 prepares=9
	cause: 80\.0% commit log: .* after its record, or COMMIT PREPARED deletes files of dropped tables\.
... without | phase:log=0.8
	cause: 80\.0% commit log: .* after its record\.
few commits of which little is known, and much is outside | phase:unknown=0.45 phase:after=0.45
	cause: 45\.0% (?:after|unknown)
	answer: not known\. 90\.0% of commit time is outside of flushes or unknown\.
... as nothing times flushes | phase:unknown=0.8 io_timing=0
	cause: 80\.0% unknown:
	answer: not known\. 80\.0% of commit time is outside of flushes or unknown\.
	remedy: ^track_wal_io_timing = on
locks in a period, beside idle transactions
	seen.n=100 seen.lock_waits=640 seen.in_commit=85 seen.idle_xids=33 period=1
	answer: \z
	says: ^It is not the commit: .* \(with log_lock_waits, the server's log names them; holders may be idle in a transaction that wrote: 0\.330 sessions are, on average\), 0\.850
a locked table | seen.n=100 seen.lock_waits=640 seen.in_commit=85
	says: ^It is not the commit: on average 6\.40 sessions wait for locks in their statements, or as a procedure commits \(pg_blocking_pids\(\) has the holders\), 0\.850 are in COMMIT\.
... while those that have ended did little else than COMMIT
	seen.n=100 seen.lock_waits=640 seen.in_commit=5 of_transactions=0.75
	says: ^It is not the commit
	not: COMMIT takes
... by prepared transactions
	seen.n=100 seen.lock_waits=640 seen.prepared_waits=321 seen.in_commit=85
	says:  in their statements, or as a procedure commits \(prepared transactions hold most: pg_prepared_xacts\), 0\.850 are
... one of which a COMMIT PREPARED may be about to end
	seen.n=100 seen.lock_waits=640 seen.prepared_waits=321 seen.in_commit=85 now.longest=12e6
	says: ^It may be the commit: on average 6\.40 sessions wait for locks in their statements
	not: It is not the commit
... that one idle in its transaction holds now | plain_flushes idle_seconds=4 now.blocked=8
	answer: no\. Sessions hang in their statements, as the first lines say\.
	not: First step
... or that few wait for | plain_flushes idle_seconds=4 now.blocked=8 now.all=8
	answer: may pay
... beside many that commit | seen.n=100 seen.lock_waits=640 seen.in_commit=330
	says: ^Apart from the commit: on average 6\.40 sessions wait for locks .*, 3\.30 are in COMMIT\.
	not: It is not the commit|no\. Sessions
... beside as many as four times those that wait
	seen.n=100 seen.lock_waits=640 seen.in_commit=2560
	not: the commit: on average
... of whose rows commits hold some
	seen.n=100 seen.lock_waits=550 seen.in_commit=400 seen.row_holders=100 seen.blocked_rows=500
	says: ^Apart from the commit: on average 5\.50 sessions .*\nOn average 5\.00 sessions wait for a row or lock that one in COMMIT holds
... for which one session waits | seen.n=100 seen.lock_waits=199 seen.in_commit=40
	not: It is not the commit
... for which two wait | seen.n=100 seen.lock_waits=200 seen.in_commit=40
	says: ^It is not the commit: on average 2\.00 sessions
... while other transactions do little but commit
	seen.n=100 seen.lock_waits=500 seen.in_commit=195 of_transactions=0.993
	says: ^Apart from the commit: on average 5\.00 sessions wait for locks in their statements, or as a procedure commits \(pg_blocking_pids\(\) has the holders\), 1\.95 are in COMMIT\.
	answer: (?!no\. Sessions wait)
	not: It is not the commit
... of late, whatever was before
	seen.n=100 seen.lock_waits=500 seen.in_commit=195 of_transactions=0.993 seen_enough=1 seen.seconds=10 seen.ended=60
	says: ^It is not the commit: on average 5
... of late, whatever others did before
	seen.n=100 seen.lock_waits=500 seen.in_commit=195 of_transactions=0.3 seen_enough=1 seen.seconds=10 seen.ended=20
	says: ^Apart from the commit: on average 5
... of which few are in COMMIT
	seen.n=100 seen.lock_waits=500 seen.in_commit=120 of_transactions=0.993
	says: ^It is not the commit: on average 5
	answer: no\. Sessions wait for locks
... or whose transactions wait for these locks first
	seen.n=100 seen.lock_waits=500 seen.in_commit=195 of_transactions=0.3
	says: ^It is not the commit: on average 5
	answer: no\. Sessions wait for locks
... which a delay would hold longer | seen.n=100 seen.lock_waits=640 seen.in_commit=85
	cause: 100% flushes of usual length
	answer: no\. Sessions wait for locks in their statements, and a delay would make their holders commit later\.
%full | seen.n=100 seen.wal_waits=640 seen.in_commit=85 of_transactions=0.044 wal_buffers=65536
full WAL buffers in statements | full
	says: ^On average 6\.40 sessions wait in their statements until WAL is written, more than are in COMMIT\. Larger wal_buffers \(now 64kB; a restart\), if pg_stat_wal\.wal_buffers_full grows; else larger shared_buffers \(a restart\), unless it is COPY or VACUUM\.\nCOMMIT takes 4\.4% of the time of transactions that write\.\n
... which are as large as the server chooses them | full wal_buffers=16777216
	says: in COMMIT\. Less WAL, or a faster volume for it, if pg_stat_wal\.wal_buffers_full grows; else
... where COMMIT matters | full of_transactions=0.2 plain_flushes
	answer: no\. Its leader would hold the lock that statements wait for \(WALWriteLock\)\.
... beside many that commit | full seen.in_commit=640
	not: in their statements
predicate locks | serializable=1 phase:after=0.97
	cause: 97\.0% after the commit, for predicate locks .*, or for files of tables that it dropped or truncated\.
	answer: no\. 97\.0% of commit time is outside of flushes, the largest part 'after'
	remedy: ^shorter SERIALIZABLE .*; or fewer tables
temporary tables | commits=0 flushes=0 flush_time=0 seen_enough=1 phase:record=0.83
	cause: 83\.0% record: the session's own work
	answer: no\. 83\.0% of commit time
	remedy: fewer temporary tables
a CPU limit | phase:not_run=0.6 phase:other=0.2 seen.throttled=5e9 seen.seconds=10
	cause: 60\.0% not run: a CPU limit \(cgroup\) stopped the server for 500 ms of each second\.
	answer: no\. 60\.0% of commit time
... or a pause
	phase:not_run=0.6 phase:other=0.2 seen.throttled=4.5e9 seen.paused=2 seen.seconds=60
	cause: 60\.0% not run: all processes of the server stood still, as in a pause of its machine or container, for 4\.50 s of the last 60\.0 s\.
	answer: no\. 60\.0% of commit time
	remedy: ^who stops it: snapshots

# New segments, and advice that was followed
%segment | stall:segment=0.7 delay=1000 siblings=1000
	cause: 70\.0% a new WAL segment is made \(5 stalls, mean 650 ms\)\.
	answer: no\. It would not shorten the flushes that stall \(segment\), 70\.0% of commit time\.
... of which another client than that of most commits has the WAL | segment top='web (a, b)' heaviest='docs (a, b)' heaviest_share=0.998
	cause: 70\.0% a new WAL segment is made \(5 stalls, mean 650 ms\); since the reset, 99\.8% of the WAL is of client docs
... in a period, as its larger transactions say | segment period=1 heaviest='docs (a, b)' heaviest_share=0.71
	answer: \z
	cause: 70\.0% a new WAL segment is made \(5 stalls, mean 650 ms\); 71\.0% of the WAL is of client docs
... which have little | segment period=1
	answer: \z
	cause: 70\.0% a new WAL segment is made \(5 stalls, mean 650 ms\); this report does not know who wrote the WAL\.
... whose client the stalls have | segment period=1 stall:bulk=0.2 bulk_writer='client load (a, b)'
	answer: \z
	cause: 70\.0% a new WAL segment is made \(5 stalls, mean 650 ms\)\.
	not: does not know who
... and something else ended the segments
	segment period=1 segment_size=16777216 wal_rate=15e3 seconds=40 commits=4000 phase_commits=4000
	answer: \z
	cause: 70\.0% a new WAL segment is made \(5 stalls, mean 650 ms\)\.
	remedy: ^fewer calls of pg_switch_wal
	not: does not know who
... or the same | segment top='docs (a, b)' heaviest='docs (a, b)' heaviest_share=0.998
	cause: 70\.0% a new WAL segment is made \(5 stalls, mean 650 ms\)\.
new segments | segment wal_recycle=0
	remedy: ^wal_recycle = on \(now off\), unless the file system copies on write \(ZFS, btrfs\): there, wal_init_zero = off\n$
	not: asleep
... that copying on write does not explain | segment wal_recycle=0 wal_init_zero=0
	remedy: ^wal_recycle = on \(now off\), unless the file system copies on write \(ZFS, btrfs\)\n
... and kept by an archive_command that is behind
	segment seen.n=200 seen.activity[ACTIVITY_ARCHIVER]=180
	remedy: ^an archive_command that ends sooner: segments are kept until they are archived\n$
... that fails | segment archive_fails='fails for 000000010000000000000007'
	remedy: ^an archive_command that succeeds \(it fails for 000000010000000000000007\): segments are kept
... that is empty | segment archive_fails='is empty'
	remedy: ^an archive_command that succeeds \(it is empty\): segments are kept
... or a library
	segment archiver=archive_library archive_fails='fails for 000000010000000000000007'
	remedy: ^an archive_library that succeeds \(it fails for
... and not by one that pauses | segment seen.n=200 seen.activity[ACTIVITY_ARCHIVER]=179
	remedy: ^min_wal_size
... and kept for a slot | segment slot=gone
	remedy: ^let the reader of the replication slot gone catch up \(a logical slot: or the oldest transaction end\), or drop the slot if nobody needs it: segments are kept for it\n$
... and kept by a checkpoint that does not end | segment checkpoint_lasts=3001
	remedy: ^a checkpoint that ends: the one under way has lasted 50 min 1 s, and segments are kept until then
	not: min_wal_size
... or may have ended soon | segment checkpoint_lasts=300
	remedy: ^min_wal_size
... and kept by wal_keep_size | segment wal_keep_size=16384 keep_size_grows=1
	remedy: ^to wait until pg_wal has wal_keep_size \(now 16384MB\); or a smaller one, unless a standby without a replication slot may need that WAL\n$
... which is 0 since | stall:segment=0.7 period=1 keep_size_grows=1
	remedy: ^none: wal_keep_size, to which pg_wal grew, is 0 now\n$
... that are recycled | segment
	remedy: ^min_wal_size = '1024MB' \(now 80MB; pg_wal needs the room\): keeps what pg_wal has once had; while it grows
%early | segment max_wal_size=128 checkpoint_distance=8 checkpoint_wal=64e6
... with checkpoints that WAL begins | early
	remedy: ^min_wal_size as large as max_wal_size, which keeps what pg_wal has once had, and larger max_wal_size \(now 128MB; pg_wal needs the room\): checkpoints begin every 8\.00 s
... and min_wal_size is as large | early min_wal_size=128
	remedy: ^larger max_wal_size \(now 128MB
... or commands | early checkpoint_wal=1e6
	remedy: ^min_wal_size = '128MB'
... and ended early | segment segment_size=16777216 archive_timeout=2 wal_rate=8e6
	remedy: ^larger archive_timeout \(now 2 s\), if the archive may lack as much: each switch takes another segment\n$
... by calls | segment segment_size=16777216 wal_rate=15e3 seconds=40 commits=4000 phase_commits=4000
	remedy: ^fewer calls of pg_switch_wal\(\), as of a job or a backup: meanwhile, commits wrote about 600 kB, and these segments have 16\.8 MB each\n$
... or by WAL | segment segment_size=16777216 wal_rate=15e4 seconds=40 commits=4000 phase_commits=4000
	remedy: ^min_wal_size =
... or by that of one that writes | segment segment_size=16777216 wal_rate=15e3 seconds=40 commits=4000 phase_commits=4000 running_writer='client vac'
	not: pg_switch_wal
... and kept | segment min_wal_size=1024
	remedy: ^if pg_wal has less than min_wal_size \(now 1024MB\), to wait until it has that; else wal_init_zero = off
... and not zeroed | segment min_wal_size=1024 wal_init_zero=0
	not: ->
%zeros | segment segment_size=16777216 fit.share=0.5
... that a bandwidth explains | zeros fit.rate=13
	cause: 70\.0% a new WAL segment is made \(5 stalls, mean 650 ms\): 16\.8 MB of zeros take 1\.29 s at 13\.0 MB/s\.
	remedy: ^less WAL, or a volume with more MB/s; against the zeros, min_wal_size = '1024MB' \(now 80MB; pg_wal needs the room\): keeps
... which a limiter lets through in windows
	zeros fit.rate=13 fit.share=0 fit.window=100000 min_wal_size=1024
	cause: 70\.0% a new WAL segment is made \(5 stalls, mean 650 ms\): 16\.8 MB of zeros take 1\.29 s at 13\.0 MB/s\.
	remedy: ^less WAL, or a volume with more MB/s; against the zeros, if pg_wal has less than .*; else wal_init_zero = off, if
... or not | zeros fit.rate=12.9
... or not | zeros fit.rate=51.7
... which is not that of flushes | zeros fit.rate=13 fit.share=0.49
	remedy: ^min_wal_size
%checkpoint | stall:checkpoint=0.6 checkpoint_phase=sync wal_rate=0.9e6
	cause: 60\.0% stalls
checkpoints | checkpoint completion_target=0.1 checkpoint_phase=write
	cause: 60\.0% stalls during the write phase of checkpoints \(5 stalls, mean 650 ms\)
	answer: no\. It would not shorten the flushes that stall \(checkpoint\), 60\.0% of commit time
	remedy: ^checkpoint_completion_target = 0\.9 \(now 0\.1\)\n$
... that stall where nothing spreads them | checkpoint completion_target=0.1
	cause: 60\.0% stalls during the sync phase of checkpoints
	answer: no\.
	remedy: ^larger max_wal_size \(now 1024MB; pg_wal needs the room\), checkpoint_timeout \(now 300 s\)\n$
... that never pause | checkpoint stall[STALL_CHECKPOINT].certainty=0.62
	cause: 60\.0% stalls during the sync phase of checkpoints \(5 stalls, mean 650 ms, 62\.0% certain\)
	answer: no\.
	remedy: checkpoint_timeout \(now 300 s\); or what else used the volume then: a backup, queries, another program \(iotop\)\n$
... of which most stalls would not have come without
	checkpoint stall[STALL_CHECKPOINT].certainty=0.7
	remedy: checkpoint_timeout \(now 300 s\)\n$
... that WAL asks for
	checkpoint completion_target=0.1 checkpoint_distance=3.5 checkpoint_wal=540e6
	answer: no\.
	remedy: ^larger max_wal_size \(now 1024MB; pg_wal needs the room\): checkpoints begin every 3\.50 s,
	not: completion_target
... with full_page_writes = off, as on ZFS
	checkpoint checkpoint_distance=3.5 checkpoint_wal=540e6 full_pages=0
	remedy: ^larger max_wal_size \(now 1024MB; pg_wal needs the room\): checkpoints begin every 3\.50 s\n$
... that commands ask for | checkpoint checkpoint_distance=3.5 checkpoint_wal=30e6
	answer: no\.
	remedy: ^fewer commands that ask for a checkpoint .*: checkpoints begin every 3\.50 s,
	not: max_wal_size
... spread out | checkpoint
	answer: no\.
	remedy: ^larger max_wal_size \(now 1024MB; pg_wal needs the room\), checkpoint_timeout \(now 300 s\)\n$
	not: completion_target
... that may be far below max_wal_size | checkpoint wal_rate=0.8e6
	remedy: ^larger checkpoint_timeout \(now 300 s\)\n$
... or not, as WAL is also written by transactions that have not ended
	checkpoint wal_rate=0.8e6 flush_wal=900
	remedy: ^larger max_wal_size \(now 1024MB; pg_wal needs the room\), checkpoint_timeout \(now 300 s\)\n$
... and far below max_wal_size | checkpoint checkpoint_distance=300 checkpoint_wal=250e6
	answer: no\.
	remedy: ^larger checkpoint_timeout \(now 300 s\)\n$
... that last longer than the time between them | checkpoint checkpoint_lasts=301
	remedy: ^a volume that writes more, or a disk of its own for the WAL: the checkpoint under way has lasted 5 min 1 s \(checkpoint_timeout: 300 s\)\n$
... that last as long | checkpoint checkpoint_lasts=300
	remedy: ^larger max_wal_size
... that make segments in advance, as a slot keeps the others | checkpoint checkpoint_phase=segment
	slot='s1' checkpoint_distance=30 checkpoint_wal=540e6 stall[STALL_CHECKPOINT].certainty=0.6
	cause: 60\.0% stalls as a checkpoint makes a WAL segment in advance \(5 stalls, mean 650 ms, 60\.0% certain\)\.
	remedy: ^let the reader of the replication slot s1 catch up .*; or what else used the volume then
	not: larger max_wal_size
... or none does, and there are no zeros
	checkpoint checkpoint_phase=segment wal_init_zero=0 min_wal_size=1024 stall[STALL_CHECKPOINT].certainty=0.6
	cause: 60\.0% stalls as a checkpoint makes a WAL segment in advance
	remedy: ^larger max_wal_size
... that a command asks for once | checkpoint checkpoint_asked=1
	remedy: ^no command then that asks for a checkpoint \(CHECKPOINT, .*\): the last one came early
an archiver that never pauses
	stall:archiver=0.6 stall[STALL_ARCHIVER].certainty=0.6 seen.n=200 seen.activity[ACTIVITY_ARCHIVER]=180
	remedy: ^archive to another volume, or less to this one \(compression\); or what else used the volume then: a backup
an archiver | stall:archiver=0.9
	cause: 90\.0% stalls while archive_command runs
	answer: no\. It would not shorten .* 90\.0%
	remedy: ^archive to another volume, or more slowly, as long as archiving keeps up\n$
	not: quota|allows
bulk WAL | stall:bulk=0.5 bulk_writer='client load (a, b)'
	cause: 50\.0% stalls with the WAL of client load \(a, b\) \(5 stalls
	answer: no\. It would not
... of a client that is not known any more | stall:bulk=0.5 period=1024
	cause: 50\.0% stalls with the WAL of a large transaction, of a client that is not known any more \(5 stalls
	remedy: ^smaller transactions, a VACUUM with cost delay
... of autovacuum | stall:bulk=0.5 bulk_writer=autovacuum
	cause: 50\.0% stalls with the WAL of autovacuum \(5 stalls
	answer: no\. It would not
	remedy: ^larger autovacuum_vacuum_cost_delay, or smaller autovacuum_vacuum_cost_limit \(a table may have its own\)\n$
... and of others | stall:bulk=0.5 bulk_writer='autovacuum, and of others'
	remedy: a VACUUM with cost delay
%bytes | fit.share=0.98 fit.rate=10.5 fit.base=500 flush_wal=270000
	answer: no\.
	cause: 98\.0%
bandwidth | bytes checkpoint_distance=3.5 checkpoint_wal=540e6
	cause: 98\.0% flushes of many bytes: 10\.5 MB/s, 270 kB in a mean flush; without bytes it would take 500 us\.
	answer: no\. It would not shorten .* 98\.0%
	remedy: ^less WAL, or a faster volume\n$
	not: allows
... of one client that fills it | bytes images=0.49 heaviest='docs (a, b)' heaviest_share=0.9
	remedy: ^less WAL \(since the reset, 90\.0% of the WAL is of client docs \(a, b\)\), or a faster volume\n$
... beside one that has not ended, whose WAL does not count yet
	bytes heaviest='docs (a, b)' heaviest_share=0.9 running_writer='client batch (a, b)'
	remedy: ^less WAL of client batch \(a, b\), which was seen writing, or a faster volume\n$
	not: docs
... and images | bytes images=0.5 heaviest='docs (a, b)' heaviest_share=0.9
	remedy: ^wal_compression = on, larger checkpoint_timeout \(now 300 s\): pages go to the WAL whole after each checkpoint; or less WAL \(since the reset, 90\.0% of the WAL is of client docs \(a, b\)\), or a faster volume\n$
... which are compressed | bytes images=1 wal_compression=1
	remedy: ^larger checkpoint_timeout
... of one who may build an index
	bytes images=1 wal_compression=1 running_writer='client batch (a, b)'
	remedy: ^less WAL of client batch \(a, b\), which was seen writing, or a faster volume; or, unless this client builds an index, larger checkpoint_timeout \(now
... with full_page_writes = off | bytes images=1 full_pages=0
	remedy: ^wal_compression = on, or less WAL, or a faster volume\n$
... and compressed
	bytes images=1 full_pages=0 wal_compression=1 checkpoint_distance=3.5 checkpoint_wal=540e6
	remedy: ^less WAL, or a faster volume\n$
... as checkpoints come early | bytes images=1 checkpoint_distance=3.5 checkpoint_wal=540e6
	remedy: ^larger max_wal_size
... until a flush hung for most of the time
	hanging now.phase=4 fit.share=0.98 fit.rate=10.5 phase_seconds=15
	cause: 80\.4% flushes that have not ended, or did not stall\.
	says: 19\.6% flushes of many bytes
... or for longer than that | hanging now.phase=4 fit.share=0.98 fit.rate=10.5 phase_seconds=11
	cause: 100% flushes that have not ended
	not: bytes
... but not for a standby | hanging now.phase=7 fit.share=0.98 fit.rate=10.5 phase_seconds=11
	cause: 9\d\.\d% flushes of many bytes
%quota | stall:quota=0.6 quota_flushes=51 quota_window=500000
a quota | quota commit_rate=9000
	cause: 60\.0% stalls as on a disk that allows 51\.0 flushes in 500 ms \(5 stalls, mean 650 ms\)
	answer: may pay, fixed or adaptive: stalls show a quota\. To try both, the live load runs with these delays in turn for 42 s, then as before:.*sweep.*duration => '30 s', slot => '625 ms'
... in long windows | quota commit_rate=9000 quota_window=2e6
	answer: .*To try both, .* for 72 s, .*duration => '60 s', slot => '2500 ms'
... in windows that no slot is as long as | quota commit_rate=9000 quota_window=60e6
	answer: .*slot => '10000 ms'
... in short ones | quota commit_rate=9000 quota_window=100000
	answer: .*To try both, .* for 42 s, .*max_p99
	not: slot
... with one session | quota concurrency=0
	cause: 60\.0%
	answer: perhaps\. .*ALTER SYSTEM SET commit_stats.adaptive_delay = on
... beside more stalls of another cause | quota stall:checkpoint=0.7 stall:quota=0.06 concurrency=0
	cause: 70\.0%
	says: 6\.0% stalls as .* -> a volume with more IOPS$
	answer: no\. Only 0% of flushes
... and more sessions | quota stall:checkpoint=0.6 stall:quota=0.3
	cause: 60\.0%
	says: that allows 51\.0 flushes .* -> a volume with more IOPS 3\.
	answer: no\. It would not shorten .* 60\.0%
... and sleeps for nothing | quota delay=2000 delay_hits=100 alone_hits=1
	remedy: ^a volume with more IOPS
	answer: set it to 0\.
... of flushes or of bytes | quota quota_bytes=2.5e6
	cause: 60\.0% stalls as on a disk that allows 51\.0 flushes or 2\.50 MB of WAL in 500 ms; which of both, these stalls do not show \(5 stalls
	answer: not known\. Stalls show a quota of flushes or of bytes, .*sweep
	remedy: ^the provider
bandwidth in bursts | stall:bytes=0.6 fit.rate=9.85 fit.window=100000
	cause: 60\.0% flushes of many bytes: 9\.85 MB/s, which a limiter lets through in windows of 100 ms \(5 stalls
	answer: no\. It would not shorten .* 60\.0%
	not: without bytes
%others | stall:others=0.6 volume.seconds=2 volume.bytes=70e6 volume.flushed=2e5 volume.requests=600
	volume.of_flushes=200
other I/O | others
	cause: 60\.0% stalls while others read or write on the volume of the WAL: it read, wrote or discarded 35\.0 MB/s, of which flushes at most 100 kB/s \(5 stalls
	answer: no\. It would not
	remedy: ^a disk of its own for the WAL, or less of that: data files \(also CREATE DATABASE with FILE_COPY, SET TABLESPACE\), an archive
... of a volume that the WAL has of its own
	others wal_apart=1 checkpoint_distance=3.5 checkpoint_wal=540e6
	remedy: ^less of that: readers of old WAL
... beside checkpoints that follow each other | others checkpoint_distance=3.5 checkpoint_wal=540e6
	remedy: ^larger max_wal_size \(now 1024MB; pg_wal needs the room\): checkpoints begin every 3\.50 s, .*; or a disk of its own for the WAL
... of many small requests | others volume.flushed=60e6
	cause: 60\.0% stalls while others read or write on the volume of the WAL: it had 300 requests/s, of which flushes about 100 \(5 stalls
	answer: not known\. Flushes stall beside others' requests, 60\.0% of commit time; fewer flushes may stall less often\..*sweep
%long | seen_enough=1 seen.n=100 seen.in_commit=100 flush_time=3000
	seen.activity[ACTIVITY_OTHERS]=51 seen.volume.seconds=1 seen.volume.bytes=4e6
	seen.volume.flushed=3e6 seen.volume.requests=300 seen.volume.of_flushes=90
others that make no flush stall | long
	cause: 100% flushes of usual length: the disk takes this time for each, while others read or write on the volume: it had 300 requests/s, of which flushes about 90\.
	remedy: ^a disk of its own
... while WAL is archived | long archiver=archive_command seen.activity[ACTIVITY_ARCHIVER]=95
	cause: 100% flushes of usual length: the disk takes this time for each, while others, perhaps archive_command, read or write on the volume
... for two thirds of the time | long archiver=archive_command seen.activity[ACTIVITY_ARCHIVER]=67
	cause: 100% flushes of usual length: .*, while others, perhaps archive_command, read or write on the volume
... or for less | long archiver=archive_command seen.activity[ACTIVITY_ARCHIVER]=66
	not: archive_command
... and make them take longer than they did | long flush_time=850 flush_p50=800 flush_newest=2500
	cause: 100% flushes that take longer than they did, while others read or write on the volume: it had
	remedy: ^a disk of its own
... which took as long before | long flush_time=2400 flush_p50=800 flush_newest=2500
	cause: 100% flushes of usual length: the disk takes this time for each, while others
... which took longer before | long flush_newest=600
	cause: 100% flushes of usual length: the disk takes this time for each\.
%not_timed | flush_time=0 io_timing=0 commit_p50=52e3 flush_time_max=48e3
... of which none is timed | long not_timed seen.activity[ACTIVITY_ARCHIVER]=95
	cause: 100% flushes that did not stall \(none was timed, so what is usual is not known\), while others, perhaps archive_command, read or write on the volume: it had
	remedy: ^a disk of its own
... which are short, but for one that hung | long not_timed commit_p50=900
	cause: 100% flushes that did not stall \(none was timed, so what is usual is not known\)\.\n
... which are short, but a standby takes long | long not_timed commit_p50=9500 phase:standby=0.92
	says: 8\.0% flushes that did not stall \(none was timed, so what is usual is not known\)\.\n
	not: a disk of its own
... for less than half of the time | long seen.activity[ACTIVITY_OTHERS]=49
	cause: 100% flushes of usual length: the disk takes this time for each\.
flushes of many bytes, of which none is timed
	not_timed flush_wal=272e3 top=orders top_share=0.8 top_wal=180 top_of_transactions=1 heaviest=docs heaviest_share=0.998
	cause: 100% flushes that did not stall \(none was timed, so what is usual is not known\), with 272 kB of WAL\.
	remedy: ^if the volume carries no more bytes: less WAL \(since the reset, 99\.8% of the WAL is of client docs\)
	says: Most WAL, 99\.8%, is of client docs\.
	not: larger transactions
... all of many small commits
	not_timed flush_wal=40e3 carried=2e6 flushes=10000 top=orders top_share=0.8 top_wal=180 top_of_transactions=1 heaviest=orders heaviest_share=0.998
	says: larger transactions, if
	not: Most WAL
one stall that hung, of a few
	stall:unknown=0.6 stall[STALL_UNKNOWN].longest=40.7e6 stall[STALL_UNKNOWN].longest_until='12:00'
	cause: 60\.0% stalls of unknown cause \(5 stalls, mean 650 ms, the longest 40\.7 s, until 12:00\): see
... for less than a second
	stall:unknown=0.6 stall[STALL_UNKNOWN].longest=970e3 stall[STALL_UNKNOWN].longest_until='12:00'
	not: 12:00
stalls | stall:unknown=0.6
	cause: 60\.0% stalls of unknown cause
	answer: not known\. Flushes stall for an unknown reason, 60\.0% of commit time; fewer flushes may stall less often\..*sweep
... in a period of which the log has some | stall:unknown=0.6 period=1024 unknown_kept=1
	cause: 60\.0% stalls of unknown cause \(5 stalls, mean 650 ms\): see commit_stall_log\.
... or has none | stall:unknown=0.6 period=1024
	cause: 60\.0% stalls of unknown cause \(5 stalls, mean 650 ms\)\.
	not: commit_stall_log
... in the write of WAL | stall:unknown=0.6 write_stalls=1 wal_recycle=1
	cause: 60\.0% stalls of unknown cause \(5 stalls, mean 650 ms\), in the write of WAL, not in its sync: see
	answer: no\. It would not shorten .* 60\.0%
	remedy: ^on ZFS or btrfs, wal_recycle = off and wal_init_zero = off; else who freezes
... of new files | stall:unknown=0.6 write_stalls=1 wal_recycle=0
	remedy: ^who freezes the file system \(a snapshot\), or where memory is short
... beside checkpoints that follow each other
	stall:unknown=0.6 checkpoint_distance=3.5 checkpoint_wal=540e6
	remedy: ^larger max_wal_size \(now 1024MB; pg_wal needs the room\): checkpoints begin every 3\.50 s, .*; or what else the volume did
no stalls, but flushes that take most of their time to write
	flush_time=14000 flush_p50=14000 flush_p99=15000 flush_rate=70 commit_rate=140 seen_enough=1
	seen.in_commit=1000 seen.phase[PHASE_FLUSH]=900 seen.write_waits=800
	cause: 100% flushes that did not stall: most of their time goes into the write of WAL, not into its sync\.
	remedy: ^on ZFS or btrfs, wal_recycle = off and wal_init_zero = off; else where memory is short \(vm
... beside stalls in the write, which may have all of that
	flush_time=14000 flush_p50=14000 flush_p99=15000 flush_rate=70 commit_rate=140 seen_enough=1
	seen.in_commit=1000 seen.phase[PHASE_FLUSH]=900 seen.write_waits=650 write_stalls=1 stall:unknown=0.6
	says: 2\. 40\.0% flushes of usual length
	not: goes into the write
... or to sync
	flush_time=14000 flush_p50=14000 flush_p99=15000 flush_rate=70 commit_rate=140 seen_enough=1
	seen.in_commit=1000 seen.phase[PHASE_FLUSH]=900 seen.write_waits=400
	cause: 100% flushes of usual length
	remedy: ^a faster disk
%slower | flush_slower=10000 seen_enough=1 seen.in_commit=1000
	answer: may pay
	remedy: ^its burst balance in the provider's graphs; the write cache of a disk .* iotop; commit_stats_reset\(\), if fsync, wal_sync_method or the volume was changed
... of most flushes now | stall:unknown=0.6 slower
	cause: 100% flushes take 10\.0 ms now, and took 450 us \(median of all\): the volume has become slower, as when a burst credit is used up\.
	answer: may pay, fixed or adaptive: flushes take long now.*adaptive => true
... and none of them a stall | slower
	cause: 100% flushes take 10\.0 ms now,
... while others use the volume | seen.n=1200 seen.activity[ACTIVITY_OTHERS]=700 slower
	cause: 100% flushes that take longer than they did, while others read or write on the volume
	remedy: ^a disk of its own
... as few samples tell | slower seen_enough=0
	cause: 100% flushes of usual length
	remedy: ^\z
... while a commit hangs | stall:unknown=0.6 now.longest=2e6 slower
	cause: 60\.0% flushes take 10\.0 ms now,
	answer: no\. Commits hang
	not: a delay\)
... which has ended | stall:unknown=0.6 flush_slowed=10000 seen_enough=1 seen.in_commit=1000
	cause: 60\.0% one flush after the other took 10\.0 ms, a stall by what was usual before: the volume had become slower,
	answer: may pay: 250 us to 707 us
	not: unknown|take 10\.0 ms now|commit_stats_reset
... that are not timed | stall:unknown=0.6 flush_time=0 io_timing=0
	cause: 60\.0% stalls of unknown cause
	answer: not known\. Flushes are not timed
... of a device that queues, and other flushes | queue stall:unknown=0.2
	cause: 80\.0% flushes of usual length: the disk takes this time for each, unless a processor was late, which no sample tells\.
	answer: may pay, fixed or adaptive: flushes take long, also those that do not stall
... of which a prediction said that no delay gains | queue none_gains='18:29'
	answer: no\. commit_remedies\(\) found at 18:29 that no delay gains anything\.\n$
... and that became slower | queue none_gains='18:29' flush_slower=9000
	answer: may pay, fixed or adaptive: flushes take long now
... with another commit_delay | queue none_gains='18:29' delay=100
	answer: set it to 0\. commit_remedies\(\) found at 18:29 that no delay gains anything\..*commit_delay = 0
few of them | stall:unknown=0.1
	cause: 90\.0% flushes
	answer: may pay
... beside fewer that a quota may explain | stall:unknown=0.12 stall:quota=0.09 quota_flushes=68
	cause: 79\.0% flushes
	answer: may pay:
	not: quota

# Who flushes, and whether the disk is what it waits for
%flusher | seen_enough=1 seen.n=200 seen.in_commit=1000
VACUUM | flusher seen.outside_waits=900 running_writer='client vac (a, b)' disk_busy=0.08
	cause: 90\.0% flushes that no commit leads: .*, as client vac \(a, b\) did\.
	answer: no\. It would not shorten the flushes that no commit leads, 90\.0%
	remedy: smaller transactions of that client
%switches | flusher seen.outside_waits=900 segment_size=16777216 archive_timeout=2 wal_rate=400e3
archive_timeout | switches
	cause: 90\.0% flushes that no commit leads: those of the WAL writer, or of the checkpointer, which fills a segment before it switches to the next one\.
	answer: no\. It would not
	remedy: ^larger archive_timeout \(now 2 s\), if the archive may lack as much\n$
... which is long enough | switches archive_timeout=60
	cause: 90\.0% flushes that no commit leads: .* session that writes much\.
	answer: no\. It would not
	not: archive_timeout
... and a VACUUM, of a period | switches period=1 seen.activity[ACTIVITY_WRITER]=21
	cause: 90\.0% flushes that no commit leads: .* session that writes much\.
	not: archive_timeout
... for a moment | switches period=1 seen.activity[ACTIVITY_WRITER]=20
	remedy: ^larger archive_timeout
the WAL writer | flusher seen.outside_waits=400
	cause: 60\.0% flushes of usual length
	answer: no\. It would not
	not: smaller|much, as
... whose flush hangs | flusher hanging now.phase=5 seen.outside_waits=900
	cause: 100% flushes that have not ended, or did not stall\.
	remedy: ^what the volume does: iostat
	not: no commit leads
... or that of a VACUUM | flusher hanging now.phase=5 seen.outside_waits=900 running_writer='client vac (a, b)'
	cause: 90\.0% flushes that no commit leads: .*, as client vac \(a, b\) did\.
processors | flusher seen.cpu_waits=800 commit_rate=9000
	cause: 80\.0% flushes that wait for a processor:
	answer: not known while flushes wait for a processor, 80\.0%
	remedy: ^more processors \(a virtual machine: its CPU credits, steal in top; a container: CPU limits above it\), or less at a time: sessions
work in COMMIT | phase:before=0.8 phase:other=0
	cause: 80\.0% before the record: deferred triggers, constraints, open cursors or savepoints, or an extension
	answer: no\. 80\.0%
	remedy: ^fewer rows or savepoints in a transaction, or rows in its cursors WITH HOLD, or an index that the deferred checks lack
... of slow commits | phase:before=0.8 phase:other=0 slow_phase[PHASE_BEFORE]=0.945
	remedy: ^commit_slow_log shows which clients and statements \(before_time\): fewer rows
%inserts
	flusher seen.insert_waits=500 seen.phase[PHASE_RECORD]=700 phase:record=0.7 phase:other=0.05
	answer: no\.
full WAL buffers | inserts seen.wal_waits=250
	cause: 70\.0% record: COMMIT waits to insert
	remedy: ^larger wal_buffers \(a restart\), or less WAL
... which are large | inserts seen.wal_waits=250 wal_buffers=16777216
	cause: 70\.0% record: COMMIT waits to insert
	remedy: ^less WAL at a time of other sessions, or a faster volume
... which are not full | inserts seen.wal_waits=249
	cause: 70\.0% record: COMMIT waits for a WAL insert lock, of which there are eight\.
	remedy: ^fewer sessions that write at a time
... within stalls | flusher checkpoint seen.cpu_waits=700 phase:other=0.5 phase:log=0.25
	answer: no\.

# One hot row: commits never come during the flush of another one.
%hot | one_by_one seen_enough=1 seen.n=280 seen.in_commit=280 seen.row_holders=280 seen.blocked_rows=3920 phase:flush=1
	answer: no\. No commit can come
a hot row | hot
	cause: 100% flushes, one after the other: on average 14\.0 sessions wait for a row or lock that one in COMMIT holds; 1\.00 are in COMMIT\.
	answer: no\. No commit can come while a committing session holds the row\.
	remedy: ^fewer updates of that row, or uses of that lock \(batches, or a queue\), each last in its transaction; pg_stat_activity shows which statements wait \(wait_event_type Lock\)\n$
... some minutes ago | hot newest_age=250 seen_age=250
	cause: 100% flushes, one after the other
	not: pg_stat_activity
	answer: no\. No commit can come
... on a volume that became slower | hot flush_slower=20000
	cause: 100% flushes, one after the other: .*; 1\.00 are in COMMIT; flushes take 20\.0 ms now, and took 4\.00 ms \(median of all\)\.
	remedy: ^fewer updates .*Lock\); or, of the volume: its burst balance.* iotop; commit_stats_reset\(\), if
... beside one long COMMIT | hot now.longest=4e6 now.all=2
	cause: 100% flushes, one after the other:
... for a fifth of the time, beside others that commit | hot seen.row_holders=56 seen.blocked_rows=800
	cause: 80\.0% flushes of usual length
	says: ^On average 2\.86 sessions wait for a row or lock that one in COMMIT holds, [\s\S]*20\.0% flushes, one after the other: on average 2\.86 sessions
	answer: not known\. While a leader sleeps, sessions wait longer
... and COMMITs that hang | hot now.longest=4e6 now.all=1 now.phase=5
	cause: 100% flushes that have not ended
	answer: no\. Commits hang
... that each holds before its COMMIT, too | hot seen.lock_waits=4200
	cause: 100% flushes, one after the other: on average 14\.0 sessions wait for a row or lock that one in COMMIT holds, and 15\.0 for one that is not yet in COMMIT; 1\.00 are in COMMIT\.
	not: Apart from the commit
... or for half of the time, as does its client
	hot seen.in_commit=145 seen.row_holders=120 seen.blocked_rows=1200 seen.lock_waits=1142
	cause: 82\.8% flushes, one after the other: on average 4\.29 sessions .*, and 4\.08 for one that is not yet in COMMIT; 0\.518 are
... and a delay | hot delay=2000 delay_hits=912 alone_hits=0.94 phase:flush=0.6 phase:delay=0.4
	cause: 60\.0% flushes, one after the other: on average 14
	answer: set it to 0\. 94\.0% of the newest sleeps carried no other commit\..*commit_delay = 0
... that carried others a moment ago
	hot delay=2000 alone_hits=0.55 phase:flush=0.4 phase:delay=0.6
	cause: 60\.0% asleep for commit_delay\.
	answer: perhaps 0\. No commit can come while a committing session holds the row\.
... that takes no time | hot delay=2000 phase:flush=0.96 phase:delay=0.04
	cause: 96\.0% flushes, one after the other
	answer: no\. No commit can come while
%rows | queue plain_flushes seen.n=100 seen.in_commit=720 seen.row_holders=400 seen.blocked_rows=1670
	says: ^On average 16\.7 sessions wait for a row or lock that one in COMMIT holds, and so for what that waits for\. Fewer updates .* make this less\.\nWhy:
	answer: not known\. While a leader sleeps, sessions wait longer for the rows or locks of those in COMMIT\. To try both,
hot rows beside others that commit | rows
... on a volume that became slower | rows flush_slower=20000
... whose flushes are short | rows flush_time=500 flush_p50=450 flush_p99=900
	answer: not known\. While a leader sleeps, sessions wait longer for .* To try each,
... that fill without a delay | rows flush_time=500 flush_p50=450 flush_p99=900 commit_rate=5000
	answer: no\. From 4000 commits/s on
conflicts of few beside others that commit | rows seen.blocked_rows=719
	says: ^On average 7\.19 sessions wait for a row or lock that one in COMMIT holds
	answer: may pay, fixed or adaptive: flushes take long
... or of hardly any | rows seen.blocked_rows=199
	says: ^Why:
	answer: may pay, fixed or adaptive: flushes take long
commits one by one | one_by_one own_flush=0.9 plain_flushes
	answer: no\. A flush carries 1\.00 commits, and a commit spends 90\.0%
... until they came together
	one_by_one own_flush=0.9 newest=1 newest_flushes=2000 newest_carried=13400
	answer: may pay, fixed or adaptive
... of late, where they shared flushes before
	queue own_flush=0.9 newest=1 newest_flushes=2000 newest_carried=2000
	answer: no\. A flush carries 1\.00 commits, and a commit spends 90\.0%
... since a load that prepared transactions
	one_by_one own_flush=0.9 newest=1 newest_flushes=2000 newest_carried=2000 prepares=5000
	answer: no\. A flush carries 1\.00 commits, and a commit spends 90\.0%
... beside prepares, of which a flush carries several
	one_by_one own_flush=0.9 newest=1 newest_flushes=2000 newest_carried=1800 newest_prepares=400
	answer: may pay, fixed or adaptive
one session | concurrency=0 plain_flushes
	answer: no\. Only 0% of flushes found
	remedy: ^larger transactions: one session commits at a time\n$
... of late | concurrency=0 siblings_of='the newest flushes' plain_flushes
	answer: no\. Only 0% of the newest flushes found
... whose flushes none has timed
	concurrency=0 disk_busy=0 flush_time=0 flush_time_max=3e5 seen.n=100 seen.phase[PHASE_FLUSH]=80 plain_flushes
	remedy: ^larger transactions: one session commits at a time\n$
few sessions, as of a small pool | siblings_max=1 plain_flushes
	remedy: ^more sessions, which share flushes, if clients wait for one \(the size of a pool\); or larger transactions: at most 2 sessions commit at a time\n$
... that do other work | siblings_max=1 disk_busy=0.4
	not: ->
%slow_disk | commits=340 flush_time=116000 flush_p50=116000 flush_p99=131000 plain_flushes
each flush is long | slow_disk
	answer: not known\. 340 commits so far
	remedy: ^a faster disk, as one with a write cache that survives a loss of power, if this one always takes as long; or fewer commits\n$
... and none was timed | slow_disk flush_time=0 flush_time_max=120000 commit_p50=130000
	remedy: ^a faster disk
... as known of a period | slow_disk period=1
	answer: \z
	not: ->
... and commits hang elsewhere | slow_disk hanging
	not: faster disk
a subscription | one_by_one applied=0.96 concurrency=0
	cause: 100% flushes of usual length
	answer: no\.
	remedy: ^ALTER SUBSCRIPTION \.\.\. SET \(synchronous_commit = off\)
... on a disk that is idle | concurrency=0 disk_busy=0.4 plain_flushes
	answer: no\.
	not: ->
siblings idle in transaction
	one_by_one seen_enough=1 seen.n=100 seen.in_commit=100 seen.idle_xids=500 plain_flushes
	answer: no\. Of 6\.00 other active transactions \(siblings\) that a leader counts, 5\.00 wait for their client \(idle, or in COPY\)\.
asynchronous siblings | one_by_one commits_async=20000
	answer: no\. 66\.7% of the commits are asynchronous

# Who commits
%lease | top='lease (a, b)' top_share=0.37 top_time=0.3 top_wal=120
one client of many: named, and larger transactions are not promised under a quota | quota lease
	says: ^Who commits, since the reset 37\.0% of the commits are of client lease \(a, b\), 30\.0% of commit time, 120 B of WAL each, rollbacks included\.$
... without its time while commits hang, which are not in it | quota lease now.longest=12e6
	says: ^Who commits, since the reset 37\.0% of the commits are of client lease \(a, b\), 120 B of WAL each, rollbacks included\.$
... whose time is that of commits as clients count it
	phase:before=0.9 phase:flush=0.25 top=shop top_share=0.7 top_time=0.73
	says:  70\.0% of the commits are of client shop, 73\.0% of commit time \(without 'before', 'after'\),
... while slow ones tell of the rest
	phase:before=0.86 phase:flush=0.13 top=web top_share=0.73 top_time=0.62 outside=erp
	says:  \(without 'before', 'after'\), .* included\. Of slow commits, most time of 'before' and 'after' is of client erp\.
... also beside nearly all commits
	phase:before=0.86 phase:flush=0.13 top=web top_share=0.99 outside=erp
	says: 99\.0% of the commits are of client web, .* is of client erp\.
... or in a period
	phase:before=0.86 phase:flush=0.13 top_leader=web top_leader_flushes=0.73 outside=erp period=1
	answer: \z
	says: 73\.0% of the flushes, at the least, are led by client web\. Of slow commits, .* is of client erp\.
... unless it is little | top=web top_share=0.73 outside=erp
	not: erp
... or that of the same client | phase:before=0.86 phase:flush=0.13 top=erp top_share=0.73 outside=erp
	not: most time
... and another one that waits most | top=api top_share=0.77 longest=lease longest_time=0.53
	says: ^Who commits, since the reset 77\.0% of the commits are of client api, .* each, rollbacks included\. Most commit time, 53\.0%, is of client lease\.$
... with hardly any commits
	top=web top_share=0.96 longest=batch longest_time=0.6 top_wal=120 top_of_transactions=0.1
	says: ^Who commits, since the reset 96\.0% of the commits are of client web, .* Most commit time, 60\.0%, is of client batch\.$
	not: larger transactions
... or more than others | top=api top_share=0.6 longest=lease longest_time=0.36
	says: The largest part of commit time, 36\.0%, is of client lease\.$
... but elsewhere | top=lease top_share=0.37 top_wal=120 top_of_transactions=0.1
	says: -> larger transactions
... not where COMMIT is a small part of them
	top=lease top_share=0.37 top_wal=120 top_of_transactions=0.09
	not: larger transactions
... nor of a subscription, in which its publisher decides
	top='no name (a, b)' top_share=0.6 top_wal=120 top_of_transactions=1 applied=0.5
	says: ^Who commits, since the reset 60\.0% of the commits are of client no name
	not: larger transactions
... but of others without a name
	top='no name (a, b)' top_share=0.6 top_wal=120 top_of_transactions=1 applied=0.1
	says: -> larger transactions
%wal | top=lease top_share=0.37 top_wal=120 top_of_transactions=1
	not: larger transactions
... nor where statements wait for locks, which these would hold for longer
	wal seen.n=100 seen.lock_waits=640
... nor where other limits take the time (checkpoints) | wal stall:checkpoint=0.6 phase:other=0.75
... (unknown stalls) | wal stall:unknown=0.6 phase:other=0.75
... (a standby) | wal phase:standby=0.6 phase:other=0.15
... (bandwidth) | wal fit.share=0.6 phase:other=0.75
%shop | top=shop top_share=1 top_slow_least=170 top_slow_most=2e6
one name for several kinds of work | shop
	says: ^Who commits, since the reset 100% of the commits are of client shop\. One name, slow commits of 170 B to 2\.00 MB of WAL: several
a pooler | nameless=1
	says: ^Who commits, since the reset 100% of the commits have no name: the application sets none, or a driver or pooler clears it\. -> SET commit_stats\.client_tag
a pooler that adds addresses | overflow=0.99 clients_evicted=2866
	says: ^Who commits, since the reset 99\.0% .*: newer ones took the row of 2866 clients, .*application_name_add_host = 0
... to one of them | overflow=0.99 clients_evicted=1
	says: newer ones took the row of 1 client, as if
connections with names of their own | alike=celery alike_share=0.76 alike_clients=250 top='api (a, b)' top_share=0.241
	says: ^Who commits, since the reset 76\.0% of the commits are of 250 clients whose names begin with celery, as if each .* -> commit_stats\.client_name_pattern
... which one without exceeds | alike=celery alike_share=0.24 alike_clients=250 top='api (a, b)' top_share=0.76
	not: celery
more names at once than a role may have | overflow=0.286
	says: ^Who commits, since the reset 28\.6% .*: all rows, or the half that a role may have, .*larger commit_stats\.max_clients \(a restart\)
%statement | statement='statement 42 (insert into ev)' statement_flushes=0.64 statement_wal=170
the statement that fills the flushes | statement
	says: ^Who commits, since the reset 64\.0% of the flushes are led by statement 42 \(insert into ev\), with 170 B of WAL in a transaction\. -> larger transactions
... of which fewer are worth nothing under a quota | statement quota
	not: larger transactions
one name for several kinds of work: the statements tell them apart | statement shop
	says: several kinds of work\. -> commit_statement_stats tells them apart 64\.0% of the flushes
one statement: nothing | statement statement_flushes=1
	not: statement
one client: nothing | top=app top_share=1
	not: Who commits

# Is it the commit at all?
%light | of_transactions=0.01 of_sessions=0.007 busiest='app (a, b)' busiest_of_transactions=0.012
	busiest_of_sessions=0.008 transaction_mean=1e5 seen.n=100 seen.idle_xids=1960
idle in transaction: said first | light
	says: ^COMMIT takes 1\.0% of the time of transactions that write, and 0\.7% of the time that their sessions are connected\. Of client app \(a, b\): 1\.2% and 0\.8%\. No setting of commits helps\. On average 19\.6 sessions wait for their client in a transaction \(idle, or in COPY\); a delay counts them as siblings, and sleeps for nothing\.$
... with prepared transactions | light prepares=900
	says: ^COMMIT and PREPARE take 1\.0% of the time of transactions that write,
	answer: no\. COMMIT and PREPARE take 1\.0% of the time of transactions\.
idle in transaction | light plain_flushes
	answer: no\. COMMIT takes 1\.0% of the time of transactions\.
	not: sweep|larger transactions|remedies
... where some hang now | light hanging plain_flushes
	not: COMMIT takes|No setting|remedies
... whose work is after it | light phase:after=0.8 phase:other=0.1
	cause: 80\.0%
	answer: no\. 80\.0%
	says: ^COMMIT takes about 1\.0% of the time of transactions that write, 'before' and 'after' included\.$
	not: No setting|connected
... of which it is the larger part | light phase:after=0.8 phase:other=0.1 phase_mean=3e5
	says: ^COMMIT takes about 75\.2% of
... that hang at times | light slow_commits=201 slow_mean=2e5 plain_flushes
	answer: may pay
	not: No setting
... whose work after it is too short to be a cause
	light phase:after=0.06 phase:other=0.69 phase_mean=200
	says: No setting of commits helps
... that hang at times, beside many that are asynchronous
	light commits=1000 commits_async=98000 slow_commits=20 slow_mean=3e5 transaction_mean=495000
	not: No setting
... for less than a transaction | light slow_commits=201 slow_mean=5e4 plain_flushes
	answer: no\. COMMIT takes 1\.0% of the time of transactions\.
... and take long now | light seen_enough=1 seen.in_commit=1000 phase_mean=3e5
	says: ^COMMIT takes 1\.0% of the time of transactions that write, and 0\.7% of the time that their sessions are connected\..* That is since the reset; now a commit takes 300 ms\.
	answer: may pay
	not: No setting
... or did some minutes ago | light seen_enough=1 seen.in_commit=1000 phase_mean=3e5 newest_age=250 seen_age=250
	says: That is since the reset; in the last of it a commit takes 300 ms\.
... which they do of what ended then, too
	light of_transactions=0.258 seen_enough=1 seen.n=1000 seen.seconds=60 seen.in_commit=1000 seen.ended=62
	says: ^COMMIT takes 25\.8% of .* That is since the reset; now it takes 96\.8%, and a commit takes
... unless what a commit takes is not known, as many fail
	light of_transactions=0.258 seen_enough=1 seen.n=1000 seen.seconds=60 seen.in_commit=1000 seen.ended=20 phase_mean=nan
	says: ^COMMIT takes 25\.8% of
	not: since the reset
... and take as long as ever | light seen_enough=1 seen.in_commit=1000
	answer: no\. COMMIT takes 1\.0% of the time of transactions\.
	not: since the reset
... of a period | light seen_enough=1 seen.in_commit=1000 phase_mean=3e5 transaction_mean=0 period=1
	not: since the reset|No setting
commits that took a quarter of it, and are quick now
	light of_transactions=0.259 transaction_mean=54000 seen_enough=1 seen.in_commit=1000 phase_mean=1000
	says: ^COMMIT takes 25\.9% of the time of transactions .* That is since the reset; now a commit takes 1\.00 ms\.
... or a bit quicker
	light of_transactions=0.259 transaction_mean=54000 seen_enough=1 seen.in_commit=1000 phase_mean=8000
	says: ^COMMIT takes 25\.9%
	not: since the reset
one client that waits for its commits | light busiest_of_transactions=0.95 plain_flushes
	answer: may pay
	not: No setting
transactions that wait for the row of a commit | light hot
	not: No setting
COMMITs with deferred work | light phase:before=0.8 phase:other=0.1
	cause: 80\.0%
	answer: no\. 80\.0% of commit time is outside
	says: ^COMMIT takes about 1\.0% of the time of transactions that write, 'before' and 'after' included\.$
	not: No setting
... that are most of their transactions | of_transactions=0.2 transaction_mean=1000 phase:before=0.8 phase:other=0.1
	says: ^COMMIT takes about 100% of
... of a period | of_transactions=0.1 transaction_mean=2000 phase:before=0.8 phase:other=0.1 period=1
	answer: \z
	says: ^COMMIT takes about 50\.0% of

# Some us of a commit that takes hardly more
before the record, for a moment | phase_mean=35 phase:before=0.147
	not: before the record
... of a long commit | phase_mean=500 phase:before=0.147
	says: 14\.7% before the record
... of some commits | phase_mean=35 phase:before=0.3
	says: 30\.0% before the record

# What is left
above lambda* | commit_rate=4500
	cause: 100% flushes of usual length:
	answer: no\. From 4000 commits/s on, two in the time of a flush, flushes fill without a delay\.
... and a delay | commit_rate=4500 delay=1000 plain_flushes
	answer: perhaps 0\. .*sweep
below
	answer: may pay: 250 us to 707 us by two rules of thumb\. .*sweep
a device that queues | queue
	cause: 100% flushes of usual length: the disk takes this time for each, unless a processor was late, which no sample tells\.
	answer: may pay, fixed or adaptive: flushes take long, also those that do not stall, and.*sweep
... that was replaced by a quicker one
	queue flush_newest=250 flush_rate=1000 commit_rate=1000 disk_busy=0.25
	answer: may pay: 125 us to 707 us by two rules of thumb
... an hour ago | queue newest_age=3600
	answer: not known\. The latest flush of a commit ended 1 h 0 min ago: ask under load\.
... as in the minute of the samples | queue newest_age=250 seen_enough=1 seen_age=250 seen.in_commit=1000
	answer: not known\. The latest flush of a commit ended 4 min 10 s ago: ask under load\.
... of which only the time before a restart is known | queue restarted=1
	answer: not known\. Few flushes so far since the server started: ask under load\.
... and few commits | queue restarted=1 commits=40
	answer: not known\. 40 commits so far
... or one | commits=1
	answer: not known\. 1 commit so far
%idle | disk_busy=0.05 phase:flush=0.9 phase:other=0.1
an idle disk | idle plain_flushes
	answer: no\. The disk is busy with flushes 5\.0%
... where two commit together at times | idle phase:flush=0.67 phase:other=0.33
	answer: not known\. Commits come in bursts, .* flushes, 33\.0% of commit time
	not: hardly ever|sweep
... where samples saw that now, and all commits tell of other times
	idle phase:flush=0.67 phase:other=0.33 own_flush=0.9 seen_enough=1 seen.in_commit=1000
	answer: not known\. Commits come in bursts
... where the rest of a quick commit is more than a tenth
	idle phase:flush=0.89 phase:other=0.11 own_flush=0.89
	answer: no\. The disk is busy with flushes 5\.0%
... where commits wait for each other at times
	idle phase:flush=0.25 phase:other=0.75 plain_flushes
	answer: not known\. Commits come in bursts, .* flushes, 75\.0% of commit time; .* 5\.0% of the time\.
	not: hardly ever|sweep
%healthy | one_by_one flush_time=240 flush_p50=229 flush_p99=432 disk_busy=0.024 own_flush=0.95
	phase:other=0.05
... and sleeps | disk_busy=0.05 delay=1000 phase:delay=0.4 phase:other=0.35
	cause: 60\.0%
	answer: perhaps 0\. .* commit_delay = 1000 us is as long as 2\.00 flushes\..*sweep
... while flushes stall | delay=5000 phase:delay=0.33 phase:other=0.42 stall:checkpoint=0.25
	says: 33\.0% asleep for commit_delay\.
	answer: perhaps 0\. It would not shorten the flushes that stall \(checkpoint\), 25\.0% of commit time\. To try each.*sweep
... or no commit leads them
	delay=5000 phase:delay=0.33 phase:other=0.42 flusher seen.outside_waits=500
	answer: perhaps 0\. It would not shorten the flushes that no commit leads, 50\.0% of commit time\. To try each.*sweep
... and for hardly any time | delay=5000 phase:delay=0.04 phase:other=0.71 stall:checkpoint=0.25
	answer: no\. It would not shorten the flushes that stall \(checkpoint\), 25\.0% of commit time\.
... as long as ten flushes, while processors are busy
	flusher seen.cpu_waits=900 delay=5000 phase:delay=0.9
	cause: 90\.0% asleep for commit_delay
	answer: perhaps 0\. Commits sleep for 90\.0% of their time: commit_delay = 5000 us is as long as 10\.0 flushes\..*sweep
... and for half of the time that a standby leaves
	flusher seen.cpu_waits=336 delay=5000 phase:delay=0.403 phase:standby=0.216 phase:other=0.336
	cause: 40\.3% asleep for commit_delay
	answer: perhaps 0\. Commits sleep for 40\.3% of their time: commit_delay = 5000 us is as long as 10\.0 flushes\..*sweep
... and for less of the time
	flusher seen.cpu_waits=400 delay=5000 phase:delay=0.33 phase:other=0.42
	answer: not known while flushes wait for a processor, 40\.0% of commit time\. To try each.*sweep
	says: 33\.0% asleep for commit_delay\. -> under such a load, commit_remedies
... which a prediction knew | none_gains='18:29'
	flusher seen.cpu_waits=400 delay=5000 phase:delay=0.45 phase:other=0.4
	cause: 45\.0% asleep for commit_delay\.
	remedy: ^commit_delay = 0, as commit_remedies\(\) found at 18:29\n$
	answer: set it to 0\. commit_remedies\(\) found at 18:29 that no delay gains anything\..*commit_delay = 0
... which knew no quota | none_gains='18:29'
	flusher delay=5000 phase:delay=0.6 stall:quota=0.3
	cause: 60\.0% asleep for commit_delay\.
	remedy: ^under such a load
... which are of before the volume became slower | none_gains='18:29'
	flusher delay=5000 phase:delay=0.6 flush_slower=90000
	cause: 60\.0% asleep for commit_delay\.
	remedy: ^under such a load
... which nothing times | delay=10000 phase:delay=0.95 flush_time=0 io_timing=0
	cause: 95\.0% asleep for commit_delay\.
	answer: perhaps 0\. Commits sleep for 95\.0% of their time: commit_delay = 10000 us\..*sweep
... of transactions that are idle | delay=8000 phase:delay=0.65 seen.n=100 seen.idle_xids=800
	cause: 65\.0% asleep for commit_delay\. On average 8\.00 sessions wait for their client in a transaction \(idle, or in COPY\): a delay counts them as siblings\.
	remedy: ^commit_siblings \(now 5\) above their number, or commit_delay = 0; or let them end their transactions sooner
... but these alone are too few | delay=8000 phase:delay=0.65 seen.n=100 seen.idle_xids=400
	cause: 65\.0% asleep for commit_delay\.\n
... and no sample saw a flush | flusher delay=10000 phase:delay=1 flush_time=0 io_timing=0
	answer: perhaps 0\. Commits sleep for 100% of their time
... for less of the time, as samples of flushes lack
	flusher delay=100 phase:delay=0.5 phase:unknown=0.5
	not: no commit leads|for a processor
... of a database, and for nothing | delay=2000 delay_hits=100 alone_hits=1 delay_elsewhere=1
	answer: set it to 0 \(it is of the server's command line; or ALTER DATABASE or ALTER ROLE \.\.\. RESET commit_delay, for new connections\)\. 100% of the newest sleeps
	not: ALTER SYSTEM
a delay of some sessions | slept_unset=303 sleeper='old (app, old)' alone_hits=0.95 phase:delay=0.6
	phase:other=0.15
	cause: 60\.0% asleep for a commit_delay of sessions, roles, databases or a sweep
	answer: sessions, roles or databases have their own, or a sweep has just run: 303 of the newest flushes slept, nearly all for nothing\. Most sleeps are of client old \(app, old\)\. delay_hits of public\.commit_client_stats
	remedy: ^unless a sweep has just run: ALTER ROLE or ALTER DATABASE ... RESET commit_delay \(for new connections\), or what client old \(app, old\) itself sets\n\z
	not: may pay|_sweep\(
... that pays | slept_unset=303 sleeper='app (app, a)' alone_hits=0.1 sleep_carried=7.1
	phase:delay=0.6 phase:other=0.15
	cause: 60\.0% asleep for a commit_delay of sessions, roles, databases or a sweep
	answer: .*: 303 of the newest flushes slept, and carried 7\.10 commits each\. Most sleeps are of client app
	remedy: ^$
... longer than that of the server
	slept_unset=303 delay=100 sleeper='old (app, old)' alone_hits=0.95 phase:delay=0.6
	cause: 60\.0% asleep for a commit_delay of sessions, roles, databases or a sweep
	answer: sessions, roles or databases have their own, .* slept longer than commit_delay = 100 us, nearly all for nothing\. Most
	remedy: ^unless a sweep has just run: ALTER ROLE
	not: set it to 0|ALTER SYSTEM
a delay that hardly hits | delay=100 siblings=9 reach=0.05 plain_flushes
	answer: hardly any leader sleeps: at 5\.0% of flushes, commit_siblings = 9 others were active; at half of them, 7\..*sweep
... of late | delay=100 siblings=9 reach=0.05 siblings_of='the newest flushes' plain_flushes
	answer: hardly any leader sleeps: at 5\.0% of the newest flushes, commit_siblings = 9
not timed | flush_time=0 io_timing=0 plain_flushes
	answer: not known\. .*track_wal_io_timing = on
not timed yet | flush_time=0 plain_flushes
	answer: not known\. No flush was timed
an adaptive delay | adaptive=1 plain_flushes
	answer: commit_stats\.adaptive_delay decides
asynchronous | commits=5 commits_async=1000 plain_flushes
	answer: no\. 99\.5% of the commits do not wait for the disk
%unlogged | commits=6 commits_unlogged=213801 of_transactions=0.98
unlogged tables | unlogged plain_flushes
	answer: no\. Hardly any transaction waits for a flush: 0 were read-only, 213801 wrote to unlogged or temporary tables only, 6 waited\.
	not: COMMIT takes
... beside some that wait | unlogged commits_unlogged=599 plain_flushes
	answer: not known\.
few commits | commits=499 plain_flushes
	answer: not known\. 499 commits
nothing | commits=0 flushes=0 phase_mean=0
	cause: \z
	answer: not known\. 0 commits
# ... where commit_remedies() would refuse
fsync = off | fsync=0
	cause: 100% flushes of usual length: with fsync = off, each writes to the system's cache\.
	answer: no\. With fsync = off
	not: commit_remedies
a standby | is_standby=1 plain_flushes
	answer: no\. Nothing commits on a standby
	not: commit_remedies
switched off | counting=0 is_standby=1 plain_flushes
	answer: not known\. Counting is off.*enabled = on
	not: commit_remedies
a delay that was adaptive | phase:delay=0.6 delay_hits=100 hits_adaptive=90
	cause: 60\.0% asleep for commit_stats\.adaptive_delay
	answer: .

# What is said of a period first
of a period: processors | period=1 flusher seen.cpu_waits=800
	exactly: 80.0% flushes that wait for a processor: the process that flushes was ready to run, or the next one was not yet awake.
of a period: flushes of others | period=1 flusher seen.outside_waits=900
	exactly: 90.0% flushes that no commit leads: those of the WAL writer, or of a session that writes much.

... early checkpoints, with max_wal_size = 100MB
	checkpoint checkpoint_distance=3.5 checkpoint_wal=30e6 period=100
	remedy: ^larger max_wal_size \(then 100MB, now 1024MB; pg_wal needs the room\):
... early checkpoints, with max_wal_size = 120MB
	checkpoint checkpoint_distance=3.5 checkpoint_wal=30e6 period=120
	remedy: ^fewer commands that ask for a checkpoint \(CHECKPOINT, .*\):
... early checkpoints, and checkpoint_timeout is shorter now
	checkpoint checkpoint_distance=3.5 checkpoint_wal=30e6 period=100 checkpoint_timeout=5 period:checkpoint_timeout=300
	remedy: ^larger max_wal_size \(then 100MB, now 1024MB; pg_wal needs the room\):
... checkpoints in time, and checkpoint_timeout is longer now
	checkpoint checkpoint_distance=4.5 checkpoint_wal=30e6 period=100 period:checkpoint_timeout=5
	remedy: ^larger checkpoint_timeout \(now 300 s\)$
... checkpoints, one of which a command asked for
	checkpoint checkpoint_distance=260 checkpoint_wal=30e6 period=100
	remedy: ^larger checkpoint_timeout \(now 300 s\); but if the server's log says "force" of a checkpoint, none of the commands then that ask for one \(CHECKPOINT, DROP DATABASE, CREATE DATABASE with FILE_COPY, a backup with --checkpoint=fast or start-fast\)$
... too few checkpoints for their distance | checkpoint period=100
	remedy: checkpoint_timeout \(now 300 s\); but if the server's log
of a period: larger flushes | period=1 flush_wal=512000 flush_time=800
	exactly: 100% flushes that did not stall, as usual or slower (commit_stats_compare() tells): the disk took this time for each, with 512 kB of WAL (640 MB/s of their time).
	not: ->
of a period: ... of full-page images, which may use up the bandwidth
	period=1 flush_wal=32768 flush_time=9000 images=0.9
	cause: .*with 32\.8 kB of WAL \(3\.64 MB/s of their time\)\.
	remedy: ^if the volume carries no more bytes: wal_compression = on, larger checkpoint_timeout .*; or less WAL, or a faster volume\n$
of a period: ... and small ones | period=1 flush_wal=32767 flush_time=9000
	exactly: 100% flushes that did not stall, as usual or slower (commit_stats_compare() tells): the disk took this time for each.
%asleep | phase:delay=0.9 delay_hits=100
of a period: a pause, of which it is not known how long it was
	period=1 phase:not_run=0.6 phase:other=0.4 stall:pause=0.6
	exactly: 60.0% not run: all processes of the server stood still, as in a pause of its machine or container.
of a period: a delay | period=1 asleep delay=2000
	exactly: 90.0% asleep for commit_delay.
	remedy: ^under such a load, commit_remedies\(\) predicts and commit_delay_sweep\(\) measures whether it pays\n$
of a period: ... that carried hardly any other commit | period=1 asleep delay=2000 alone_hits=0.98
	remedy: ^commit_delay = 0, also of roles, databases and clients: at most 2\.0% of the sleeps carried another commit\n$
of a period: ... which the configuration no longer has | period=1 asleep
	exactly: 90.0% asleep for a commit_delay that was not that of the configuration when it ended.
of a period: ... which adapts | period=1 asleep hits_adaptive=51
	exactly: 90.0% asleep for commit_stats.adaptive_delay.
	remedy: ^\z
of a period: a quota, and the adaptive delay is on when it ends | period=1 quota adaptive=1
	remedy: ^fewer flushes \(a delay\), or a volume with more IOPS
of a period: ... beside a hot row | period=1 hot quota phase:flush=1
	cause: 60\.0% stalls as on a disk
	answer: \z
	remedy: ^a volume with more IOPS
of a period: ... or NOTIFY | period=1 quota commits_notify=10000
	remedy: ^a volume with more IOPS
of a period: ... or was on, and is no longer | period=1 quota delay_hits=5001 hits_adaptive=5001
	remedy: ^a volume with more IOPS
of a period: a statement, which leads more flushes than those of its rows | period=1 statement
	says: ^Who commits 64\.0% of the flushes, at the least, are led by statement 42
of a period: a hot row | period=1 hot
	answer: \z
	remedy: ^fewer updates of that row, .*, each last in its transaction\n?$
of a period: a volume that became slower | period=1 stall:unknown=0.6 flush_slowed=10000
	not: commit_stats_reset
	exactly: 60.0% most flushes took 10.0 ms, a stall by what was usual before: the volume had become slower, as when a burst credit is used up.
of a period: work after the commit | period=1 phase:after=0.6
	exactly: 60.0% after the commit, for files of dropped or truncated tables, predicate locks, or messages of NOTIFY.
END

my @cases;

for my $block (split /^(?=\S)/m, $table =~ s/^#.*\n//mgr)
{
	my ($name, $text) = split / \| |\n/, $block, 2;

	if ($name =~ /^%(.*)/)
	{
		$situation{$1} = { read_situation($text) };
	}
	else
	{
		push @cases, [ $name, read_situation($text) ];
	}
}

# One run of the program takes hardly longer for all than for one.
my @said = split /^end\n?/m, $program->(map { my ($name, %case) = @$_; line_of(%case) } @cases);

is(scalar @said, scalar @cases, 'each case has its conclusion');
check(shift @$_, parts_of(shift @said), @$_) for @cases;

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
	my ($said) =
	  conclude(join ' ', 'phase:flush=0', map { "$phases[$_]=$shares->[$_]" } 0 .. $#$shares)
	  ->{causes} =~ /(The other .*)/;

	is($said, $rest && "The other $rest: smaller causes.", "causes of @$shares: the rest");
}

# One thing to do first
my $predict = "SELECT * FROM public.commit_remedies();\n";
my $newest = 'Newest prediction (a time, from 10 s): the adaptive delay.';
my $others = "Predict other remedies (10 s, changes nothing):\n$predict";
my $compare = "First step: predict each remedy, also a delay (10 s, changes nothing):\n$predict";

is(conclude()->{step}, $compare, 'plain flushes: remedies are compared');
is( conclude('newest_age=250 seen_age=250')->{step} =~ s/\n  / /r,
	$compare =~ s/remedy/remedy under load/r,
	'... when there is a load again');
is(conclude('slow_disk commits=500')->{step}, $compare, '... of a slow disk, too');
is(conclude('slow_disk')->{step}, "First step: what cause 1 says.\n", '... if they can be');
is(conclude('quota')->{step}, $compare, '... as for a quota');
is( conclude('quota adaptive=1')->{step},
	"First step: what cause 1 says. $others",
	'... unless the adaptive delay is on');
is( conclude('stall:bulk=0.6')->{step},
	"First step: what cause 1 says. $others",
	'a cause of its own');
is(conclude('checkpoint')->{step}, "First step: what cause 1 says.\n", '... of most of the time');
is( conclude('phase:standby=0.8')->{step},
	"First step: what cause 1 says.\n",
	'... that leaves no time to flushes');
is(conclude('phase:standby=0.8 standby_list=s1')->{step}, '', '... of which nothing is known');
is(conclude('slept_unset=20 alone_hits=0.8 sleeper=app phase:delay=0.6')->{step},
	$compare, '... and one of sessions, which may pay');
my $wrong = 'hot delay=2000 alone_hits=0.94';
is( conclude("$wrong phase:flush=0.95 phase:delay=0.05")->{step},
	"First step: the statement on a delay. " . $others =~ s/ nothing/\n  nothing/r,
	'a setting that is wrong comes before all');
is( conclude("$wrong phase:flush=0.96 phase:delay=0.04")->{step},
	"First step: what cause 1 says. $others",
	'... that takes time');
$wrong .= ' seen_enough=1 alone_hits=1 phase:delay=0.02 phase:flush=0.01';
my $set = qr/^First step: the statement on a delay\./;
my $cause = qr/^First step: what cause 1 says\./;
like(conclude('not_timed')->{step}, $set, '... as flushes that are not timed');
like(conclude('not_timed stall:unknown=0.6')->{step}, $cause, '... unless much time has a cause');
my $queue = "$wrong phase:before=0.97 lock=row seen.commit_queue=3 seen.commit_locks=3";
like(conclude("$wrong phase:NOTIFY=0.97")->{step}, $set, '... which is all but a queue for it');
like(conclude($queue)->{step}, $set, '... of deferred triggers');
like(conclude("$queue now.phase=3 now.longest=2e6")->{step}, $set, '... that hangs behind it');
is(conclude("$queue now.longest=2e6")->{step}, '', '... or behind something else');
like(conclude("$queue seen.commit_locks=30")->{step}, $cause, '... which waits for others');
is( conclude("prediction='$newest'")->{step},
	"To predict each remedy again, also a delay (10 s, changes nothing):\n${predict}" . "$newest\n",
	'the newest prediction');
my ($with, $without) = (conclude('predicted_delay=1100 predicted_siblings=1'), conclude());
like(", $with->{delays},", qr/, 1100,/, 'a sweep tries the pair that was predicted');
is($with->{siblings}, '5, 1', '... with its commit_siblings');
unlike(", $without->{delays},", qr/, 1100,/, '... which it has from nowhere else');
is(conclude('phase:not_run=0.24')->{step}, '', 'a CPU limit, which the simulation would use up');
is(conclude('phase:not_run=0.09')->{step}, $compare, '... that hardly matters');
is(conclude('phase:standby=0.11')->{step}, '', 'a standby, beside which nothing is predicted');
is(conclude('phase:standby=0.09')->{step}, $compare, '... that hardly matters');
is(conclude('full')->{step}, '', 'full WAL buffers in statements: no first step for commits');
is(conclude('delay=10000 phase:delay=0.95')->{step}, $compare, 'a delay that is too long');
is(conclude('phase:log=0.8 phase:flush=0.25')->{step}, '', 'nothing to do');
is(conclude('now.longest=12e6')->{step}, '', 'what hangs stands in the first line');
my $few = 'phase:standby=0.13 now.commits=2 now.all=14 now.phase=7';
is( conclude("stall:bulk=0.6 $few now.longest=8e6")->{step},
	"First step: what hangs, as the first line says.\n",
	'... and comes first, if few commits hang for long');
like(conclude("stall:bulk=0.6 $few now.longest=4e6")->{step},
	$cause, '... but not for a short time');
like(conclude("stall:bulk=0.1 $few now.longest=8e6 phase:standby=0.8")->{step},
	$cause, '... nor if cause 1 says why');
like(conclude('stall:bulk=0.6 now.commits=2 now.all=14 now.phase=0 now.longest=8e6')->{step},
	$cause, '... nor if they compute');
is(conclude('stall:bulk=0.6 is_standby=1')->{step}, '', 'a standby: nothing to do there');

is( conclude('healthy')->{step},
	"First step: none. A commit takes about one flush of this disk, 240 us.\n",
	'nothing stands out');
for my $other (qw(flush_p99=1000 disk_busy=0.1 own_flush=0.8 stall:unknown=0.3 slow_commits=2))
{
	like(conclude("healthy $other")->{step}, qr/commit_remedies/, "... but with $other");
}

# Sweeps: 0, the present delay, F0 from a quarter to four times, and the
# square-root rule
is(conclude()->{delays}, '0, 120, 250, 500, 710, 1000, 2000', 'delays to try');
for my $flush_time (1, 10, 333, 4567, 99999, 1e6, 1e9)
{
	my @delays = split /, /,
	  conclude("flush_time=$flush_time delay=100000 commit_p99=@{[$flush_time + 100000]}")
	  ->{delays};

	is($delays[0], 0, "F0 of $flush_time: 0 is there");
	ok((grep { $_ == 100000 } @delays), "F0 of $flush_time: the present one is there");
	ok(!(grep { $delays[$_] <= $delays[ $_ - 1 ] } 1 .. $#delays), "F0 of $flush_time: in order");
	cmp_ok($delays[-1], '<=', 100000, "F0 of $flush_time: not too long");
}

is( conclude('quota flush_time=0 commit_p99=90000 quota_flushes=12 quota_window=100000')->{delays},
	'0, 2100, 4200, 8300, 17000, 33000',
	"... around the distance of a quota's flushes, if none is timed");

# ... bounded by twice the p99 of commits, which no delay may exceed alone
my $slow = conclude('flush_time=25000 commit_p99=51000');
is($slow->{max_p99}, 100, 'the bound is twice the present p99');
is($slow->{delays}, '0, 6200, 12000, 25000, 50000', '... and delay and flush stay below it');
is(conclude('commit_p99=0')->{max_p99}, 1, 'the bound is at least 1 ms');
is(conclude('commit_p99=1234')->{max_p99}, 2.5, '... and has two digits');
is( conclude('delay=7000')->{delays},
	'0, 120, 250, 500, 710, 1000, 2000',
	'... which the present delay does not exceed');
# 1,000 flushes/s of 16 kB fill half of 64 kB in 2 ms
is( conclude('wal_buffers=65536 flush_wal=16384')->{delays},
	'0, 120, 250, 500, 710, 1000, 2000',
	'... and which do not fill half of the WAL buffers');
is( conclude('wal_buffers=65536 flush_wal=65536')->{delays},
	'0, 120, 250, 500',
	'... at the present rate');
is(conclude()->{siblings}, undef, 'siblings that are reached are left');
is(conclude('siblings=9 siblings_differ=1')->{siblings},
	9, '... and named to a session that has others');
is(conclude('siblings=9 reach=0.05')->{siblings}, '9, 7', 'others are held against better ones');
is(conclude('siblings=9 reach=0.05 siblings_half=0')->{siblings}, '9, 1', '... of at least 1');

done_testing();
