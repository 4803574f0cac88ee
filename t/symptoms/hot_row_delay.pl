# Does the report say that the sleeps of commit_delay carry nobody, where all
# sessions update one row, and only until that has been followed?
#
# 16 clients on a volume that takes 20 ms for a flush, before which each leader
# sleeps for 60 ms.  commit_siblings = 0, as sessions that wait for a lock are
# no siblings.

use Symptoms;

my $node = make_situation('hot_row_delay', conf => "commit_siblings = 0\n");

$node->sql(q{CREATE TABLE counter (id int PRIMARY KEY, n bigint);
INSERT INTO counter VALUES (1, 0)});

# The report, the counts of the same time, and samples of pg_stat_activity
sub report_with_delay ($delay)
{
	$node->alter_system(commit_delay => $delay);
	set_volume($node, 50);
	my $load = start_load($node, '-c 16 -T 30', 'UPDATE counter SET n = n + 1 WHERE id = 1', 'hot');

	$node->wait_until(q{SELECT count(*) = 16 FROM pg_stat_activity WHERE application_name = 'hot'});
	$node->sql('SELECT commit_stats_reset()');
	my %waits = sample_waits($node, 'hot', 12);
	my $report = report_of($node);
	my $counts = flush_stats($node);

	set_volume($node, 0);
	end_load($load, 'TERM');
	# backends that waited for the row still commit, with the former delay
	$node->wait_until(q{SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'hot'});
	return ($report, $counts, \%waits);
}

my ($report, $counts, $waits) = report_with_delay(60000);

# A session that waits for no lock is in its commit, and has no wait event
# while it sleeps (before 19).
my $asleep = ($waits->{CPU} // 0) + ($waits->{'Timeout/CommitDelay'} // 0);
my $syncs = $waits->{'IO/WALSync'} // $waits->{'IO/WalSync'} // 0;    # since 17
my $share = 100 * $asleep / ($asleep + $syncs);

cmp_ok($counts->{delay_hits}, '>', 50, 'leaders sleep');
first_cause_is($report, qr/^asleep for commit_delay\./, 'the first cause is the sleep');
cmp_ok(abs($report->{causes}->[0]->{share} - $share), '<=', 8, '... with its share')
  or diag "pg_stat_activity: $share%";
like(
	$report->{causes}->[1]->{text} // '',
	qr/^flushes, one after the other: on average [\d.]+ sessions wait for a row/,
	'... the second one that they come one after the other');

# A sleep that carried others carried one at least.
my $alone = 100 * (1 - $counts->{commits_carried} / $counts->{delay_hits});
my ($said) =
  $report->{delay} =~ /^set it to 0\. >?([\d.]+)% of the newest sleeps carried no other commit\./;

ok(defined $said, 'the advice is no delay') or diag $report->{delay};
cmp_ok($said // 0, '>=', $alone - 3, '... with the share of sleeps that carried nobody');
like($report->{text}, qr/SET commit_delay = 0/, '... as a setting');
unlike($report->{text}, qr/may pay|commit_delay_sweep\(/, 'no longer delay is proposed');

# Advice that was followed does not come again.
($report, $counts) = report_with_delay(0);
is($counts->{delay_hits}, 0, 'without the delay, no leader sleeps');
first_cause_is($report, qr/^flushes, one after the other/, '... commits come one after the other');
like(
	$report->{delay},
	qr/^no\. No commit can come while|^not known\. \d+ commits so far/,
	'... no delay is proposed');
unlike($report->{text}, qr/SET commit_delay|asleep/, '... and nothing is to be set');

end_test($node);
