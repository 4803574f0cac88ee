# Do the files of monitoring/ work with the programs that they are for?
#
# Two servers commit.  A postgres_exporter at each and one sql_exporter for
# both are scraped by a Prometheus that has our rules.  After the last commit,
# every metric must be what the views say, and every query of the dashboard
# what can be computed from them; meanwhile no counter may have fallen.
#
# script/test-monitoring runs this; MONITORING_PROGRAMS is where the programs
# are.

use FindBin;
use CommitStats;
use CPAN::Meta::YAML;
use Expected;
use IPC::Run;
use JSON::PP;
use List::Util qw(max pairs);
use Programs;

my $monitoring = "$FindBin::RealBin/../../monitoring";
my $seconds = 600;    # of all that is asked; longer than the test takes
my $interval = "${seconds}s";

# What needs no server
command_ok([ program('promtool'), 'check', 'config', "$monitoring/prometheus.yml" ],
	'promtool accepts the configuration and the rules');
command_ok([ program('promtool'), 'test', 'rules', "$monitoring/rules_test.yml" ],
	'the rules pass their unit tests');

my $dashboard = decode_json(slurp_file("$monitoring/dashboard.json"));
my @panels = @{ $dashboard->{panels} };

sub check_dashboard
{
	my (%places, %ids);

	for my $panel (@panels)
	{
		my $where = $panel->{gridPos};

		$ids{ $panel->{id} }++;
		for my $x ($where->{x} .. $where->{x} + $where->{w} - 1)
		{
			$places{"$x $_"}++ for $where->{y} .. $where->{y} + $where->{h} - 1;
		}
	}
	is(max(values %ids), 1, 'each panel has an id of its own');
	is(max(values %places), 1, '... and a place');
	is(max(map { (split ' ')[0] } keys %places), 23, '... on the grid of Grafana');
	is(join(', ', map { $_->{title} } grep { length($_->{description}) < 60 } @panels),
		'', '... and a description');
	is( scalar(
			grep { $_->{datasource}{uid} ne '${datasource}' }
			map  { ($_, @{ $_->{targets} }) } @panels),
		0,
		'... and asks the data source that was chosen');
}

check_dashboard();

# Servers, exporters, Prometheus

# On one all flushes sleep, and each commit is slow; on the other neither can
# be.  sql_exporter tells servers by their host and port.
my %nodes;

for my $name ('sleeps', 'misses')
{
	my $node = $nodes{$name} = start_node(
		$name,
		conf => "listen_addresses = '127.0.0.1'
track_wal_io_timing = on
commit_delay = 1000
"
		  . (
			$name eq 'sleeps'
			? "commit_siblings = 0
commit_stats.slow_commit_time = 0
commit_stats.stall_time = 1ms"
			: "commit_siblings = 1000
commit_stats.slow_commit_time = 2147483647
commit_stats.stall_time = 0"));

	$node->sql('CREATE ROLE prometheus LOGIN IN ROLE pg_monitor');
	$node->sql('SELECT commit_stats_reset()');
}

my %instances;    # by job: what Prometheus calls each server
my @names = sort keys %nodes;

for my $name (@names)
{
	my $node = $nodes{$name};
	local $ENV{DATA_SOURCE_NAME} =
	  'user=prometheus dbname=postgres host=' . $node->host . ' port=' . $node->port;

	$instances{postgres}{$name} = start_program('prometheus-postgres-exporter',
		'/metrics', "--extend.query-path=$monitoring/postgres_exporter.yml");
	$instances{sql_exporter}{$name} = '127.0.0.1:' . $node->port;
}

my $scratch = PostgreSQL::Test::Utils::tempdir;
my $sql_exporter = start_program(
	'prometheus-sql-exporter',
	'/metrics',
	'--config.file='
	  . adapted(
		"$monitoring/sql_exporter.yml", "$scratch/sql_exporter.yml",
		'interval: 15s' => 'interval: 1s',
		'@db1.example/postgres?sslmode=require' =>
		  "\@$instances{sql_exporter}{$names[0]}/postgres?sslmode=disable",
		'@db2.example/postgres?sslmode=require' =>
		  "\@$instances{sql_exporter}{$names[1]}/postgres?sslmode=disable"));

# It has something to say a moment later than it answers; this query is its
# last but one, of 16 rows.
ok_eventually 'sql_exporter asks both servers', sub {
	my @lines = page("$sql_exporter/metrics") =~ /^sql_commit_stats_flush_size\{/mg;

	return @lines == 2 * 16;
};

my $prometheus = start_program(
	'prometheus',
	'/-/ready',
	"--storage.tsdb.path=$scratch/data",
	'--config.file='
	  . adapted(
		"$monitoring/prometheus.yml", "$scratch/prometheus.yml",
		'scrape_interval: 15s' => 'scrape_interval: 2s',
		'evaluation_interval: 15s' => 'evaluation_interval: 1s',
		'rules.yml' => "$monitoring/rules.yml",
		'db1.example:9187' => $instances{postgres}{ $names[0] },
		'db2.example:9187' => $instances{postgres}{ $names[1] },
		'localhost:9237' => $sql_exporter));

# All metrics of a server that Prometheus has from a job, by names and labels
# as in Expected.pm.
sub scraped ($job, $name)
{
	my %answer = query($prometheus,
		"{__name__=~'commit_stats_.*',job='$job',instance='$instances{$job}{$name}'}");
	my %metrics;

	while (my ($labels, $value) = each %answer)
	{
		my @labels =
		  grep { !/^(?:__name__|job|instance|server|user|database)=/ }
		  split /,/, $labels;
		my ($metric) = $labels =~ /__name__=(\w+)/;

		$metrics{ "$metric\{" . join(',', @labels) . '}' } = $value->[1];
	}
	return %metrics;
}

ok_eventually 'Prometheus has both servers from both exporters, and no commits', sub {
	my %commits = query($prometheus, 'commit_stats_commits_total');

	return keys %commits == 4 && !grep { $_->[1] != 0 } values %commits;
};

# Load, and then none
my @load = map {
	start_pgbench(
		$nodes{$_}, '-c 8 -j 2 -T 8',
		waits => "INSERT INTO logged VALUES (1);\n",
		relaxed => 'BEGIN; SET LOCAL synchronous_commit = off; INSERT INTO logged VALUES (2);
COMMIT;',
		bell => "BEGIN;\nINSERT INTO logged VALUES (4);\nNOTIFY bell;\nCOMMIT;\n");
} @names;

# A flush of 3 MB is a stall, at least one of a few.
ok_eventually 'a flush stalled', sub {
	$nodes{sleeps}->sql("SELECT pg_logical_emit_message(true, '', repeat('x', 3000000))");
	return $nodes{sleeps}->sql('SELECT stalls > 0 FROM commit_flush_stats') eq 't';
};
ok(end_background($_), 'pgbench came to its end') for @load;
for my $node (values %nodes)
{
	# a client whose counts move to another row, once it is dropped
	$node->sql(q{CREATE ROLE lease;
SET ROLE lease;
SELECT pg_current_xact_id();
RESET ROLE;
DROP ROLE lease;});
	# this cycle is done
	$node->sql('CHECKPOINT');
	$node->sql('INSERT INTO logged VALUES (3)');
}

# What is read first after a checkpoint may be pruned, and that is WAL.
read_views($_) for values %nodes;
my %views = map { ($_ => read_views($nodes{$_})) } @names;
my %expected;

cmp_ok($views{$_}{commit_flush_stats}[0]{commits}, '>', 500, "$_: there was a load") for @names;

# What has not arrived yet, or is wrong
sub differences ($job, $name)
{
	my %metrics = scraped($job, $name);
	my %bounds = map { /\{le=([^,}]+),role/ ? ($1 => 1) : () } keys %metrics;
	my $expected = $expected{$name} = metrics($views{$name}, keys %bounds);

	return map { "$_ is " . ($metrics{$_} // 'missing') . ", not $expected->{$_}" }
	  grep { !close_enough($expected->{$_}, $metrics{$_}) } sort keys %$expected;
}

for my $job (sort keys %instances)
{
	for my $name (@names)
	{
		eventually(sub { !differences($job, $name) });
		is(join("\n", differences($job, $name)),
			'', "$job, $name: every metric is what the views say");
		cmp_ok(keys %{ $expected{$name} }, '>', 300, "$job, $name: ... and there are some");
	}
}

my %others = query($prometheus, "commit_stats_client_commits_total{status!='present'}");

is(keys %others, 0, 'a dropped client has no series');

# What is 0 in a server at ease has been compared with something.
for my $metric (qw(slow_commits_total stalls_total stall_seconds_total
	client_commits_notify_total client_slow_commits_total))
{
	for my $name (@names)
	{
		my $grown =
		  grep { /^commit_stats_$metric\{/ && $expected{$name}{$_} > 0 } keys %{ $expected{$name} };

		is( $grown > 0                               ? 'grown' : 0,
			$name eq 'sleeps' || $metric =~ /notify/ ? 'grown' : 0,
			"$name: $metric");
	}
}

# Without commits, the exporters still read.
for my $job (sort keys %instances)
{
	for my $name (@names)
	{
		my $before = $views{$name}{commit_flush_stats}[0]{commits_read_only};
		my %metrics;

		ok_eventually "$job, $name: read-only commits are not fewer than before", sub {
			%metrics = scraped($job, $name);
			return $metrics{'commit_stats_commits_read_only_total{}'} >= $before;
		};
		my $stats = read_views($nodes{$name})->{commit_flush_stats}[0];
		cmp_ok(
			$metrics{'commit_stats_commits_read_only_total{}'},
			'<=',
			$stats->{commits_read_only},
			"$job, $name: ... and not more than after");
		is( $metrics{'commit_stats_reset_timestamp_seconds{}'} + 0,
			$nodes{$name}
			  ->sql('SELECT extract(epoch FROM stats_reset)::float8 FROM commit_stats_info') + 0,
			"$job, $name: the time of the reset");
	}
}

# A counter that falls is taken for one that has begun again.
my %counters = map { /^(\w+_(?:total|bucket|sum|count))\{/ ? ($1 => 1) : () }
  map { keys %$_ } values %expected;

for my $counter (sort keys %counters)
{
	my %resets = query($prometheus, "sum(resets({__name__='$counter'}[$interval]))");

	is($resets{''}[1], 0, "$counter has never fallen");
}

# The dashboard

# How much Prometheus makes of what it has seen, by the rules of rate() and
# delta(): a series that ends just before the end of the interval is thought to
# go on until then; one that begins after its beginning began half a step
# earlier, but no counter before it was 0.
sub weights ($job, $name, $time)
{
	my ($samples) = values %{ {
		query(
			$prometheus,
			"commit_stats_commits_total{job='$job',instance='$instances{$job}{$name}'}[$interval]",
			$time)
	} };
	my ($first, $last) = ($samples->[0][0], $samples->[-1][0]);
	my $step = ($last - $first) / (@$samples - 1);
	my $end = $time - $last < 1.1 * $step ? $time - $last : $step / 2;
	my $seen = $last - $first;

	return (rate => ($seen + $end) / $seen / $seconds, delta => ($seen + $end + $step / 2) / $seen);
}

my %answers = dashboard();
my %asked;
my %times = query($prometheus, 'timestamp(commit_stats_commits_total)');
my $time = max(map { $_->[1] } values %times);

# What Grafana makes of an expression of the dashboard
sub filled_in ($expr, $job, $instances)
{
	$expr =~ s/\$__rate_interval/$interval/g;
	$expr =~ s/\$job/$job/g;
	$expr =~ s/\$instance/$instances/g;
	die "$expr has a variable that nobody knows\n" if $expr =~ /\$[a-z_]/;
	return $expr;
}

# Compare the answer of Prometheus with ours; where there is nothing, it says
# NaN.
sub check_answer ($expr, $ours, $name)
{
	my %theirs = map { ($_->[0] => $_->[1][1]) } pairs query($prometheus, $expr, $time);
	my @wrong = map { "{$_} is too much" } grep { !exists $ours->{$_} } sort keys %theirs;

	for my $labels (sort keys %$ours)
	{
		my ($value, $expected) = ($theirs{$labels} // 'missing', $ours->{$labels} // 'NaN');

		push @wrong, "{$labels} is $value, not $expected"
		  unless $value eq $expected || $expected ne 'NaN' && close_enough($expected, $value);
	}
	is(join("\n", @wrong), '', $name);
}

# A regular expression for servers, as Grafana makes it
sub any_of
{
	return join('|', map { quotemeta } @_) =~ s/\\/\\\\/gr;
}

for my $job (sort keys %instances)
{
	my @servers =
	  map { { name => $instances{$job}{$_}, metrics => $expected{$_}, weights($job, $_, $time) } }
	  @names;

	for my $chosen ([ $servers[0] ], [ $servers[1] ], \@servers)
	{
		my $who = @$chosen > 1 ? 'both' : "server $chosen->[0]{name}";

		for my $panel (@panels)
		{
			for my $target (@{ $panel->{targets} })
			{
				my $query = "$panel->{title} $target->{refId}";

				$asked{$query} = 1;
				next unless $answers{$query};
				check_answer(
					filled_in($target->{expr}, $job, any_of(map { $_->{name} } @$chosen)),
					{ $answers{$query}->(@$chosen) },
					"$job, $who: $query");
			}
		}
	}
}
is( join(', ', sort keys %asked),
	join(', ', sort keys %answers),
	'these are all queries of the dashboard');

# The views have quantiles as well, within 5%; a bucket is up to 50% wide, and
# what is below the first one cannot be told.
for my $name (@names)
{
	my ($panel) = grep { $_->{title} eq 'Commit time p99 by what was waited for' } @panels;
	my %answer =
	  query($prometheus,
		filled_in($panel->{targets}[0]{expr}, 'postgres', any_of($instances{postgres}{$name})),
		$time);

	for my $row (grep { $_->{p99} > 0.033 } @{ $views{$name}{commit_latency_stats} })
	{
		my $labels = "role=$row->{role},wait_level=$row->{wait_level}";
		my $ratio = $answer{$labels}[1] * 1000 / $row->{p99};

		cmp_ok(max($ratio, 1 / $ratio),
			'<', 1.5 * 1.05,
			"$name: p99 of {$labels} is that of commit_latency_stats, to a bucket");
	}
}

# The rules
for my $name (@names)
{
	my $instance = $instances{postgres}{$name};
	my $stats = $views{$name}{commit_flush_stats}[0];

	ok_eventually "$name: commits per flush are recorded", sub {
		my %answer = query($prometheus,
			"instance:commit_stats_commits_per_flush:ratio_rate5m{job='postgres',instance='$instance'}"
		);

		return close_enough($stats->{commits} / $stats->{flushes}, (values %answer)[0][1]);
	};
}
is( join(', ',
		map { "$_->{name}: $_->{lastError}" } grep { $_->{health} ne 'ok' }
		map { @{ $_->{rules} } } @{ ask($prometheus, 'rules')->{groups} }),
	'',
	'all rules can be evaluated');

# How many flushes are unresolved is up to the machine, and how many stall
# here.
sub pending_alerts
{
	return join ', ',
	  sort map { "$_->{labels}{alertname} $_->{labels}{instance} $_->{state}" } grep {
			 $_->{labels}{job} eq 'postgres'
		  && $_->{labels}{alertname} !~ /^(?:CommitStatsUnresolved|CommitFlushesStall)$/
	  } @{ ask($prometheus, 'alerts')->{alerts} };
}

my $alert = "CommitDelayNeverHits $instances{postgres}{misses} pending";

eventually(sub { pending_alerts() eq $alert });
is(pending_alerts(), $alert, 'the alert for which there is reason is pending, and no other');

# Names
my $exposed =
  page("$instances{postgres}{sleeps}/metrics") =~ s/^(?!(?:# \w+ )?commit_stats_).*\n//mgr;
my $complaints = '';

IPC::Run::run([ program('promtool'), 'check', 'metrics' ], '<', \$exposed, '>&', \$complaints);
is($complaints, '', 'promtool finds nothing wrong with the names and types of the metrics');

my %types = $exposed =~ /^# TYPE (\w+) (\w+)$/mg;
my %listed = map { ("$_->{query}_$_->{name}" => $_->{kind}) }
  grep { $_->{kind} ne 'label' } listed_metrics();

is_deeply(\%types, \%listed, 'the metrics and their types are those of monitoring/metrics');

# pgwatch: its file is YAML with SQL
my ($pgwatch) = @{ CPAN::Meta::YAML->read_string(slurp_file("$monitoring/pgwatch.yml")) };

for my $metric (sort keys %{ $pgwatch->{metrics} })
{
	my $sql = $pgwatch->{metrics}{$metric}{sqls}{15};
	my $rows = decode_json(
		$nodes{sleeps}->sql(
			"SELECT jsonb_agg(to_jsonb(m)) FROM ($sql) m",
			extra_params => [ '-U', 'prometheus' ]));
	my @wrong;

	for my $row (@$rows)
	{
		# Prometheus has no empty labels
		my @labels = map { /^tag_(.*)/ && $row->{$_} ne '' ? "$1=$row->{$_}" : () } sort keys %$row;

		for my $column (grep { !/^tag_|^epoch_ns$|read_only|^sessions$/ } keys %$row)
		{
			my $name = "${metric}_$column\{" . join(',', @labels) . '}';

			push @wrong, "$name is $row->{$column}"
			  unless close_enough($expected{sleeps}{$name} // -1, $row->{$column});
		}
	}
	is(join(', ', @wrong), '', "pgwatch: $metric is what postgres_exporter says");
}

# The OpenTelemetry Collector: each column that a metric names is there
my ($collector) = @{ CPAN::Meta::YAML->read_string(slurp_file("$monitoring/otel_collector.yml")) };

for my $query (@{ $collector->{receivers}{'sqlquery/commit_stats'}{queries} })
{
	my ($metric) = map { $_->{metric_name} } @{ $query->{metrics} };
	my $row = decode_json(
		$nodes{sleeps}->sql(
			"SELECT to_jsonb(m) FROM ($query->{sql}) m LIMIT 1",
			extra_params => [ '-U', 'prometheus' ]));
	my @columns =
	  map { ($_->{value_column}, $_->{start_ts_column} || (), @{ $_->{attribute_columns} || [] }) }
	  @{ $query->{metrics} };

	is(join(', ', grep { !defined $row->{$_} } @columns),
		'', "OpenTelemetry: the query of $metric has the columns");
	is( join(', ',
			grep { $row->{$_} !~ /^\d+\z/ }
			map  { ($_->{start_ts_column} || (), $_->{value_column}) }
			grep { $_->{value_type} eq 'int' } @{ $query->{metrics} }),
		'',
		"OpenTelemetry: the integers of $metric are integers");
}

# A reset looks as one
$nodes{sleeps}->sql('SELECT commit_stats_reset()');
ok_eventually 'a reset of the statistics is a reset to Prometheus', sub {
	my %answer = query($prometheus,
		"resets(commit_stats_commits_total{instance='$instances{postgres}{sleeps}'}[$interval])");

	return (values %answer)[0][1] == 1;
};

end_programs();
$_->stop for values %nodes;
done_testing();
