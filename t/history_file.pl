# Which rows does commit_history have after a restart?
#
# Those of its file, as many of the newest as the settings allow; none, with a
# warning, if the file is damaged, which is kept then.  Nothing that the file
# has keeps the server from starting.

use CommitStats;
use List::Util qw(min);
use Persist;

my $node = start_node('file');
my $file = $node->data_dir . '/pg_stat/commit_stats_history.stat';

# Rows from before the start of the server; new ones may come at any time.
sub old_rows
{
	return $node->sql(
		'SELECT count(*) FROM commit_history WHERE period_end < pg_postmaster_start_time()');
}

# The file of a server that is stopped
for (1 .. 4)
{
	$node->sql('INSERT INTO logged VALUES (1)');
	$node->sql('SELECT commit_history_close()');
}
# a minute may end at any time, also between these two
my $end = $node->sql('SELECT max(period_end) FROM commit_history');
my $minutes = $node->sql(qq{SELECT h FROM commit_history h WHERE resolution = 'minute'
	AND period_end <= '$end' ORDER BY period_start});
$node->stop;
my $good = slurp_file($file);
ok(length($good) > 100, 'there is a file after a shutdown');
ok(length($good) < 20_000, 'most of it is packed');

# Rows before the time that the first query returned
sub same_minutes ($expected, $name)
{
	is( $node->sql(qq{SELECT h FROM commit_history h WHERE resolution = 'minute'
	AND period_end <= '$end' ORDER BY period_start}),
		$expected,
		$name);
}

$node->start;
same_minutes($minutes, 'a restart keeps the rows');
ok(-e $file, 'the file stays while the server runs');
$node->stop('immediate');
$node->start;
same_minutes($minutes, 'an immediate stop keeps the rows of the file');

# Other sizes of the rings
for my $size (2, 0, 10080)
{
	$node->stop;
	write_file($file, $good);
	$node->append_conf('postgresql.conf', "commit_stats.history_minutes = $size");
	$node->start;
	# the shutdown had closed one more minute, and more may come now
	is( $node->sql(q{SELECT least(count(*), 5) FROM commit_history WHERE resolution = 'minute'}),
		min($size, 5),
		"$size minutes: as many rows as fit");
	is($node->sql(q{SELECT count(*) > 0 FROM commit_history WHERE resolution = 'hour'}),
		't', "$size minutes: hours stay");
}

# Damage, of which t/unit/persist_format.pl has more
my %damage = (
	'nothing' => '',
	'half of a file' => substr($good, 0, length($good) / 2),
	'another name of a part' => sealed($good =~ s/minutes/seconds/r),
	'another byte of a row' => substr($good, 0, -9)
	  . chr(ord(substr($good, -9, 1)) ^ 1)
	  . substr($good, -8));

for my $name (sort keys %damage)
{
	my $log_start = -s $node->logfile;

	$node->stop;
	unlink "$file.damaged";
	write_file($file, $damage{$name});
	$node->start;
	is(old_rows(), 0, "$name: no row");
	like(
		slurp_file($node->logfile, $log_start),
		qr/WARNING:  refused file "pg_stat\/commit_stats_history.stat"/,
		"$name: a warning");
	ok(slurp_file("$file.damaged") eq $damage{$name}, "$name: the file is kept");
}

# Started without saving, which begins ten minutes later
$node->stop;
write_file($file, $good);
$node->append_conf('postgresql.conf', 'commit_stats.save = off');
$node->start;
same_minutes($minutes, 'a start with commit_stats.save off reads the file');
$node->append_conf('postgresql.conf', 'commit_stats.history_start = ' . (time + 600));
$node->alter_system('commit_stats.save' => 'on');
$node->sql('SELECT commit_history_close()');
ok(slurp_file($file) ne $good, '... on again: the file is written');
$node->append_conf('postgresql.conf', 'commit_stats.history_start = 0');
$node->stop('immediate');
$node->start;
same_minutes($minutes, '... and keeps the rows');
$node->alter_system('commit_stats.save' => 'off');
$node->sql('SELECT commit_history_reset()');
$node->restart;
is(old_rows(), 0, 'a reset without saving stays one');
$node->alter_system('commit_stats.save' => 'on');

# No file, and no saving
$node->stop;
unlink $file;
$node->start;
is(old_rows(), 0, 'without a file: no row');
$node->alter_system('commit_stats.save' => 'off');
$node->sql('SELECT commit_history_close()');
$node->restart;
is(old_rows(), 0, 'commit_stats.save off: no row');
ok(!-e $file, '... and no file');
$node->alter_system('commit_stats.save' => 'on');

# A standby has the history of its primary up to the backup, and goes on with
# it when it is promoted.
$node->sql('SELECT commit_history_close()');
$node->restart;
my $of_primary = q{SELECT h FROM commit_history h WHERE resolution = 'minute'
	AND period_end < '%s' ORDER BY period_start};
my $started = $node->sql('SELECT pg_postmaster_start_time()');
my $standby = add_standby($node);
is( $standby->sql(sprintf $of_primary, $started),
	$node->sql(sprintf $of_primary, $started),
	'a standby has the rows of its primary');
like(
	error_of($standby, 'SELECT commit_history_close()'),
	qr/recovery is in progress/,
	'it has no present minute');
my $of_standby = $standby->sql('SELECT count(*) FROM commit_history');
$standby->restart;
is($standby->sql('SELECT count(*) FROM commit_history'),
	$of_standby, '... of which no row comes at its shutdown');
my $before_promotion = $standby->sql('SELECT clock_timestamp()');
$standby->promote;
$standby->sql('INSERT INTO logged VALUES (1)');
$standby->sql('SELECT commit_history_close()');
is( $standby->sql(
		q{SELECT (array_agg(after_gap ORDER BY period_start))[1], sum(commits) > 0 FROM commit_history
	WHERE resolution = 'minute' AND period_end > pg_postmaster_start_time()}),
	't|t',
	'a promoted standby goes on, behind a gap');
is( $standby->sql(qq{SELECT min(period_start) > '$before_promotion' FROM commit_history
	WHERE resolution = 'minute' AND period_end > '$before_promotion'}),
	't',
	'... from its promotion on');
end_test($standby, $node);
