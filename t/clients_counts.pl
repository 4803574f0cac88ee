# Is each commit counted for the client that committed?
#
# Several applications commit at once, under roles of their own, and sessions
# as those of a pooler change application_name or role before each transaction.
# pgbench says how many transactions of each application it has done, and the
# rows that these have left say who committed them.

use Databases;

my $node = start_node('clients');

$node->sql(q{CREATE TABLE done (who text);
CREATE ROLE reader;
CREATE ROLE tenant_number_1;
CREATE ROLE tenant_number_2;
GRANT ALL ON done TO PUBLIC;
});

sub start_application ($name, $options, @script)
{
	local $ENV{PGAPPNAME} = $name;
	return start_pgbench($node, $options, @script);
}

my $insert = "INSERT INTO done VALUES (current_setting('application_name'));\n";
my %load = (
	web => start_application('web', '-c 4 -t 200', web => $insert),
	batch =>
	  start_application('batch', '-c 1 -t 300', batch => "BEGIN;\n$insert${insert}COMMIT;\n"),
	lazy => start_application(
		'lazy', '-c 2 -t 150',
		lazy => "BEGIN;\nSET LOCAL synchronous_commit = off;\n${insert}COMMIT;\n"),
	reader => start_application(
		'reader', '-c 2 -t 100',
		reader => "BEGIN;\nSET LOCAL ROLE reader;\nTABLE pg_am;\nCOMMIT;\n"),
	bell =>
	  start_application('bell', '-c 2 -t 60', bell => "BEGIN;\n${insert}NOTIFY bell;\nCOMMIT;\n"),
	short => start_application('short', '-c 2 -C -t 50', short => $insert),
	pooler => start_application(
		'pooler',
		'-c 4 -t 300',
		pooler => q{
\set c random(1, 5)
SELECT set_config('application_name', 'client ' || :c, false);
INSERT INTO done VALUES ('client ' || :c);
}),
	# one role and one name after the other at the same place in memory
	tenants => start_application(
		'tenants',
		'-c 2 -t 300',
		tenants => q{
\set role random(1, 2)
\set application random(1, 2)
BEGIN;
SET LOCAL ROLE tenant_number_:role;
SET LOCAL application_name = 'application :application';
INSERT INTO done VALUES ('tenant: ' || current_user || ' in application :application');
COMMIT;
BEGIN;
SET LOCAL ROLE tenant_number_1;
ROLLBACK;
}));

# A reader beside them
my $negative = 0;

poll_until(
	sub {
		$negative += $node->sql(
			'SELECT count(*) FROM commit_client_stats WHERE commits < 0 OR commit_time < 0');
		return $node->sql(
			"SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'") == 1;
	},
	2);
is($negative, 0, 'while they commit: nothing is negative');
ok(end_background($load{$_}), "$_: pgbench has ended") for sort keys %load;
# the last of -C may have left pg_stat_activity, or not have come, when it was
# looked at
$node->wait_until_alone;

# commits, commits_async
sub counted ($condition)
{
	return $node->sql(
		"SELECT sum(commits), sum(commits_async) FROM commit_client_stats WHERE $condition");
}

is(counted("application_name = 'web'"), '800|0', 'web: as pgbench says');
is(counted("application_name = 'batch'"), '300|0', 'batch: transactions, not statements');
is(counted("application_name = 'lazy'"), '0|300', 'lazy: asynchronous');
is( $node->sql(
		q{SELECT bool_and(abs(share - 100.0 * n / total) <= 0.005), sum(share) > 99 FROM (
	SELECT share, n, sum(n) OVER () AS total
	FROM commit_client_stats, LATERAL (SELECT commits + commits_async AS n) counted) shares}
	),
	't|t',
	'share: of all commits, asynchronous ones included');
is($node->sql("SELECT commits_notify FROM commit_client_stats WHERE application_name = 'bell'"),
	120, 'bell: commits with NOTIFY');
is($node->sql('SELECT sum(commits_notify) FROM commit_client_stats'),
	120, '... and no other is one');
is(counted("application_name = 'short'"), '100|0', 'short: a session for each transaction');
is( $node->sql(
		"SELECT commits, commits_read_only FROM commit_client_stats WHERE rolname = 'reader'"),
	'0|200',
	'reader: transactions that only read, for the role that was current');
is( $node->sql(q{SELECT who, count(*) FROM done WHERE who LIKE 'tenant: %' GROUP BY 1 ORDER BY 1}),
	$node->sql(
		q{SELECT 'tenant: ' || rolname || ' in ' || application_name, commits
FROM commit_client_stats WHERE application_name LIKE 'application %' ORDER BY 1}
	),
	'tenants: SET LOCAL ROLE and SET LOCAL application_name');
is( $node->sql(
		q{SELECT string_agg(who || ' ' || n, ', ' ORDER BY who) FROM (
	SELECT who, count(*) AS n FROM done WHERE who LIKE 'client %' GROUP BY who) d}
	),
	$node->sql(
		q{SELECT string_agg(application_name || ' ' || commits, ', ' ORDER BY application_name)
FROM commit_client_stats WHERE application_name LIKE 'client %'}),
	'pooler: each commit counts for the name that the session had then');

adds_up('all together', $node);
is( $node->sql(
		"SELECT count(*) FROM commit_client_stats WHERE sessions > 0 AND application_name = 'web'"),
	0,
	'no session is connected any more');

# Counting is off while a session changes its name, so that the new name may
# get the memory of the one that counted last.
sub set_enabled ($session, $value)
{
	$node->alter_system('commit_stats.enabled' => $value);
	poll_until(sub { $session->query_safe('SHOW commit_stats.enabled') eq $value })
	  or die "commit_stats.enabled is not $value\n";
}

my $renamed = $node->background_psql('postgres');
for (1 .. 5)
{
	$renamed->query_safe("SET application_name = 'before $_'; INSERT INTO done VALUES ('x')");
	set_enabled($renamed, 'off');
	$renamed->query_safe("SET application_name = 'while $_'");
	$renamed->query_safe("SET application_name = 'after_ $_'");
	set_enabled($renamed, 'on');
	$renamed->query_safe("INSERT INTO done VALUES ('x')");
}
is( $node->sql(
		q{SELECT string_agg(application_name || ' ' || n, ', ' ORDER BY application_name) FROM (
	SELECT split_part(application_name, ' ', 1) AS application_name, sum(commits) AS n
	FROM commit_client_stats WHERE application_name ~ '^(before|while|after_) \d$'
	GROUP BY 1) s}
	),
	'after_ 5, before 5',
	'enabled off and on: the first commit counts for the name that the session has');
$renamed->quit;

# The report, on who commits.
$node->sql('SELECT commit_stats_reset()');
ok(end_background($_), 'pgbench has ended')
  for start_application(
	'lazy', '-c 1 -t 900',
	lazy => "BEGIN;\nSET LOCAL synchronous_commit = off;\n${insert}COMMIT;\n"),
  start_application('eager', '-c 1 -t 600', eager => $insert);
my ($share, $client) = $node->report =~ /^  ([\d.]+)% of the commits are of client (\w+) /m;
die "no client in the report\n" if !defined $share;
cmp_ok(
	abs($share -
		  $node->sql("SELECT share FROM commit_client_stats WHERE application_name = '$client'")),
	'<', 1,
	'the report means by a share what the view means');

# WAL
sub wal_of ($rows)
{
	$node->sql('SELECT commit_stats_reset()');
	local $ENV{PGAPPNAME} = 'wal';
	my $before = $node->lsn('insert');
	$node->sql("INSERT INTO done SELECT repeat('x', 100) FROM generate_series(1, $rows)");
	my $written = $node->sql("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '$before')");
	return (
		$written,
		$node->sql(
			"SELECT wal_bytes, wal_bytes_per_commit FROM commit_client_stats WHERE application_name = 'wal'"
		));
}

my ($written, $counted) = wal_of(1000);
my ($bytes, $per_commit) = split /\|/, $counted;
cmp_ok($bytes, '<=', $written, "wal_bytes: not more than was written");
cmp_ok($bytes, '>', 100_000, 'wal_bytes: what the rows take');
is($per_commit + 0, $bytes + 0, 'wal_bytes_per_commit: of one commit');

end_test($node);
