# Is each slow COMMIT of the server log in commit_slow_log, as long as there,
# and are its phases the whole?
#
# A volume of a few flushes a second makes commits slow; beside these there are
# deferred triggers, NOTIFY, dropped files, and sessions that share a flush.
# The witness is the server log, which times each COMMIT of each process.
# Commits that other work on the machine keeps from a processor at their very
# end are as slow for the log alone, hence 95 of 100.

use Symptoms;

my $limit = 100;    # ms
my $node = make_situation(
	'ten_percent', conf => qq{
commit_stats.slow_commit_time = ${limit}ms
log_min_duration_statement = 0
log_line_prefix = '%p %a '
wal_writer_delay = 10s
});

$node->sql('CREATE TABLE deferred (id serial)');
$node->create_deferred_trigger('deferred', 'PERFORM pg_sleep(0.2)');

my $insert = "BEGIN;\nINSERT INTO logged (n) VALUES (1);\n";
my %script = (
	plain => "${insert}COMMIT;\n",
	notify => "${insert}NOTIFY bell;\nCOMMIT;\n",
	deferred => "${insert}INSERT INTO deferred DEFAULT VALUES;\nCOMMIT;\n",
	dropped => "${insert}CREATE TABLE t:client_id (id int PRIMARY KEY);\n"
	  . "DROP TABLE t:client_id;\nCOMMIT;\n");

# COMMITs that took long, as lists of ms by process, in their order
sub by_process (@rows)
{
	my %times;

	push @{ $times{ $_->[0] } }, $_->[1] for @rows;
	return \%times;
}

set_volume($node, 5);
for my $name (sort keys %script)
{
	my $offset = -s $node->logfile;
	my $protocol = $name eq 'deferred' ? 'prepared' : 'simple';
	my $load = start_load($node, "-c 4 -t 4 -M $protocol", $script{$name}, $name);

	end_load($load);

	my $logged = by_process(
		map    { [ split / /, $_ ] }
		  map  { s/ \Q$name\E LOG:  duration: ([\d.]+).*/ $1/r }
		  grep { /^\d+ \Q$name\E LOG:  duration: [\d.]+ ms  (?:statement|execute \w+): COMMIT/ }
		  split /\n/,
		slurp_file($node->logfile, $offset));
	my @rows = $node->rows(
		qq{SELECT pid, duration, before_time + record_time + notify_time + delay_time + flush_time
	   + others_flush_time + segment_time + standby_time_min + commit_log_time + after_time
	   + not_run_time + unknown_time, unknown_time
FROM commit_slow_log WHERE application_name = '$name' ORDER BY ended_at});
	my $noted = by_process(@rows);
	my @errors;

	for my $pid (keys %$logged)
	{
		my @slow = grep { $_ > $limit } @{ $logged->{$pid} };
		my @seen = @{ $noted->{$pid} // [] };

		# one at the limit may be slow for one of both alone
		is(scalar @seen, scalar @slow, "$name: process $pid has its rows")
		  unless grep { abs($_ - $limit) < 5 } @slow, @seen;
		push @errors, map { abs($slow[$_] - $seen[$_]) / $slow[$_] } 0 .. $#slow if @seen == @slow;
	}
	cmp_ok(scalar @rows, '>=', 8, "$name: commits are slow");
	cmp_ok(scalar @errors, '>', 0, "$name: commits of both logs can be compared");
	cmp_ok((grep { $_ <= 0.05 } @errors), '>=', 0.95 * @errors, "$name: within 5% of the log");
	is((grep { abs($_->[1] - $_->[2]) > 0.001 } @rows), 0, "$name: the phases are the whole");
	cmp_ok(
		sum0(map { $_->[3] } @rows),
		'<',
		0.05 * sum0(map { $_->[1] } @rows),
		"$name: hardly any time is unknown");
}

end_test($node);
