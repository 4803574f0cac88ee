# What Prometheus must say: the names of monitoring/metrics, with values that
# are computed from the views.

package Expected;

use CommitStats;
use Exporter 'import';
use FindBin;
use JSON::PP;
use List::Util qw(first min sum0);
use Scalar::Util 'looks_like_number';

our @EXPORT = qw(read_views listed_metrics metrics dashboard close_enough);

my @sizes = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 9**9**9);

# The metrics of monitoring/metrics: query, kind, name, expression and options.
sub listed_metrics
{
	my ($query, @metrics);

	for (split /\n/, slurp_file("$FindBin::RealBin/../../monitoring/metrics"))
	{
		$query = $1 if /^query (\w+)/;
		push @metrics,
		  { query => $query, kind => $1, name => $2, expression => $3, options => $4 // '' }
		  if /^(label|counter|gauge|histogram) (\w+) \| (.*?) \| .*?(?: \| (.*))?$/;
	}
	return grep { $_->{options} !~ /otel only/ } @metrics;
}

# The counters of a query by the row of a view: sums, columns and "/ 1000".
# Reading the views changes commits_read_only.
sub counters ($query, $labels, $row)
{
	my %values;

	for my $metric (grep { $_->{query} eq $query && $_->{kind} eq 'counter' } listed_metrics())
	{
		next if $metric->{name} =~ /read_only/;

		my $value = 0;
		my ($terms, $divisor) = $metric->{expression} =~ m{^([\w +():]+?)(?: / (\d+))?$};

		$value += $row->{$_} for grep { !/^sum$|^bigint$/ } $terms =~ /([a-z]\w*)/g;
		$values{"${query}_$metric->{name}\{$labels\}"} = $value / ($divisor // 1);
	}
	return %values;
}

# What the views of a server say, as lists of rows.
sub read_views ($node)
{
	my %views;

	for my $view (views_of_commit_stats())
	{
		# not our view, which is to be compared with the others
		next if $view eq 'commit_latency_buckets' || $view eq 'commit_flush_log';
		$views{$view} =
		  decode_json($node->sql("SELECT coalesce(jsonb_agg(to_jsonb(v)), '[]') FROM $view v"));
	}
	$views{block_size} = $node->sql('SHOW block_size');
	return \%views;
}

sub close_enough ($ours, $theirs)
{
	return looks_like_number($theirs) && abs($ours - $theirs) <= 1e-6 * abs($ours);
}

# How many took less than "bound" seconds, by a histogram that has this as the
# bound of a cell: a bucket of Prometheus is an exact one, or none.
sub less_than ($cells, $bound)
{
	my $cell = first
	{
		$_->{upper_bound} eq 'Infinity' ? $bound eq '+Inf' : $bound ne '+Inf'
		  && abs($_->{upper_bound} / 1000 - $bound) < 1e-9 * $bound
	} @$cells;

	die "$bound s is no bound of a cell\n" if @$cells && !$cell;
	return $cell ? $cell->{cumulative} : 0;
}

# The levels and roles of commits.
sub kinds
{
	return (
		[ 'off', 'asynchronous' ],
		map {
			my $level = $_;
			map { [ $level, $_ ] } qw(leader follower)
		} qw(local remote_write on remote_apply));
}

sub of_kind ($kind, $rows)
{
	return [ grep { $_->{wait_level} eq $kind->[0] && $_->{role} eq $kind->[1] } @$rows ];
}

# A histogram under the names of Prometheus.
sub histogram ($name, $labels, $bounds, $cells, $count, $ms)
{
	return (
		(   map { (
				"${name}_bucket{" . join(',', "le=$_", @$labels) . '}' => less_than($cells, $_)) }
			  @$bounds),
		"${name}_sum{" . join(',', @$labels) . '}' => ($ms || 0) / 1000,
		"${name}_count{" . join(',', @$labels) . '}' => $count || 0);
}

# The metrics of clients, except what reading changes: the sessions.
sub clients
{
	my @rows = @_;
	my %metrics;

	for my $row (@rows)
	{
		my $labels = join ',', map { "$_=" . ($row->{$_} // '') }
		  grep { ($row->{$_} // '') ne '' } qw(application_name datname rolname status);

		%metrics = (%metrics, counters('commit_stats_client', $labels, $row));
	}
	return %metrics;
}

# All metrics of a server, except those that change without commits;
# "bounds" are those of the buckets that Prometheus has.
sub metrics ($views, @bounds)
{
	my ($stats) = @{ $views->{commit_flush_stats} };
	my ($cycle) = sort { $b->{started_at} cmp $a->{started_at} }
	  grep { $_->{finished} } @{ $views->{commit_wal_stats} };
	my ($flush) = @{ $views->{commit_flush_latency_stats} };
	my %metrics = (
		counters('commit_stats', '', $stats),
		clients(grep { $_->{status} eq 'present' } @{ $views->{commit_client_stats} }),
		'commit_stats_last_cycle_commits{}' => $cycle->{commits},
		'commit_stats_last_cycle_wal_bytes{}' => $cycle->{wal_bytes},
		'commit_stats_last_cycle_wal_fpi_bytes{}' => min(
			$cycle->{wal_bytes}, $cycle->{wal_fpi_bytes} // $cycle->{wal_fpi} * $views->{block_size}
		),
		histogram(
			'commit_stats_flush_duration_seconds',
			[], \@bounds, $views->{commit_flush_latency_histogram},
			$flush->{flushes}, $flush->{flush_time}));

	for my $kind (kinds())
	{
		my ($row) = @{ of_kind($kind, $views->{commit_latency_stats}) };

		%metrics = (
			%metrics,
			histogram(
				'commit_stats_commit_duration_seconds',
				[ "role=$kind->[1]", "wait_level=$kind->[0]" ],
				\@bounds,
				of_kind($kind, $views->{commit_latency_histogram}),
				$row->{commits},
				$row->{commit_time}));
	}
	for my $size (@sizes)
	{
		$metrics{ 'commit_stats_flush_size_flushes{at_most='
			  . ($size < 9**9**9 ? $size : '+Inf')
			  . '}' } = sum0(map { $_->{commits_in_flush} <= $size ? $_->{flushes} : 0 }
			  @{ $views->{commit_flush_histogram} });
	}
	return \%metrics;
}

# What is added up over servers.  Each is { name, metrics, rate, delta }:
# Prometheus has seen its counters and gauges grow from 0 to "metrics", and
# scales each, as the time between the first and the last scrape is not the
# whole interval.
sub total ($servers, $weight, $pattern)
{
	return sum0(
		map {
			my $server = $_;

			map    { $server->{metrics}{$_} * $server->{$weight} }
			  grep { /^commit_stats_$pattern$/ }
			  keys %{ $server->{metrics} }
		} @$servers);
}

sub rate
{
	return total($_[0], 'rate', "$_[1]\\{\\}");
}

# As histogram_quantile() is documented; undef if there is nothing.
sub quantile ($q, $servers, $name, $labels)
{
	my @bounds = sort { $a <=> $b }
	  map { /^commit_stats_${name}_bucket\{le=([^,}+]+)/ ? $1 : () }
	  keys %{ $servers->[0]{metrics} };
	my ($from, $below) = (0, 0);
	my $rank = $q * total($servers, 'rate', "${name}_bucket\\{le=\\+Inf$labels\\}");
	my %seen;

	return if $rank == 0;
	for my $bound (grep { !$seen{$_}++ } @bounds)
	{
		my $n = total($servers, 'rate', "${name}_bucket\\{le=$bound$labels\\}");

		return $from + ($bound - $from) * ($rank - $below) / ($n - $below) if $n >= $rank;
		($from, $below) = ($bound, $n);
	}
	return $from;
}

sub commit_quantile ($q, $servers)
{
	return quantile($q, $servers, 'commit_duration_seconds', ',role=(?:leader|follower),.*');
}

# The same for each server, as "instance=NAME".
sub by_server ($code, @servers)
{
	return map { ("instance=$_->{name}" => $code->([$_])) } @servers;
}

sub all ($code)
{
	return sub { ('' => $code->([@_])) };
}

sub per_flush ($servers)
{
	return rate($servers, 'commits_total') / rate($servers, 'flushes_total');
}

sub share_of_hits ($servers)
{
	return rate($servers, 'delay_hits_total') / rate($servers, 'delay_decisions_total');
}

sub one ($name)
{
	return sub { $_[0][0]{metrics}{"commit_stats_$name\{}"} };
}

# For each query of the dashboard, by panel and place, what must come of it.
sub dashboard
{
	return (
		'Commits A' => all(sub { rate(@_, 'commits_total') }),
		'Commits B' => all(sub { rate(@_, 'commits_async_total') }),
		'Flushes A' => sub {
			by_server(sub { rate(@_, 'flushes_total') }, @_);
		},
		'Commits per flush A' => all(\&per_flush),
		'Commits per flush B' => sub { by_server(\&per_flush, @_) },
		'Commit time, all servers A' => all(sub { commit_quantile(0.5, @_) }),
		'Commit time, all servers B' => all(sub { commit_quantile(0.95, @_) }),
		'Commit time, all servers C' => all(sub { commit_quantile(0.99, @_) }),
		'Commit time p99 by server A' => sub {
			by_server(sub { commit_quantile(0.99, @_) }, @_);
		},
		'Commit time p99 by what was waited for A' => sub {
			my @servers = @_;

			map { (
				"role=$_->[1],wait_level=$_->[0]" => scalar quantile(
					0.99, \@servers,
					'commit_duration_seconds', ",role=$_->[1],wait_level=$_->[0]")) } kinds();
		},
		'Flush time A' => all(sub { quantile(0.5, @_, 'flush_duration_seconds', '') }),
		'Flush time B' => all(sub { quantile(0.99, @_, 'flush_duration_seconds', '') }),
		'commit_delay A' => all(\&share_of_hits),
		'commit_delay B' => all(sub { 1 - share_of_hits(@_) }),
		'Commits in a flush A' => sub {
			my @servers = @_;

			map { ("le=$_" => total(\@servers, 'delta', "flush_size_flushes\\{at_most=\Q$_\E\\}")) }
			  map { $_ < 9**9**9 ? $_ : '+Inf' } @sizes;
		},
		'WAL of a checkpoint cycle A' => sub {
			by_server(one('last_cycle_wal_bytes'), @_);
		},
		'Full-page images A' => sub {
			by_server(
				sub {
					one('last_cycle_wal_fpi_bytes')->(@_) / one('last_cycle_wal_bytes')->(@_);
				},
				@_);
		},
		'Unresolved A' => all(sub {
			rate(@_, 'unresolved_flushes_total') / rate(@_, 'flushes_total');
		}),
		'Clients A' => sub {
			my @servers = @_;
			my %clients = map { /_client_commits_total\{(.*)/ ? ($1 => 1) : () }
			  map { keys %{ $_->{metrics} } } @servers;
			my %rates;

			for my $client (keys %clients)
			{
				my $labels = join ',', $client =~ /((?:application_name|datname)=[^,]+)/g;

				$rates{$labels} += total(\@servers, 'rate', "client_commits_total\\{\Q$client\E");
			}
			return %rates;
		},
		'Slow commits A' => sub {
			by_server(sub { rate(@_, 'slow_commits_total') }, @_);
		},
		'Stalls A' => sub {
			by_server(sub { rate(@_, 'stall_seconds_total') }, @_);
		},
		'Unresolved B' => all(sub {
			rate(@_, 'unresolved_commits_total') / rate(@_, 'commits_total');
		}));
}

1;
