# Does a capture take each record that is complete, and count the others as
# lost?
#
# t/unit/commit_trace.c has a ring of 4096 records of its own, in which a
# commit can be suspended while it writes its record.

use CommitStats;

my $node = start_node('commit_trace');
my $ring = 4096;

$node->create_functions(
	compile_module(
		't/unit/commit_trace.c', map { "src/$_.c" } qw(base/changecount stats/commit_trace)),
	'trace_begin() RETURNS void',
	'trace_commit(times int, overtaken_by int DEFAULT 0) RETURNS void',
	'trace_taken() RETURNS text',
	'trace_claims(ended int, count int) RETURNS bool',
	'trace_record(bytes int) RETURNS text');

# Each call of the test is a session, and so a capture, of its own.
sub capture ($sql)
{
	my $out = $node->sql("SELECT trace_begin(); $sql");

	return join '|', grep { /\S/ } split /\n/, $out;
}

is(capture('SELECT trace_commit(3000); SELECT trace_taken()'),
	'3000|0', 'a capture takes what the ring holds');
is( capture('SELECT trace_commit(5000); SELECT trace_taken()'),
	$ring . '|' . (5000 - $ring),
	'... and counts as lost what was overwritten');
is(capture('SELECT trace_commit(1, 100); SELECT trace_taken()'),
	'101|0', 'it waits for a commit that is suspended');

# The last of them meets the suspended commit.
is( capture(qq{SELECT trace_commit(1, $ring); SELECT trace_taken();
SELECT trace_commit(3000); SELECT trace_taken()}),
	join('|', $ring - 1, 1, $ring - 1 + 3000, 2),
	'a commit that comes round to a record under way writes none');

# A commit that others have overtaken before it has begun its record
is( capture(
		'SELECT trace_claims(0, 1), trace_claims(1, 1), trace_claims(4097, 1), trace_claims(1, 4097)'
	),
	't|f|f|t',
	'... nor does one that comes after it');

# A page of WAL has 8192 bytes.
is( capture(
		'SELECT trace_record(8192 + 4095), trace_record(8192 + 4096), trace_record(8192 * 70000)'),
	'1|900|2|900|65535|900',
	'pages of WAL, to the nearest and up to a limit; blocked sessions');

done_testing();
