# Does the report name NOTIFY where every commit sends one, with the bound that
# follows from the flush, and is no delay proposed?
#
# 12 clients on a volume that takes 20 ms for a flush.  The commits come one
# after the other: their number cannot exceed the time over that of a flush.
# pg_stat_activity is the witness of the share.

use Symptoms;

my $node = make_situation('notify');

$node->sql(q{CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS
	$$BEGIN PERFORM pg_notify('c', NEW.id::text); RETURN NULL; END$$;
CREATE TRIGGER tell AFTER INSERT ON logged FOR EACH ROW EXECUTE FUNCTION tell();
});
set_volume($node, 50);
$node->sql('SELECT commit_stats_reset()');

my $load = start_load($node, '-c 12 -T 10', 'INSERT INTO logged (n) VALUES (1);', 'teller');
$node->wait_until(q{SELECT count(*) >= 12 FROM commit_activity WHERE application_name = 'teller'});
my %waits = sample_waits($node, 'teller', 7);
my $report = report_of($node);
my $locked = 100 * ($waits{'Lock/object'} // 0) / sum0(values %waits);
my $waiting = $node->sql(
	q{SELECT count(*) FROM commit_activity WHERE waiting_for = 'notify' AND blocked_by > 0});

end_load($load);
cmp_ok($locked, '>', 80, 'pg_stat_activity: they wait for the lock of NOTIFY');
cmp_ok($waiting, '>=', 8, 'commit_activity: notify, and who holds it');
first_cause_is($report, qr/^NOTIFY: only one commit at a time/);
share_is($report, $locked, 5);
my ($bound) = first_cause($report) =~ /at most ([\d.]+) such commits\/s/;
cmp_ok($bound // 1000, '<=', 50.5, '... and the bound that a flush of 20 ms sets');
like(
	$report->{delay},
	qr/^no\. NOTIFY commits come one after the other/,
	'no delay, with its reason');

# The session that held the lock before a slow commit had one of these pids.
is( $node->sql(
		q{SELECT count(*) FROM commit_slow_log WHERE application_name = 'teller' AND cause <> 'NOTIFY lock'}
	),
	0,
	'slow commits: NOTIFY is the cause of each');
cmp_ok(
	$node->sql(
		q{SELECT count(*) FROM commit_slow_log WHERE application_name = 'teller' AND notify_pid IS NOT NULL}
	),
	'>', 0,
	'... and who had its lock before');

# Somebody listens, which another database knows as well.
$node->sql('CREATE DATABASE other');
$node->safe_psql('other', 'CREATE EXTENSION commit_stats');
for my $listens (0, 1)
{
	my $listener = $node->background_psql('postgres', on_error_stop => 0);

	$listener->query_safe('LISTEN c') if $listens;
	# what ends to listen fails
	$listener->query(q{DO $$BEGIN UNLISTEN *; RAISE 'no'; END$$});
	# that nobody listens is said while commits go on
	is( $node->safe_psql(
			$_, q{DO $$BEGIN PERFORM pg_logical_emit_message(true, 'a', 'b'); END$$;
SELECT commit_stats_report() ~ 'No session\s+listens\s+to\s+these\s+messages'}
		),
		$listens ? 'f' : 't',
		"database $_: " . ($listens ? 'somebody listens' : 'nobody listens')
	) for qw(postgres other);
	$listener->quit;
}

# Their deferred triggers sleep, and wait for no lock.
$node->create_deferred_trigger('logged', 'PERFORM pg_sleep(0.04)');
$node->sql('SELECT commit_stats_reset()');
end_load(
	start_load(
		$node, '-c 12 -T 5', "BEGIN;\nINSERT INTO logged (n) VALUES (1);\nCOMMIT;\n", 'napper'));
$report = report_of($node);
first_cause_is($report, qr/^NOTIFY: /);
like(
	$report->{text} =~ s/\n +/ /gr,
	qr/before the record: deferred triggers, constraints/,
	'triggers that sleep do not wait for its lock');
$node->sql('DROP TRIGGER later ON logged');

# A transaction that writes many messages before its record, and is not slow
set_volume($node, 0);
$node->sql('SELECT commit_stats_reset()');
$node->sql(q{SET commit_stats.slow_commit_time = 2147483647; BEGIN;
DO $$BEGIN PERFORM pg_notify('c', i::text) FROM generate_series(1, 200000) i; END$$;
INSERT INTO logged (n) VALUES (1);
COMMIT});
like(
	report_of($node)->{text} =~ s/\n +/ /gr,
	qr/% NOTIFY: only one commit at a time can hold its lock, [\d.]+ \w+ each, mostly to write its messages: .*-> fewer messages in a transaction/,
	'what it does is said');

# The lock held by a session whose flush does not end
set_volume($node, 0.001);
my @sessions = map { $node->start_psql('INSERT INTO logged (n) VALUES (1)') } 1 .. 4;
$node->wait_until(
	q{SELECT count(*) = 3 AND max(now() - query_start) > '1.5 s' FROM pg_stat_activity
WHERE wait_event_type = 'Lock'});
like(
	report_of($node)->{now},
	qr/^4 commits wait now, the longest for [\d.]+ s: for the (?:lock of NOTIFY, held by pid (\d+), which commits and waits for the )?flush of pid \d+ /,
	'the first line names the flush of the holder');
set_volume($node, 0);
ok(end_background($_), 'a commit ends') for @sessions;

# A transaction of nothing but NOTIFY waits for no flush.  The mean that
# samples show is of these as well.
$node->sql('SELECT commit_stats_reset()');
set_volume($node, 0.001);
@sessions = $node->start_psql('INSERT INTO logged (n) VALUES (1)');
$node->wait_until(q{SELECT count(*) = 1 FROM commit_activity WHERE waiting_for = 'flush'});
push @sessions, map { $node->start_psql('NOTIFY c') } 1 .. 20;
$node->wait_until(q{SELECT commit_stats_report() ~ 'from samples'});
set_volume($node, 0);
end_background($_) for @sessions;
$node->wait_until(q{SELECT commit_stats_report() ~ 'commits, of which 20 wait for no flush, in'});

# Its COMMIT begins with the wait for the lock, and not with its statement,
# even if that wrote WAL.
$node->sql(q{SET application_name = 'late';
SELECT pg_sleep(1), pg_logical_emit_message(false, 'a', 'b'), pg_notify('c', 'd')});
is( $node->sql(
		q{SELECT commits, transaction_time - commit_time >= 1000 FROM commit_client_stats
WHERE application_name = 'late'}
	),
	'1|t',
	'the time of a late COMMIT is not that of its statement');

end_test($node);
