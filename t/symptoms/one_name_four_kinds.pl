# Does the report say that one name stands for several kinds of work, and which
# statement leads the flushes?
#
# Sessions of one application insert and update single rows, and one inserts
# 20,000 at a time.  Then each kind has its own name.

use Symptoms;

my $texts = has_library('pg_stat_statements');
my $node = make_situation('kinds',
	conf => "commit_stats.slow_commit_time = 0\n"
	  . ($texts ? "shared_preload_libraries = 'commit_stats,pg_stat_statements'\n" : ''));

$node->sql('CREATE TABLE counter (n int); INSERT INTO counter VALUES (0)');

sub run_kinds (%names)
{
	my %script = (
		small => [ 300, 'INSERT INTO logged (n) VALUES (1);' ],
		update => [ 150, 'UPDATE counter SET n = n + 1;' ],
		large => [ 10, 'INSERT INTO logged (n) SELECT generate_series(1, 20000);' ]);

	$node->sql('SELECT commit_stats_reset()');
	for my $kind (qw(small update large))
	{
		local $ENV{PGAPPNAME} = $names{$kind};
		run_pgbench($node, "-c 1 -t $script{$kind}->[0]", $kind => $script{$kind}->[1]);
	}
	return report_of($node);
}

my $report = run_kinds(small => 'shop', update => 'shop', large => 'shop');
my ($least, $most) =
  $node->row(q{SELECT min(wal_bytes), max(wal_bytes) FROM commit_slow_log, commit_stats_info
WHERE ended_at >= stats_reset});
my $wal = sprintf '%d B to %.2f MB', $least, $most / 1e6;

cmp_ok($most, '>', 1e6, 'a commit with a lot of WAL');
cmp_ok($least, '<', 1000, '... and one with little');
like(
	$report->{text},
	qr/^Who commits, since the reset\n  (?:100|9\d\.\d|>99\.9)% of the commits are of client shop \(\S+, postgres\)\./m,
	'the client');
like(
	$report->{text} =~ s/\n +/ /gr,
	qr/One name, slow commits of $wal of WAL: several kinds of work\. -> commit_statement_stats tells them apart/,
	'... and its kinds of work');

my $by_statement = $node->sql(
	'SELECT commits, flushes, reason FROM commit_statement_stats WHERE flushes > 0 ORDER BY 1 DESC'
);
my ($queryid, $share) = $node->row(
	q{SELECT queryid, flushes_share FROM commit_statement_stats ORDER BY flushes DESC LIMIT 1});
my ($said_share, $said) =
  $report->{text} =~ /^  ([\d.]+)% of the flushes are led by statement\s+(-?\d+)\s/m;

is($by_statement, "300|300|\n150|150|\n10|10|", 'commit_statement_stats has the three kinds');
is($said, $queryid, 'the report names the statement that leads most flushes');
cmp_ok(abs(($said_share // 0) - $share), '<=', 0.1, '... with its share');

SKIP:
{
	skip 'pg_stat_statements is not installed', 2 if !$texts;
	$node->sql('CREATE EXTENSION pg_stat_statements');
	like(
		report_of($node)->{text} =~ s/\n +/ /gr,
		qr/led by statement \Q$queryid\E \(INSERT INTO logged \(n\) VALUES \(\$1\)\), with/,
		'... and its text');
	$node->sql(
		'CREATE ROLE reader LOGIN; GRANT EXECUTE ON FUNCTION commit_stats_report() TO reader');
	like(
		$node->sql('SET ROLE reader; SELECT commit_stats_report()') =~ s/\n +/ /gr,
		qr/led by statement -?\d+ \(pg_stat_statements, or query_id of pg_stat_activity, shows its text\), with/,
		'... which a role without pg_read_all_stats does not see');
}

$report = run_kinds(small => 'single', update => 'update', large => 'batch');
unlike($report->{text}, qr/several kinds/, 'with a name for each: no kinds');
is( $node->sql(
		q{SELECT commits, flushes, NULL FROM commit_client_stats
WHERE application_name IN ('single', 'update', 'batch') ORDER BY 1 DESC}
	),
	$by_statement,
	'... and the same counts');

end_test($node);
