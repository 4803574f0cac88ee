# With a fast standby, which lets commits go on in the order in which it
# answers, does each commit count in the flush that it shared?
#
# 8 clients, and a standby on the same machine.  The witnesses are pgbench's
# number of transactions and the server's own count of WAL syncs.

use Symptoms;

my $primary = make_situation('primary');
my $standby = add_standby($primary, '', 'sb1');
my $syncs =
  $primary->pg_version >= 18
  ? q{SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal' AND context = 'normal'}
  : 'SELECT wal_sync FROM pg_stat_wal';

require_standby($primary, 'sb1');
for my $clients (8, 4)
{
	my $name = "$clients clients";

	$primary->wait_until_alone;
	$primary->sql('SELECT commit_stats_reset()');
	my $before = $primary->sql($syncs);
	my $n =
	  end_load(start_load($primary, "-c $clients -t 500", 'INSERT INTO logged (n) VALUES (1);'));
	$primary->wait_until_alone;
	my $synced = $primary->sql($syncs) - $before;
	my ($flushes, $commits) =
	  $primary->row('SELECT sum(flushes), sum(commits) FROM commit_flush_histogram');
	my $per_flush = $primary->sql('SELECT commits_per_flush FROM commit_flush_stats');

	is($n, 500 * $clients, "$name: pgbench's transactions");
	cmp_ok(abs($commits - $n), '<=', 0.01 * $n, "$name: the histogram has the commits");
	cmp_ok(abs($flushes - $synced), '<=', 0.01 * $synced + 2, "$name: ... and the flushes")
	  or diag "$flushes flushes, $synced syncs";
	cmp_ok(
		abs($commits / $flushes - $per_flush),
		'<=',
		0.01 * $per_flush,
		"$name: commits_per_flush agrees with it");
}

# The ring still has all of them; a group may stand for several.
my $report = report_of($primary);
my ($newest) = $report->{text} =~ /^  newest: (\d+) flushes/m;
my $flushes = $primary->sql('SELECT flushes FROM commit_flush_stats');

cmp_ok(abs($newest - $flushes), '<=', 0.02 * $flushes + 2, 'the report: the newest flushes')
  or diag "$newest of $flushes";

# Few others see the end of a flush of 100 ms, so what sums know is far from
# what the short wait takes.
set_volume($primary, 10);
my $load = start_load($primary, '-c 16 -T 600', 'INSERT INTO logged (n) VALUES (1);');
my ($failed, $reasons);

ok_eventually 'remedies are predicted beside it', sub {
	# a busy machine may commit too little to learn from
	($failed, $reasons) =
	  $primary->psql('postgres', q{SELECT string_agg(reason, '|') FROM commit_remedies('5 s')});
	return !$failed && $reasons !~ /wait for a standby/;
} or diag $reasons;
set_volume($primary, 0);
end_load($load, 'TERM');

end_test($standby, $primary);
