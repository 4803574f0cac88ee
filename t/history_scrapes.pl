# Does a collector see the same as the history of the server?
#
# The test ends a minute of commit_history at each scrape.  The counters that
# monitoring/metrics names then differ between two scrapes by what the rows of
# the history between them have.

use lib 't';
use CommitStats;

my $node = start_node('scrapes');
my $metrics = PostgreSQL::Test::Utils::slurp_file('monitoring/metrics');
my ($query) = $metrics =~ /^query commit_stats \|.*?\n(.*?)\n\n/ms;
my %in_history = map { $_ => 1 } split /\n/, $node->sql(q{SELECT attname FROM pg_attribute
	WHERE attrelid = 'commit_history'::regclass AND attnum > 0});

# WAL is that of flushes there, and that of transactions here.
my %column = map { /^counter (\w+) \| (\w+)(?: \/ 1000)? \|/ ? ($1 => $2) : () } split /\n/, $query;
my @metrics = grep { $in_history{ $column{$_} } } sort keys %column;

cmp_ok(scalar @metrics, '>=', 8, 'metrics that both have');

# In the transaction of a scrape: its own commit is counted after it.
sub scrape ()
{
	my $columns = join ', ', @column{@metrics};
	my ($end, @values) = split /\|/,
	  $node->sql(
		"SELECT commit_history_close(), c.* FROM (SELECT $columns FROM commit_flush_stats) c");

	return { end => $end, map { $metrics[$_] => $values[$_] } 0 .. $#metrics };
}

my @scrapes = scrape();

for my $load (1 .. 3)
{
	$node->sql('INSERT INTO logged VALUES (1)')                               for 1 .. 10 * $load;
	$node->sql('SET synchronous_commit = off; INSERT INTO logged VALUES (1)') for 1 .. $load;
	push @scrapes, scrape();
}
for my $i (1 .. $#scrapes)
{
	my ($from, $to) = map { $_->{end} } @scrapes[ $i - 1, $i ];

	for my $metric (grep { $_ ne 'commits_read_only_total' } @metrics)
	{
		my $sum = $node->sql(
			qq{SELECT coalesce(sum($column{$metric}), 0) FROM commit_history
			WHERE resolution = 'minute' AND period_start >= '$from' AND period_start < '$to'});
		my $grown = $scrapes[$i]{$metric} - $scrapes[ $i - 1 ]{$metric};

		# times are sums of doubles
		ok(abs($sum - $grown) < 1e-6, "$metric from scrape @{[ $i - 1 ]} to $i: $grown")
		  or diag("history: $sum");
	}
}

done_testing();
