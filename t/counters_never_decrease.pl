# Does a counter ever decrease between two resets?
#
# Sessions of three databases commit, prepare and fail, change their names, and
# come and go; leaders sleep commit_delay or not.  Beside them a function reads
# all views again and again, and compares each number with the one before.  The
# catalog names the columns; those that are no counters stand here, as what
# they are.  Then clients lose their rows to others, and the rows that take
# their counts are watched.

use Databases;

# What names a row of a view, and the numbers that are no counters.
my %counters = (
	commit_flush_stats => [
		[],
		qw(commits_per_flush siblings_avg siblings_max),
		# a commit whose leader has not reported yet may go from one to the
		# other
		qw(followers commits_without_leader)
	],
	commit_client_stats => [
		[qw(datid roleid application_name)], qw(sessions share wal_bytes_per_commit
		  transaction_share session_share)
	],
	commit_database_stats => [
		[qw(datid status)], qw(sessions share wal_bytes_per_commit
		  transaction_share session_share)
	],
	commit_statement_stats => [
		[qw(datid roleid queryid reason)],
		qw(share flushes_share transaction_share commit_time_share commit_mean wal_share wal_bytes_per_commit
		  transaction_mean)
	],
	# other_time is what is left of a sum beside others, read after it
	commit_latency_stats => [ [qw(wait_level role)], qw(mean p50 p95 p99 p999 max other_time) ],
	commit_standby_stats => [ [qw(standby stage)], qw(share waiting_now pid) ],
	commit_flush_latency_stats => [ [], qw(mean p50 p95 p99 p999 max) ],
	commit_latency_histogram => [ [qw(wait_level role lower_bound)], qw(upper_bound) ],
	commit_flush_latency_histogram => [ [qw(lower_bound)], qw(upper_bound) ],
	commit_latency_buckets => [ [qw(wait_level role le)] ],
	commit_activity => [ [qw(pid)] ],
	commit_wal_stats => [ [qw(redo_lsn)], qw(wal_bytes_per_commit fpi_share fpi_share_max) ],
	commit_sibling_histogram => [ [qw(siblings)], qw(commits_per_flush share_at_least) ],
	commit_delay_state => [
		[],
		qw(spacing tried_spacing tried_response kept_response quota_flush_rate
		  quota_window quota_spacing flush_time)
	],
	commit_stats_info => [
		[],
		qw(sibling_count_share connected_backends clients_tracked clients_max
		  statements_tracked statements_max
		  slow_commit_limit stall_limit flush_base wal_mb_per_second bytes_share
		  shared_memory memory_per_connection history_memory)
	]);

# A flush that gets another commit goes to the next row of this view, so what
# grows is the number of flushes of a size or a larger one.  The logs show
# single events.
my @others = qw(commit_flush_histogram commit_history
  commit_flush_log commit_slow_log commit_stall_log commit_delay_changes);

my $node = start_database_server(qw(one two three));

is( $node->sql(q{SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class
WHERE relkind = 'v' AND relname LIKE 'commit\_%'}),
	join(' ', sort keys %counters, @others),
	'all views are known');

# The counters of a view, each with the name of its row.
sub counters_of ($view, $condition)
{
	my ($row, @gauges) = @{ $counters{$view} };
	my $names = join ', ', map { "'$_'" } @gauges, @$row, '';
	my @columns = split /\n/, $node->sql(
		qq{SELECT attname FROM pg_attribute WHERE attrelid = '$view'::regclass AND attnum > 0 AND
	atttypid IN ('bigint'::regtype, 'numeric'::regtype, 'double precision'::regtype) AND
	attname NOT IN ($names)});
	my $key = join ', ', "'$view'", map { "v.$_" } @$row;

	cmp_ok(scalar @columns, '>', 0, "$view has counters: @columns");
	return join "\nUNION ALL\n",
	  map { qq{SELECT concat_ws(' ', $key, '$_'), v.$_\::numeric FROM v_$view v $condition} }
	  @columns;
}

# All views are read once, in one statement.
sub define_look ($name, @parts)
{
	my $with = join ",\n", map { "v_$_ AS MATERIALIZED (TABLE $_)" } 'commit_flush_histogram',
	  sort keys %counters;
	my $all = join "\nUNION ALL\n", @parts;

	$node->sql(
		qq{CREATE FUNCTION $name() RETURNS jsonb LANGUAGE sql VOLATILE AS \$\$
WITH $with
SELECT jsonb_object_agg(key, value) FROM ($all) counters(key, value) WHERE value IS NOT NULL \$\$}
	);
}

# Compare looks with one another, "looks" times at least, until a query returns
# true.
$node->sql(q{CREATE TABLE decreases (counter text, before numeric, after numeric);
CREATE PROCEDURE watch(looks int, look text, until text) LANGUAGE plpgsql AS $$
DECLARE
	before jsonb;
	after jsonb;
	enough boolean;
BEGIN
	FOR i IN 1 .. 1000 * looks LOOP
		EXECUTE format('SELECT %I()', look) INTO after;
		INSERT INTO decreases
		SELECT key, b.value::numeric, a.value::numeric
		FROM jsonb_each_text(before) b JOIN jsonb_each_text(after) a USING (key)
		WHERE a.value::numeric < b.value::numeric;
		before := after;
		COMMIT;
		EXECUTE until INTO enough;
		IF i >= looks AND enough THEN
			RETURN;
		END IF;
	END LOOP;
	RAISE 'never true: %', until;
END $$;
});

sub never_decrease ($name, $look, $looks, $until, @load)
{
	my $before = $node->sql('SELECT commits FROM commit_flush_stats');

	$node->sql("CALL watch($looks, '$look', '$until')");
	$node->wait_until("SELECT commits > $before + $looks FROM commit_flush_stats");
	end_background($_, 'TERM') for @load;
	wait_until_left();
	is( $node->sql(
			q{SELECT DISTINCT ON (counter) * FROM decreases ORDER BY counter, before LIMIT 20}),
		'',
		"$name: no counter decreases");
	$node->sql('TRUNCATE decreases');
	adds_up($name);
}

# Everything at once
define_look(
	'everything', (map { counters_of($_, '') } sort keys %counters),
	q{SELECT 'carried', followers + commits_without_leader FROM v_commit_flush_stats},
	q{SELECT format('commit_flush_histogram, flushes with at least %s', commits_in_flush),
			sum(flushes) OVER (ORDER BY commits_in_flush DESC) FROM v_commit_flush_histogram}
);

my %renaming = (
	renaming => q{
\set c random(1, 9)
BEGIN;
SELECT set_config('application_name', 'client ' || :c, false);
INSERT INTO logged VALUES (1);
COMMIT;
});

sub start_load
{
	return map { (
		start_clients($_, '-c 4 -R 200 -T 3600', %mixture),
		start_clients($_, '-c 2 -R 100 -T 3600', %renaming),
		start_clients($_, '-c 1 -R 20 -C -T 3600', %mixture{ 'insert', 'read' })) } @databases;
}

never_decrease('all views', 'everything', 100, 'SELECT true', start_load());

# Clients that lose their rows: the rows of databases, of the overflow, and the
# sums
$node->append_conf('postgresql.conf', "commit_stats.max_clients = 20\n");
$node->restart;
define_look(
	'overflow',
	counters_of('commit_client_stats', "WHERE status = 'overflow'"),
	map { counters_of($_, '') } qw(commit_database_stats commit_flush_stats commit_stats_info));
$renaming{renaming} =~ s/random\(1, 9\)/random(1, 500)/;
never_decrease('evictions', 'overflow', 60, 'SELECT clients_evicted > 100 FROM commit_stats_info',
	start_load());

end_test($node);
