# Does commit_stats.adaptive_delay find a quota of flushes, keep flushes apart
# so that none stalls, do what commit_delay_state says, and count the sleeps?
#
# The witness is the shim (t/ground_truth/shim.c).  It makes a device with a
# quota of the disk, and sees each stall of the device, and each sleep of a
# leader: how long the server asked for, and how long that was.

use Adaptive;

my $slack = 55;    # us by which less is asked for (SLEEP_SLACK)
my $node = start_truth('spaced',
	'commit_stats.adaptive_delay = on; commit_stats.log_delay_changes = on; wal_buffers = 256kB');
my @load = ('-c 5 -T 3600', insert => 'INSERT INTO tick VALUES (1);');
my $load;

# Forget what was learned, and find the quota again.
sub learn_anew
{
	set_quota($node, $quota);
	start_over($node);
	learn_quota($node);
}

# A quota
is(delay_state($node, 'adaptive_delay, in_force, quota_flush_rate'),
	't|t|', 'at start: the setting is in force, and no quota is believed');
is($node->sql('SELECT spacing, reason FROM commit_delay_changes WHERE change = 1'),
	'0|start', 'at start: there is no spacing');
set_quota($node, $quota);
$node->sql('SELECT shim_reset()');
$load = start_pgbench($node, @load);
# it is found, as it is
wait_for_quota(
	$node,
	sub {
		qq{quotas_found > 0 AND quota_flush_rate BETWEEN 0.7 * $rate AND 1.3 * $rate
AND quota_window BETWEEN 0.9 * $window AND 1.1 * $window
AND quota_spacing + flush_time BETWEEN 1000 / quota_flush_rate AND 1100 / quota_flush_rate
AND spacing >= quota_spacing - 0.001};
	});
# too few stalls are left for a prediction to find it by itself
ok_eventually 'a quota: commit_remedies() knows it', sub {
	my (undef, undef, $err) =
	  $node->psql('postgres', "SELECT FROM commit_remedies('@{[ 20 * $window ]} ms')");

	return $err =~
	  /learned from .*\n.*The device allows \d+ flushes in \d+ ms \(or of WAL: the sample does not tell\)\./;
};
end_pgbench($node, $load);

leaders_sleep($node, 'a quota');
is( $node->sql(q{SELECT string_agg(DISTINCT delay_kind, ' '),
	   count(*) FILTER (WHERE (delay_kind IS NULL) = coalesce(delayed, false))
FROM commit_flush_log}),
	'adaptive|0',
	'a quota: the flush log says which leaders slept, and why');

# What is shown and what is done

# A ceiling below what the quota needs leaves some stalls, but too few to
# refute the quota.  The spacing is the ceiling then, to the microsecond.
my $ceiling = int(0.7 * 1_000_000 / $rate);
my $longest = $ceiling - $slack;

$node->alter_system('commit_stats.adaptive_delay_max' => $ceiling);
$load = start_pgbench($node, @load);
ok_eventually 'a ceiling: commit_delay_state says so, and the longest sleep is that long', sub {
	return wait_for_delay_state($node, "spacing = $ceiling / 1000.0") && grep { $_ == $longest }
	  next_sleeps($node, 200);
};
cmp_ok($node->sql('SELECT max(asked) FROM shim_events()'),
	'<=', $longest, 'a ceiling: none is longer');

# Half of the WAL buffers: 128 kB, which these commits fill many times while
# the quota lets one flush pass.
end_pgbench($node, $load);
$node->alter_system('commit_stats.adaptive_delay_max' => 50000);
learn_anew();
$load = start_pgbench($node, '-c 5 -T 3600',
	wide => q{SELECT pg_logical_emit_message(true, 'wide', repeat('x', 400000));});
ok_soon 'half of wal_buffers: no leader sleeps for longer than it takes to fill', sub {
	my $now = q{SELECT extract(epoch FROM clock_timestamp()),
	pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')};
	my ($begin, $from) = $node->row($now);
	my @sleeps = next_sleeps($node, 50);
	my ($end, $to) = $node->row($now);
	my $fills = 131072 * 1_000_000 * ($end - $begin) / ($to - $from);

	# which the quota alone lets leaders sleep for
	if (2 * $fills > 0.7 * 1_000_000 / $rate)
	{
		slow_down($node);
		return 0;
	}
	return @sleeps > 0 && !grep { $_ > 2 * $fills } @sleeps;
}, 5;
end_pgbench($node, $load);

learn_quota($node);
$node->alter_system('commit_stats.adaptive_delay_max' => 0);
wait_for_delay_state($node, 'spacing = 0');
my ($seen, $counted) = run_load($node, 20);
is($seen->{sleeps}, 0, 'ceiling of 0: no leader sleeps');
is($counted->{delay_hits}, 0, 'ceiling of 0: none is counted');
$node->alter_system('commit_stats.adaptive_delay_max' => 50000);

# Another quota, and none: flushes come closer with a higher one, are as far
# apart as before with the lower one, and need not be apart without one.
learn_anew();
my $spacing = delay_state($node, 'quota_spacing');
$load = start_pgbench($node, @load);
set_quota($node, 2 * $quota);
wait_for_delay_state($node, "spacing < 0.7 * $spacing");
set_quota($node, $quota);
wait_for_delay_state($node, "spacing > 0.8 * $spacing AND quota_flush_rate < 1.3 * $rate");
set_quota($node, 0);
wait_for_delay_state($node, "coalesce(quota_spacing, 0) < 0.3 * $spacing");

# The response decides then: spacings are tried, and both responses shown.
wait_for_delay_state($node, "trial <> 'running' AND tried_response > 0 AND kept_response > 0");
end_pgbench($node, $load);

# What is said about it
my $agree;
# each is read by itself
poll_until(sub {
	$agree = $node->sql(
		q{SELECT count(*) = least(s.changes, 64) AND max(change) = s.changes AND
	   count(*) = 1 + max(change) - min(change),
	   max(c.changed_at) = s.changed_at AND max(c.changed_at) <= clock_timestamp(),
	   (array_agg(c.reason ORDER BY change DESC))[1] = s.reason,
	   bool_and((response IS NULL) = (c.reason <> 'better')),
	   bool_or(c.reason = 'quota found' AND c.quota_flush_rate > 0)
	   OR s.changes > 64
FROM commit_delay_changes c, commit_delay_state s
GROUP BY s.changes, s.changed_at, s.reason});
	return $agree eq 't|t|t|t|t';
});
is($agree, 't|t|t|t|t', 'commit_delay_changes and commit_delay_state agree');

sub logged
{
	my @logged = slurp_file($node->logfile) =~ /LOG:  commit_stats spacing: (.*)$/mg;

	return @logged;
}

my $changes = delay_state($node, 'changes');
ok(poll_until(sub { return logged() >= $changes }, 20), 'the last change is logged');
my @logged = logged();
my @shown = split /\n/, $node->sql(
	qq{SELECT to_char(spacing, 'FM999990.000') || ' ms (' || reason || ')'
FROM commit_delay_changes WHERE change <= $changes ORDER BY change});
is($logged[0], '0.000 ms (start)', 'the first change is the start');
is( join("\n", @logged[ $changes - @shown .. $changes - 1 ]),
	join("\n", @shown),
	'the log has the changes of commit_delay_changes, in the same order');

# Without the setting, it has none.
$node->alter_system(
	'commit_stats.log_delay_changes' => 'off',
	'commit_stats.adaptive_delay' => 'off');
wait_for_delay_state($node, 'NOT in_force AND spacing = 0');
my $log_end = -s $node->logfile;
$node->alter_system('commit_stats.adaptive_delay' => 'on');
wait_for_delay_state($node, "in_force AND reason = 'start'");
run_load($node, 20);
ok(!$node->log_contains(qr/commit_stats spacing/, $log_end),
	'log_delay_changes = off: nothing is logged');

# What a commit does before its record is no part of its flush

# Each tenth commit empties the temporary tables, at even distances.  A flush
# that waits for a processor each time behind that would show a quota.
set_quota($node, 0);
$node->alter_system(track_wal_io_timing => 'off');
my $long_records = q{DO $$ BEGIN
	FOR i IN 1..400 LOOP
		EXECUTE format('CREATE TEMP TABLE emptied_%s (n int) ON COMMIT DELETE ROWS', i);
	END LOOP;
	COMMIT;
	FOR i IN 1..1000 LOOP
		INSERT INTO tick VALUES (1);
		IF i % 10 = 0 THEN
			PERFORM FROM emptied_1;
			PERFORM pg_sleep(0.05 - mod(extract(epoch FROM clock_timestamp())::numeric, 0.05)::float8);
		END IF;
		COMMIT;
	END LOOP;
END $$};
ok_eventually 'each tenth commit takes long before its record: no quota', sub {
	start_over($node);
	$node->sql($long_records);
	return delay_state($node, 'quotas_found') == 0;
};
$node->alter_system(track_wal_io_timing => 'on');

# fsync = off
learn_anew();
my $worker = $node->stop_worker;
$node->alter_system(fsync => 'off');
($seen, $counted) = run_load($node, 20);
kill 'CONT', $worker;
is($counted->{delay_hits}, 0, 'fsync = off: no leader sleeps, before the worker knows');
wait_for_delay_state($node, 'NOT in_force AND spacing = 0');

end_test($node);
