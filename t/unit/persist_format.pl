# Does persist_format_refuse() refuse every file that is damaged, foreign or
# out of date?
#
# persist_format.c, which decides what may be read, uses neither shared memory
# nor the server.  The test compiles it into a module (t/unit/persist_format.c)
# and checks mutations of a real file: each bit of the header flipped, with and
# without the right checksum; the file cut short everywhere; bytes appended.
# Each copy ends where the mapped memory ends, so that a read beyond it
# crashes.

use CommitStats;
use Persist;

my $node = start_node('persist_format');
my $path = stats_file($node);

some_load($node);
$node->stop;
my $real = slurp_file($path);
my $length = length $real;
$node->start;

is(field($real, 'size'), $length, 'the size of the file is in its header');
is(sealed($real), $real, 'its checksum is a CRC-32C');

$node->create_functions(
	compile_module('t/unit/persist_format.c', 'src/module/persist_format.c'),
	'persist_check(file bytea, original bytea) RETURNS text',
	'persist_seal(file bytea) RETURNS bytea');
$node->sql("CREATE TABLE original (file bytea); INSERT INTO original VALUES ('\\x"
	  . unpack('H*', $real)
	  . "')");

# The verdicts on all that $mutations makes of the file, and how many they are.
sub verdicts ($mutations)
{
	return $node->sql(qq{SELECT setseed(0.5) \\g /dev/null
SELECT verdict, count(*)
FROM original o, LATERAL ($mutations) m (file),
	 LATERAL persist_check(m.file, o.file) verdict
GROUP BY 1 ORDER BY 1});
}

sub verdict ($content)
{
	return verdicts("SELECT '\\x" . unpack('H*', $content) . "'::bytea");
}

sub refused ($mutations, $expected, $name)
{
	my $verdicts = verdicts($mutations);
	my $n = 0;

	$n += $_ for $verdicts =~ /\|(\d+)$/mg;
	is($n, $expected, "$name: $expected files");
	unlike($verdicts, qr/good/, "$name: all refused");
}

my $bits = 8 * $header_size;

is(verdicts('SELECT o.file'), 'good|1', 'the real file is good');
is(verdicts('SELECT persist_seal(o.file)'), 'good|1', 'and sealed again');
refused("SELECT set_bit(o.file, i, 1 - get_bit(o.file, i)) FROM generate_series(0, $bits - 1) i",
	$bits, 'a bit of the header flipped');
# parts_fit() of persist.c counts the parts
refused(
	"SELECT persist_seal(set_bit(o.file, i, 1 - get_bit(o.file, i)))
	FROM generate_series(0, $bits - 1) i WHERE i NOT BETWEEN 96 AND 127", $bits - 32,
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
	refused("SELECT $seal(o.file || substr(o.file, 1, i)) FROM generate_series(1, 64) i",
		64, "something appended$name");
}

# Whose file it is; each of these has the right checksum.
sub with_value ($name, $value)
{
	return verdict(sealed(with_field($real, $name, $value)));
}

my $reads =
  'which is not format ' . field($real, 'format') . ' that this version of commit_stats reads.|1';
my $major = int $node->pg_version;
is(verdict(''), 'It is damaged.|1', 'an empty file');
is(verdict("Statistics\n" x 100), 'It is not a file of commit_stats.|1', 'not ours');
is(with_value('format', $_), "Its format is $_, $reads", "format $_") for 6, 1000;
is( with_value('server', 14),
	"It was written by PostgreSQL 14, and this is PostgreSQL $major.|1",
	'after pg_upgrade');
is( with_value('system', field($real, 'system') + 1),
	'It belongs to another database cluster.|1',
	'another cluster');

end_test($node);
