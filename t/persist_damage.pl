# Does the server refuse a statistics file that is damaged, foreign or out of
# date?
#
# The server starts with such files, says in its log why it refuses each one,
# and counts from zero.  t/unit/persist_format.pl has what the header of a file
# decides, and checks hundreds of mutations of a file without a restart.

use CommitStats;
use Persist;

my $node = start_node('damage');
my $path = stats_file($node);

my @parts = qw(backend_slots clients flush_totals latency statements wal_cycles);

# Where the data of a part begin.
sub data_at ($content, $part)
{
	return 32 + part_at($content, $part);
}

# Start with the file that $mutate makes of the one that the server just wrote.
sub starts_fresh ($name, $detail, $mutate)
{
	my ($began, $log_start);

	$began = some_load($node);
	$node->stop;
	$mutate->(slurp_file($path));
	$log_start = -s $node->logfile;
	$node->start;
	my $log = slurp_file($node->logfile, $log_start);

	if (defined $detail)
	{
		like($log, qr/LOG:  .*pg_stat\/commit_stats\.stat.*$detail/s, "$name: the log says so");
	}
	starts_from_zero($node, $began, $name);
	ok(!-e $path, "$name: the file is removed") if !-d $path;
}

sub with_content ($change)
{
	return sub { write_file($path, $change->($_[0])) };
}

# the checksum of the test is right
some_load($node);
my $before = statistics($node);
$node->stop;
write_file($path, sealed(slurp_file($path)));
$node->start;
is_deeply(statistics($node), $before, 'sealed by the test: restored');

starts_fresh 'damaged', 'It is damaged',
  with_content(sub { substr($_[0], 5000, 1) ^= "\x01"; return $_[0] });
starts_fresh 'larger than memory', 'It is damaged',
  sub { truncate $path, 1 << 36 or die "cannot make a sparse file: $!" };

# of one size, a table of entries, and cells: each has its own check
for my $part (qw(backend_slots clients flush_totals))
{
	starts_fresh "$part of another size", 'Its contents are not what', with_content(sub {
		my ($content) = @_;
		my $at = data_at($content, $part);
		my $size = unpack 'Q', substr $content, $at - 8, 8;

		substr($content, $at + $size, 0) = "\0" x 8;
		substr($content, $at - 8, 8) = pack 'Q', $size + 8;
		return sealed(with_field($content, 'size', length $content));
	});
}
starts_fresh 'a part of another name', 'Its contents are not what', with_content(sub {
	substr($_[0], data_at($_[0], 'latency') - 32, 1) = 'L';
	return sealed($_[0]);
});
starts_fresh 'a part too many', 'Its contents are not what', with_content(sub {
	my $content = with_field($_[0], 'nparts', @parts + 1);

	substr($content, -4, 0) = pack 'a24 Q', 'more', 0;
	return sealed(with_field($content, 'size', length $content));
});
starts_fresh('a folder', 'could not remove file', sub { unlink $path; mkdir $path or die });
$node->stop;
rmdir $path or die;
$node->start;

# An older file comes back, or a server without the library runs in between.
my $stale = 'The data directory is not in the state';
my $old;

starts_fresh 'crash', undef, sub {
	$old = $_[0];
	$node->start;
	$node->stop('immediate');
};
starts_fresh('an older file after a clean stop', $stale, sub { write_file($path, $old) });
starts_fresh 'an older file after a crash', $stale, sub {
	$node->start;
	$old = $_[0];
	$node->stop('immediate');
	write_file($path, $old);
};
starts_fresh 'a forged file after a crash', $stale, sub {
	$node->start;
	$node->stop('immediate');
	write_file($path, sealed(with_field($_[0], 'state', 6)));    # DB_IN_PRODUCTION
};
starts_fresh 'without the library', $stale, sub {
	$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
	$node->start;
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'commit_stats'");
	$node->stop;
};

end_test($node);
