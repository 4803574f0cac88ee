# What the tests of kept statistics have in common.

package Keep;

use strict;
use warnings;

use lib 't';
use CommitStats;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(keep_file statistics start_of_statistics starts_from_zero
  some_load);
use Exporter 'import';

# Where the statistics are while the server is down.
sub keep_file
{
	my ($node) = @_;

	return $node->data_dir . '/pg_stat/commit_stats.stat';
}

# All that the views show, but for what a restart and reading itself change: to
# read is to commit without an id, for the server's own processes as well, and
# can write some WAL; and a shutdown begins a cycle.  The log of single flushes is
# not kept, and most of info is about the server as it is.
sub statistics
{
	my ($node) = @_;
	my %columns = map { $_ => 'to_jsonb(s)' } grep { $_ ne 'commit_flush_log' } views_of_commit_stats();
	my %rows = map { $_ => '' } keys %columns;
	my %statistics;

	$columns{$_} .= " - 'commits_read_only'"
	  for qw(commit_flush_stats commit_database_stats);
	$rows{commit_database_stats} =
	  'WHERE commits + commits_async + commits_unlogged + prepares > 0';
	$rows{commit_wal_stats} = 'WHERE commits > 0';
	$columns{commit_wal_stats} .= " - 'finished' - 'wal_distance'";
	$columns{commit_stats_info} =
	  "jsonb_build_array(stats_reset, databases_tracked)";

	# what is read from here on writes its WAL, if any, in a cycle of its own
	my $rows = $node->safe_psql('postgres', join ";\n", 'CHECKPOINT',
		map { "SELECT '$_', $columns{$_} FROM $_ s $rows{$_} ORDER BY 2" } sort keys %columns);

	for (split /\n/, $rows)
	{
		my ($view, $row) = split /\|/, $_, 2;

		$statistics{$view} .= "$row\n";
	}
	return \%statistics;
}

sub start_of_statistics
{
	my ($node) = @_;

	return $node->safe_psql('postgres',
		'SELECT stats_reset FROM commit_stats_info');
}

# Is nothing left of the statistics that began at $before?
sub starts_from_zero
{
	my ($node, $before, $how) = @_;

	is( $node->safe_psql('postgres', qq{
SELECT commits, commits_async, prepares, flushes, followers, commit_time, wal_bytes,
	   (SELECT count(*) FROM commit_flush_histogram),
	   (SELECT count(*) FROM commit_sibling_histogram),
	   (SELECT count(*) FROM commit_latency_stats),
	   (SELECT coalesce(sum(commits), 0) FROM commit_database_stats),
	   (SELECT coalesce(sum(commits), 0) FROM commit_wal_stats),
	   stats_reset > '$before'
FROM commit_flush_stats}),
		join('|', (0) x 12, 't'),
		"$how: starts from zero, and says so");
	return;
}

# A few commits; returns when the statistics begin that they are counted in.
sub some_load
{
	my ($node) = @_;

	return $node->safe_psql('postgres', q{
INSERT INTO logged VALUES (1);
INSERT INTO logged VALUES (2);
SET synchronous_commit = off;
INSERT INTO logged VALUES (3);
SELECT stats_reset FROM commit_stats_info});
}

1;
