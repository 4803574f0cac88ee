# Are the counts per database right after a DROP DATABASE and after a reset?
#
# A dropped database keeps its counts until the next reset, so that the rows
# still add up; sql/database_stats.sql has its row.  A reset under load leaves
# the views in agreement with each other.

use Databases;

my $node = start_database_server(qw(one two three));

finish_all(start_all());

$node->sql('DROP DATABASE three');
adds_up('dropped');
pop @databases;

# Resets over and over, while clients come and go.  Neither view ever shows
# more than the other one shows afterwards.  If one did, a commit in progress
# would be before the reset for one of them only, or a reader would have missed
# a backend that was about to exit, or seen it twice.  The fastest flushes make
# the most folds of the ring; but leaders sleep only with fsync.
create_read_all($node);
$node->sql(q{CREATE FUNCTION counts_of_databases() RETURNS bigint[] LANGUAGE sql AS $$
	SELECT ARRAY[sum(commits), sum(commits_async), sum(commits_read_only), sum(flushes),
				 least(min(commits), min(commits_async), min(commits_read_only),
					   min(prepares), min(flushes), min(commits_carried))]::bigint[]
	FROM commit_client_stats()
$$;
CREATE FUNCTION compare(reset boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	before bigint[];
	total bigint[];
	after bigint[];
	reset_at timestamptz;
	in_histogram record;
	stats record;
BEGIN
	FOR i IN 1 .. 50 LOOP
		IF reset THEN
			reset_at := commit_stats_reset();
			SELECT sum(flushes) AS flushes, sum(commits) AS commits
			INTO in_histogram FROM commit_flush_histogram;
			SELECT * INTO stats FROM commit_flush_stats;
			IF stats.stats_reset <> reset_at OR in_histogram.flushes > stats.flushes OR
				in_histogram.commits > stats.commits
			THEN
				RAISE EXCEPTION 'reset: %, histogram: %, stats: %', reset_at, in_histogram, stats;
			END IF;
		END IF;
		before := counts_of_databases();
		SELECT ARRAY[commits, commits_async, commits_read_only, flushes]
		INTO total FROM commit_flush_stats();
		after := counts_of_databases();
		FOR c IN 1 .. 4 LOOP
			IF before[c] > total[c] OR total[c] > after[c] OR before[5] < 0 THEN
				RAISE EXCEPTION 'before: %, total: %, after: %', before, total, after;
			END IF;
		END LOOP;
	END LOOP;
END $$;
});
my @load = map { (
	start_clients($_, '-c 4 -C -t 100000', %mixture{ 'insert', 'read' }),
	start_clients($_, '-c 2 -t 100000', %mixture{ 'async', 'read' })) } @databases;
my $storm = start_clients(
	'postgres', '-c 6 -T 600', storm => q{
\if :client_id < 4
	INSERT INTO logged VALUES (:client_id);
\else
	SELECT read_all();
\endif
});
for my $fsync ('off', 'on')
{
	$node->alter_system(fsync => $fsync);
	my $resets = start_clients('postgres', '-c 1 -t 30',
		resets => 'SELECT compare(true); SELECT compare(false);');

	ok(end_background($resets), "reset under load, fsync = $fsync: the views agree")
	  or diag($resets->{err});
}
end_background($_, 'TERM') for @load;
is(errors_so_far($storm), '', '... and no number is negative');
end_pgbench($node, $storm);
adds_up('after resets under load');

# From a reset at rest on, all counts are exact again.
$node->sql('SELECT commit_stats_reset()');
is( $node->sql(q{SELECT string_agg(datname, ' '), sum(commits), sum(commits_async), sum(share)
FROM commit_database_stats}),
	'postgres|0|0|',
	'reset at rest: only databases with sessions have a row');
my %since = map { @$_ }
  $node->rows('SELECT datname, xact_commit FROM pg_stat_database WHERE datname IS NOT NULL');
finish_all(start_all());
agrees_with_server('since a reset', %since);
adds_up('since a reset');

end_test($node);
