# Is the WAL of each checkpoint cycle what the WAL says, under load?
#
# A transaction that runs across a checkpoint counts in the cycle in which it
# ends, and a cycle ends a moment after the checkpoint has begun.  So only the
# sums up to the end are equal to those of pg_waldump.  At any checkpoint in
# between, the sum lacks at most what the running transactions had written; it
# can have more, as some that ended after the checkpoint count before it.

use CommitStats;
use WalCycles;

my $node = start_wal_server();

# pgbench takes ALRM for the end of its time, and finishes its transactions.
sub end_load ($pgbench)
{
	return end_background($pgbench, 'ALRM') ? '' : "pgbench failed: $pgbench->{err}";
}

# A load of all kinds of transactions, in which some clients do something else,
# beside checkpoints until $enough() says so; its errors.
sub checkpoints_beside ($clients, $others, $sql, $enough)
{
	my $pgbench = start_pgbench(
		$node,
		"-c $clients -j 2 -T 3600",
		map { ("loaded_$_" => "\\if :client_id < $others\n$sql\n\\else\n$load{$_}\n\\endif\n") }
		  keys %load);

	poll_until(
		sub {
			checkpoint();
			return errors_so_far($pgbench) ne '' || $enough->();
		},
		4);
	return end_load($pgbench);
}

# A concurrent reader: sums only grow.  (A transaction that counts at this
# moment may be in one sum and not in another.)
my $reader = q{CREATE FUNCTION read_cycles() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	before record;
	now record;
BEGIN
	SELECT 0::numeric AS commits, 0::numeric AS records, 0::numeric AS fpi,
		   0::numeric AS bytes, 0::numeric AS aborted INTO before;
	FOR i IN 1 .. 20 LOOP
		SELECT sum(commits) AS commits, sum(wal_records) AS records,
			   sum(wal_fpi) AS fpi, sum(wal_bytes) AS bytes,
			   sum(wal_bytes_aborted) AS aborted,
			   bool_and(wal_distance >= 0) AS distances,
			   count(*) FILTER (WHERE NOT finished) AS present
		INTO now FROM commit_wal_stats;
		IF now.commits < before.commits OR now.records < before.records OR
			now.fpi < before.fpi OR now.bytes < before.bytes OR
			now.aborted < before.aborted OR NOT now.distances OR now.present > 1
		THEN
			RAISE EXCEPTION 'before: %, now: %', before, now;
		END IF;
		before := now;
	END LOOP;
END $$;
};

$node->sql($reader);
reset_in_new_cycle();

# 24 backends, 2 of them reading
my $clients = 24;

my $left = 8;

is( checkpoints_beside(
		$clients, 2,
		'SELECT read_cycles();',
		sub { return --$left <= 0 && finished_cycles() >= 4 }),
	'',
	'under load: no reader found anything wrong');
checkpoint();

my @cycles = finished_cycles();

cmp_ok(scalar @cycles, '>=', 4, 'under load: there are several cycles');

# The most records that a transaction of this load writes before its last one;
# a record can have two full-page images, rarely more.
my $most_records = 12;
my %lag = (
	commits => $clients,
	records => $clients * $most_records,
	fpi => 3 * $clients * $most_records,
	bytes => $clients * $most_records * 3 * 8500);
my %ours = map { $_ => 0 } @counts;
my %theirs = %ours;

for my $cycle (@cycles)
{
	my $truth = truth($cycle->{redo_lsn}, end_of($cycle));

	for my $count (@counts)
	{
		$ours{$count}   += $cycle->{$count};
		$theirs{$count} += $truth->{$count};
	}
	note join ', ', map { "$_ $ours{$_} of $theirs{$_}" } @counts;
	for my $count (sort keys %lag)
	{
		cmp_ok(
			$ours{$count}, '>=',
			$theirs{$count} - $lag{$count},
			"under load: all $count up to the end of $cycle->{redo_lsn}, but those under way");
	}
}
is_deeply(\%ours, \%theirs, 'under load: in all it is what the WAL says');

# A reset while all backends count and cycles end: no count becomes negative,
# and no cycle from before the newest one that was shown is left.
$node->sql(q{CREATE FUNCTION reset_and_look() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	newest pg_lsn;
	found record;
BEGIN
	FOR i IN 1 .. 5 LOOP
		newest := max(redo_lsn) FROM commit_wal_stats;
		PERFORM commit_stats_reset();
		FOR found IN SELECT *, row_number() OVER () AS age FROM commit_wal_stats
					 ORDER BY redo_lsn DESC LOOP
			IF found.commits < 0 OR found.wal_records < 0 OR
				found.wal_fpi < 0 OR found.wal_bytes < 0 OR
				found.wal_fpi_bytes < 0 OR found.wal_bytes_aborted < 0 OR
				found.wal_distance < 0 OR
				found.redo_lsn < newest
			THEN
				RAISE EXCEPTION 'reset after %: %', newest, found;
			END IF;
		END LOOP;
	END LOOP;
END $$;
});
$left = 8;
is(checkpoints_beside(12, 1, 'SELECT reset_and_look();', sub { return --$left <= 0 }),
	'', 'reset under load: no client found anything wrong');

# Many checkpoints a second, while others read and, in doing so, end cycles.
# If what is noted for a cycle that ends were less than what readers have seen,
# they would find less in it than before.
$node->sql(q{ALTER SYSTEM SET fsync = off;
SELECT pg_reload_conf();
CREATE FUNCTION read_twice() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	before commit_wal_stats[];
	now commit_wal_stats[];
	wrong record;
BEGIN
	FOR i IN 1 .. 20 LOOP
		before := now;
		now := array_agg(s) FROM commit_wal_stats s;
		SELECT b AS before, n AS now INTO wrong
		FROM unnest(now) n LEFT JOIN unnest(before) b USING (redo_lsn)
		WHERE n.commits < b.commits OR n.wal_records < b.wal_records OR
			  n.wal_bytes < b.wal_bytes;
		IF FOUND THEN
			RAISE EXCEPTION '%', wrong;
		END IF;
	END LOOP;
END $$;
SELECT read_twice();
});
reset_in_new_cycle();

my $storm = start_pgbench(
	$node, '-c 10 -j 2 -T 3600', storm => q{
\if :client_id = 0
	CHECKPOINT;
\elif :client_id < 3
	SELECT read_twice();
\else
	SET synchronous_commit = off;
	SELECT pg_logical_emit_message(true, '', 'x');
\endif
});
my $redo = q{SELECT max(redo_lsn) FROM commit_wal_stats};
my %redo;

ok_soon 'storm of checkpoints: there were many', sub {
	$redo{ $node->sql($redo) }++;
	return errors_so_far($storm) ne '' || keys %redo > 2 * $shown;
};
is(end_load($storm), '', '... and no reader found anything wrong');
is(scalar(cycles()), $shown, '... nor are there more cycles than are kept');

# At rest after that, counts are exact again.
reset_in_new_cycle();
is( $node->sql(q{SELECT coalesce(sum(commits), 0), coalesce(sum(wal_records), 0),
	   coalesce(sum(wal_bytes), 0) FROM commit_wal_stats}),
	'0|0|0',
	'after a reset at rest: nothing is left');
run_pgbench($node, '-c 8 -j 2 -t 25', last => 'INSERT INTO logged VALUES (1)');
is($node->sql('SELECT sum(commits) FROM commit_wal_stats'),
	'200', 'after a reset at rest: commits are exact');

end_test($node);
