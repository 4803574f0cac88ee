# Do readers and resets of the flush groups end, however fast commits are, and
# count each flush once?
#
# Each 64th flush folds groups into the totals, and a reader of the largest
# ring copies 131,072 groups.  t/unit/ring_readers.c has a ring of its own, in
# which flushes come between any two groups that a reader copies.

use CommitStats;

my $node = start_node('ring_readers');
my $largest = 131072;

$node->create_functions(
	compile_module(
		'-Wl,--wrap=flush_group_copy,--wrap=flush_totals_prepare',
		't/unit/ring_readers.c',
		map { "src/$_.c" } qw(base/changecount base/guc stats/flush_ring stats/flush_totals)),
	'ring_flush(int) RETURNS int',
	'ring_merge(int, int, int) RETURNS void',
	'ring_make(int) RETURNS void',
	'ring_sizes() RETURNS text',
	'ring_read(rate float8, OUT passes int, OUT flushes bigint, OUT recent int,'
	  . ' OUT wal_bytes bigint, OUT meanwhile bigint) RETURNS SETOF record',
	map { "ring_$_() RETURNS void" } qw(reset stop exit forget_boundary suspend resume));

# Each call of the test is a session, and so a ring, of its own.
sub in_ring ($size, $sql)
{
	return $node->psql('postgres', "SELECT ring_make($size); $sql", on_error_stop => 0);
}

sub ask_ring ($size, $sql)
{
	my (undef, $out, $err) = in_ring($size, $sql);

	is($err, '', 'no error');
	return (grep { /\S/ } split /\n/, $out)[-1];
}

my $n = 200_000;

is( ask_ring(
		$largest, "SELECT ring_flush($n); SELECT passes, flushes, meanwhile FROM ring_read(0)"),
	"1|$n|0",
	'at rest a reader counts all flushes at once');
for my $rate (0.1, 0.3)
{
	is( ask_ring(
			$largest, qq{SELECT ring_flush($n);
SELECT passes, flushes BETWEEN $n AND $n + meanwhile, meanwhile > 1000
FROM ring_read($rate)}),
		'1|t|t',
		"it reads once at $rate flushes for each group that it copies");
	is( ask_ring(
			$largest, qq{SELECT ring_flush($n);
CREATE TEMP TABLE seen AS SELECT meanwhile FROM ring_read($rate) r;
SELECT flushes = $n + (SELECT meanwhile FROM seen) FROM ring_read(0)}),
		't',
		'... and no flush is missed or counted twice');
}

my (undef, undef, $err) = in_ring($largest,
	"SELECT ring_flush($n); SELECT * FROM ring_read(100); SELECT 1 / passes FROM ring_read(0)");
like(
	$err,
	qr/could not read commit statistics.*100 times in a row/s,
	'it gives up when flushes are quicker than it can copy them');
unlike($err, qr/division/, '... and the next one reads');

is( ask_ring(
		2048, qq{SELECT ring_flush(5000); SELECT ring_reset(); SELECT ring_flush(7);
SELECT flushes, recent, wal_bytes FROM ring_read(0)}),
	'7|7|' . 7 * 64,
	'a reset forgets what was before it');
is( ask_ring(
		2048, qq{SELECT ring_flush(5000); SELECT ring_reset(); SELECT ring_flush(5000);
SELECT flushes, wal_bytes FROM ring_read(0)}),
	'5000|' . 5000 * 64,
	'... in the histogram as well');

# A process that is stopped while it folds
(undef, my $out, $err) = in_ring(
	2048, q{SELECT ring_flush(5000); SELECT ring_stop(); SELECT ring_reset();
SELECT ring_exit(); SELECT flushes FROM ring_read(0)});
like(
	$err,
	qr/could not read commit statistics.*has been stopped/s,
	'a reset beside a process that was stopped fails');
like($out, qr/^5000$/m, '... changes nothing, and the process that exits is in nobody\'s way');

# A publisher that is stopped before it has written the boundary.  (The first
# flush has no boundary before it either.)
is( ask_ring(
		2048, q{SELECT ring_flush(1000); SELECT ring_forget_boundary();
SELECT flushes, wal_bytes FROM ring_read(0)}),
	'1000|' . 998 * 64,
	'a flush without a boundary has no WAL bytes');

# A process that is stopped before it prepares slots, until the ring has come
# round: commits of these slots have no group, and it leaves those that came
# later alone.
for my $size (2048, $largest)
{
	my ($rounds, $much) = (6 * $size, 12 * $size);

	is( ask_ring(
			$size, qq{SELECT ring_flush($much); SELECT ring_suspend();
CREATE TEMP TABLE one AS SELECT ring_flush($rounds) AS gone;
SELECT gone, (SELECT flushes FROM ring_read(0)) = $much + $rounds - gone FROM one}
		),
		'64|t',
		"$size: a batch of slots is not prepared, and the other flushes count");
	for my $late ($rounds, $much)
	{
		is( ask_ring(
				$size, qq{SELECT ring_flush($much); SELECT ring_suspend();
SELECT ring_flush($late); SELECT ring_resume();
CREATE TEMP TABLE one AS SELECT ring_flush($much) AS gone;
SELECT gone, (SELECT flushes FROM ring_read(0)) FROM one}),
			'0|' . (2 * $much + $late - 64),
			"... also when the process goes on after $late flushes");
	}
}

# Flushes that nobody saw end: [how many, followers that had begun before the
# flush before ended, followers that came later], and what they carried.  The
# ring counts them while they are in it, and the histogram afterwards.
for my $case (
	[ 1, 2, 3, '6:1 +0' ],
	[ 2, 0, 0, '1:2 +2' ],
	[ 2, 2, 0, '1:1 3:1 +2' ],
	[ 2, 1, 4, '2:1 5:1 +2' ],
	[ 2, 0, 3, '1:1 4:1 +2' ],
	[ 3, 1, 4, '2:1 3:2 +3' ],
	[ 3, 0, 1, '1:2 2:1 +3' ])
{
	my ($flushes, $early, $late, $sizes) = @$case;
	my $merge = "SELECT ring_merge($flushes, $early, $late);";
	my $name = "$flushes flushes, $early and $late followers";
	my %ones = ($sizes =~ /(\d+):(\d+)/g);

	is(ask_ring(2048, "$merge SELECT ring_sizes()"), $sizes, $name);
	$ones{1} += 9000;
	is( ask_ring(2048, "$merge SELECT ring_flush(9000); SELECT ring_sizes()"),
		join(' ', map { "$_:$ones{$_}" } sort { $a <=> $b } keys %ones) . ($sizes =~ s/.* \+/ +/r),
		"... and later in the histogram");
}

done_testing();
