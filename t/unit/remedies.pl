# Does the simulation do what commit_remedies() changes, in loads with a known
# answer?
#
# t/unit/remedies.c has two clients, the parties 1 and 2.

use CommitStats;

my $node = start_node('remedies');

$node->create_functions(
	compile_module(
		't/unit/remedies.c',
		(   map { "src/$_.c" }
			  qw(whatif/whatif_simulation base/histogram
			  base/wal_device control/spacing)),
		'-lm'),
	q{remedy_model(sessions int[], work float8[], notifies int[],
	arrivals float8[], flush float8, changed int, batch int, async boolean, quiet boolean,
	delay int, factor float8, less_wal float8, wal float8, pause float8, wal_quota float8, OUT commits float8, OUT latency float8,
	OUT transaction float8, OUT flushes float8) RETURNS SETOF record});

# What each of the two parties does, rounded: commits/s, latency, time of a
# transaction, and the flushes/s of the server.
sub model
{
	my %load = (
		sessions => '1,0',
		work => '400,400',
		notifies => '0,0',
		arrivals => '0,0',
		flush => 1000,
		changed => 1,
		batch => 0,
		async => 'false',
		quiet => 'false',
		delay => 0,
		factor => 1,
		less_wal => 0,
		wal => 0,
		pause => 0,
		wal_quota => 0,
		@_);

	$load{$_} = "'{$load{$_}}'" for qw(sessions work notifies arrivals);
	return [
		split /\n/,
		$node->sql(
			q{SELECT concat_ws(', ', round(commits), round(latency), round(transaction), round(flushes))
FROM remedy_model(} . join(', ', map { "$_ => $load{$_}" } sort keys %load) . ')')
	];
}

sub is_model ($load, $first, $second, $what)
{
	is_deeply(model(%$load), [ $first, $second ], $what);
}

# One session: 400 us of work, 1000 us of flush
is_model({}, '714, 1000, 1400, 714', '0, 714', 'nothing is changed');
is_model({ batch => 1 }, '714, 1000, 1400, 714', '0, 714', 'a batch of one');
is_model({ batch => 10 }, '2000, 1000, 500, 200', '0, 200', 'ten in one commit');
is_model({ async => 'true' }, '2500, 0, 400, 0', '0, 0', 'asynchronous');
is_model({ async => 'true', batch => 10 }, '2500, 0, 400, 0', '0, 0', 'both');
is_model(
	{ changed => 2, batch => 10, async => 'true' },
	'714, 1000, 1400, 714',
	'0, 714', 'a party that has no sessions');

# Half of the flush is for its 50 pages of WAL.
is_model({ factor => 0.5 }, '1111, 500, 900, 1111', '0, 1111', 'half the flush time');
is_model({ less_wal => 0.5 }, '870, 750, 1150, 870', '0, 870', 'half of the WAL');
is_model({ less_wal => 1 }, '1111, 500, 900, 1111', '0, 1111', 'none of the WAL');
is_model({ factor => 0.1, less_wal => 1 }, '2500, 0, 400, 2500', '0, 2500', '... never below 0');

# All transactions have WAL, also those that one commit is for.
is_model(
	{ wal => 50, batch => 10 },
	'1053, 5500, 950, 105',
	'0, 105', 'the WAL of ten in one commit');

# A quota of WAL has room for as many transactions, whatever else changes.
my %quota = (wal => 50, wal_quota => 100);
is_model(\%quota, '20, 49600, 50000, 20', '0, 20', 'a quota of WAL');
is_model({ %quota, factor => 0.5 }, '20, 49600, 50000, 20', '0, 20', '... and half the flush time');
is_model({ %quota, batch => 10 }, '20, 496000, 50000, 2', '0, 2', '... and ten in one commit');
is_model({ %quota, less_wal => 0.5 }, '40, 24600, 25000, 40', '0, 40', '... and half of the WAL');

# Pauses are as long, whatever the flushes are.
is_model(
	{ pause => 1e5 },
	'643, 1155, 1555, 643',
	'0, 643', 'two pauses in each second, one after the other');
is_model(
	{ pause => 1e5, factor => 0.5 },
	'1000, 600, 1000, 1000',
	'0, 1000', '... and half the flush time');

# Two parties that meet in each flush, until one of them does otherwise
my %both = (sessions => '1,1', work => '0,0');
is_model(\%both, '1000, 1000, 1000, 1000', '1000, 1000, 1000, 1000', 'both in each flush');
is_model(
	{ %both, wal => 50 },
	'667, 1500, 1500, 667',
	'667, 1500, 1500, 667',
	'... which takes longer for the WAL of two');
is_model(
	{ %both, wal => 50, factor => 0.5 },
	'1333, 750, 750, 1333',
	'1333, 750, 750, 1333',
	'... or half as long');
is_model(
	{ %both, work => '100000,0', async => 'true' },
	'10, 0, 100000, 1000',
	'1000, 1000, 1000, 1000',
	'the first does not wait');
is_model(
	{ %both, work => '100,0', batch => 9 },
	'4500, 1100, 222, 1000',
	'1000, 1000, 1000, 1000',
	'nine in one, beside another: it comes 900 us after a flush began');

# NOTIFY: one commit in each flush, and the others wait for the lock
my %notify = (sessions => '4,0', work => '0,0', notifies => '1,0');
is_model(\%notify, '1000, 4000, 4000, 1000', '0, 1000', 'NOTIFY: one after the other');
is_model(
	{ %notify, quiet => 'true' },
	'4000, 1000, 1000, 1000',
	'0, 1000', '... and outside: all in each flush');
is_model(
	{ %notify, sessions => '4,3' },
	'1000, 4000, 4000, 1000',
	'3000, 1000, 1000, 1000',
	'others share the flushes');
is_model(
	{ %notify, changed => 2, quiet => 'true' },
	'1000, 4000, 4000, 1000',
	'0, 1000', 'NOTIFY of the party that is not changed');


# Of ten transactions in one commit, nearly always one sends a NOTIFY, if each
# other one does.
my ($carried) = split /, /, model(%notify, notifies => '2,0', batch => 10)->[0];
about($carried, 10_000, 1, 'NOTIFY: a commit sends that of each transaction that it carries');

is_model({ %both, delay => 1000 }, '500, 2000, 2000, 500', '500, 2000, 2000, 500', 'a delay');
is_model(
	{ %notify, delay => 1000 },
	'1000, 4000, 4000, 1000',
	'0, 1000', '... but not where all others wait for the lock of NOTIFY');

# Arrivals: as many transactions, a tenth of the flushes
my %open = (sessions => '20,0', work => '0,0', arrivals => '100,0', flush => 10);
my ($commits, $latency, $time, $flushes) = split /, /, model(%open, batch => 10)->[0];
my ($before) = split /, /, model(%open)->[0];
is($commits, $before, 'arrivals: as many transactions as before');
ok(abs($flushes - $commits / 10) <= 1, '... in a tenth of the flushes')
  or diag "$flushes flushes/s, $commits transactions/s";

end_test($node);
