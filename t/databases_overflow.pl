# What counts for a database when commit_database_stats has no row left for it?
#
# All databases beyond databases_max share one row, "overflow".  CREATE
# DATABASE would take a minute for so many.  But a database that sessions only
# connect to and read from is a row in pg_database and a folder, and these can
# all be the same folder.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/databases";
use CommitStats;
use Databases;
use Test::More;

my $node = start_database_server(qw(one two));
my $max =
  $node->safe_psql('postgres', 'SELECT databases_max FROM commit_stats_info');

my $tracked = 'SELECT databases_tracked FROM commit_stats_info';
my $overflow = q{
SELECT datid, datname, commits, commits_async, commits_unlogged, share > 0
FROM commit_database_stats WHERE status = 'overflow'};
my $first_oid = 1_000_000_000;

# Connect to database many_n, for each n.
sub connect_to_many
{
	$node->safe_psql('postgres',
		join("\n", map { "\\c many_$_\nSELECT 1;" } @_));
	wait_until_left('late');
	return;
}

$node->safe_psql('postgres', 'CREATE DATABASE files');
$node->safe_psql('postgres', 'CREATE DATABASE late');
$node->safe_psql(
	'postgres', qq{
INSERT INTO pg_database
SELECT (jsonb_populate_record(d,
		jsonb_build_object('oid', $first_oid + n, 'datname', 'many_' || n))).*
FROM pg_database d, generate_series(1, $max) n WHERE datname = 'files'});
my $files = $node->safe_psql('postgres',
	"SELECT oid FROM pg_database WHERE datname = 'files'");
symlink $files, $node->data_dir . '/base/' . ($first_oid + $_)
  or die "symlink: $!\n"
  for 1 .. $max;
$node->safe_psql('postgres', 'CHECKPOINT');

is($node->safe_psql('postgres', $tracked), 3,
	'bound: three databases so far');
connect_to_many(1 .. $max - 3);
is($node->safe_psql('postgres', $tracked), $max,
	'bound: all rows are in use');
is($node->safe_psql('postgres', $overflow),
	'', 'bound: nothing has overflowed');

my $write = q{
INSERT INTO logged VALUES (1);
INSERT INTO logged VALUES (2);
SET synchronous_commit = off;
INSERT INTO logged VALUES (3);
RESET synchronous_commit};

my $late = $node->background_psql('late');
$late->query_safe("CREATE TABLE logged (n int); $write");
is($node->safe_psql('postgres', $overflow),
	'||3|1|0|t', 'bound: what comes later is counted together');
connect_to_many($max - 2);
$late->query_safe('SELECT pg_stat_force_next_flush()');
is( $node->safe_psql(
		'postgres', q{
SELECT sum(commits + commits_async + commits_unlogged + commits_read_only) =
	(SELECT sum(xact_commit) FROM pg_stat_database
	 WHERE datid IS NOT NULL AND datid NOT IN
	 (SELECT datid FROM commit_database_stats WHERE datid IS NOT NULL)
	 AND datname NOT IN ('template0', 'template1'))
FROM commit_database_stats WHERE status = 'overflow'}),
	't',
	'bound: as many as the server has for these');
is($node->safe_psql('postgres', $tracked),
	$max, 'bound: no database has lost its row to them');
my $of_one =
  q{SELECT commits FROM commit_database_stats WHERE datname = 'one'};
my $before = $node->safe_psql('postgres', $of_one);
$node->safe_psql('one', $write);
is( $node->safe_psql('postgres', $of_one),
	$before + 2,
	'bound: a database with a row counts there');
adds_up('bound');

# A reset frees the rows, and gives them to the databases with connected
# backends.
$node->safe_psql('postgres', 'SELECT commit_stats_reset()');
is($node->safe_psql('postgres', $overflow), '', 'after a reset: no overflow');
is($node->safe_psql('postgres', $tracked), 2, 'after a reset: two databases');
$late->query_safe($write);
is( $node->safe_psql(
		'postgres', q{
SELECT datname, status, commits, commits_async FROM commit_database_stats
WHERE datname <> 'postgres'}),
	'late|present|2|1',
	'after a reset: a database without a row has one');
$late->quit;
wait_until_left();
is( $node->safe_psql(
		'postgres', q{
SELECT commits, commits_async FROM commit_database_stats
WHERE datname = 'late'}),
	'2|1',
	'after a reset: and leaves its counts there');
adds_up('after a reset');

$node->stop;
done_testing();
