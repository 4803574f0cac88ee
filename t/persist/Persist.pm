# What the tests of saved statistics share.

package Persist;

use CommitStats;

our @EXPORT = qw($header_size part_at field with_field sealed stats_file statistics
  start_of_statistics some_load);
use Exporter 'import';

# The fields of the file's header, PersistHeader, and their sizes in bytes.
my @fields = (
	magic => 8,
	format => 4,
	nparts => 4,
	size => 8,
	system => 8,
	checkpoint => 8,
	time => 8,
	min_recovery => 8,
	state => 4,
	server => 4);
my (%offset, %width);
our $header_size = 0;

while (my ($name, $width) = splice @fields, 0, 2)
{
	$offset{$name} = $header_size;
	$width{$name} = $width;
	$header_size += $width;
}

# The value of a header field.
sub field ($content, $name)
{
	return unpack($width{$name} == 8 ? 'Q' : 'L', substr $content, $offset{$name}, $width{$name});
}

# The content with another value in a header field.
sub with_field ($content, $name, $value)
{
	substr($content, $offset{$name}, $width{$name}) = pack($width{$name} == 8 ? 'Q' : 'L', $value);
	return $content;
}

# Where the PersistPart of a module is: 24 bytes of name, 8 of size.  Its data
# come 32 bytes later.
sub part_at ($content, $name)
{
	my $at = $header_size;

	for (1 .. field($content, 'nparts'))
	{
		return $at if unpack('Z24', substr $content, $at, 24) eq $name;
		$at += 32 + unpack 'Q', substr $content, $at + 24, 8;
	}
	die "the file has no part $name\n";
}

# CRC-32C, computed here so that the test does not compare the checksum with
# itself.
my @crc_table = map {
	my $crc = $_;
	$crc = $crc & 1 ? ($crc >> 1) ^ 0x82f63b78 : $crc >> 1 for 1 .. 8;
	$crc
} 0 .. 255;

# The content with the right checksum at its end.
sub sealed ($content)
{
	my $body = substr $content, 0, -4;
	my $crc = 0xffffffff;

	$crc = $crc_table[ ($crc ^ $_) & 255 ] ^ ($crc >> 8) for unpack 'C*', $body;
	return $body . pack 'L', $crc ^ 0xffffffff;
}

# Where the statistics are while the server is down.
sub stats_file ($node)
{
	return $node->data_dir . '/pg_stat/commit_stats.stat';
}

# All views, without what a restart and reading itself change.  A reader
# commits a transaction without an id, as the server's own processes do, and
# can write some WAL.  A shutdown begins a cycle.  The file does not have the
# logs of single flushes and commits, and most of commit_stats_info is about
# the running server.
sub statistics ($node)
{
	my %columns = map { $_ => 'to_jsonb(s)' }
	  grep { !/^commit_(flush_log|slow_log|stall_log|activity|history)$/ } views_of_commit_stats();
	my %rows = map { $_ => '' } keys %columns;
	my %statistics;

	$columns{$_} .= " - 'commits_read_only' - 'session_time' - 'session_share'"
	  for qw(commit_flush_stats commit_client_stats commit_database_stats);
	$columns{$_} .= " - 'sessions' - 'wal_bytes' - 'wal_bytes_per_commit'"
	  for qw(commit_client_stats commit_database_stats);
	$columns{commit_statement_stats} .= " - 'wal_bytes' - 'wal_share' - 'wal_bytes_per_commit'";
	$rows{commit_statement_stats} = 'WHERE commits + commits_async > 0';
	$rows{$_} = 'WHERE commits + commits_async + commits_unlogged + prepares > 0'
	  for qw(commit_client_stats commit_database_stats);
	$rows{commit_wal_stats} = 'WHERE commits > 0';
	$columns{commit_wal_stats} .= " - 'finished' - 'wal_distance'";
	$columns{commit_stats_info} = "jsonb_build_array(stats_reset, clients_tracked)";

	# a CHECKPOINT, so that WAL of the queries is in a cycle of its own
	my $rows = $node->sql(join ";\n", 'CHECKPOINT',
		map { "SELECT '$_', $columns{$_} FROM $_ s $rows{$_} ORDER BY 2" } sort keys %columns);

	for (split /\n/, $rows)
	{
		my ($view, $row) = split /\|/, $_, 2;

		$statistics{$view} .= "$row\n";
	}
	return \%statistics;
}

sub start_of_statistics ($node)
{
	return $node->sql('SELECT stats_reset FROM commit_stats_info');
}

# A few commits; returns stats_reset.
sub some_load ($node)
{
	return $node->sql(q{INSERT INTO logged VALUES (1);
INSERT INTO logged VALUES (2);
SET synchronous_commit = off;
INSERT INTO logged VALUES (3);
SELECT stats_reset FROM commit_stats_info});
}

1;
