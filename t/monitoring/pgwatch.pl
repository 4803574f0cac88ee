# Does pgwatch make of monitoring/pgwatch.yml what the views say?
#
# pgwatch watches a server, and serves what it has read to Prometheus.  After
# the last commit, every metric of the file must be there with the value that
# the views have, and with the right type, and pgwatch must not have dropped a
# column.
#
# script/test-pgwatch runs this; PGWATCH is the program.

use FindBin;
use CommitStats;
use CPAN::Meta::YAML;
use Expected;
use Programs;

my $file = "$FindBin::RealBin/../../monitoring/pgwatch.yml";
my ($definitions) = @{ CPAN::Meta::YAML->read_string(slurp_file($file)) };
my $metrics = $definitions->{metrics};
my $node = start_node(
	'watched', conf => 'track_wal_io_timing = on
commit_delay = 1000
commit_siblings = 0');
my $scratch = PostgreSQL::Test::Utils::tempdir;

$node->sql('CREATE ROLE prometheus LOGIN IN ROLE pg_monitor');
$node->sql('SELECT commit_stats_reset()');

# pgwatch, which asks for each metric once a second
append_to_file("$scratch/sources.yml",
		"- name: watched\n  kind: postgres\n  is_enabled: true\n"
	  . '  conn_str: postgresql://prometheus@/postgres?host='
	  . $node->host
	  . '&port='
	  . $node->port
	  . "\n  custom_metrics:\n"
	  . join('', map { "    $_: 1\n" } sort keys %$metrics));

my $address = free_address();
my $log = start_at(
	$address, '/metrics',
	'pgwatch', $ENV{PGWATCH},
	"--sources=$scratch/sources.yml", "--metrics=$file",
	"--sink=prometheus://$address", '--web-disable=all',
	'--instance-level-cache-max-seconds=0');

# What pgwatch has served, by names and labels as in Expected.pm, and the
# types.  Version 3 serves a value once only, and adds labels of its own.
my (%served, %types);

sub scrape
{
	my $page = page("$address/metrics") // '';

	while ($page =~ /^pgwatch_(commit_stats_\w+)\{(.*)\} (\S+)(?: \d+)?$/mg)
	{
		my ($name, $labels, $value) = ($1, $2, $3);
		my @labels =
		  grep { !/^(?:dbname|real_dbname|sys_id)=/ }
		  map { s/="(.*)"$/=$1/r } split /,/, $labels;

		$served{ "$name\{" . join(',', @labels) . '}' } = $value;
	}
	%types = (%types, $page =~ /^# TYPE pgwatch_(commit_stats_\w+) (\w+)$/mg);
}

ok_eventually 'pgwatch asks the server', sub {
	scrape();
	return defined $served{'commit_stats_commits_total{}'};
};

# Load, and then none
run_pgbench(
	$node, '-c 8 -j 2 -t 100',
	waits => "INSERT INTO logged VALUES (1);\n",
	relaxed => 'BEGIN; SET LOCAL synchronous_commit = off; INSERT INTO logged VALUES (2);
COMMIT;');
# this cycle is done
$node->sql('CHECKPOINT');
$node->sql('INSERT INTO logged VALUES (3)');

# What is read first after a checkpoint may be pruned, and that is WAL.
read_views($node);

my $views = read_views($node);

cmp_ok($views->{commit_flush_stats}[0]{commits}, '>', 300, 'there was a load');

# What pgwatch must have: the columns of the queries
my %wanted;    # metrics that the file has

for my $metric (keys %$metrics)
{
	my $columns = $node->sql("
SELECT DISTINCT jsonb_object_keys(to_jsonb(m))
FROM ($metrics->{$metric}{sqls}{15}) m");

	$wanted{"${metric}_$_"} = 1 for grep { !/^tag_|^epoch_ns$/ } split /\n/, $columns;
}

# Reading changes these.
sub is_steady ($name)
{
	return $name !~ /^commit_stats_(?:commits_read_only|client_sessions)/;
}

sub differences
{
	my %bounds = map { /\{le=([^,}]+),role/ ? ($1 => 1) : () } keys %served;
	my %expected = %{ metrics($views, keys %bounds) };

	return (
		(   map  { "$_ is " . ($served{$_} // 'missing') . ", not $expected{$_}" }
			grep { !close_enough($expected{$_}, $served{$_}) }
			grep { /^(\w+)/ && $wanted{$1} && is_steady($1) } sort keys %expected),
		(   map    { "$_ is not in the views" }
			  grep { is_steady($_) && !exists $expected{$_} } sort keys %served));
}

sub names_served
{
	my %names = map { s/\{.*//r => 1 } keys %served;

	return join ' ', sort keys %names;
}

my $names_wanted = join ' ', sort keys %wanted;

eventually(sub { scrape(); !differences() && names_served() eq $names_wanted });
is(join("\n", differences()), '', 'every metric is what the views say');
is(names_served(), $names_wanted, '... and pgwatch has dropped none');
cmp_ok(keys %served, '>', 150, '... and there are some');

ok_eventually 'read-only commits are not fewer than before', sub {
	scrape();

	my $commits = $served{'commit_stats_commits_read_only_total{}'};

	return $commits >= $views->{commit_flush_stats}[0]{commits_read_only};
};

is( join(' ', grep { $types{$_} ne 'counter' } sort keys %types),
	join(' ', grep { !/_total$|_bucket$/ } sort keys %wanted),
	'gauges are gauges, and all else is a counter');

my @complaints = grep { /ERROR|dropped|skipping/ } split /\n/, slurp_file($log);

is(join("\n", @complaints), '', 'pgwatch has nothing to complain about');

end_programs();
end_test($node);
