# Does a commit count as one if another library writes in it, before or after
# our callback?
#
# The order of shared_preload_libraries decides who comes first.  In either
# order a commit that waits for its flush must count as a commit.

use GroundTruth;

my $n = 20;
my $late_writer = compile_module('t/flush_detection/late_writer.c');

# Transactions and what they are counted as, if the library writes late.
my @cases = (
	[ 'a read-only transaction', 'SELECT 1;', 'commits', 'on' ],
	[ 'a transaction of a temporary table', 'INSERT INTO temporary VALUES (1);', 'commits', 'on' ],
	[ 'a transaction that has written', 'INSERT INTO tick VALUES (1);', 'commits', 'on' ],
	[ 'an asynchronous read-only transaction', 'SELECT 1;', 'commits_async', 'off' ],
	[
		'an asynchronous transaction of a temporary table', 'INSERT INTO temporary VALUES (1);',
		'commits_async', 'off'
	]);

# $n of them in one session: what commit_stats and what the shim counted.
sub commit_late ($node, $sql, $level)
{
	my $late = "SET late_writer.statement = 'INSERT INTO tick VALUES (2)';\n";
	my $out = $node->sql(
		qq{SET synchronous_commit = $level;
CREATE TEMP TABLE temporary (n int);
SELECT commit_stats_reset();
SELECT shim_reset();
} . $late . $sql x $n . qq{SET late_writer.statement = '';
SELECT 'counted', to_jsonb(f) FROM commit_flush_stats f;
SELECT 'measured', sum(commits) FROM commit_latency_stats;
SELECT 'longest', max(max) FROM commit_latency_stats;
SELECT 'syncs', count(*) FROM shim_events()
WHERE kind = 'sync' AND pid = pg_backend_pid();
-- or the end of this session would, beside the next one
DROP TABLE temporary;
});
	my %result = map { /^(counted|measured|longest|syncs)\|(.*)/ } split /\n/, $out;

	$result{$1} = $2 while $result{counted} =~ /"(\w+)": ([0-9.]+)/g;
	return \%result;
}

for my $libraries ('late_writer, commit_stats', 'commit_stats, late_writer')
{
	my $node = start_truth(
		$libraries =~ /^late/ ? 'late' : 'early',
		"max_prepared_transactions = 2\ncommit_stats.slow_commit_time = 0\nshared_preload_libraries = "
		  . "'$libraries'\n" =~ s/late_writer/$late_writer/r);

	for my $case (@cases)
	{
		my ($name, $sql, $column, $level) = @$case;
		my $seen = commit_late($node, $sql, $level);

		# SET, which switches it on, is a transaction as well
		$name = "$libraries: $name";
		is($seen->{$column}, $n + 1, "$name is counted in $column");
		is($seen->{commits} + $seen->{commits_async}, $n + 1, '... and as nothing else');
		is($seen->{measured}, $n + 1, '... and in the latencies');
		cmp_ok($seen->{longest}, '<', 60_000, '... with a time that can be');
		next unless $level eq 'on';
		cmp_ok($seen->{flushes}, '<=', $seen->{syncs}, '... as are its flushes');
		# a flush across two WAL segments has two syncs
		cmp_ok($seen->{flushes} + $seen->{flushes_uncertain} + 1,
			'>=', $seen->{syncs}, '... but for those said to be uncertain');
	}

	# COMMIT PREPARED, and then the commit of its own transaction
	for my $prepared ('off', 'on')
	{
		my $name =
		  "$libraries: COMMIT PREPARED, written " . ($prepared eq 'on' ? 'before' : 'after');
		my ($counted, $records) = $node->observe(sub {
			$node->sql(
				"SET late_writer.prepared = $prepared;" . q{
SET late_writer.statement = 'INSERT INTO tick VALUES (2)';
BEGIN;
INSERT INTO tick VALUES (1);
PREPARE TRANSACTION 'one';
COMMIT PREPARED 'one';
SET late_writer.statement = '';});
		});

		cmp_ok($records->{COMMIT}, '>=', 1, "$name: both commit");
		is( $counted->{commits},
			$records->{COMMIT} + $records->{COMMIT_PREPARED},
			'... and are counted');
	}

	# What the library writes is none of the statement before
	my $queryid = $node->queryid('INSERT INTO tick VALUES (1)');

	$node->sql(
		q{SELECT commit_stats_reset();
INSERT INTO tick VALUES (1);
SET late_writer.statement = 'INSERT INTO tick SELECT 2 FROM tick LIMIT 1';
} . 'SELECT 1;' x $n . q{
SET late_writer.statement = '';});
	is($node->sql("SELECT commits FROM commit_statement_stats WHERE queryid = $queryid"),
		1, "$libraries: a statement has its own commit alone");

	# The COMMIT statement has the time that the library takes
	my $pid = $node->sql(q{SELECT pg_backend_pid();
BEGIN;
SET LOCAL late_writer.statement = 'INSERT INTO tick SELECT 2 FROM pg_sleep(0.1)';
COMMIT;});
	is($node->sql("SELECT max(before_time) >= 100 FROM commit_slow_log WHERE pid = $pid"),
		't', "$libraries: the slow log has what comes before the record");
	ends_well($node);
}

done_testing();
