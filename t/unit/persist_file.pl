# Does persist_file_check() refuse every file that is damaged, foreign or out
# of date?
#
# persist_file.c, which decides what may be read, uses neither shared memory
# nor the server.  The test compiles it into a module (t/unit/persist_file.c)
# and checks mutations of a real file: each bit of the header flipped, with and
# without the right checksum; the file cut short everywhere; bytes appended.
# Each copy ends where the mapped memory ends, so that a read beyond it
# crashes.

use strict;
use warnings;

use lib 't', 't/persist';
use CommitStats;
use Cwd 'abs_path';
use Persist;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('persist_file');
my $path = stats_file($node);
my $module = abs_path($node->basedir) . '/persist_file.so';

compile_c($module, '-fPIC', '-shared', 't/unit/persist_file.c',
	'src/module/persist_file.c');

some_load($node);
$node->stop;
my $real = slurp_file($path);
my $length = length $real;
$node->start;

is(field($real, 'size'), $length, 'the size of the file is in its header');
is(sealed($real), $real, 'its checksum is a CRC-32C');

$node->safe_psql(
	'postgres', qq{
CREATE FUNCTION persist_check(file bytea, original bytea) RETURNS text
AS '$module' LANGUAGE C STRICT;
CREATE FUNCTION persist_seal(file bytea) RETURNS bytea
AS '$module' LANGUAGE C STRICT;
CREATE TABLE original (file bytea)});
$node->safe_psql('postgres',
	"INSERT INTO original VALUES ('\\x" . unpack('H*', $real) . "')");

# The verdicts on all that $mutations makes of the file, and how many they are.
sub verdicts
{
	my ($mutations) = @_;

	return $node->safe_psql(
		'postgres', qq{
SELECT setseed(0.5) \\g /dev/null
SELECT verdict, count(*)
FROM original o, LATERAL ($mutations) m (file),
	 LATERAL persist_check(m.file, o.file) verdict
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
is(verdicts('SELECT persist_seal(o.file)'), 'good|1', 'and sealed again');
refused(
	"SELECT set_bit(o.file, i, 1 - get_bit(o.file, i)) FROM generate_series(0, $bits - 1) i",
	$bits,
	'a bit of the header flipped');
refused(
	"SELECT persist_seal(set_bit(o.file, i, 1 - get_bit(o.file, i))) FROM generate_series(0, $bits - 1) i",
	$bits,
	'a bit of the header flipped, checksum right');
refused(
	"SELECT set_byte(o.file, b, get_byte(o.file, b) # (1 + (random() * 254)::int))
	FROM generate_series(1, 300), LATERAL (SELECT (random() * ($length - 1))::int + 0 * generate_series) r (b)",
	300, 'a byte somewhere changed');
refused(
	"SELECT set_byte(o.file, $length - i, get_byte(o.file, $length - i) # 1) FROM generate_series(1, 4) i",
	4,
	'a byte of the checksum changed');
for my $seal ('', 'persist_seal')
{
	my $name = $seal ? ', checksum right' : '';

	refused(
		"SELECT $seal(substr(o.file, 1, i)) FROM generate_series(0, $header_size + 20) i",
		$header_size + 21,
		"cut short at the header$name");
	refused(
		"SELECT $seal(substr(o.file, 1, i)) FROM generate_series($header_size + 21, $length - 1, 487) i",
		int(($length - 1 - $header_size - 21) / 487) + 1,
		"cut short$name");
	refused(
		"SELECT $seal(o.file || substr(o.file, 1, i)) FROM generate_series(1, 64) i",
		64,
		"something appended$name");
}

# Sizes that would do, if additions could overflow.
sub sizes
{
	my (@sizes) = @_;
	my $content = $real;

	$content = with_field($content, "part$_", $sizes[$_]) for 0 .. 4;
	return verdicts(
		"SELECT persist_seal('\\x" . unpack('H*', $content) . "'::bytea)");
}

my @sizes = map { field($real, "part$_") } 0 .. 4;
my $sum = 0;

$sum += $_ for @sizes;
is($sum + $header_size + 4, $length, 'the parts fill the file');
is(sizes(~0 - 7, $sizes[0] + $sizes[1] + 8, @sizes[ 2 .. 4 ]),
	'damaged|1', 'sizes that overflow');
is( sizes(
		1 << 63, 1 << 63, $sizes[0] + $sizes[1] + $sizes[2], @sizes[ 3, 4 ]),
	'damaged|1',
	'sizes that overflow twice');
is(sizes($sizes[0] + 4, $sizes[1] - 4, @sizes[ 2 .. 4 ]),
	'damaged|1', 'a part that would not be aligned');

$node->stop;
done_testing();
