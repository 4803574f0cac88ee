# Does commit_slow_log have the commits that were slow for the client, and say
# why?
#
# pgbench logs how long each transaction took.  Each transaction that took much
# longer than commit_stats.slow_commit_time must be in commit_slow_log, and
# each commit in it must be within a transaction that took longer.  The commits
# are slow because the device stalls, because the synchronous standby does not
# answer, because they have NOTIFY in them, or because a bulk load fills the
# WAL.
#
# A client that has to wait for a processor can make a transaction look slow:
# up to a tenth of the slow transactions may be that.  A backend that has to
# wait for one makes other parts of a commit long.  So one round of five has to
# be right.  With large WAL buffers, no INSERT waits for the bulk load.

use strict;
use warnings;

use lib 't', 't/ground_truth';
use CommitStats;
use GroundTruth qw(start_truth set_device);
use PostgreSQL::Test::Utils;
use Test::More;

my $limit = 100;    # ms
my $node = start_truth(
	'slow', qq{
commit_stats.slow_commit_time = $limit
log_statement = none
checkpoint_timeout = 1h
wal_buffers = 64MB
synchronous_standby_names = ''
}, allows_streaming => 1);
my $nlogs = 0;

sub query
{
	my ($sql) = @_;

	return $node->safe_psql('postgres', $sql);
}

# The transactions of a pgbench, as [start, end] in ms since the epoch
sub transactions
{
	my ($prefix) = @_;
	my @transactions;

	for my $file (glob "$prefix.*")
	{
		for (split /\n/, slurp_file($file))
		{
			my (undef, undef, $latency, undef, $s, $us) = split ' ';
			my $end = $s * 1000 + $us / 1000;
			push @transactions, [ $end - $latency / 1000, $end ];
		}
	}
	return @transactions;
}

# The slow commits of an application, as times in ms since the epoch
sub slow_commits
{
	my ($application) = @_;

	return split /\n/, query(
		qq{
SELECT 1000 * extract(epoch FROM ended_at) FROM commit_slow_log
WHERE application_name = '$application' ORDER BY 1});
}

# Runs pgbench, with $beside() meanwhile, and compares: how many slow
# transactions have no slow commit, how many slow commits have none, and how
# many transactions were slow
sub compare
{
	my ($options, $script, $beside) = @_;
	my $prefix = $node->basedir . '/transactions' . ++$nlogs;
	my ($unseen, $nslow) = (0, 0);

	query('SELECT commit_stats_reset()');
	local $ENV{PGAPPNAME} = 'load';
	my $pgbench = start_pgbench(
		$node,
		"$options -l --log-prefix=$prefix",
		"load$nlogs" => $script);
	$beside->() if $beside;
	end_background($pgbench) or die "pgbench failed: $pgbench->{err}\n";

	my @commits = slow_commits('load');
	for my $transaction (transactions($prefix))
	{
		my ($start, $end) = @$transaction;
		next if $end - $start <= $limit;
		# the clocks of the two processes are the same
		my ($i) = grep { $commits[$_] >= $start && $commits[$_] <= $end }
		  0 .. $#commits;
		if (defined $i)
		{
			splice @commits, $i, 1;
		}
		elsif ($end - $start > 1.5 * $limit)
		{
			$unseen++;
		}
		$nslow++;
	}
	return ($unseen, scalar @commits, $nslow);
}

# Is the log right about a load?  The further findings, which $and() returns,
# are about the same round.
sub agrees
{
	my ($name, $load, $and) = @_;

	right_in_one_round(
		$name,
		sub {
			my ($unseen, $others, $nslow) = compare(@$load);

			note
			  "$name: $nslow slow transactions, of which $unseen are not in the log, and $others others in it";
			return (
				[ $nslow > 0, 'there are slow transactions' ],
				[ $unseen <= $nslow / 10, 'they are in commit_slow_log' ],
				[ $others == 0, 'and nothing else is' ],
				$nslow > 0 ? $and->() : ());
		});
	is( query(
			q{
SELECT count(*) FROM commit_slow_log
WHERE least(notify_time, delay_time, flush_time, standby_time_min, other_time) < 0
OR standby_time_min > standby_time_max
OR notify_time + coalesce(delay_time, 0) + coalesce(flush_time, 0) + standby_time_max > duration + 0.001
OR abs(notify_time + delay_time + flush_time + standby_time_min + other_time - duration) > 0.001}
		),
		0,
		"$name: the parts are the whole");
	return;
}

# The share of a part in all slow commits with a condition, in percent; 0
# without such commits
sub share_of
{
	my ($part, $condition) = @_;
	my $share = query(
		qq{
SELECT coalesce(round((100 * sum($part) / sum(duration))::numeric), 0)
FROM commit_slow_log WHERE application_name = 'load' AND $condition});

	note "$part where $condition: $share%";
	return $share;
}

my $insert = "INSERT INTO tick VALUES (1);\n";
my $text = 'x' x 100;

# Nothing is slow
set_device($node, flush_time => 1);
right_in_one_round(
	'fast',
	sub {
		my (undef, $others, $nslow) = compare('-c 2 -t 50', $insert);

		return (
			[ $nslow < 10, 'hardly any transaction is slow' ],
			[ $others == 0, 'and no other one is in commit_slow_log' ]);
	});

# A device that stalls
set_device($node, quota => 10, window => 400, flush_time => 2);
agrees(
	'stalls',
	[ '-c 8 -t 40', $insert ],
	sub {
		return (
			[
				share_of('flush_time', "role = 'leader'") > 30,
				'leaders flush, or have waited for another one'
			],
			[
				share_of('other_time', "role = 'follower'") > 90,
				'followers wait for the flush of another process'
			]);
	});
is( query(
		q{
SELECT count(*) FROM commit_slow_log s
WHERE role = 'follower' AND leader_pid = pid
OR role = 'leader' AND leader_pid <> pid}),
	0,
	'stalls: the leader is who led');
alter_system($node, track_wal_io_timing => 'off');
agrees(
	'untimed',
	[ '-c 8 -t 40', $insert ],
	sub {
		return [
			share_of('flush_time', "role = 'leader'") > 30,
			'leaders flush, as it seems'
		];
	});
is( query(
		"SELECT bool_or(flush_timed) FROM commit_slow_log WHERE role = 'leader'"
	),
	'f',
	'untimed: flush_timed says so');
alter_system($node, track_wal_io_timing => 'on');

# NOTIFY: one flush after the other
my $notify = "BEGIN;\n${insert}NOTIFY bell;\nCOMMIT;\n";

set_device($node, flush_time => 20);
agrees(
	'notify',
	[ '-c 12 -t 10', $notify ],
	sub {
		return [
			share_of('notify_time', 'true') > 50,
			'the sessions wait for the lock'
		];
	});

# Of these, half have nothing to flush
my $either =
  "\\set writes random(0, 1)\nBEGIN;\n\\if :writes\n$insert\\endif\nNOTIFY bell;\nCOMMIT;\n";

set_device($node, flush_time => 40);
agrees(
	'notify alone',
	[ '-c 12 -t 10', $either ],
	sub {
		return [
			share_of('notify_time', "role = 'asynchronous'") > 90,
			'the sessions wait for the lock'
		];
	});

# commit_delay, and flushes that make followers slow as well
set_device($node, flush_time => 20);
alter_system($node, commit_delay => 100000, commit_siblings => 0);
agrees(
	'delay',
	[ '-c 4 -t 5', $insert ],
	sub {
		return (
			[
				share_of('delay_time', "role = 'leader'") > 50,
				'leaders sleep'
			],
			[
				share_of('delay_time', "role = 'follower'") > 50,
				'followers wait while their leader sleeps'
			]);
	});
alter_system($node, commit_delay => 0);

# A bulk load, on a device that writes 20 MB/s
set_device($node, flush_time => 1, bandwidth => 20);
agrees(
	'bulk load',
	[
		'-c 4 -T 4',
		$insert,
		sub {
			local $ENV{PGAPPNAME} = 'bulk';
			query(
				"CREATE TABLE IF NOT EXISTS bulk (t text); COPY bulk FROM PROGRAM 'yes $text | head -n 300000'"
			);
		}
	],
	sub {
		return [
			query(
				'SELECT max(flush_wal_bytes) > 1000000 FROM commit_slow_log')
			  eq 't',
			'a flush had to write a lot'
		];
	});
cmp_ok(
	query(
		"SELECT max(wal_bytes) FROM commit_slow_log WHERE application_name = 'load'"
	),
	'<', 10_000,
	'... of which the slow commits wrote little');
set_device($node);

# A standby that does not answer
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
alter_system($node, synchronous_standby_names => 'standby');
$node->poll_query_until('postgres',
	q{SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'})
  or die "the standby is not synchronous\n";
my $receiver =
  $standby->safe_psql('postgres', 'SELECT pid FROM pg_stat_wal_receiver');

agrees(
	'standby',
	[
		'-c 4 -T 2',
		$insert,
		sub {
			for (1 .. 2)
			{
				kill 'STOP', $receiver;
				select undef, undef, undef, 0.4;
				kill 'CONT', $receiver;
				select undef, undef, undef, 0.3;
			}
		}
	],
	sub {
		return (
			[
				share_of('standby_time_max', 'true') > 80,
				'the commits wait for it, as may be'
			],
			[
				share_of('flush_time + delay_time + notify_time', 'true') <
				  20,
				'and hardly for anything else that is known'
			]);
	});
is( query(
		"SELECT count(*) FROM commit_slow_log WHERE synchronous_commit <> 'on'"
	),
	0,
	'standby: synchronous_commit is what it was');

sub wait_for
{
	my ($n, @events) = @_;

	$node->poll_query_until(
		'postgres',
		sprintf q{
SELECT count(*) >= %d FROM pg_stat_activity
WHERE backend_type = 'client backend' AND lower(wait_event) IN (%s)},
		$n, join ', ', map { "'$_'" } @events
	) or die "not $n sessions wait for @events\n";
	return;
}

# Two flushes, of which no process sees the end of the first, because the
# commits that led them wait for the standby
set_device($node, flush_time => 1000);
right_in_one_round(
	'merged flushes',
	sub {
		my @sessions;

		query('SELECT commit_stats_reset()');
		kill 'STOP', $receiver;
		push @sessions, start_psql($node, $insert);
		wait_for(1, 'walsync', 'walwrite', 'syncrep');
		push @sessions, start_psql($node, $insert);
		wait_for(2, 'syncrep');
		kill 'CONT', $receiver;
		end_background($_) or die "psql failed: $_->{err}\n" for @sessions;
		return (
			[
				query(
					q{
SELECT s.flushes || ' ' || inferred_flushes || ' ' || unresolved_flushes || ', ' ||
	   string_agg(commits_in_flush || ':' || h.flushes, ' ')
FROM commit_flush_stats s, commit_flush_histogram h
GROUP BY s.flushes, inferred_flushes, unresolved_flushes}
				) eq '2 2 0, 1:2',
				'both count, with a commit each'
			],
			[
				query(
					q{
SELECT string_agg(role || ' ' || coalesce((leader_pid = pid)::text, 'unknown') ||
				  ' ' || coalesce(commits_in_flush, 0), ', ' ORDER BY leader_pid)
FROM commit_slow_log}) eq 'leader true 2, leader unknown 0',
				'the slow log shows one, for one of the leaders'
			]);
	});
set_device($node);
alter_system($node, synchronous_standby_names => '');
$standby->stop;

# The limit that is derived: several medians, or the p99
set_device($node, flush_time => 2);
alter_system($node, 'commit_stats.slow_commit_time' => -1);
my $worker = query(
	q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'commit_stats flush logger'}
);
kill 'STOP', $worker;
query('SELECT commit_stats_reset()');
is(query('SELECT slow_commit_limit FROM commit_stats_info'),
	100, 'slow_commit_limit: 100 ms until commits are counted');
run_pgbench($node, '-c 1 -t 200', insert => 'INSERT INTO tick VALUES (1);');
is(query('SELECT slow_commit_limit FROM commit_stats_info'),
	100, '... and no look derives it');
kill 'CONT', $worker;
ok( poll_until(
		sub {
			query(
				'SELECT slow_commit_limit BETWEEN 7 AND 50 FROM commit_stats_info'
			) eq 't';
		},
		$PostgreSQL::Test::Utils::timeout_default),
	'... then several times what a commit takes');
set_device($node, flush_time => 60);
query('SELECT slow_commit_limit FROM commit_stats_info');
query('INSERT INTO tick VALUES (1)');
ok( query('SELECT count(*) > 0 FROM commit_slow_log WHERE duration < 100') eq
	  't',
	'... and a commit that takes longer is in the log');

# In the server log
set_device($node, flush_time => 150);
alter_system($node, 'commit_stats.log_slow_commits' => 'on');
my $offset = -s $node->logfile;
ok( poll_until(
		sub {
			query('INSERT INTO tick VALUES (1)');
			return slurp_file($node->logfile, $offset) =~
			  /LOG:  commit of process \d+ took [1-9]\d\d+\.\d+ ms\n.*DETAIL:  datid=\d+ roleid=\d+ application_name="slow_commits\.pl" synchronous_commit=on role=leader .*flush_time=[1-9]\d\d.* commits_in_flush=1 leader_pid=\d+ .* checkpoint=false$/m;
		},
		5),
	'log_slow_commits writes them to the server log');

$node->stop;
done_testing();
