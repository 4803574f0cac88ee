# Does the report say that flushes wait for a processor, where more processes
# want one than there are, and not that the disk is slow?
#
# Loops beside 20 clients on a quick disk; then a slow volume without loops.

use Symptoms;
use List::Util qw(max);

my $node = make_situation('processors');
my $insert = 'INSERT INTO logged (n) VALUES (1);';

sub share_of_processors ($report)
{
	my ($cause) =
	  grep { $_->{text} =~ /^flushes that wait for a processor/ } @{ $report->{causes} };

	return defined $cause ? $cause->{share} : 0;
}

my @loops =
  map { start_background([ 'perl', '-e', 'alarm 60; 1 while 1' ]) } 1 .. max(8, 4 * `nproc`);
my $from = $node->sql('SELECT commit_history_close(), commit_stats_reset()') =~ s/\|.*//r;
end_load(start_load($node, '-c 20 -T 8', $insert));
my $of_period = report_since($node, $from);
my $report = report_of($node);
end_background($_, 'TERM') for @loops;
my $with_loops = share_of_processors($report);
cmp_ok($with_loops, '>', 30, 'loops: said') or diag $report->{text};
unlike(
	$of_period,
	qr/ 1\. [\d.]+% stalls of unknown cause/,
	'... and in the period, stalls have no other cause first');

set_volume($node, 20);
$node->sql('SELECT commit_stats_reset()');
end_load(start_load($node, '-c 4 -T 8', $insert));
$report = report_of($node);
cmp_ok(share_of_processors($report), '<', $with_loops / 2, 'a slow volume: much less');

end_test($node);
