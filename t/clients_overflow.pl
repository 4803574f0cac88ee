# What counts for a client when commit_client_stats has no row left for it, and
# who loses a row to whom?
#
# Sessions that change their application_name are clients one after the other,
# in a known order.  Each commits a known number of transactions, so the rows
# say who has one, and the sum over the rows says whether a commit is missing.
#
# All clients of a database without a row share one, and those of databases
# beyond the first 256 share one for all.  CREATE DATABASE would take a minute
# for 280.  But a database that sessions only connect to and read from is a
# row in pg_database and a folder, and these can all be the same folder.

use Databases;

my $node = start_database_server(qw(one two));
my $max = 20;
my $half = $max / 2;
my $databases = 280;
my $first_oid = 1_000_000_000;

$node->append_conf('postgresql.conf', "commit_stats.max_clients = $max\n");
$node->restart;
$node->safe_psql(
	'one', q{CREATE ROLE tenant LOGIN;
CREATE ROLE guest LOGIN});
$node->safe_psql($_, 'GRANT ALL ON logged TO PUBLIC') for 'one', 'two';
$node->sql('SELECT commit_stats_reset()');

is($node->sql('SELECT clients_max FROM commit_stats_info'), $max, 'the limit is the setting');

# The statements with which a session becomes a client, and commits.
sub client ($role, $name)
{
	return "BEGIN; SET SESSION AUTHORIZATION $role; "
	  . "SET application_name = '$name'; INSERT INTO logged VALUES (1); COMMIT;";
}

# One session as many clients, each of which commits once.  Those in the
# database two stay.
sub commit_as ($role, @names)
{
	$node->safe_psql('one', join "\n", map { client($role, $_) } @names);
	wait_until_left('two');
}

sub staying_as ($role, $name)
{
	my $session = $node->background_psql('two');

	$session->query_safe(client($role, $name));
	return $session;
}

sub rows_of ($role, $columns)
{
	return $node->sql("SELECT $columns FROM commit_client_stats WHERE rolname = '$role'");
}

sub overflow_of ($database)
{
	return $node->sql(
		"SELECT commits FROM commit_client_stats WHERE status = 'overflow' AND datname = '$database'"
	) || 0;
}

my $evicted = 'SELECT clients_evicted FROM commit_stats_info';
my $names = q{string_agg(application_name, ' ' ORDER BY application_name)};

# A role has half of the rows, and its clients of last have these.
commit_as('tenant', map { sprintf 't%02d', $_ } 1 .. $half);
is($node->sql($evicted), 0, 'as many clients as half of the rows: all have one');
is(rows_of('tenant', 'count(*), sum(commits)'), "$half|$half", '... with what they did');
commit_as('tenant', 't01', 't03');
commit_as('tenant', 'new1', 'new2', 'new3');
is( rows_of('tenant', $names),
	'new1 new2 new3 t01 t03 t06 t07 t08 t09 t10',
	'more of them: those that had not committed for longest have none');
is($node->sql($evicted), 3, '... which are counted');
is(overflow_of('one'), 3, '... and their commits are in the overflow row');
is(rows_of('tenant', 'sum(commits)'), $half + 2, '... all others are where they were');
adds_up('evicted');

# Another role loses nothing to it.
commit_as('guest', map { "g$_" } 1 .. 3);
commit_as('tenant', map { sprintf 'u%03d', $_ } 1 .. 100);
is(rows_of('guest', $names), 'g1 g2 g3', 'a hundred names: of one role');
is(rows_of('tenant', 'count(*)'), $half, '... which has half of the rows');
is($node->sql($evicted), 103, '... and has lost its own');

# All rows are in use: the oldest client loses its row, of any role.
commit_as('guest', 'g2', map { "h$_" } 1 .. $half - 3);
is($node->sql('SELECT clients_tracked FROM commit_stats_info'), $max, 'all rows are in use');
commit_as('guest', 'last');
cmp_ok(rows_of('guest', 'count(*)'), '<=', $half, 'guest has no more than half, either');
is(rows_of('guest', "count(*) FILTER (WHERE application_name = 'g1')"),
	0, '... and its oldest is gone');
is(rows_of('guest', "count(*) FILTER (WHERE application_name = 'g2')"),
	1, '... not the one that has committed since');

# A session keeps its row.
my $stays = staying_as('guest', 'stays');

commit_as('guest', map { "i$_" } 1 .. 2 * $half);
is(rows_of('guest', "sum(commits) FILTER (WHERE application_name = 'stays')"),
	1, 'the row of a session that stays is not taken');

# If sessions have all rows of their role, a new client counts in the overflow
# row.
my @more = map { staying_as('guest', "more $_") } 2 .. $half;
my $before = overflow_of('two');
my $none = staying_as('guest', 'none');

is(rows_of('guest', 'count(*), sum(sessions)'),
	"$half|$half", 'sessions have all rows of their role');
is(overflow_of('two'), $before + 1, '... so a client more has none');
$_->quit for $stays, $none, @more;
wait_until_left();
is(overflow_of('two'), $before + 1, '... and its commit stays there');
adds_up('sessions');

# The client that commits most may be one of these.
commit_as('guest', map { "name $_" } 1 .. 1000);
like(
	$node->report,
	qr/^  9[\d.]+% of the commits are of no client that is known: newer ones took the row
     of \d+ clients, as if each connection had its own application_name\.
     -> application_name_add_host = 0 in PgBouncer, or
        commit_stats\.client_name_pattern$/m, 'the report says so');

# Databases
$node->sql('CREATE DATABASE files');
$node->sql(
	qq{INSERT INTO pg_database
SELECT (jsonb_populate_record(d,
		jsonb_build_object('oid', $first_oid + n, 'datname', 'many_' || n))).*
FROM pg_database d, generate_series(1, $databases) n WHERE datname = 'files'}
);
my $files = $node->sql("SELECT oid FROM pg_database WHERE datname = 'files'");
symlink $files, $node->data_dir . '/base/' . ($first_oid + $_)
  or die "symlink: $!\n"
  for 1 .. $databases;
$node->sql('CHECKPOINT');
$node->sql(join("\n", map { "\\c many_$_\nSELECT 1;" } 1 .. $databases));
wait_until_left();
is($node->sql("SELECT count(DISTINCT datid) FROM commit_client_stats WHERE status = 'overflow'"),
	256, 'more databases than have a row for the clients without one');
is( $node->sql(q{SELECT commits_read_only > 0, commits FROM commit_client_stats
WHERE status = 'overflow' AND datid IS NULL}),
	't|0',
	'... the others share one');
is( $node->sql("SELECT commits_read_only > 0 FROM commit_database_stats WHERE status = 'overflow'"),
	't', '... in commit_database_stats as well');
adds_up('many databases');

# A reset frees the rows, and gives them to the clients that are connected.
my $late = $node->background_psql('one');
$late->query_safe("SET application_name = 'late'; SELECT 1");
$node->sql('SELECT commit_stats_reset()');
is($node->sql("SELECT count(*) FROM commit_client_stats WHERE status = 'overflow'"),
	0, 'after a reset: no overflow');
is($node->sql($evicted), 0, 'after a reset: nothing was evicted');
$late->query_safe('INSERT INTO logged VALUES (1)');
is( $node->sql(q{SELECT datname, status, commits, sessions FROM commit_client_stats
WHERE application_name = 'late'}),
	'one|present|1|1',
	'after a reset: a session has a row');
$late->quit;
wait_until_left();
is( $node->sql(
		q{SELECT commits, sessions FROM commit_client_stats WHERE application_name = 'late'}),
	'1|0',
	'after a reset: and leaves its counts there');
adds_up('after a reset');

# A restart, then one with fewer rows.
commit_as('tenant', map { "client $_" } 1 .. $max, $half + 1);
my $commits = 'SELECT commits FROM commit_flush_stats';
my $total = $node->sql($commits);
my $gone = $node->sql($evicted);
is($gone, $half, 'before a restart: some were evicted');
$node->restart;
is($node->sql($commits), $total, 'after a restart: nothing is lost');
is($node->sql($evicted), $gone, '... nor who was evicted');
adds_up('after a restart');
$node->append_conf('postgresql.conf', 'commit_stats.max_clients = 10');
$node->restart;
is($node->sql($commits), $total, 'with fewer rows: nothing is lost');
is( rows_of('tenant', $names),
	'client 11 client 17 client 18 client 19 client 20',
	'... of which the role has half, for those that committed last');
adds_up('with fewer rows');

end_test($node);
