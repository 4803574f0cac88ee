# Is a COMMIT that waits for the COMMIT on another server called so, and not
# taken for a slow flush?
#
# postgres_fdw commits the remote transaction in a callback before ours.  On
# the other server, a deferred trigger sleeps for 100 ms.  The clients' own
# clocks are the witness.

use Symptoms;

my $node = make_situation('foreign', conf => "commit_stats.slow_commit_time = 50ms\n");

plan skip_all => 'there is no postgres_fdw'
  if $node->sql(q{SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'}) == 0;
my $remote = start_node('remote');

$remote->sql('CREATE TABLE remote (n int)');
$remote->create_deferred_trigger('remote', 'PERFORM pg_sleep(0.1)');
$node->sql(
	sprintf q{CREATE EXTENSION postgres_fdw;
CREATE SERVER there FOREIGN DATA WRAPPER postgres_fdw
	OPTIONS (host '%s', port '%s', dbname 'postgres');
CREATE USER MAPPING FOR CURRENT_USER SERVER there;
CREATE FOREIGN TABLE far (n int) SERVER there OPTIONS (table_name 'remote');
}, $remote->host, $remote->port);
$node->sql('SELECT commit_stats_reset()');

my $load = start_load($node, '-c 4 -T 10',
	"BEGIN;\nINSERT INTO far VALUES (1);\nINSERT INTO logged (n) VALUES (1);\nCOMMIT;\n", 'shop');
$node->wait_until(q{SELECT count(*) > 0 FROM commit_activity
WHERE application_name = 'shop' AND phase = 'before' AND detail ~ 'Extension|Postgres'});
$node->wait_until(q{SELECT count(*) >= 40 FROM commit_slow_log WHERE application_name = 'shop'});
$node->wait_until(q{SELECT commit_stats_report() ~ 'from samples'});
my $report = report_of($node);
my $latency = sum0(end_load($load));

first_cause_is($report, qr/^before the record: it waits in an extension, as postgres_fdw/);
like(
	$report->{causes}->[0]->{remedy},
	qr/^what COMMIT takes there: .*parallel_commit/,
	'... and what to do');
cmp_ok($report->{causes}->[0]->{share}, '>', 80, '... of most of the time');
like($report->{delay}, qr/^no\b/, 'no delay');
unlike($report->{text}, qr/larger transactions/, '... nor larger transactions');
my ($n, $slow, $before) =
  $node->row(q{SELECT count(*), sum(duration), sum(before_time) FROM commit_slow_log
WHERE application_name = 'shop'});
cmp_ok($slow, '<=', $latency, 'slow commits are not longer than the clients say');
cmp_ok($before, '>=', 95 * $n, '... and sleep in each');

# A transaction that has written nothing here
my $session = $node->start_psql(
	"INSERT INTO logged (n) VALUES (1);\nCOMMIT;\nSET application_name = 'far';\nBEGIN;\nINSERT INTO far SELECT generate_series(1, 20);\nCOMMIT;\n"
);
$node->wait_until(
	q{SELECT count(*) > 0 FROM commit_activity WHERE phase = 'before' AND detail ~ 'Extension|Postgres'}
);
ok(end_background($session), 'a COMMIT without an id ends');
is( $node->sql(
		q{SELECT min(before_time) >= 1900 FROM commit_slow_log WHERE application_name = 'far'}),
	't',
	'... and is in the slow log');
my $earlier = $node->queryid('INSERT INTO logged (n) VALUES (1)');
is( $node->sql(
		qq{SELECT count(*) FROM commit_slow_log WHERE application_name = 'far' AND queryid = $earlier}
	),
	0,
	'... without the statement of an earlier commit');

$remote->stop;
end_test($node);
