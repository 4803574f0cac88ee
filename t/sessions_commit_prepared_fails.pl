# Does a COMMIT PREPARED that fails leave the session as it was?
#
# After a savepoint only the subtransaction aborts, for which no callback runs;
# psql's ON_ERROR_ROLLBACK sets such savepoints by itself.  The hook must still
# undo what it did before: the settings of a sweep, the record of a prediction.

use CommitStats;

my $tries = 20;
my $node = start_node('failed_commit_prepared', conf => "max_prepared_transactions = 5\n");
my $load = start_pgbench($node, '-c 2 -T 3600', insert => "INSERT INTO logged VALUES (1);\n");

# Does a sweep or a prediction run?
sub sweeps (@)
{
	return $node->sweep_pid ne '';
}

# The commit_delay that a session sees after each of several such failures: in
# the transaction, and after it has committed.
sub settings_after_failures ($begin, $after)
{
	my ($out, $err);

	$node->psql(
		'postgres', qq{
BEGIN;
$begin
COMMIT PREPARED 'there is none';
$after
SHOW commit_delay;
INSERT INTO logged VALUES (2);
COMMIT;
SHOW commit_delay;
} x $tries,
		on_error_stop => 0,
		stdout => \$out,
		stderr => \$err);
	is(() = $err =~ /cannot run inside a transaction block/g,
		$tries, 'COMMIT PREPARED fails in a transaction block');
	return join ' ', split /\n/, $out;
}

my $unchanged = join ' ', ('0') x (2 * $tries);
my $sweep = $node->start_measuring(\&sweeps,
	"SELECT * FROM commit_delay_sweep('{778}', '{0}', '600 s', '5 s')");

$node->wait_until('SELECT delay_hits > 0 FROM commit_flush_stats');
is(settings_after_failures('SAVEPOINT s;', 'ROLLBACK TO s;'),
	$unchanged, 'commit_delay is as it was, after a savepoint');
is(settings_after_failures('\set ON_ERROR_ROLLBACK on', ''),
	$unchanged, "... and after one of psql's own");
ok(sweeps(), 'the sweep goes on');
end_background($sweep, 'TERM');
ok(poll_until(sub { return !sweeps() }), '... until it is ended');

# The next commit must not fill in the record of the failed one.
my $predicted = eventually(sub {
	my $whatif = $node->start_measuring(
		sub ($session) { return $node->sql('SELECT capturing FROM commit_stats_info') eq 't' },
		"SELECT count(*) FROM commit_delay_whatif('{0}', '{5}', '3 s')");

	is(settings_after_failures('SAVEPOINT s;', 'ROLLBACK TO s;'),
		$unchanged, 'commit_delay is as it was, beside a prediction');
	return end_background($whatif) && $whatif->{out} eq "1\n";
});
ok($predicted, 'the prediction ends, with a row');

end_background($load, 'TERM');
end_test($node);
