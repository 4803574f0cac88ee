# Can a session connect or exit while a reader holds the lock of the
# statistics?
#
# A reader copies some 6 kB for each of max_connections while it holds its
# lock.  t/readers/hold_lock.c holds the lock as long as the test likes.

use strict;
use warnings;

use lib 't';
use CommitStats;
use Cwd 'abs_path';
use IPC::Run;
use Time::HiRes qw(usleep);

my $dir = abs_path(PostgreSQL::Test::Utils::tempdir());
my $held = "$dir/held";
my $node = start_node('connect');

compile_c("$dir/hold_lock.so", '-fPIC', '-shared', 't/readers/hold_lock.c');
$node->sql(qq{CREATE FUNCTION hold_reset_lock(text) RETURNS void LANGUAGE C STRICT
	AS '$dir/hold_lock.so'});

# Does the command end while the lock is held?  One that does not is given up
# only when all tests would be.
sub ends
{
	my ($command) = @_;
	my $timeout = IPC::Run::timer($PostgreSQL::Test::Utils::timeout_default);
	my $run = IPC::Run::start(
		[
			$node->installed_command('psql'),
			'-XAtq', '-d', $node->connstr('postgres'),
			'-c', $command
		],
		'<',
		\undef,
		'>',
		\my $out,
		'2>',
		\my $err,
		$timeout);

	while ($run->pumpable && !$timeout->is_expired)
	{
		$run->pump_nb;
		usleep(10_000);
	}
	my $ended = !$run->pumpable;
	$run->kill_kill unless $ended;
	return $ended && $run->finish;
}

append_to_file($held, '');
my $holder = start_psql($node, "SELECT hold_reset_lock('$held')");
$node->poll_query_until('template1',
	"SELECT count(*) = 1 FROM pg_stat_activity WHERE query ~ '^SELECT hold_reset_lock'")
  or die "nobody holds the lock\n";
my $reader = start_psql($node, 'SELECT count(*) FROM commit_flush_stats');

ok( poll_until(sub {
		return $node->safe_psql('template1',
			q{SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'commit_stats'}) == 1;
	}),
	'a reader waits for the lock');
ok(ends('INSERT INTO logged VALUES (1)'), 'a session connects, commits and leaves');
ok(ends('SELECT count(*) FROM commit_database_stats'), 'the counts per database can be read');
unlink $held;
ok(end_background($holder), 'the lock is released');
ok(end_background($reader), 'the reader reads');

done_testing();
