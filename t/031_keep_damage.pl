# Is a file of statistics that is damaged, foreign or out of date refused?
#
# What may be read is decided by src/stats/persist_file.c, which knows neither shared
# memory nor the server.  It is compiled into a module of its own
# (t/keep/keep_test.c), and gets a real file with every bit of its header
# flipped, with and without the right checksum, cut short everywhere and so on;
# each copy ends where the memory ends.  Then a server starts with some such
# files: it says why it refuses them, and counts from zero.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/keep";
use CommitStats;
use Cwd 'abs_path';
use Keep;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('damage');
my $path = keep_file($node);
my $module = abs_path($node->basedir) . '/keep_test.so';

compile_c($module, '-fPIC', '-shared', 't/keep/keep_test.c',
	'src/stats/persist_file.c');

# Where things stand in the header: sizes of its fields, in bytes.
my @fields = (
	magic => 8, format => 4, nparts => 4, size => 8,
	system => 8, checkpoint => 8, time => 8, min_recovery => 8, state => 4,
	server => 4, map { ("part$_" => 8) } 0 .. 4);
my (%offset, %width);
my $header_size = 0;

while (my ($name, $width) = splice @fields, 0, 2)
{
	$offset{$name} = $header_size;
	$width{$name} = $width;
	$header_size += $width;
}

sub field
{
	my ($content, $name) = @_;

	return unpack($width{$name} == 8 ? 'Q' : 'L',
		substr $content, $offset{$name}, $width{$name});
}

sub with_field
{
	my ($content, $name, $value) = @_;

	substr($content, $offset{$name}, $width{$name}) =
	  pack($width{$name} == 8 ? 'Q' : 'L', $value);
	return $content;
}

# CRC-32C, so that the checksum is not only compared with itself.
my @crc_table = map {
	my $crc = $_;
	$crc = $crc & 1 ? ($crc >> 1) ^ 0x82f63b78 : $crc >> 1 for 1 .. 8;
	$crc
} 0 .. 255;

sub sealed
{
	my ($content) = @_;
	my $body = substr $content, 0, -4;
	my $crc = 0xffffffff;

	$crc = $crc_table[($crc ^ $_) & 255] ^ ($crc >> 8) for unpack 'C*', $body;
	return $body . pack 'L', $crc ^ 0xffffffff;
}

sub write_file
{
	my ($content) = @_;

	unlink $path;
	open my $file, '>:raw', $path or die "$path: $!";
	print $file $content;
	close $file or die "$path: $!";
	return;
}

#
# The verdict on hundreds of mutations
#
some_load($node);
$node->stop;
my $real = slurp_file($path);
my $length = length $real;
$node->start;

is(field($real, 'size'), $length, 'the size of the file is in its header');
is(sealed($real), $real, 'its checksum is a CRC-32C');

$node->safe_psql('postgres', qq{
CREATE FUNCTION keep_check(file bytea, original bytea) RETURNS text
AS '$module' LANGUAGE C STRICT;
CREATE FUNCTION keep_seal(file bytea) RETURNS bytea
AS '$module' LANGUAGE C STRICT;
CREATE TABLE original (file bytea)});
$node->safe_psql('postgres',
	"INSERT INTO original VALUES ('\\x" . unpack('H*', $real) . "')");

# The verdicts on all that $mutations makes of the file, and how many they are.
sub verdicts
{
	my ($mutations) = @_;

	return $node->safe_psql('postgres', qq{
SELECT setseed(0.5) \\g /dev/null
SELECT verdict, count(*)
FROM original o, LATERAL ($mutations) m (file),
	 LATERAL keep_check(m.file, o.file) verdict
GROUP BY 1 ORDER BY 1});
}

sub refused
{
	my ($mutations, $expected, $name) = @_;
	my $verdicts = verdicts($mutations);
	my $n = 0;

	$n += $_ for $verdicts =~ /\|(\d+)$/mg;
	is($n, $expected, "$name: $expected files");
	unlike($verdicts, qr/good/, "$name: all refused");
	return;
}

my $bits = 8 * $header_size;

is(verdicts('SELECT o.file'), 'good|1', 'the real file is good');
is(verdicts('SELECT keep_seal(o.file)'), 'good|1', 'and sealed again');
refused("SELECT set_bit(o.file, i, 1 - get_bit(o.file, i)) FROM generate_series(0, $bits - 1) i",
	$bits, 'a bit of the header flipped');
refused("SELECT keep_seal(set_bit(o.file, i, 1 - get_bit(o.file, i))) FROM generate_series(0, $bits - 1) i",
	$bits, 'a bit of the header flipped, checksum right');
refused("SELECT set_byte(o.file, b, get_byte(o.file, b) # (1 + (random() * 254)::int))
	FROM generate_series(1, 300), LATERAL (SELECT (random() * ($length - 1))::int + 0 * generate_series) r (b)",
	300, 'a byte somewhere changed');
refused("SELECT set_byte(o.file, $length - i, get_byte(o.file, $length - i) # 1) FROM generate_series(1, 4) i",
	4, 'a byte of the checksum changed');
for my $seal ('', 'keep_seal')
{
	my $name = $seal ? ', checksum right' : '';

	refused("SELECT $seal(substr(o.file, 1, i)) FROM generate_series(0, $header_size + 20) i",
		$header_size + 21, "cut short at the header$name");
	refused("SELECT $seal(substr(o.file, 1, i)) FROM generate_series($header_size + 21, $length - 1, 487) i",
		int(($length - 1 - $header_size - 21) / 487) + 1, "cut short$name");
	refused("SELECT $seal(o.file || substr(o.file, 1, i)) FROM generate_series(1, 64) i",
		64, "something appended$name");
}

# Sizes that would do, if additions could overflow.
sub sizes
{
	my (@sizes) = @_;
	my $content = $real;

	$content = with_field($content, "part$_", $sizes[$_]) for 0 .. 4;
	return verdicts("SELECT keep_seal('\\x" . unpack('H*', $content) . "'::bytea)");
}

my @sizes = map { field($real, "part$_") } 0 .. 4;
my $sum = 0;

$sum += $_ for @sizes;
is($sum + $header_size + 4, $length, 'the parts fill the file');
is(sizes(~0 - 7, $sizes[0] + $sizes[1] + 8, @sizes[2 .. 4]),
	'damaged|1', 'sizes that overflow');
is(sizes(1 << 63, 1 << 63, $sizes[0] + $sizes[1] + $sizes[2], @sizes[3, 4]),
	'damaged|1', 'sizes that overflow twice');
is(sizes($sizes[0] + 4, $sizes[1] - 4, @sizes[2 .. 4]),
	'damaged|1', 'a part that would not be aligned');

#
# What the server says
#

# Start with what a function makes of the file that the server has just left.
sub starts_fresh
{
	my ($name, $detail, $mutate) = @_;
	my ($began, $log_start);

	$began = some_load($node);
	$node->stop;
	$mutate->(slurp_file($path));
	$log_start = -s $node->logfile;
	$node->start;
	my $log = slurp_file($node->logfile, $log_start);

	if (defined $detail)
	{
		like($log, qr/LOG:  .*pg_stat\/commit_stats\.stat.*$detail/s, "$name: is said");
	}
	starts_from_zero($node, $began, $name);
	ok(!-e $path, "$name: the file is removed") if !-d $path;
	return;
}

sub with_content
{
	my ($change) = @_;

	return sub { write_file($change->($_[0])) };
}

# Each of these has the right checksum.
sub with_value
{
	my ($name, $value) = @_;

	return with_content(sub { sealed(with_field($_[0], $name, $value->(field($_[0], $name)))) });
}

my $refused = 'refused file \S+ commit statistics start from zero\n.*DETAIL:  ';
my $part1 = $header_size + $sizes[0];

# that it is not the checksum which is wrong in all of these
some_load($node);
my $before = statistics($node);
$node->stop;
write_file(sealed(slurp_file($path)));
$node->start;
is_deeply(statistics($node), $before, 'sealed by the test: restored');

starts_fresh('damaged', 'It is damaged', with_content(
	sub { substr($_[0], 5000, 1) ^= "\x01"; return $_[0] }));
starts_fresh('empty', 'It is damaged', with_content(sub { '' }));
starts_fresh('larger than memory', 'It is damaged',
	sub { truncate $path, 1 << 36 or die "cannot make a sparse file: $!" });
starts_fresh('not ours', 'It is not a file of commit_stats', with_content(
	sub { "Statistics\n" x 100 }));
starts_fresh('format of the future', 'Its format is 2, which is not format 1',
	with_value('format', sub { 2 }));
my $major = int $node->pg_version;
starts_fresh('after pg_upgrade', "It was written by PostgreSQL 14, and this is PostgreSQL $major\\.",
	with_value('server', sub { 14 }));
starts_fresh('other cluster', 'It belongs to another database cluster',
	with_value('system', sub { $_[0] + 1 }));
starts_fresh('too many databases', 'Its contents are not what', with_content(
	sub { substr($_[0], $part1, 4) = pack 'L', 257; return sealed($_[0]) }));
starts_fresh('less than no database', 'Its contents are not what', with_content(
	sub { substr($_[0], $part1, 4) = pack 'l', -1; return sealed($_[0]) }));
starts_fresh('too many cycles', 'Its contents are not what', with_content(
	sub { substr($_[0], -4 - $sizes[4], 4) = pack 'L', 33; return sealed($_[0]) }));
starts_fresh('impossible cycles', 'Its contents are not what', with_content(
	sub {
		substr($_[0], -4 - $sizes[4], 4) = pack 'L', 2;
		substr($_[0], 4 - $sizes[4], 8) = pack 'Q', 800;
		substr($_[0], 4 - $sizes[4] + 72, 8) = pack 'Q', 800;
		return sealed($_[0]);
	}));
for my $part (0 .. 4)
{
	starts_fresh("part $part of another size", 'Its contents are not what', with_content(
		sub {
			my ($content) = @_;

			substr($content, -4, 0) = "\0" x 8;
			$content = with_field($content, 'size', $length + 8);
			return sealed(with_field($content, "part$part", $sizes[$part] + 8));
		}));
}
starts_fresh('a folder', 'could not remove file', sub { unlink $path; mkdir $path or die });
$node->stop;
rmdir $path or die;
$node->start;

# An older file comes back, and a server without the library runs in between.
my $stale = 'The data directory is not in the state';
my $old;

starts_fresh('crash', undef, sub {
	$old = $_[0];
	$node->start;
	$node->stop('immediate');
});
starts_fresh('an older file after a clean stop', $stale, sub { write_file($old) });
starts_fresh('an older file after a crash', $stale, sub {
	$node->start;
	$old = $_[0];
	$node->stop('immediate');
	write_file($old);
});
starts_fresh('a forged file after a crash', $stale, sub {
	$node->start;
	$node->stop('immediate');
	write_file(sealed(with_field($_[0], 'state', 6)));	# DB_IN_PRODUCTION
});
starts_fresh('without the library', $stale, sub {
	$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
	$node->start;
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'commit_stats'");
	$node->stop;
});

$node->stop;
unlike(slurp_file($node->logfile), qr/PANIC|TRAP|FATAL:  .*commit_stats|signal 6|signal 11/,
	'the server was never in trouble');

done_testing();
