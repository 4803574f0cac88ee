# What does commit_statement_stats keep, and for how long?
#
# Statements lose their rows, alone and under load; a restart, a crash, and
# commit_stats.max_statements = 0.  The witness is commit_client_stats.

use Databases;

my $node = start_node('statements', conf => "commit_stats.max_statements = 10\n");
my $columns = join ', ',
  map { "round(sum($_)::numeric, 6)" }
  qw(commits flushes commit_time wal_bytes statements transaction_time);

sub all_agree ($how)
{
	is( $node->sql(
			"SELECT $columns FROM commit_statement_stats()
EXCEPT SELECT $columns FROM commit_client_stats()"),
		'',
		"$how: the sums are those of clients");
}

# Statements that differ by the number of their rows
sub insert ($n)
{
	return 'INSERT INTO logged VALUES ' . join ', ', ('(1)') x $n;
}

# in one session, as another one would take an entry, too
my $newest = join ', ', map { $node->queryid(insert($_)) } 21 .. 30;
is( $node->sql(
		join ';',
		'DO $$BEGIN PERFORM commit_stats_reset(); END$$',
		(map { insert($_) } 1 .. 30),
		"SELECT string_agg(commits::text, ' ') FROM commit_statement_stats WHERE queryid IN ($newest)"
	),
	join(' ', ('1') x 10),
	'the newest are there');
is( $node->sql(q{SELECT count(*), sum(commits), count(*) FILTER (WHERE reason = 'overflow'),
	sum(commits) FILTER (WHERE reason = 'overflow') > 15 FROM commit_statement_stats
WHERE commits > 0}) =~ s/^(\d+)/$1 <= 11/er,
	'1|30|1|t',
	'the oldest rows go to the overflow row');
all_agree('one session');
is( $node->sql(
		insert(30)
		  . q{; SELECT commits FROM commit_statement_stats
WHERE queryid IS NOT NULL AND commits > 1}),
	'2',
	'... and count on');

# Sessions that go on counting while their statements lose the rows
run_pgbench($node, '-c 8 -t 20',
	map { ("s$_" => insert($_) . ";\n" . insert($_ + 20) . ";\n") } 1 .. 20);
all_agree('8 sessions');
adds_up('8 sessions', $node);
is($node->sql('SELECT count(*) <= 12 FROM commit_statement_stats'), 't', 'no more rows');

my $busy = $node->start_psql(insert(40), map { (insert(41), insert($_)) } 1 .. 30);
ok(end_background($busy), 'a session with a frequent statement');
is( $node->sql(q{SELECT max(commits) FILTER (WHERE queryid IS NOT NULL) >= 25
FROM commit_statement_stats}),
	't',
	'... whose row stays');

# A restart
my $rows = q{SELECT datid, roleid, queryid, reason, commits, flushes, commit_time
FROM commit_statement_stats() WHERE commits > 0 ORDER BY 3, 4, 5};
$node->append_conf('postgresql.conf', 'commit_stats.max_statements = 100');
my $before = $node->sql($rows);
$node->restart;
is($node->sql($rows), $before, 'a restart: the rows stay');
all_agree('a restart');

# A crash
$node->stop('immediate');
$node->start;
is($node->sql($rows), '', 'a crash: no rows');

# A statement of another session, whose row is the oldest but one of those that
# are left, runs again
$node->wait_until_alone;
$node->sql('SELECT commit_stats_reset()');
$node->sql(join ';', map { insert($_) } 1 .. 3);
$node->wait_until_alone;
my ($filling, $other) = map { $node->background_psql('postgres') } 1 .. 2;
my $n = 3;
$filling->query_safe(insert(++$n))
  until $filling->query_safe('SELECT statements_evicted FROM commit_stats_info') > 0;
$other->query_safe(insert(2));
$filling->query_safe(insert(++$n)) for 1 .. 3;
is( $node->sql(
		'SELECT sum(commits) FROM commit_statement_stats WHERE queryid = '
		  . $node->queryid(insert(2))),
	'2',
	'a row in use again, by another session, is kept');
$_->quit for $filling, $other;
$node->sql('SELECT commit_stats_reset()');

# Nothing is counted, and no identifier is computed
$node->append_conf('postgresql.conf', 'commit_stats.max_statements = 0');
$node->restart;
$node->sql(insert(1));
is($node->sql('SELECT count(*) FROM commit_statement_stats'), '0', 'max_statements = 0: no rows');
unlike(
	$node->sql('EXPLAIN (VERBOSE) ' . insert(1)),
	qr/Query Identifier/,
	'... and no query identifiers');
adds_up('max_statements = 0', $node);

# What has had no id registers once it has one
my $walsender = $node->background_psql('postgres', replication => 'database');

$walsender->query(insert(1));
# ... and a WAL sender that writes is a sibling
$node->wait_until('SELECT connected_backends = 2 FROM commit_stats_info');
$walsender->quit;
$node->append_conf('postgresql.conf', 'commit_stats.max_statements = 20');
$node->restart;
$node->sql(insert(1));
is($node->sql('SELECT sum(commits) FROM commit_statement_stats'), '1', '... until it is set again');
end_test($node);
