# Is the number of siblings right with more backends than one count visits, and
# if only a random share of the commits counts them?
#
# A count visits up to SIBLINGS_MAX_VISITS others one by one.  With more it
# scales up a sample, and the views say so: of a hundred other sessions, a
# hundred open transactions are a hundred siblings, and a hundred idle sessions
# are none.

use CommitStats;

my $visits = 64;    # SIBLINGS_MAX_VISITS
my $sessions = 100;

# Only processes of this test run transactions.  Without a delay only some of
# the commits would count their siblings.
# The WAL writer would flush some commits in the place of the session.
my $node = start_node(
	'many',
	conf =>
	  q{wal_writer_delay = 10s; max_connections = 200; commit_delay = 1; commit_siblings = 1000;
max_logical_replication_workers = 0});

# Start sessions that run the script once, and wait until all have, by the
# condition $ready.
sub start_sessions ($n, $script, $ready)
{
	my $run = start_pgbench($node, "-c $n -t 1", session => $script);

	$node->wait_until(qq{SELECT $ready FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()});
	return $run;
}

sub stop_sessions ($run)
{
	$node->sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()});
	end_background($run);
	$node->wait_until('SELECT connected_backends = 1 FROM commit_stats_info');
}

# Commit once beside $others sessions, and return siblings and M of that flush,
# connected backends, and whether commit_stats_info calls the count exact.  A
# session that has only looked may not have ended yet.
sub commit_one ($others)
{
	return $node->sql(qq{SELECT 1 \\g /dev/null
DO \$\$ BEGIN
	FOR i IN 1 .. 18000 LOOP
		EXIT WHEN (SELECT connected_backends FROM commit_stats_info) = $others + 1;
		PERFORM pg_sleep(0.01);
	END LOOP;
END \$\$;
INSERT INTO logged VALUES (1);
SELECT siblings, active_transactions, connected_backends, siblings_exact
FROM commit_stats_info, commit_flush_log
WHERE leader_pid = pg_backend_pid()});
}

# Transactions that stay open.
my $hold = 'BEGIN; INSERT INTO logged VALUES (:client_id); SELECT pg_sleep(3600);';
my $idle = 'BEGIN; SELECT pg_sleep(3600);';

is(commit_one(0), '0|1|1|t', 'alone: no siblings');

# As many sessions as one count visits.
my $run = start_sessions($visits, $hold, "count(backend_xid) = $visits");

is( commit_one($visits),
	join('|', $visits, $visits + 1, $visits + 1, 't'),
	"$visits transactions: counted one by one");
stop_sessions($run);

# One more.
my $more = $visits + 1;

$run = start_sessions($more, $hold, "count(backend_xid) = $more");
is( commit_one($more),
	join('|', $more, $more + 1, $more + 1, 'f'),
	"$more transactions: a full sample is scaled to all");
stop_sessions($run);

# Many, all active.
$run = start_sessions($sessions, $hold, "count(backend_xid) = $sessions");
is( commit_one($sessions),
	join('|', $sessions, $sessions + 1, $sessions + 1, 'f'),
	"$sessions transactions: all are counted");
is($node->sql('SELECT siblings_max FROM commit_flush_stats'),
	$sessions, "$sessions transactions: the views have them");
like(
	$node->sql('SELECT message FROM commit_flush_log LIMIT 1'),
	qr/^Flushed 1 out of @{[ $sessions + 1 ]} commits$/,
	"$sessions transactions: the message has them");
stop_sessions($run);

# Many, none of them with a transaction id.
$run =
  start_sessions($sessions, $idle, "count(*) FILTER (WHERE wait_event = 'PgSleep') = $sessions");
is( commit_one($sessions),
	join('|', 0, 1, $sessions + 1, 'f'),
	"$sessions sessions that do not write: no siblings");
stop_sessions($run);

# Every other one.
my $half = $sessions / 2;

$run = start_sessions(
	$sessions, qq{
\\set odd :client_id % 2
BEGIN;
\\if :odd
INSERT INTO logged VALUES (:client_id);
\\endif
SELECT pg_sleep(3600);
},
	"count(backend_xid) = $half AND "
	  . "count(*) FILTER (WHERE wait_event = 'PgSleep') = $sessions");

my ($siblings, $active, $connected, $exact) = split /\|/, commit_one($sessions);

# The server's choice of backend slots decides which sessions a count visits.
# So these are the fewest and the most active ones that can be among them,
# scaled up.
my $fewest = $visits - ($sessions - $half);

cmp_ok(
	$siblings, '>=',
	int($fewest * $sessions / $visits + 0.5),
	'every other one: not fewer than a sample can have');
cmp_ok(
	$siblings, '<=',
	int($half * $sessions / $visits + 0.5),
	'every other one: not more than a sample can have');
is($active, $siblings + 1, 'every other one: M is of the estimate');
stop_sessions($run);

# A session that waits for a lock is no sibling, as the server does not count
# it.
$node->sql('CREATE TABLE locked ()');

my $holder = $node->background_psql('postgres');

$holder->query_safe('BEGIN; LOCK TABLE locked IN SHARE MODE');
$run = start_sessions(
	3, q{
BEGIN;
INSERT INTO logged VALUES (:client_id);
\if :client_id = 0
LOCK TABLE locked;
\endif
SELECT pg_sleep(3600);
},
		"count(backend_xid) = 3 AND "
	  . "count(*) FILTER (WHERE wait_event = 'PgSleep') = 2 AND "
	  . "count(*) FILTER (WHERE wait_event_type = 'Lock') = 1");
is(commit_one(4), '2|3|5|t', 'a transaction that waits for a lock: not counted');
$holder->quit;
stop_sessions($run);

is(commit_one(0), '0|1|1|t', 'alone again: no siblings, and exact');

# Without a delay, and beside more than 8 other backends, a commit counts them
# with such a probability that it visits 8 on average: each visit reads a cache
# line that another processor may have written.  The views must say how large
# that share is.
my $beside = 31;    # sessions, some of them in a transaction with an id
my $commits = 4000;

$node->alter_system(commit_delay => 0);
$run = start_sessions(
	$beside,
	'BEGIN; SELECT CASE WHEN :client_id < 10 THEN pg_current_xact_id() END; SELECT pg_sleep(3600);',
	"count(backend_xid) = 10 AND count(*) FILTER (WHERE query ~ 'pg_sleep') = $beside");

# One session commits with these settings; returns the views as a hash.
sub commit_with (@settings)
{
	my $row = $node->sql(
		join('', map { "SET $_;\n" } @settings) . qq{SELECT commit_stats_reset();
DO \$\$BEGIN FOR i IN 1 .. $commits LOOP INSERT INTO logged VALUES (i); COMMIT; END LOOP; END\$\$;
SELECT 'row', f.flushes, f.siblings_avg, f.siblings_max, h.flushes, l.known, l.wrong,
       i.sibling_count_share, i.connected_backends
FROM commit_flush_stats f, commit_stats_info i,
     (SELECT sum(flushes) AS flushes FROM commit_sibling_histogram) h,
     (SELECT count(siblings)::float8 / count(*) AS known,
             count(*) FILTER (WHERE siblings <> 10) AS wrong
      FROM commit_flush_log) l
});
	my %seen;

	@seen{qw(flushes avg max counted known wrong share connected)} =
	  split /\|/, ($row =~ /^row\|(.*)/m)[0];
	return \%seen;
}

my $seen = commit_with();
my $share = 8 / ($seen->{connected} - 1);

cmp_ok($seen->{flushes}, '>=', 0.99 * $commits, 'one flush for each commit');
cmp_ok(abs($seen->{share} - 100 * $share),
	'<', 0.1, 'commit_stats_info says which share of the commits counts');
# 4000 draws with a chance of 1/4: more than six standard deviations
cmp_ok(abs($seen->{counted} / $seen->{flushes} - $share),
	'<', 0.05, '... and about that share does');
cmp_ok(abs($seen->{known} - $share), '<', 0.08, '... also in the log of flushes');
is($seen->{wrong}, 0, '... and none of these says anything else than there was');
is("$seen->{avg} $seen->{max}", '10 10', '... nor do average and maximum');
is($node->sql(q{SELECT count(*) FROM commit_flush_log WHERE active_transactions <> 11}),
	0, 'M of those that did not count is that of the flush before');

$seen = commit_with('commit_delay = 1', 'commit_siblings = 1000');
is($seen->{counted}, $seen->{flushes}, 'with commit_delay all leaders count');
is($seen->{share}, 100, '... which commit_stats_info says');

$seen = commit_with('commit_stats.log_flushes = on');
is($seen->{counted}, $seen->{flushes}, 'with log_flushes all leaders count');
stop_sessions($run);

end_test($node);
