# Does SIGUSR1 end the sleep of commit_delay in this version of the server, as
# src/base/compat.h says?
#
# With commit_stats.adaptive_delay = gather a session can end the sleep of a
# leader that way.  The server promises nothing about it, so this test sends
# the signal to leaders of the server's own long commit_delay.  The shim
# (t/ground_truth/shim.c) sees how long they were to sleep and how long they
# did.

use strict;
use warnings;

use lib 't', 't/ground_truth', 't/adaptive';
use CommitStats;
use GroundTruth qw(start_truth);
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $dir = PostgreSQL::Test::Utils::tempdir();
my $can_be_woken;

compile_c("$dir/can_be_woken", 't/adaptive/can_be_woken.c');
IPC::Run::run(["$dir/can_be_woken"], '>', \$can_be_woken)
  or die "can_be_woken failed\n";
chomp $can_be_woken;

my $node = start_truth(
	'wake', q{
commit_delay = 100000
commit_siblings = 0
log_statement = none
});
my $watcher = $node->background_psql('postgres');

# Sleeps that are over: how many, and how many of them were shorter than they
# were to be
sub sleeps
{
	return split /\|/, $watcher->query_safe(
		q{
SELECT count(*), count(*) FILTER (WHERE length < 900.0 * asked)
FROM shim_events() WHERE kind = 'sleep' AND length > 0});
}

# The process that sleeps now
sub asleep
{
	my $pid;

	poll_until(
		sub {
			$pid = $watcher->query_safe(
				q{SELECT pid FROM shim_events() WHERE kind = 'sleep' AND length = 0}
			);
			return $pid ne '';
		}) or die "no leader sleeps\n";
	return $pid;
}

# The session commits until there is a row here.
$watcher->query_safe('CREATE TABLE ended ()');
$watcher->query_safe('SELECT shim_reset()');
my $session = start_psql(
	$node, q{
DO $$ DECLARE i int := 1000;
BEGIN
	WHILE NOT EXISTS (SELECT FROM ended) LOOP
		INSERT INTO tick VALUES (i);
		COMMIT;
		i := i + 1;
	END LOOP;
END $$});
my ($n, $short);

ok(poll_until(sub { ($n, $short) = sleeps(); return $n >= 5 }),
	'leaders sleep');
is($short, 0, 'no sleep is shorter than commit_delay by itself');

# The signal may come when the sleep has just ended, so one is not enough.
for (1 .. 30)
{
	my ($before) = sleeps();

	kill 'USR1', asleep();
	poll_until(sub { ($n, $short) = sleeps(); return $n > $before })
	  or die "a sleep does not end\n";
	last if $short > 0;
}
note "$short of $n sleeps were short";
is($short > 0 ? 'yes' : 'no',
	$can_be_woken, 'SIGUSR1 ends a sleep, if src/base/compat.h says so');

# Signals at any other time
for (1 .. 300)
{
	my $pid = $watcher->query_safe(
		q{SELECT pid FROM pg_stat_activity WHERE query LIKE '%DO $$ DECLARE%' AND pid <> pg_backend_pid()}
	);

	die "the session has ended\n" if $pid eq '';
	kill 'USR1', $pid;
}
$watcher->query_safe(
	'SET synchronous_commit = off; INSERT INTO ended DEFAULT VALUES');
ok(end_background($session), 'the session goes on to its end');
my ($commits, $last) = split /\|/,
  $watcher->query_safe(
	'SELECT count(*), max(i) - 999 FROM tick WHERE i >= 1000');
is($commits, $last, 'each of its commits is there');
is( $watcher->query_safe(
		q{
SELECT count(*), bool_and(next = 'sync')
FROM (SELECT kind, lead(kind) OVER (PARTITION BY pid ORDER BY at) AS next
	  FROM shim_events()) e
WHERE kind = 'sleep'}),
	"$commits|t",
	'... and was flushed after its sleep');
is(flush_stats($node)->{delay_hits_woken},
	0, 'a sleep of commit_delay does not count as woken by commit_stats');

$watcher->quit;
$node->stop;
unlike(
	slurp_file($node->logfile),
	qr/PANIC|TRAP|terminated by signal/,
	'the log has no surprise');
done_testing();
