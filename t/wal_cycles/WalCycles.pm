# What the tests of commit_wal_stats share: a server, a load with every kind of
# transaction, the checkpoint cycles, and what pg_waldump says of each.

package WalCycles;

use CommitStats;
use Exporter 'import';

our @EXPORT = qw($shown $image_bytes @counts %load start_wal_server truth cycles
  finished_cycles checkpoint reset_in_new_cycle end_of counts_of);

our $shown = 32;     # WAL_CYCLES_SHOWN
our $image_bytes;    # of the full-page images that truth() found
our @counts = qw(records fpi bytes commits);

# Every kind of transaction.
our %load = (
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
	two_phase => q{BEGIN; INSERT INTO logged VALUES (:client_id);
PREPARE TRANSACTION 'p:client_id'; COMMIT PREPARED 'p:client_id';},
	two_phase_rollback => q{BEGIN; INSERT INTO logged VALUES (:client_id);
PREPARE TRANSACTION 'p:client_id'; ROLLBACK PREPARED 'p:client_id';},
	read_only => q{
\set id random(1, 5000)
SELECT n FROM pages WHERE id = :id;
},
	unlogged => 'INSERT INTO unlogged VALUES (1);');

my $node;

# pg_waldump needs the WAL that checkpoints would recycle.  Hint bits must not
# be logged: a parallel worker sets some while it starts, before the server
# counts its WAL.
sub start_wal_server
{
	$node = start_node(
		'wal',
		no_checksums => 1,
		conf =>
		  q{wal_log_hints = off; max_connections = 60; max_prepared_transactions = 30; max_wal_size = 4GB;
checkpoint_timeout = 1h; wal_keep_size = 1GB; max_logical_replication_workers = 0});
	$node->sql(q{CREATE TABLE pages (id int PRIMARY KEY, n int, filler text);
INSERT INTO pages SELECT i, 0, repeat('x', 100) FROM generate_series(1, 5000) i;
CREATE UNLOGGED TABLE unlogged (n int);
});
	return $node;
}

# What transactions wrote between two positions, from the WAL: all records
# except these, which no transaction of a backend wrote:
#
# - XLOG CHECKPOINT_ONLINE, CHECKPOINT_REDO (since 17): the checkpointer
# - Standby RUNNING_XACTS, and Standby LOCK without a transaction id: snapshots
#   for standbys, written by checkpointer and background writer (a backend gets
#   an id before it writes a Standby LOCK)
#
# No other process writes WAL here: autovacuum is off, and nothing is archived,
# received or recovered.
sub truth ($start, $end)
{
	my %truth = map { $_ => 0 } @counts;

	$image_bytes = 0;
	for my $line (split /\n/, waldump($node, $start, $end))
	{
		my ($rmgr, $without_images, $bytes, $xid, $kind) =
		  $line =~ m{^rmgr:\s(\w+)\s+len\s\(rec/tot\):\s*(\d+)/\s*(\d+),\stx:\s*(\d+),
			.*?\sdesc:\s(\w+)}x
		  or die "what is this: $line\n";

		next if $rmgr eq 'XLOG' && $kind =~ /^CHECKPOINT_/;
		next if $rmgr eq 'Standby' && $kind eq 'RUNNING_XACTS';
		next if $rmgr eq 'Standby' && $kind eq 'LOCK' && $xid == 0;
		$truth{records}++;
		$truth{bytes} += $bytes;
		$image_bytes  += $bytes - $without_images;
		$truth{fpi}   += () = $line =~ /\bFPW\b/g;
		$truth{commits}++ if $rmgr eq 'Transaction' && $kind =~ /^COMMIT/;
	}
	return \%truth;
}

# The rows of commit_wal_stats, oldest first.
sub cycles
{
	my @columns = qw(redo_lsn finished commits records fpi bytes aborted
	  distance);

	return map {
		my %cycle;
		@cycle{@columns} = split /\|/;
		\%cycle
	} split /\n/, $node->sql(
		q{SELECT redo_lsn, finished, commits, wal_records, wal_fpi, wal_bytes,
	   wal_bytes_aborted, wal_distance
FROM commit_wal_stats ORDER BY redo_lsn});
}

sub finished_cycles
{
	return grep { $_->{finished} eq 't' } cycles();
}

# A cycle ends when somebody looks after the checkpoint has begun, as a reader
# does at once.
sub checkpoint
{
	$node->sql('CHECKPOINT; SELECT count(*) FROM commit_wal_stats');
}

# In one session: what a second one wrote as it began would be reset away.
sub reset_in_new_cycle
{
	$node->sql('CHECKPOINT; SELECT commit_stats_reset()');
}

# The end of a cycle, which is the redo position of the next one.
sub end_of ($cycle)
{
	return $node->sql("SELECT '$cycle->{redo_lsn}'::pg_lsn + $cycle->{distance}");
}

sub counts_of ($cycle)
{
	return { map { $_ => $cycle->{$_} } @counts };
}

1;
