# Does a collector see the same as the history of the server?
#
# The witness of the history are differences between two scrapes of what
# monitoring/metrics names: counters and the cells of histograms.  The test
# ends a minute of the history at each scrape.  First an hour of the history's
# clock lies between two scrapes, in which its minutes end by themselves under
# load; then a load at a time, of which the row of the hour tells percentiles.

use CommitStats;
use List::Util qw(first sum0);
use POSIX      qw(ceil);

my $node = start_node(
	'scrapes',
	conf => q{
track_wal_io_timing = on
commit_stats.stall_time = 1ms
commit_stats.slow_commit_time = 1ms
commit_stats.history_minutes = 10080
commit_stats.history_start = 1800000000
commit_stats.history_speed = 1800
});
my $metrics = slurp_file('monitoring/metrics');
my ($query) = $metrics =~ /^query commit_stats \|.*?\n(.*?)\n\n/ms;
my %in_history = map { $_ => 1 } split /\n/, $node->sql(q{SELECT attname FROM pg_attribute
	WHERE attrelid = 'commit_history'::regclass AND attnum > 0});

$node->sql('CREATE UNLOGGED TABLE unlogged (n int)');

# WAL is that of flushes in this query, and that of transactions here and in
# the query for clients.  A scrape adds read-only commits at any time.
my %column = map { /^counter \w+ \| (\w+)(?: \/ 1000)? \|/ ? ($1 => 1) : () } split /\n/, $query;
delete $column{commits_read_only};
my @columns = grep { $in_history{$_} } sort keys %column;
like(
	$metrics,
	qr/^counter wal_bytes_total .* of the client wrote/m,
	'WAL is counted by client, too');
is( join(' ', @columns),
	'commit_time commits commits_async commits_unlogged delay_hits delay_time flushes slow_commits stall_time stalls',
	'what both have');

# In the transaction of a scrape: its own commit is counted after it.
sub scrape ($close = 'commit_history_close')
{
	my $columns = join ', ', @columns;
	my ($end, $cells, %value);

	($end, $cells, @value{ @columns, 'wal_bytes', 'commit_sum' }) = $node->row(
		qq{SELECT $close(), (SELECT string_agg(concat_ws(' ', role = 'flush', lower_bound,
		upper_bound, commits), ',') FROM commit_latency_histogram() WHERE role <> 'asynchronous'),
	s.*, (SELECT sum(wal_bytes) FROM commit_client_stats),
	(SELECT 1000 * sum(sum) FROM commit_latency_buckets WHERE role NOT IN ('flush', 'asynchronous'))
FROM (SELECT $columns FROM commit_flush_stats) s});
	$value{end} = $end;
	for (split /,/, $cells // '')
	{
		my ($is_flush, $lower, $upper, $n) = split / /;

		$value{cells}{ $is_flush eq 't' ? 'flush' : 'commit' }{"$lower $upper"} += $n;
	}
	return \%value;
}

# Times are sums of doubles.  The row of an hour begins with the reset, and a
# minute may have ended before the scrape knows its time.
sub same_counters ($before, $after, $resolution, $name)
{
	my @names = (@columns, 'wal_bytes');
	my $from = $resolution eq 'hour' ? '-infinity' : $before->{end};
	my %sum;

	@sum{@names} = $node->row(
			'SELECT '
		  . join(', ', map { "sum($_)" } @names)
		  . qq{ FROM commit_history WHERE resolution = '$resolution'
	AND period_start >= '$from' AND period_start < '$after->{end}'});
	for my $column (@names)
	{
		my $grown = $after->{$column} - $before->{$column};

		cmp_ok(abs($sum{$column} - $grown), '<', 1e-4, "$name: $column, $grown")
		  or diag("history: $sum{$column}");
	}
	cmp_ok(abs($sum{commit_time} - ($after->{commit_sum} - $before->{commit_sum})),
		'<', 1e-4, "$name: the sum of the histogram is commit_time");
}

# What a collector takes from the differences of cells, by the value that
# stands for all times of a cell
sub quantile ($before, $after, $kind, $q)
{
	my %grown = map { $_ => $after->{cells}{$kind}{$_} - ($before->{cells}{$kind}{$_} // 0) }
	  keys %{ $after->{cells}{$kind} };
	my $rank = ceil($q * sum0(values %grown));

	for (sort { (split / /, $a)[0] <=> (split / /, $b)[0] } keys %grown)
	{
		my ($lower, $upper) = split / /;

		$rank -= $grown{$_};
		return $upper eq 'Infinity' ? $lower : 2 * $lower * $upper / ($lower + $upper)
		  if $rank <= 0 && $grown{$_} > 0;
	}
	return -1;
}

my %load = (
	write => 'INSERT INTO logged VALUES (1)',
	unlogged => 'INSERT INTO unlogged VALUES (1)',
	async => 'BEGIN; SET LOCAL synchronous_commit = off; INSERT INTO logged VALUES (2); COMMIT');

# An hour of 2 s
my $before = scrape();
my $pgbench = start_pgbench($node, '-c 4 -j 2 -T 1000 -R 400', %load);
$node->wait_until(qq{SELECT count(*) >= 60 AND bool_or(commits > 0) FROM commit_history
	WHERE resolution = 'minute' AND period_start >= '$before->{end}'});
end_pgbench($node, $pgbench);
same_counters($before, scrape(), 'minute', 'an hour');

# A load at a time, in an hour that has just begun
$node->alter_system(
	'commit_stats.history_speed' => 1,
	'commit_stats.history_start' => 1803600000);
for my $round (1 .. 3)
{
	local $ENV{PGOPTIONS} = '-c commit_siblings=1 -c commit_delay=' . 1000 * ($round - 1);
	$before = scrape('commit_history_reset');
	run_pgbench($node, "-c 4 -j 2 -t @{[ 20 * $round ]}", %load);
	my $after = scrape();
	same_counters($before, $after, $_, "round $round, the $_") for qw(minute hour);
	my %row;
	my @quantiles = qw(commit_p50 commit_p95 commit_p99 flush_p50 flush_p99);

	@row{@quantiles} = $node->row(
		"SELECT @{[ join ', ', @quantiles ]} FROM commit_history WHERE resolution = 'hour'");
	for (@quantiles)
	{
		my ($kind, $percent) = /^(\w+)_p(\d+)$/;

		cmp_ok(abs($row{$_} - quantile($before, $after, $kind, $percent / 100)),
			'<=', 0.0006, "round $round: $_, $row{$_}");
	}
}

end_test($node);
