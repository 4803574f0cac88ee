# Of several standbys, does commit_standby_stats name the one that decides when
# a commit goes on, and never another?
#
# Walreceivers are stopped, so which standby decides follows from
# synchronous_standby_names and from the order in which they were stopped.  The
# length of a wait is compared with the clock of the session that waits.

use CommitStats;
use IO::Select;
use IO::Socket::UNIX;
use POSIX       ();
use Time::HiRes qw(time usleep);

my $primary = start_node('primary');
my %standby = map { $_ => add_standby($primary, '', $_) } qw(a b c);
my %stopped;
my $proxy;

# Stopped processes would not end with the test.
END
{
	kill 'CONT', values %stopped;
	kill 'KILL', $proxy if $proxy;
}

sub stop_receivers (@names)
{
	for my $name (@names)
	{
		$stopped{$name} = $standby{$name}->sql('SELECT pid FROM pg_stat_wal_receiver');
		kill('STOP', $stopped{$name}) == 1 or die "there is no walreceiver of $name\n";
		# positions differ from those of the next to be stopped
		$primary->sql('SET synchronous_commit = local; INSERT INTO logged (n) VALUES (0)');
		$primary->wait_for_catchup($_, 'flush') for grep { !$stopped{$_} } keys %standby;
	}
	return;
}

sub continue_all
{
	kill 'CONT', values %stopped;
	%stopped = ();
	$primary->wait_for_catchup($_, 'flush') for keys %standby;
	return;
}

sub set_names ($names, $synchronous)
{
	$primary->alter_system(synchronous_standby_names => $names);
	$primary->wait_until(
		qq{SELECT count(*) = $synchronous FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')}
	);
	$primary->sql('SELECT commit_stats_reset()');
	return;
}

# Who is waited for now, once the background worker has seen it as well.
sub blamed ($commits = 1)
{
	$primary->wait_until(
		qq{SELECT sum(waiting_now) = $commits AND sum(wait_time) > 0 FROM commit_standby_stats});
	return $primary->sql(q{SELECT standby, stage FROM commit_standby_stats WHERE waiting_now > 0});
}

sub commit_beside
{
	return $primary->start_psql('INSERT INTO logged (n) VALUES (1)');
}

# The time that commits have waited for what $blame says, and in all, ms.
sub wait_times ($blame)
{
	return $primary->row(
		qq{SELECT coalesce(sum(wait_time) FILTER (WHERE standby || '|' || stage = '$blame'), 0),
	coalesce(sum(wait_time), 0) FROM commit_standby_stats});
}

# A commit waits for what $blame says until $end.  The worker may have looked
# half a second before, when nothing committed.
sub waits_for ($name, $blame, $end)
{
	my ($blamed_before, $all_before) = wait_times($blame);
	my $start = time;
	my $session = commit_beside();

	is(blamed(), $blame, "$name: $blame");
	usleep(1_000_000);
	my ($blamed, $all) = wait_times($blame);
	my $waited = 1000 * (time - $start);
	cmp_ok($blamed - $blamed_before, '>=', 900, "$name: the wait is counted");
	cmp_ok($all - $all_before, '<=', $waited + 550, "$name: ... and not more than that");
	$end->();
	ok(end_background($session), "$name: the commit goes on");
	return;
}

sub c_is_not_waited_for ($name)
{
	stop_receivers('c');
	run_pgbench($primary, '-c 2 -t 100', write => "INSERT INTO logged (n) VALUES (1);\n");
	return is($primary->sql(q{SELECT count(*) FROM commit_standby_stats WHERE standby = 'c'}),
		0, "$name: nobody waits for that one");
}

# ANY n: the n-th to answer
set_names('ANY 2 (a, b, c)', 3);
c_is_not_waited_for('ANY 2 of 3, one stopped');
stop_receivers('b');
waits_for('ANY 2 of 3, c stopped, then b', 'b|not written', \&continue_all);

set_names('ANY 3 (a, b, ghost, C)', 3);
stop_receivers('a', 'c');
waits_for('ANY 3 of 4, a stopped, then c', 'a|not written', \&continue_all);

set_names('ANY 3 (ghost, a, b)', 2);
waits_for 'ANY 3 of 3, one not there', 'ghost|not connected',
  sub { set_names('ANY 2 (ghost, a, b)', 2) };

# FIRST n: the last of the n best
set_names('FIRST 2 (a, b, c)', 2);
c_is_not_waited_for('FIRST 2 of 3, the third stopped');
stop_receivers('a');
waits_for('FIRST 2 of 3, the first stopped', 'a|not written', \&continue_all);

# What hangs is what the report names, not what most commits have waited for.
stop_receivers('a');
my @sessions = map { commit_beside() } 1 .. 20;
$primary->wait_until(q{SELECT commit_stats_report() ~ 'from samples'});
continue_all();
ok(end_background($_), 'a commit goes on') for @sessions;
stop_receivers('b');
my $session = commit_beside();
$primary->wait_until(q{SELECT commit_stats_report() ~ '^1 commit waits now'});
my $report = $primary->report;
like($report, qr/^  1\. \S+% standby 'b': not written/m, 'what hangs comes first');
unlike($report, qr/has\s+before\s+it/, '... and is all that is to be mended');
like($report, qr/'c'\s+is\s+ahead\s+of\s+it/, '... unless another may take its place');
continue_all();
ok(end_background($session), '... and goes on');

my %told = map { $_ => q{ ''a'': not written.* -> its network} } qw(A *);
$told{c} = ': one that synchronous_standby_names no longer has( \([^)]*\))?\. -> none';
for my $names (sort keys %told)
{
	$primary->alter_system(synchronous_standby_names => $names);
	$primary->wait_until(
		qq{SELECT regexp_replace(commit_stats_report(), '\\s+', ' ', 'g') ~ '% standby$told{$names}'}
	);
}
# of equals, the server may have chosen any
$primary->alter_system(synchronous_standby_names => 'FIRST 1 (a, b, c)');
$primary->wait_until(
	q{SELECT regexp_replace(commit_stats_report(), '\s+', ' ', 'g') ~ 'ANY in place of FIRST or ''\*'': ''[bc]'' (may be faster|has a flush_lag of [0-9.]+ ms, ''a'' of [0-9.]+ ms)'}
);

# It has all that the commit waits for, and answers no more.
$primary->alter_system(synchronous_standby_names => 'ghost');
$session = commit_beside();
is(blamed(), 'ghost|not connected', 'a commit hangs');
$primary->wait_for_catchup($standby{a}, 'flush');
kill 'STOP', $stopped{a} = $standby{a}->sql('SELECT pid FROM pg_stat_wal_receiver');
$primary->wait_until(
	q{SELECT now() - reply_time > '1 s' FROM pg_stat_replication WHERE application_name = 'a'});
$primary->alter_system(synchronous_standby_names => 'FIRST 1 (a, b)');
$primary->wait_until(
	q{SELECT sync_state = 'sync' FROM pg_stat_replication WHERE application_name = 'a'});
$report = $primary->report;
SKIP:
{
	skip 'this version lets commits go on at a reload', 2 if $report =~ /^No commit/;
	like($report, qr/^1 commit .* an\s+answer\s+of\s+standby\s+'a',\s+which\s+has/, 'it is named');
	like($report, qr/^  1\. \S+% standby: those that/m, '... and that it has this WAL');
}
kill 'CONT', delete $stopped{a};
$primary->sql('SET synchronous_commit = local; INSERT INTO logged (n) VALUES (0)');
ok(end_background($session), '... and goes on');

delete($standby{a})->stop;
set_names('FIRST 2 (a, b, c)', 2);
stop_receivers('c');
waits_for 'FIRST 2 of 3, the first is down', 'c|not written', sub {
	$primary->wait_until(
		q{SELECT regexp_replace(commit_stats_report(), '\s+', ' ', 'g') ~ 'standby ''c'': not written.* before it, which is away'}
	);
	kill 'CONT', $stopped{c};
};
delete $stopped{c};

# One that is away, and then catches up

# The proxy forwards a connection to the primary, but only so many bytes of its
# answers.
sub start_proxy ($dir, $most)
{
	my $socket = '.s.PGSQL.' . $primary->port;
	my $listener = IO::Socket::UNIX->new(Local => "$dir/$socket", Listen => 1)
	  or die "no socket in $dir: $!\n";
	my $pid = fork // die "no process: $!\n";

	return $pid if $pid;
	my $standby = $listener->accept;
	my $server = IO::Socket::UNIX->new(Peer => $primary->host . "/$socket");
	my $open = IO::Select->new($standby, $server);

	while (my @ready = $open->can_read)
	{
		for my $from (@ready)
		{
			sysread($from, my $bytes, 8192) or POSIX::_exit(0);
			syswrite $from == $server ? $standby : $server, $bytes;
			$most -= length $bytes if $from == $server;
		}
		$open->remove($server) if $most <= 0;
	}
	POSIX::_exit(0);
}

set_names('c', 1);
stop_receivers('c');
waits_for('c alone, stopped', 'c|not written', \&continue_all);
$primary->sql('SELECT pg_switch_wal()');
$primary->wait_for_catchup($standby{c}, 'flush');
$standby{c}->stop;
$session = commit_beside();
is(blamed(), 'c|not connected', 'c alone, away: it is named');
$primary->wait_until(q{SELECT commit_stats_report() ~ 'from samples'});
$report = $primary->report;
like($report, qr/^  1\. \S+% standby 'c': not connected/m, '... also by the report');
unlike($report, qr/which\s+is\s+connected/, '... and is not b, which was connected beside it');
$standby{b}->restart;
$primary->wait_until(
	q{SELECT commit_stats_report() ~ 'if\s+it\s+is\s+''b'',\s+which\s+is\s+connected'});

my $hanging = $primary->lsn('flush');
my $dir = PostgreSQL::Test::Utils::tempdir_short();

$primary->sql(q{SET synchronous_commit = local;
SELECT pg_logical_emit_message(true, '', repeat('x', 1000000)) FROM generate_series(1, 8)});
$proxy = start_proxy($dir, 2_000_000);
$standby{c}->append_conf(
	'postgresql.conf', qq{
wal_receiver_timeout = 0
primary_conninfo = 'host=$dir port=@{[$primary->port]} application_name=c'
});
$standby{c}->start;
$primary->wait_until(qq{SELECT state = 'catchup' AND flush_lsn >= '$hanging'
FROM pg_stat_replication WHERE application_name = 'c'});
is(blamed(), 'c|not sent', 'c alone, catching up: it has this WAL, and needs all');
like(
	$primary->report,
	qr/^1 commit waits now, .*: for standby 'c': not sent\.$/m,
	'... also by the report');
kill 'KILL', $proxy;
$proxy = undef;
$standby{c}->enable_streaming($primary);
$standby{c}->restart;
ok(end_background($session), '... and then the commit goes on');

# Nothing from before a change, also if the names are the same again
is($primary->sql('SELECT count(*) > 0 FROM commit_standby_stats'), 't', 'change: there are counts');
for my $names ('', 'FIRST 2 (a, b, c)')
{
	$primary->alter_system(synchronous_standby_names => $names);
	is($primary->sql('SELECT count(*) FROM commit_standby_stats'),
		0, "change to \"$names\": nothing from before");
	usleep(1_100_000);    # the worker looks twice a second
}
is($primary->sql('SELECT count(*) FROM commit_standby_stats'),
	0, 'change: nor when the worker has seen it');

# A standby of a standby
$standby{c}->enable_streaming($standby{b});
$standby{c}->restart;
set_names('FIRST 1 (b)', 1);
$standby{b}->wait_until('SELECT count(*) = 1 FROM pg_stat_replication');
kill 'STOP', $stopped{c} = $standby{c}->sql('SELECT pid FROM pg_stat_wal_receiver');
run_pgbench($primary, '-c 2 -t 100', write => "INSERT INTO logged (n) VALUES (1);\n");
is($primary->sql(q{SELECT count(*) FROM commit_standby_stats WHERE standby <> 'b'}),
	0, 'cascading: nobody waits for the standby of a standby');
kill 'CONT', delete $stopped{c};

# *: any standby
set_names('*', 1);
$stopped{b} = $standby{b}->sql('SELECT pid FROM pg_stat_wal_receiver');
kill 'STOP', $stopped{b};
waits_for('*', 'b|not written', sub { kill 'CONT', delete $stopped{b} });
$standby{$_}->stop for qw(c b);
set_names('*', 0);
waits_for('*, nobody there', '*|not connected', sub { set_names('', 0) });

end_test($primary);
