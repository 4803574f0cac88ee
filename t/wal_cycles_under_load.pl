# Is the WAL of each checkpoint cycle what the WAL says?
#
# pg_waldump lists every record between two redo positions, with its length and
# its full-page images; commit_wal_stats has added up what each backend counted
# itself.  They must be equal but for what no transaction of a backend wrote:
#
# - XLOG CHECKPOINT_ONLINE, CHECKPOINT_REDO (since 17): the checkpointer's
# - Standby RUNNING_XACTS, and Standby LOCK without a transaction id: the
#   snapshots for standbys, written by checkpointer and background writer (a
#   backend gets an id before it writes a Standby LOCK)
#
# No other process writes here: autovacuum is off, and nothing is being
# archived, received or recovered.
#
# At rest, cycles are equal.  Under load, a transaction that runs across a
# checkpoint counts in the cycle in which it ends, so there the commits of each
# cycle and the sums up to the end are equal, and at any checkpoint between our
# sum lacks no more than what the transactions that were running had written.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use CommitStats;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

# pg_waldump needs the WAL that checkpoints would recycle.
# Hint bits must not be logged: a parallel worker sets some while it starts,
# before the server counts its WAL.
my $node = start_node(
	'wal',
	no_checksums => 1,
	conf => q{
wal_log_hints = off
max_connections = 60
max_prepared_transactions = 30
max_wal_size = 4GB
checkpoint_timeout = 1h
wal_keep_size = 1GB
max_logical_replication_workers = 0
});
my $shown = 32;
my $image_bytes;				# of the full-page images that truth() found
my @counts = qw(records fpi bytes commits);

# What transactions wrote between two positions, as the WAL has it.
sub truth
{
	my ($start, $end) = @_;
	my %truth = map { $_ => 0 } @counts;
	my ($out, $err);

	$image_bytes = 0;

	# The files are named as it would else look at any file for how large they
	# are, and that one may be empty.
	my @files = split /\|/, $node->safe_psql('postgres', qq{
SELECT pg_walfile_name('$start'::pg_lsn + 1), pg_walfile_name('$end')});

	IPC::Run::run(
		[
			$node->installed_command('pg_waldump'),
			'-p', $node->data_dir . '/pg_wal', '-s', $start, '-e', $end,
			@files
		],
		'>', \$out, '2>', \$err)
	  or die "pg_waldump from $start to $end failed: $err\n";
	for my $line (split /\n/, $out)
	{
		my ($rmgr, $without_images, $bytes, $xid, $kind) = $line =~
		  m{^rmgr:\s(\w+)\s+len\s\(rec/tot\):\s*(\d+)/\s*(\d+),\stx:\s*(\d+),
			.*?\sdesc:\s(\w+)}x
		  or die "what is this: $line\n";

		next if $rmgr eq 'XLOG' && $kind =~ /^CHECKPOINT_/;
		next if $rmgr eq 'Standby' && $kind eq 'RUNNING_XACTS';
		next if $rmgr eq 'Standby' && $kind eq 'LOCK' && $xid == 0;
		$truth{records}++;
		$truth{bytes} += $bytes;
		$image_bytes += $bytes - $without_images;
		$truth{fpi} += () = $line =~ /\bFPW\b/g;
		$truth{commits}++
		  if $rmgr eq 'Transaction' && $kind =~ /^COMMIT/;
	}
	return \%truth;
}

# The cycles that are shown, oldest first.
sub cycles
{
	my @columns = qw(redo_lsn finished commits records fpi bytes aborted
	  distance);

	return map {
		my %cycle;
		@cycle{@columns} = split /\|/;
		\%cycle
	} split /\n/, $node->safe_psql('postgres', q{
SELECT redo_lsn, finished, commits, wal_records, wal_fpi, wal_bytes,
	   wal_bytes_aborted, wal_distance
FROM commit_wal_stats ORDER BY redo_lsn});
}

sub finished_cycles
{
	return grep { $_->{finished} eq 't' } cycles();
}

sub checkpoint
{
	$node->safe_psql('postgres', 'CHECKPOINT');
	return;
}

sub reset_stats
{
	$node->safe_psql('postgres', 'SELECT commit_stats_reset()');
	return;
}

# The end of a cycle: where the next one begins.
sub end_of
{
	my ($cycle) = @_;

	return $node->safe_psql('postgres',
		"SELECT '$cycle->{redo_lsn}'::pg_lsn + $cycle->{distance}");
}

sub counts_of
{
	my ($cycle) = @_;

	return { map { $_ => $cycle->{$_} } @counts };
}

# Everything that a transaction can be.
my %load = (
	insert => 'INSERT INTO logged VALUES (:client_id);',
	update => q{
\set id random(1, 5000)
UPDATE pages SET n = n + 1 WHERE id = :id;
},
	asynchronous => q{
\set id random(1, 5000)
BEGIN;
SET LOCAL synchronous_commit = off;
UPDATE pages SET n = n + 1 WHERE id = :id;
COMMIT;
},
	rollback => q{
\set id random(1, 5000)
BEGIN;
UPDATE pages SET n = n + 1 WHERE id = :id;
ROLLBACK;
},
	subtransactions => q{
\set id random(1, 5000)
BEGIN;
INSERT INTO logged VALUES (1);
SAVEPOINT a;
UPDATE pages SET n = n + 1 WHERE id = :id;
SAVEPOINT b;
INSERT INTO logged VALUES (2);
ROLLBACK TO a;
INSERT INTO logged VALUES (3);
COMMIT;
},
	two_phase => q{
BEGIN;
INSERT INTO logged VALUES (:client_id);
PREPARE TRANSACTION 'p:client_id';
COMMIT PREPARED 'p:client_id';
},
	two_phase_rollback => q{
BEGIN;
INSERT INTO logged VALUES (:client_id);
PREPARE TRANSACTION 'p:client_id';
ROLLBACK PREPARED 'p:client_id';
},
	read_only => q{
\set id random(1, 5000)
SELECT n FROM pages WHERE id = :id;
},
	unlogged => 'INSERT INTO unlogged VALUES (1);');

$node->safe_psql('postgres', q{
CREATE TABLE pages (id int PRIMARY KEY, n int, filler text);
INSERT INTO pages SELECT i, 0, repeat('x', 100) FROM generate_series(1, 5000) i;
CREATE UNLOGGED TABLE unlogged (n int);
});

#
# At rest at each checkpoint
#
checkpoint();
reset_stats();
for my $clients (1, 8, 8)
{
	run_pgbench($node, "-c $clients -j 2 -t " . int(240 / $clients), %load);
	checkpoint();
}
my @cycles = finished_cycles();

is(scalar @cycles, 3, 'at rest: each checkpoint began a cycle');
for my $cycle (@cycles)
{
	my $truth = truth($cycle->{redo_lsn}, end_of($cycle));

	is_deeply(counts_of($cycle), $truth,
		"at rest: the cycle from $cycle->{redo_lsn} is what the WAL says");
	cmp_ok($truth->{fpi}, '>', 20, 'at rest: there are full-page images');
	cmp_ok($cycle->{aborted}, '>', 0, 'at rest: there are aborted transactions');
	cmp_ok($cycle->{aborted}, '<', $cycle->{bytes}, '... and others');
	cmp_ok($cycle->{bytes}, '<', $cycle->{distance},
		'at rest: the distance has all WAL');
}

# A backend that does nothing for three cycles is still in the first, and then
# leaves it.  What it wrote there remains there.
my $idle = $node->background_psql('postgres');

checkpoint();
reset_stats();
$idle->query_safe('INSERT INTO logged VALUES (1); SELECT 1');
for (1 .. 3)
{
	$node->safe_psql('postgres', 'INSERT INTO logged VALUES (2)');
	checkpoint();
}
my @before = finished_cycles();

is(scalar @before, 3, 'idle: three cycles passed');
is($before[0]->{commits}, 2, 'idle: what it wrote is in the first');
$idle->query_safe('INSERT INTO logged VALUES (1); SELECT 1');
is_deeply([ finished_cycles() ], \@before, 'idle: it is still there when it has left');
is((cycles())[-1]->{commits}, 1, 'idle: and what it writes now is in the last');

# A backend that has exited leaves its place to others, who go on in another
# cycle or in the same one.
checkpoint();
reset_stats();
for (1 .. 2)
{
	run_pgbench($node, '-C -c 4 -t 20', one => 'INSERT INTO logged VALUES (1)');
	run_pgbench($node, '-C -c 4 -t 20', two => 'INSERT INTO logged VALUES (1)');
	checkpoint();
}
for my $cycle (finished_cycles())
{
	is($cycle->{commits}, 160, 'reconnecting: all commits are there');
	is_deeply(counts_of($cycle), truth($cycle->{redo_lsn}, end_of($cycle)),
		"reconnecting: the cycle from $cycle->{redo_lsn} is what the WAL says");
}

# While counting is off, nothing is counted, nor is it made up for when it is
# on again.  The same backend must see both.
sub switch
{
	my ($value) = @_;

	$node->safe_psql('postgres', qq{
ALTER SYSTEM SET commit_stats.enabled = $value;
SELECT pg_reload_conf()});
	poll_until(sub { $idle->query_safe('SHOW commit_stats.enabled') eq $value })
	  or die "commit_stats.enabled does not become $value";
	return;
}

checkpoint();
reset_stats();
switch('off');
$idle->query_safe('INSERT INTO logged SELECT i FROM generate_series(1, 10000) i; SELECT 1');
switch('on');
$idle->query_safe('INSERT INTO logged VALUES (1); SELECT 1');
my $sum = (cycles())[-1];

is($sum->{commits}, 1, 'switched off and on: one commit');
cmp_ok($sum->{bytes}, '<', 100_000, 'switched off and on: and its WAL only');
$idle->quit;

# More cycles than are kept, and a backend that is idle for so long that its
# cycle is gone.
$idle = $node->background_psql('postgres');
$idle->query_safe('INSERT INTO logged VALUES (1); SELECT 1');
my $session = $node->background_psql('postgres');

for (1 .. $shown + 10)
{
	$session->query_safe('INSERT INTO logged VALUES (1); SELECT 1');
	$session->query_safe('CHECKPOINT; SELECT 1');
}
@before = cycles();
is(scalar @before, $shown, 'more cycles than are kept: the last ones are shown');
is((grep { $_->{commits} == 1 && $_->{finished} eq 't' } @before),
	$shown, '... with what belongs to them');
$idle->query_safe('INSERT INTO logged VALUES (1); SELECT 1');
my @after = cycles();

is(scalar @after, $shown, 'a backend that comes from a cycle that is gone');
is_deeply([ @after[ 0 .. $shown - 2 ] ], [ @before[ 1 .. $shown - 1 ] ],
	'... adds to no other');
is($after[-1]->{commits}, 1, '... but to the present one');
$idle->quit;
$session->quit;

#
# Under load
#

# Run pgbench while $meanwhile works.
sub with_load
{
	my ($options, $scripts, $meanwhile) = @_;
	my ($out, $err) = ('', '');
	my @files;

	for my $name (sort keys %$scripts)
	{
		my $path = $node->basedir . "/loaded_$name.sql";

		unlink $path;
		append_to_file($path, $scripts->{$name});
		push @files, '-f', $path;
	}
	my $pgbench = IPC::Run::start(
		[
			$node->installed_command('pgbench'), '-n', '-h', $node->host,
			'-p', $node->port, split(/\s+/, $options), @files, 'postgres'
		],
		'>', \$out, '2>', \$err);

	$meanwhile->();
	$pgbench->finish or die "pgbench $options failed: $err\n";
	return;
}

# What is read by somebody else meanwhile: sums only grow, and transactions are
# there as a whole.
my $reader = q{
CREATE FUNCTION read_cycles() RETURNS void LANGUAGE plpgsql AS $$
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
			   bool_and(commits <= wal_records AND
						24 * wal_records <= wal_bytes AND
						20 * wal_fpi <= wal_bytes AND
						coalesce(wal_fpi_bytes, 0) <= wal_bytes AND
						wal_bytes_aborted <= wal_bytes AND
						wal_distance >= 0) AS whole,
			   count(*) FILTER (WHERE NOT finished) AS present
		INTO now FROM commit_wal_stats;
		IF now.commits < before.commits OR now.records < before.records OR
			now.fpi < before.fpi OR now.bytes < before.bytes OR
			now.aborted < before.aborted OR NOT now.whole OR now.present > 1
		THEN
			RAISE EXCEPTION 'before: %, now: %', before, now;
		END IF;
		before := now;
	END LOOP;
END $$;
};

$node->safe_psql('postgres', $reader);
checkpoint();
reset_stats();

# 24 backends, 2 of them reading, leave each cycle at the same time.
my $clients = 24;

with_load("-c $clients -j 2 -T 4", {
		map {
			$_ => "\\if :client_id < 2\nSELECT read_cycles();\n\\else\n$load{$_}\n\\endif\n"
		} keys %load
	},
	sub {
		for (1 .. 8)
		{
			usleep(300_000);
			checkpoint();
		}
	});
checkpoint();
@cycles = finished_cycles();
cmp_ok(scalar @cycles, '>=', 4, 'under load: there are several cycles');

# No transaction of this load writes more than so many records and bytes before
# its last one; a record can have two full-page images, rarely more.
my $most_records = 12;
my %lag = (
	records => $clients * $most_records,
	fpi => 3 * $clients * $most_records,
	bytes => $clients * $most_records * 3 * 8500);
my %ours = map { $_ => 0 } @counts;
my %theirs = %ours;

for my $cycle (@cycles)
{
	my $truth = truth($cycle->{redo_lsn}, end_of($cycle));

	is($cycle->{commits}, $truth->{commits},
		"under load: the cycle from $cycle->{redo_lsn} has its commits");
	for my $count (@counts)
	{
		$ours{$count} += $cycle->{$count};
		$theirs{$count} += $truth->{$count};
	}
	note join ', ', map { "$_ $ours{$_} of $theirs{$_}" } @counts;
	for my $count (sort keys %lag)
	{
		cmp_ok($ours{$count}, '<=', $theirs{$count}, "... no more $count than there are");
		cmp_ok($ours{$count}, '>=', $theirs{$count} - $lag{$count},
			"... and all but those of transactions under way");
	}
}
is_deeply(\%ours, \%theirs, 'under load: in all it is what the WAL says');

# A reset while everybody counts and leaves cycles: nothing becomes negative,
# and no cycle of the time before is left.
$node->safe_psql('postgres', q{
CREATE FUNCTION reset_and_look() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	start pg_lsn;
	found record;
BEGIN
	FOR i IN 1 .. 5 LOOP
		start := pg_current_wal_insert_lsn();
		PERFORM commit_stats_reset();
		FOR found IN SELECT *, row_number() OVER () AS age FROM commit_wal_stats
					 ORDER BY redo_lsn DESC LOOP
			IF found.commits < 0 OR found.wal_records < 0 OR
				found.wal_fpi < 0 OR found.wal_bytes < 0 OR
				found.wal_fpi_bytes < 0 OR found.wal_bytes_aborted < 0 OR
				found.wal_distance < 0 OR
				found.wal_bytes > 0 AND found.wal_bytes < found.wal_records OR
				found.redo_lsn < start AND
				found.finished AND found.wal_distance < start - found.redo_lsn
			THEN
				RAISE EXCEPTION 'reset at %: %', start, found;
			END IF;
		END LOOP;
	END LOOP;
END $$;
});
eval {
	with_load('-c 12 -j 2 -T 2', {
			map {
				$_ => "\\if :client_id < 1\nSELECT reset_and_look();\n\\else\n$load{$_}\n\\endif\n"
			} keys %load
		},
		sub {
			for (1 .. 8)
			{
				usleep(100_000);
				checkpoint();
			}
		});
};
is($@, '', 'reset under load: nobody found anything wrong');

# Many checkpoints a second, each of which makes all backends leave their cycle,
# while others read: no cycle is seen with less than before, as it would be if a
# backend were missed or seen twice while it leaves.  All transactions write two
# records here, the second of which is the commit record, so that one that is
# seen in part shows.
$node->safe_psql('postgres', q{
ALTER SYSTEM SET fsync = off;
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
		WHERE n.wal_records < 2 * n.commits OR n.commits < b.commits OR
			  n.wal_records < b.wal_records OR n.wal_bytes < b.wal_bytes;
		IF FOUND THEN
			RAISE EXCEPTION '%', wrong;
		END IF;
	END LOOP;
END $$;
SELECT read_twice();
});
checkpoint();
reset_stats();
eval {
	run_pgbench($node, '-c 10 -j 2 -T 4', storm => q{
\if :client_id = 0
	CHECKPOINT;
\elif :client_id < 3
	SELECT read_twice();
\else
	SET synchronous_commit = off;
	SELECT pg_logical_emit_message(true, '', 'x');
	SELECT pg_logical_emit_message(true, '', 'x');
	SELECT pg_logical_emit_message(true, '', 'x');
	SELECT pg_logical_emit_message(true, '', 'x');
\endif
});
};
is($@, '', 'storm of checkpoints: no reader found anything wrong');
is(scalar(cycles()), $shown, '... and there were many');

# At rest after that, it is exact again.
reset_stats();
is( $node->safe_psql('postgres', q{
SELECT coalesce(sum(commits), 0), coalesce(sum(wal_records), 0),
	   coalesce(sum(wal_bytes), 0) FROM commit_wal_stats}),
	'0|0|0', 'after a reset at rest: nothing is left');
run_pgbench($node, '-c 8 -j 2 -t 25', last => 'INSERT INTO logged VALUES (1)');
is( $node->safe_psql('postgres', 'SELECT sum(commits) FROM commit_wal_stats'),
	'200', 'after a reset at rest: commits are exact');

# Parallel workers: the server adds their WAL to the leader's.  But a worker that
# builds an index logs its lock of the index before the server begins to look,
# and nobody counts that record: as many as workers may be missing, of the size
# of a record for one lock.
checkpoint();
reset_stats();
$node->safe_psql('postgres', q{
SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
SET max_parallel_maintenance_workers = 2;
CREATE INDEX ON pages (n);
CREATE INDEX ON pages (filler);
DELETE FROM pages WHERE id % 3 = 0;
VACUUM (PARALLEL 2) pages;
});
checkpoint();
my ($cycle) = finished_cycles();
my $truth = truth($cycle->{redo_lsn}, end_of($cycle));
my $missing = $truth->{records} - $cycle->{records};

cmp_ok($missing, '>=', 0, 'parallel workers: no more records than there are');
cmp_ok($missing, '<=', 4, 'parallel workers: none missing but their locks');
is($truth->{bytes} - $cycle->{bytes}, 42 * $missing, '... which have this size');
is($cycle->{fpi}, $truth->{fpi}, 'parallel workers: full-page images are exact');
is($cycle->{commits}, $truth->{commits}, 'parallel workers: so are commits');

# What images are at most is not less than what they are.
my $share = 100 * $image_bytes / $truth->{bytes};
my $share_max = $node->safe_psql('postgres', qq{
SELECT fpi_share_max FROM commit_wal_stats WHERE redo_lsn = '$cycle->{redo_lsn}'});

cmp_ok($share, '>', 1, 'images: there are some');
cmp_ok($share_max, '>=', $share - 1, 'images: the bound holds');
cmp_ok($share_max, '<=', 100, 'images: and is a percentage');

$node->stop;
unlike(slurp_file($node->logfile), qr/PANIC|TRAP|terminated by signal/,
	'the server was never in trouble');
done_testing();
