# What counts for a client when commit_client_stats has no row left for it?
#
# All clients of a database beyond commit_stats.max_clients share one row, and
# those of databases beyond the first 256 share one for all.  CREATE DATABASE
# would take a minute for so many.  But a database that sessions only connect
# to and read from is a row in pg_database and a folder, and these can all be
# the same folder.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/databases";
use CommitStats;
use Databases;
use Test::More;

my $node = start_database_server(qw(one two));
my $max = 10;
my $databases = 256;
my $first_oid = 1_000_000_000;

$node->append_conf('postgresql.conf', "commit_stats.max_clients = $max\n");
$node->restart;
$node->safe_psql('postgres', 'SELECT commit_stats_reset()');
is( $node->safe_psql('postgres', 'SELECT clients_max FROM commit_stats_info'),
	$max,
	'the limit is the setting');

my $tracked = 'SELECT clients_tracked FROM commit_stats_info';

sub overflow_of
{
	my ($database) = @_;

	return $node->safe_psql(
		'postgres', qq{
SELECT commits, commits_async, sessions FROM commit_client_stats
WHERE status = 'overflow' AND datname IS NOT DISTINCT FROM $database});
}

sub commit_as
{
	my ($database, $name, $how) = @_;

	$how ||= 'on';
	$node->safe_psql(
		$database, qq{
SET synchronous_commit = $how;
SET application_name = '$name';
INSERT INTO logged VALUES (1)});
	return;
}

commit_as('one', "client $_") for 1 .. $max;
is($node->safe_psql('postgres', $tracked), $max, 'all rows are in use');
cmp_ok((split /\|/, overflow_of("'one'"))[0],
	'>=', 1, 'what comes later is counted together');

wait_until_left();
my ($sync, $async) = split /\|/, overflow_of("'one'");
commit_as('one', 'late');
commit_as('one', 'later', 'off');
wait_until_left();
is(overflow_of("'one'"), join('|', $sync + 1, $async + 1, 0), '... exactly');
is( $node->safe_psql(
		'postgres',
		"SELECT count(*) FROM commit_client_stats WHERE application_name ~ 'late'"
	),
	0,
	'... without a row of its own');
commit_as('two', 'other');
wait_until_left();
is(overflow_of("'two'"), '1|0|0', '... for each database');
adds_up('overflow');

# The client that commits most may be one of these.
$node->safe_psql('one',
		"SET application_name = 'late';\n"
	  . "INSERT INTO logged VALUES (1);\n" x 600);
like(
	$node->safe_psql('postgres', 'SELECT commit_stats_report()'),
	qr/^  Clients without a row \(commit_stats\.max_clients\): 9[\d.]+% of the commits\.$/m,
	'the report says so');

# Databases
$node->safe_psql('postgres', 'CREATE DATABASE files');
$node->safe_psql(
	'postgres', qq{
INSERT INTO pg_database
SELECT (jsonb_populate_record(d,
		jsonb_build_object('oid', $first_oid + n, 'datname', 'many_' || n))).*
FROM pg_database d, generate_series(1, $databases) n WHERE datname = 'files'}
);
my $files = $node->safe_psql('postgres',
	"SELECT oid FROM pg_database WHERE datname = 'files'");
symlink $files, $node->data_dir . '/base/' . ($first_oid + $_)
  or die "symlink: $!\n"
  for 1 .. $databases;
$node->safe_psql('postgres', 'CHECKPOINT');
$node->safe_psql('postgres',
	join("\n", map { "\\c many_$_\nSELECT 1;" } 1 .. $databases));
wait_until_left();
is( $node->safe_psql(
		'postgres',
		"SELECT count(DISTINCT datid) FROM commit_client_stats WHERE status = 'overflow'"
	),
	$databases,
	'more databases than have a row for the clients without one');
is( $node->safe_psql(
		'postgres', q{
SELECT commits_read_only > 0, commits FROM commit_client_stats
WHERE status = 'overflow' AND datid IS NULL}),
	't|0',
	'... the others share one');
is( $node->safe_psql(
		'postgres',
		"SELECT commits_read_only > 0 FROM commit_database_stats WHERE status = 'overflow'"
	),
	't',
	'... in commit_database_stats as well');
adds_up('many databases');

# A reset frees the rows, and gives them to the clients that are connected.
my $late = $node->background_psql('one');
$late->query_safe("SET application_name = 'late'; SELECT 1");
$node->safe_psql('postgres', 'SELECT commit_stats_reset()');
is( $node->safe_psql(
		'postgres',
		"SELECT count(*) FROM commit_client_stats WHERE status = 'overflow'"),
	0,
	'after a reset: no overflow');
$late->query_safe('INSERT INTO logged VALUES (1)');
is( $node->safe_psql(
		'postgres', q{
SELECT datname, status, commits, sessions FROM commit_client_stats
WHERE application_name = 'late'}),
	'one|present|1|1',
	'after a reset: a client without a row has one');
$late->quit;
wait_until_left();
is( $node->safe_psql(
		'postgres', q{
SELECT commits, sessions FROM commit_client_stats WHERE application_name = 'late'}
	),
	'1|0',
	'after a reset: and leaves its counts there');
adds_up('after a reset');

# A restart with fewer rows
commit_as('two', "client $_") for 1 .. $max - 4;
my $commits = "SELECT commits FROM commit_flush_stats";
my $before = $node->safe_psql('postgres', $commits);
$node->restart;
is($node->safe_psql('postgres', $commits),
	$before, 'after a restart: nothing is lost');
adds_up('after a restart');

$node->stop;
done_testing();
