# Does the report say that one name stands for several kinds of work?
#
# Sessions of one application insert single rows, and one inserts 20,000 at a
# time.  Then each kind has its own name.

use lib 't', 't/symptoms';
use CommitStats;
use Symptoms;

my $node = make_situation('kinds', conf => "commit_stats.slow_commit_time = 0\n");

sub run_kinds (%names)
{
	my %script = (
		small => [ 400, 'INSERT INTO logged (n) VALUES (1);' ],
		large => [ 10, 'INSERT INTO logged (n) SELECT generate_series(1, 20000);' ]);

	$node->sql('SELECT commit_stats_reset()');
	for my $kind (qw(small large))
	{
		local $ENV{PGAPPNAME} = $names{$kind};
		run_pgbench($node, "-c 1 -t $script{$kind}->[0]", $kind => $script{$kind}->[1]);
	}
	return report_of($node);
}

my $report = run_kinds(small => 'shop', large => 'shop');
my ($least, $most) =
  split /\|/,
  $node->sql(q{SELECT min(wal_bytes), max(wal_bytes) FROM commit_slow_log, commit_stats_info
WHERE ended_at >= stats_reset});
my $wal = sprintf '%d B to %.2f MB', $least, $most / 1e6;

cmp_ok($most, '>', 1e6, 'a commit with a lot of WAL');
cmp_ok($least, '<', 1000, '... and one with little');
like(
	$report->{text},
	qr/^Who commits\n  (?:100|9\d\.\d|>99\.9)% of the commits are of client shop \(\S+, postgres\)\./m,
	'the client');
like(
	$report->{text} =~ s/\n +/ /gr,
	qr/One name, slow commits of $wal of WAL: several kinds of work\. -> SET application_name/,
	'... and its kinds of work');
is_consistent($report, 'one name');

$report = run_kinds(small => 'single', large => 'batch');
unlike($report->{text}, qr/several kinds/, 'with a name for each: no kinds');

$node->stop;
done_testing();
