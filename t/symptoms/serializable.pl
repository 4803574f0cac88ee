# Is the time that COMMIT takes to free predicate locks seen, and called by its
# name?
#
# A SERIALIZABLE transaction keeps the predicate locks of all that end during
# it, and its own end frees them.  The server's log of statements is the
# witness.

use Symptoms;

my $node = make_situation(
	'serializable', conf => q{
default_transaction_isolation = serializable
enable_seqscan = off
enable_bitmapscan = off
max_pred_locks_per_transaction = 5000
max_pred_locks_per_relation = 300000
max_pred_locks_per_page = 1000
commit_stats.slow_commit_time = 0
});

$node->sql(q{CREATE TABLE read (id int PRIMARY KEY, n int);
INSERT INTO read SELECT i, 0 FROM generate_series(1, 30000) i;
ANALYZE read});
my $read = 'SELECT count(n) FROM read WHERE id > 0';

my $long = $node->background_psql('postgres');
$long->query_safe('BEGIN; INSERT INTO logged (n) VALUES (1); SELECT n FROM read WHERE id = 1');
$node->sql("BEGIN;\n$read;\nINSERT INTO logged (n) VALUES (1);\nCOMMIT") for 1 .. 3;
my $locks = $node->sql(q{SELECT count(*) FROM pg_locks WHERE mode = 'SIReadLock'});
$node->sql('SELECT commit_stats_reset()');
$long->query_safe('SET log_min_duration_statement = 0');
$long->query_safe('COMMIT');
$long->quit;

my $logged = (logged_commits($node))[-1];
my ($cause, $duration, $after) = $node->row(
	q{SELECT cause, duration, after_time FROM commit_slow_log ORDER BY duration DESC LIMIT 1});

cmp_ok($locks, '>', 80000, 'predicate locks are kept for it');
is($cause, 'after', 'the cause');
cmp_ok(abs($duration - $logged), '<', 0.1 * $logged, 'as long as the server log says')
  or diag "$duration, logged $logged, after $after";
my $report = report_of($node);
first_cause_is($report, qr/^after the commit, for predicate locks/);

end_test($node);
