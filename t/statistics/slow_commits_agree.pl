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
# wait for one makes other parts of a commit long.  With large WAL buffers, no
# INSERT waits for the bulk load.  t/slow_commits.pl has what is exact.

use GroundTruth;
use Statistics;

my $limit = 100;    # ms
my $node = start_truth('slow', "commit_stats.slow_commit_time = $limit; wal_buffers = 64MB");
my $nlogs = 0;

# The transactions of a pgbench, as [start, end] in ms since the epoch
sub transactions ($prefix)
{
	my @transactions;

	for (pgbench_log($prefix))
	{
		my (undef, undef, $latency, undef, $s, $us) = @$_;
		my $end = $s * 1000 + $us / 1000;
		push @transactions, [ $end - $latency / 1000, $end ];
	}
	return @transactions;
}

# The slow commits of an application, as times in ms since the epoch
sub slow_commits ($application)
{
	return split /\n/, $node->sql(
		qq{SELECT 1000 * extract(epoch FROM ended_at) FROM commit_slow_log
WHERE application_name = '$application' ORDER BY 1});
}

# Runs pgbench, with $beside() meanwhile, and compares: how many slow
# transactions have no slow commit, how many slow commits have none, and how
# many transactions were slow
sub compare ($options, $script, $beside = undef)
{
	my $prefix = $node->basedir . '/transactions' . ++$nlogs;
	my ($unseen, $nslow) = (0, 0);

	$node->sql('SELECT commit_stats_reset()');
	local $ENV{PGAPPNAME} = 'load';
	my $pgbench = start_pgbench($node, "$options -l --log-prefix=$prefix", "load$nlogs" => $script);
	$beside->() if $beside;
	end_background($pgbench) or die "pgbench failed: $pgbench->{err}\n";

	my @commits = slow_commits('load');
	for my $transaction (transactions($prefix))
	{
		my ($start, $end) = @$transaction;
		next if $end - $start <= $limit;
		# the clocks of the two processes are the same
		my ($i) = grep { $commits[$_] >= $start && $commits[$_] <= $end } 0 .. $#commits;
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
sub agrees ($name, $load, $and)
{
	right_in_most_rounds $name, sub {
		my ($unseen, $others, $nslow) = compare(@$load);

		note
		  "$name: $nslow slow transactions, of which $unseen are not in the log, and $others others in it";
		return (
			[ $nslow > 0, 'there are slow transactions' ],
			[ $unseen <= $nslow / 10, 'they are in commit_slow_log' ],
			[ $others == 0, 'and nothing else is' ],
			$nslow > 0 ? $and->() : ());
	};
}

# The share of a part in all slow commits with a condition, in percent; 0
# without such commits
sub share_of ($part, $condition)
{
	my $share = $node->sql(
		qq{SELECT coalesce(round((100 * sum($part) / sum(duration))::numeric), 0)
FROM commit_slow_log WHERE application_name = 'load' AND $condition});

	note "$part where $condition: $share%";
	return $share;
}

my $insert = "INSERT INTO tick VALUES (1);\n";
my $text = 'x' x 100;

# Nothing is slow
set_device($node, flush_time => 1);
right_in_most_rounds 'fast', sub {
	my (undef, $others, $nslow) = compare('-c 2 -t 50', $insert);

	return (
		[ $nslow < 10, 'hardly any transaction is slow' ],
		[ $others == 0, 'and no other one is in commit_slow_log' ]);
};

# A device that stalls
set_device($node, quota => 10, window => 400, flush_time => 2);
agrees 'stalls', [ '-c 8 -t 40', $insert ], sub {
	return (
		[
			share_of('flush_time', "role = 'leader'") > 30,
			'leaders flush, or have waited for another one'
		],
		[
			share_of('other_time', "role = 'follower'") > 90,
			'followers wait for the flush of another process'
		]);
};
$node->alter_system(track_wal_io_timing => 'off');
agrees 'untimed', [ '-c 8 -t 40', $insert ], sub {
	return [ share_of('flush_time', "role = 'leader'") > 30, 'leaders flush, as it seems' ];
};
$node->alter_system(track_wal_io_timing => 'on');

# NOTIFY: one flush after the other
my $notify = "BEGIN;\n${insert}NOTIFY bell;\nCOMMIT;\n";

set_device($node, flush_time => 20);
agrees 'notify', [ '-c 12 -t 10', $notify ], sub {
	return [ share_of('notify_time', 'true') > 50, 'the sessions wait for the lock' ];
};

# Of these, half have nothing to flush
my $either =
  "\\set writes random(0, 1)\nBEGIN;\n\\if :writes\n$insert\\endif\nNOTIFY bell;\nCOMMIT;\n";

set_device($node, flush_time => 40);
agrees 'notify alone', [ '-c 12 -t 10', $either ], sub {
	return [ share_of('notify_time', "role = 'asynchronous'") > 90,
		'the sessions wait for the lock' ];
};

# commit_delay, and flushes that make followers slow as well
set_device($node, flush_time => 20);
$node->alter_system(commit_delay => 100000, commit_siblings => 0);
agrees 'delay', [ '-c 4 -t 5', $insert ], sub {
	return (
		[ share_of('delay_time', "role = 'leader'") > 50, 'leaders sleep' ],
		[
			share_of('delay_time', "role = 'follower'") > 50,
			'followers wait while their leader sleeps'
		]);
};
$node->alter_system(commit_delay => 0);

# A bulk load, on a device that writes 20 MB/s
set_device($node, flush_time => 1, bandwidth => 20);
agrees 'bulk load', [
	'-c 4 -T 4',
	$insert,
	sub {
		local $ENV{PGAPPNAME} = 'bulk';
		$node->sql(
			"CREATE TABLE IF NOT EXISTS bulk (t text); COPY bulk FROM PROGRAM 'yes $text | head -n 300000'"
		);
	}
  ],
  sub {
	return (
		[
			$node->sql('SELECT max(flush_wal_bytes) > 1000000 FROM commit_slow_log') eq 't',
			'a flush had to write a lot'
		],
		[
			$node->sql(
				"SELECT max(wal_bytes) < 10000 FROM commit_slow_log WHERE application_name = 'load'"
			) eq 't',
			'... of which the slow commits wrote little'
		]);
  };
set_device($node);

# A standby that does not answer
my $standby = add_standby($node);
require_standby($node, 'standby');
my $receiver = $standby->sql('SELECT pid FROM pg_stat_wal_receiver');

agrees 'standby', [
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
		[ share_of('standby_time_max', 'true') > 80, 'the commits wait for it, as may be' ],
		[
			share_of('flush_time + delay_time + notify_time', 'true') < 20,
			'and hardly for anything else that is known'
		]);
  };
$node->alter_system(synchronous_standby_names => '');
end_test($standby, $node);
