# Is the arithmetic of commit_delay_whatif() right, in cases with a known
# answer, and that of commit_remedies()?
#
# The model and the fit use neither SQL nor shared memory.  The test compiles
# them into a module (t/unit/whatif_model.c), which has them as SQL functions.

use CommitStats;

my $node = start_node('whatif_model');

$node->create_functions(
	compile_module(
		't/unit/whatif_model.c',
		(   map { "src/$_.c" }
			  qw(whatif/whatif_simulation whatif/whatif_fit
			  base/histogram base/wal_device control/spacing)),
		'-lm'),
	q{whatif_model(clients int, work float8[], flush float8[],
	handoff float8, slack float8, cores float8, xid_share float8,
	arrivals float8, time_window float8, quota float8, delay int, siblings int,
	seconds float8,
	wake float8[], conflict float8, adaptive boolean, notifies boolean, OUT commits float8, OUT flushes float8,
	OUT group_size float8, OUT hits float8, OUT latency float8, OUT p99 float8,
	OUT blocked float8, OUT endless float8) RETURNS SETOF record},
	q{whatif_learn(trace float8[], delay int, siblings int, seconds float8,
	cpus int, busy float8, blocked float8[], pages float8[], OUT enough float8, OUT cores float8, OUT xid_share float8, OUT arrivals float8,
	OUT time_window float8, OUT quota float8, OUT commits float8, OUT latency float8,
	OUT work float8, OUT blocked float8, OUT conflict float8, OUT of_wal float8,
	OUT pauses float8, OUT pause float8) RETURNS SETOF record},
	'whatif_cancelled(learn boolean) RETURNS boolean',
	q{remedy_model(sessions int[], work float8[], notifies int[],
	arrivals float8[], flush float8, changed int, batch int, async boolean, quiet boolean,
	delay int, factor float8, less_wal float8, wal float8, pause float8, wal_quota float8, OUT commits float8, OUT latency float8,
	OUT transaction float8, OUT flushes float8) RETURNS SETOF record});

# A load as text: "name=value", and names of loads
my %known = (
	usual => 'clients=1 work=400 flush=1010 handoff=10 slack=0 cores=1000 xid_share=1 arrivals=0'
	  . ' time_window=0 quota=0 delay=0 siblings=0 seconds=10 wake= conflict=0 adaptive=false'
	  . ' notifies=false',
	parties => 'sessions=1,0 work=400,400 notifies=0,0 arrivals=0,0 flush=1000 changed=1 batch=0'
	  . ' async=false quiet=false delay=0 factor=1 less_wal=0 wal=0 pause=0 wal_quota=0',
	both => 'sessions=1,1 work=0,0',
	NOTIFY => 'sessions=4,0 work=0,0 notifies=1,0',
	wal_quota => 'wal=50 wal_quota=100',
	arrivals => 'sessions=20,0 work=0,0 arrivals=100,0 flush=10');

sub load_of ($words)
{
	return map { /^(\w+)=(.*)/ ? ($1 => $2) : load_of($known{$_}) } split / /, $words;
}

# What the model says of a load.
sub model
{
	my %load = (load_of('usual'), @_);
	my ($row, %result);

	$load{$_} = "'{$load{$_}}'" for qw(work flush wake);
	$row =
	  $node->sql('SELECT * FROM whatif_model('
		  . join(', ', map { "$_ => $load{$_}" } sort keys %load)
		  . ')');
	@result{qw(commits flushes group_size hits latency p99 blocked endless)} = split /\|/, $row;
	return \%result;
}

my ($one, $other, %load);

# One client
$one = model();
about($one->{commits}, 1e6 / 1410, 0.1, 'one client: think, flush');
is($one->{group_size}, 1, 'one client: commits alone');
about($one->{latency}, 1010, 0.1, 'one client: latency');
about($one->{p99}, 1010, 5, 'one client: p99');
is($one->{hits}, 0, 'one client: no sleep');
$one = model(delay => 500, slack => 55);
about($one->{commits}, 1e6 / 1965, 0.1, 'one client: a sleep, and its slack, are lost');
is($one->{hits}, 1, 'one client: always sleeps without commit_siblings');
is_deeply(model(delay => 500, siblings => 1), model(), 'one client: never sleeps with them');

# Deterministic times
$one = model(clients => 2, work => 0, flush => 1000, handoff => 0);
about($one->{commits}, 2000, 0.1, 'two clients, no think time: both in each flush');
is($one->{group_size}, 2, '... so groups of two');
# one works while the other flushes, once they are apart
$one = model(clients => 2, work => '600,601', flush => 1000, handoff => 0);
about($one->{commits}, 1e6 / 1000, 1, 'two clients that take turns keep the WAL busy');
is($one->{group_size}, 1, '... and share nothing');
$one = model(clients => 2, work => '600,1400', flush => 1000, handoff => 0);
cmp_ok($one->{commits}, '<=', 2e6 / 2000 + 1, 'no more commits than the cycle allows');

# No think time: all commit together
for my $n (1, 3, 10, 100)
{
	$one = model(clients => $n, work => 0, flush => 1005, handoff => 5);
	is($one->{group_size}, $n, "no think time: $n commits per flush");
	about($one->{commits}, $n * 1e6 / 1005, 0.1, "no think time: $n clients");
}
# a delay that is long enough does the same with think time
$one = model(clients => 10, work => '200,400,600', delay => 2000);
about($one->{group_size}, 10, 0.1, 'a long delay waits for all');

# Infinite siblings: as without a delay
for my $load (
	{ clients => 10 },
	{ clients => 10, work => '100,500,2500', flush => '300,900' },
	{ clients => 20, cores => 2, arrivals => 500 })
{
	is_deeply(model(%$load, delay => 1000, siblings => 1000), model(%$load), 'infinite siblings');
}

# Siblings: those that commit, and those that have an xid
%load = (clients => 10, work => '20000,30000,50000', delay => 100);
cmp_ok(model(%load, siblings => 5, xid_share => 0, seconds => 20)->{hits},
	'<', 0.05, 'nobody has an xid');
is(model(%load, siblings => 9, seconds => 20)->{hits}, 1, 'everybody has an xid');
$one = model(%load, siblings => 5, xid_share => 0.5, seconds => 60);
cmp_ok($one->{hits}, '>', 0.2, 'some have an xid: some sleep');
cmp_ok($one->{hits}, '<', 0.8, 'some have an xid: some do not');

# Arrivals so rare that a delay only costs
%load = (clients => 10, arrivals => 10, work => 100, seconds => 1000);
$one = model(%load);
$other = model(%load, delay => 3000);
about($one->{commits}, 10, 3, 'rare arrivals: each commits');
about($other->{commits}, $one->{commits}, 1, 'rare arrivals: a delay changes nothing in that');
about($one->{latency}, 1010, 2, 'rare arrivals: latency is a flush');
# one that comes during the sleep waits for less of it
about($other->{latency} - $one->{latency}, 3000, 3, 'rare arrivals: a delay is added');
about($one->{group_size}, 1, 2, 'rare arrivals: commits alone');

# More arrivals than the server can take: as fast as it can
about(model(clients => 1, arrivals => 5000)->{commits},
	1e6 / 1410, 1, 'more arrivals than one client can take');

# Sharing of the CPUs
for my $cores (1, 4)
{
	$one = model(clients => 4, work => 1000, flush => 1, handoff => 0, cores => $cores);
	about($one->{commits}, 1000 * $cores, 2, "four clients on $cores CPUs");
}

# Waking up, which those have to do whose flush carried others
%load = (work => 0, flush => 1000, handoff => 0, wake => '500');
is_deeply(model(%load), model(%load, wake => ''), 'nobody wakes up who flushed alone');
$one = model(%load, clients => 3);
about($one->{commits}, 3e6 / 1500, 0.1, 'three wake up before they commit again');
about($one->{latency}, 1500, 0.1, '... which is a part of the latency');

# Locks: all update the same row in the second half of their work, and only the
# first half of it goes on beside a commit
%load = (clients => 4, work => 400, flush => 1000, handoff => 0, conflict => 1e6);
$one = model(%load);
about($one->{commits}, 1e6 / 1200, 0.5, 'one row: commits one after the other');
about($one->{group_size}, 1, 0.1, '... and alone');
about($one->{blocked}, 3 - 200 / 1200, 0.5, '... while the others wait');
is(model(%load, delay => 500, siblings => 1)->{hits} + 0, 0, '... and are no siblings');
about(model(%load, delay => 500)->{commits}, 1e6 / 1700, 0.5, '... so a delay only costs');
# of ten, one or two have what another one needs
%load = (%load, clients => 10, work => '300,400,500', conflict => 0.01);
$one = model(%load);
cmp_ok($one->{blocked}, '>', 0.1, 'some rows: some wait');
cmp_ok($one->{commits}, '<', model(%load, conflict => 0)->{commits}, '... and commit later');
cmp_ok($one->{commits}, '>', model(%load, conflict => 0.1)->{commits}, '... more: fewer commits');

# A quota of flushes
my %quota = (flush => 1000, work => 0, handoff => 0, time_window => 100e3, quota => 10);
about(model(%quota)->{flushes}, 100, 2, 'a quota is all there is');
about(model(%quota, clients => 10)->{commits}, 1000, 2, 'a quota of flushes, not of commits');
about(model(%quota, quota => 1000)->{flushes}, 1000, 2, 'a quota that is not used up');
# what a delay is good for
%quota = (%quota, clients => 10, work => '500,1000,1500', quota => 20, handoff => 10);
cmp_ok(
	model(%quota, delay => 2000)->{commits},
	'>',
	1.5 * model(%quota)->{commits},
	'with a quota, a delay earns a lot');

# Learning from traces that are made up

# trace(SESSIONS, THINK, FLUSH, SECONDS, WINDOW, QUOTA, APPROACH): sessions
# that commit all together, or one after the other on a device with a quota.
sub trace ($n, $think, $flush, $seconds, $window = 0, $quota = 0, $approach = 10)
{
	my ($now, $group, $used, $window_end, @values) = (0, 0, 0, $window);

	while ($now < $seconds * 1e6)
	{
		my $start = $now + $think;
		my $begin = $start + $approach;

		if ($window)
		{
			while ($begin >= $window_end)
			{
				$window_end += $window;
				$used = 0;
			}
		}
		my $end = $begin + $flush;
		if ($window && $used++ >= $quota)
		{
			$end = $window_end + $flush;
			$window_end += $window;
			$used = 1;
		}
		push @values, $_, $start, $end, $group,
		  ($_ == 1 ? $end - $start - $approach : 0), $n - 1, $think, 0
		  for 1 .. $n;
		$group++;
		$now = $end;
	}
	return join ',', @values;
}

sub learn ($trace, $delay, $siblings, $cpus = 0, $busy = 0, $blocked = '', $pages = '')
{
	my ($row, %result);

	$row = $node->sql(
		"SELECT * FROM whatif_learn('{$trace}', $delay, $siblings, 5, $cpus, $busy, '{$blocked}', '{$pages}')"
	);
	@result{ qw(enough cores xid_share arrivals time_window quota commits latency work
		blocked conflict of_wal pauses pause) } = split /\|/, $row;
	return \%result;
}

$one = learn(trace(1, 400, 1000, 3), 0, 5);
is($one->{enough}, 1, 'learning: one session');
is($one->{arrivals}, 0, 'learning: it goes on by itself');
is($one->{time_window}, 0, 'learning: no quota');
about($one->{commits}, 1e6 / 1410, 1, 'learning: its commits');
about($one->{latency}, 1010, 1, 'learning: its latency');
about(learn(trace(1, 400, 1000, 3), 1000, 0)->{commits},
	1e6 / 2410, 1, 'learning: its commits with a delay');
$one = learn(trace(1, 400, 1000, 3, 0, 0, 300), 0, 5);
about($one->{latency}, 1300, 0.1, 'learning: what a commit does before its flush');
about($one->{commits}, 1e6 / 1700, 0.1, '... and how many there are');

$one = learn(trace(1, 400, 1000, 4, 100e3, 20), 0, 5);
about($one->{time_window}, 100e3, 2, 'learning: a window');
about($one->{quota}, 20, 1, 'learning: its quota');
about($one->{commits}, 200, 3, 'learning: commits with a quota');
about(learn(trace(1, 400, 1000, 60, 25e3, 10), 0, 5)->{time_window},
	25e3, 2, 'learning: a window of more stalls than are compared');
# a delay of 3 ms uses the window up without a stall
about(learn(trace(1, 400, 1000, 4, 100e3, 20), 5000, 0)->{commits},
	1e6 / 6410, 3, 'learning: commits with a delay that makes the quota do');

# Seven sessions are idle in transaction
my @idle = split /,/, trace(1, 400, 1000, 3);
$idle[ 8 * $_ + 5 ] = 7 for 0 .. @idle / 8 - 1;
about(learn(join(',', @idle), 1000, 7)->{commits},
	1e6 / 2410, 1, 'learning: siblings that never commit make it sleep');
about(learn(join(',', @idle), 1000, 8)->{commits},
	1e6 / 1410, 1, '... if they are as many as commit_siblings');

# Flushes that are not timed, with commit_delay = 2000: they include a sleep,
# or three siblings were too few for one
my @untimed = split /,/, trace(4, 400, 4000, 3);
$untimed[ 8 * $_ + 7 ] = -2000 for 0 .. @untimed / 8 - 1;
about(learn(join(',', @untimed), 2000, $_)->{commits},
	4e6 / 4410, 1, "learning: the present commits, commit_siblings = $_")
  for 3, 4;

# A quota of WAL: 100 pages in each window, 9 or 21 in a flush
sub trace_of_wal ($seconds, @pages)
{
	my ($now, $group, $used, $window_end, @values) = (0, 0, 0, 100e3);

	while ($now < $seconds * 1e6)
	{
		my $start = $now + 400;
		my $begin = $start + 10;

		($window_end, $used) = ($window_end + 100e3, 0) while $begin >= $window_end;
		($begin, $window_end, $used) = ($window_end, $window_end + 100e3, $used - 100)
		  if $used >= 100;
		$used += $pages[ $group % @pages ];
		$now = $begin + 1000;
		push @values, 1, $start, $now, $group++, $now - $start - 10, 0, 400, 0;
	}
	return join ',', @values;
}

my @pages = ((9) x 37, (21) x 23);
my $of_wal = trace_of_wal(4, @pages);
$one = learn($of_wal, 0, 5, 0, 0, '', join ',', @pages);
is($one->{of_wal}, 1, 'learning: a quota of WAL');
about($one->{time_window}, 100e3, 2, '... its window');
about($one->{quota}, 100, 5, '... and its pages');
about($one->{commits}, (() = $of_wal =~ /,/g) / 8 / 4, 5, '... and as many commits');

# Each 50th flush stalls beside a checkpoint for 20 ms more
sub trace_of_pauses ($seconds)
{
	my ($now, @values) = (0);

	for (my $group = 0; $now < $seconds * 1e6; $group++)
	{
		my $flush = $group % 50 == 0 ? 21000 : 1000;

		push @values, 1, $now + 400, $now + 410 + $flush, $group, $flush, 0, 400, 0;
		$now += 410 + $flush;
	}
	return join ',', @values;
}

my $pauses = trace_of_pauses(4);
$one = learn($pauses, 0, 5, 0, 0, '', join ',', -1, (1) x 49);
is($one->{pauses}, 45, 'learning: pauses');
is($one->{pause}, 20010, '... and how long they are');
about($one->{commits}, 50 / 0.0905, 5, '... and as many commits');
about(learn(trace(5, 400, 1000, 3), 0, 5)->{commits},
	5e6 / 1410, 3, 'learning: five sessions that commit together');

# Every other wait is that of a PREPARE TRANSACTION: half as many commits, each
# as long as before.
my @waits = split /,/, trace(1, 400, 1000, 3);
$waits[ 8 * $_ ] *= -1 for grep { $_ % 2 } 0 .. @waits / 8 - 1;
my $prepares = learn(join(',', @waits), 0, 5);
about($prepares->{commits}, 1e6 / 1410 / 2, 5, 'learning: prepares are no commits');
about($prepares->{latency}, 1010, 1, 'learning: the latency of commits');

# Sessions that commit each for themselves and do not get along more slowly the
# more of them work, as if each had a processor; and for how many seconds two
# processors could have worked for them.
sub independent_sessions ($n, $seconds)
{
	my ($now, $could, @working, @values) = (0, 0);
	my @next = map { 100 * $_ } 1 .. $n;    # when each changes over
	my @start = (0) x $n;

	for (my $i = 0; $now < $seconds * 1e6; $i++)
	{
		my ($s) = sort { $next[$a] <=> $next[$b] } 0 .. $n - 1;
		my $others = grep { $_ != $s && $working[$_] } 0 .. $n - 1;
		my $both = $others + ($working[$s] ? 1 : 0);

		$could += ($next[$s] - $now) * ($both > 2 ? 2 : $both);
		$now = $next[$s];
		if ($working[$s])
		{
			$start[$s] = $now;
			$next[$s] += 100 + ($i * 7919) % 2900;
		}
		else
		{
			push @values, $s + 1, $start[$s], $now, $i, 10, $n - 1, 400, 0;
			$next[$s] += 500 - 20 * $others;
		}
		$working[$s] = !$working[$s];
	}
	return (join(',', @values), $could / 1e6);
}

my ($independent, $could) = independent_sessions(5, 3);
is(learn($independent, 0, 5)->{cores} + 0, 5, 'learning: a core for each, as it looks');
is(learn($independent, 0, 5, 2, $could)->{cores} + 0,
	2, 'learning: no more cores than processors, if these were busy');
is(learn($independent, 0, 5, 2, $could / 2)->{cores} + 0,
	5, 'learning: as many as it looks like, if they were not');
is(learn($independent, 0, 5, 2, -$could)->{cores} + 0,
	5, 'learning: nor if other programs were at work while sessions waited for clients');

# 950 us with two processors are 1900 of CPU time
$one = learn(trace(4, 950, 1000, 3), 0, 5, 2, 3 * 1920 / 1960);
about($one->{work}, 475, 1, 'learning: sessions share busy processors');
about($one->{commits}, 4e6 / 1960, 1, 'learning: commits while they do');

# Sessions that update the same row, one after the other: all others wait while
# one works for 200 us and flushes, but the first half of the work needs no
# lock.
sub one_row ($n, $seconds)
{
	my @values;

	for (my $i = 0; $i < $seconds * 1e6 / 1200; $i++)
	{
		my $start = 1200 * $i + 200;

		push @values, $i % $n, $start, $start + 1000, $i, 1000, 0, 400, 0;
	}
	return join ',', @values;
}

my $row = one_row(4, 4);
$one = learn($row, 0, 5);
is($one->{conflict} + 0, 0, 'learning: nobody waits for locks');
about($one->{work}, 3 * 1200 + 200, 1, '... then it is all work');
$one = learn($row, 0, 5, 0, 0, '2,3');
about($one->{blocked}, 3 - 200 / 1200, 1, 'learning: sessions that wait for a lock');
cmp_ok($one->{work}, '<', 500, '... do not work');
about($one->{commits}, 1e6 / 1200, 2, '... and still commit one after the other');
about(learn($row, 1000, 0, 0, 0, '2,3')->{commits}, 1e6 / 2200, 10, '... with a delay as well');

$one = learn(trace(4, 400, 4000, 3), 0, 5, 0, 0, '5,5');
about($one->{work}, 400, 1, 'learning: more that wait than are in the sample are others');
is($one->{blocked} + 0, 0, '... and keep nobody from working');

is(learn(trace(1, 400, 1000, 0.02), 0, 5)->{enough}, 0, 'learning: too little');
is(learn('', 0, 5)->{enough}, 0, 'learning: nothing at all');

# Nothing in a trace may upset the arithmetic: clocks that do not agree, groups
# that are not known, sessions that commit once.
my @nonsense;
for my $i (1 .. 500)
{
	my $start = ($i * 7919) % 100_000;
	push @nonsense, $i % 7, $start, $start + ($i * 104729) % 3000, $i % 3 ? $i % 50 : 4294967295,
	  $i % 2 ? ($i * 31) % 5000 : 0, ($i * 13) % 20, ($i * 17) % 100_000, $i % 5 ? 0 : 500;
}
$one = learn(join(',', @nonsense), 500, 1);
is($one->{enough}, 1, 'learning: nonsense is enough');
cmp_ok($one->{commits}, '>=', 0, '... and survived');

# Times that are all 0 do not keep it for ever
is(model(clients => 3, work => 0, flush => 0, handoff => 0, seconds => 1)->{endless},
	1, 'no time at all: it ends, and says so');
is(model()->{endless}, 0, '... as no other load does');
is(model(clients => 300, work => 60, flush => 0, handoff => 0, seconds => 1)->{endless},
	0, '... nor one whose clients make 5 commits in 1 us');

# The adaptive delay instead of commit_delay, in a minute of each load
my $gain = 0;
for my $n (1, 2, 5, 10, 20, 50)
{
	my %limited = (
		%quota,
		clients => $n,
		work => '200,400,600',
		wake => '30,30,30',
		flush => '200,250,300',
		cores => 2,
		slack => 60,
		quota => 49,
		seconds => 60);
	my @fixed = map { model(%limited, delay => $_, siblings => 1) } 0, 500, 1000, 2000, 5000;
	my ($best) = sort { $b->{commits} <=> $a->{commits} } @fixed;

	$one = model(%limited, adaptive => 'true');
	cmp_ok($one->{hits}, '>', 0.1, "adaptive, quota, $n clients: leaders sleep");
	is(model(%limited, adaptive => 'true', notifies => 'true')->{hits} + 0,
		0, '... but not after a commit with NOTIFY');
	$gain += log($one->{commits} / $best->{commits}) / 6;
	cmp_ok($one->{p99}, '<', 0.2 * $fixed[0]->{p99}, "adaptive, quota, $n clients: p99");
	cmp_ok($one->{commits}, '>', 0.7 * $best->{commits}, "adaptive, quota, $n clients: commits");
}
cmp_ok(exp($gain), '>', 0.95, 'adaptive, quota: as many commits as with the best of five delays');
$gain = model(clients => 10, adaptive => 'true', cores => 2, seconds => 60)->{commits} /
  model(clients => 10, cores => 2)->{commits};
cmp_ok($gain, '>', 0.97, 'adaptive, no quota: no fewer commits than without');

# A request to cancel
is($node->sql("SELECT whatif_cancelled($_)"), 't', "a request to cancel: learn = $_")
  for qw(false true);

# What commit_remedies() changes in loads of two clients, the parties 1 and 2:
# what each of the two does, rounded: commits/s, latency, time of a
# transaction, and the flushes/s of the server.
sub remedy_model ($words)
{
	my %load = load_of("parties $words");

	$load{$_} = "'{$load{$_}}'" for qw(sessions work notifies arrivals);
	return split /\n/, $node->sql(
		q{SELECT concat_ws(', ', round(commits), round(latency), round(transaction), round(flushes))
FROM remedy_model(} . join(', ', map { "$_ => $load{$_}" } sort keys %load) . ')');
}

for (grep { !/^#/ } split /\n/, <<'END')
# One session: 400 us of work, 1000 us of flush
nothing is changed | | 714, 1000, 1400, 714 | 0, 714
a batch of one | batch=1 | 714, 1000, 1400, 714 | 0, 714
ten in one commit | batch=10 | 2000, 1000, 500, 200 | 0, 200
asynchronous: no commit waits | async=true | 2500, 400, 0 | 0, 0
both | async=true batch=10 | 2500, 400, 0 | 0, 0
a party that has no sessions | changed=2 batch=10 async=true | 714, 1000, 1400, 714 | 0, 714
# Half of the flush is for its 50 pages of WAL.
half the flush time | factor=0.5 | 1111, 500, 900, 1111 | 0, 1111
half of the WAL | less_wal=0.5 | 870, 750, 1150, 870 | 0, 870
none of the WAL | less_wal=1 | 1111, 500, 900, 1111 | 0, 1111
... never below 0 | factor=0.1 less_wal=1 | 2500, 0, 400, 2500 | 0, 2500
# All transactions have WAL, also those that one commit is for.
the WAL of ten in one commit | wal=50 batch=10 | 1053, 5500, 950, 105 | 0, 105
# A quota of WAL has room for as many transactions, whatever else changes.
a quota of WAL | wal_quota | 20, 49600, 50000, 20 | 0, 20
... and half the flush time | wal_quota factor=0.5 | 20, 49600, 50000, 20 | 0, 20
... and ten in one commit | wal_quota batch=10 | 20, 496000, 50000, 2 | 0, 2
... and half of the WAL | wal_quota less_wal=0.5 | 40, 24600, 25000, 40 | 0, 40
# Pauses are as long, whatever the flushes are.
two pauses in each second, one after the other | pause=1e5 | 643, 1155, 1555, 643 | 0, 643
... and half the flush time | pause=1e5 factor=0.5 | 1000, 600, 1000, 1000 | 0, 1000
# Two parties that meet in each flush, until one of them does otherwise
both in each flush | both | 1000, 1000, 1000, 1000 | 1000, 1000, 1000, 1000
... which takes longer for the WAL of two | both wal=50 | 667, 1500, 1500, 667 | 667, 1500, 1500, 667
... or half as long | both wal=50 factor=0.5 | 1333, 750, 750, 1333 | 1333, 750, 750, 1333
the first does not wait | both work=100000,0 async=true | 10, 100000, 1000 | 1000, 1000, 1000, 1000
nine in one, beside another: it comes 900 us after a flush began | both work=100,0 batch=9 | 4500, 1100, 222, 1000 | 1000, 1000, 1000, 1000
# NOTIFY: one commit in each flush, and the others wait for the lock
NOTIFY: one after the other | NOTIFY | 1000, 4000, 4000, 1000 | 0, 1000
... and outside: all in each flush | NOTIFY quiet=true | 4000, 1000, 1000, 1000 | 0, 1000
others share the flushes | NOTIFY sessions=4,3 | 1000, 4000, 4000, 1000 | 3000, 1000, 1000, 1000
NOTIFY of the party that is not changed | NOTIFY changed=2 quiet=true | 1000, 4000, 4000, 1000 | 0, 1000
a delay | both delay=1000 | 500, 2000, 2000, 500 | 500, 2000, 2000, 500
... but not where all others wait for the lock of NOTIFY | NOTIFY delay=1000 | 1000, 4000, 4000, 1000 | 0, 1000
END
{
	my ($what, $load, @parties) = split / *\| */;

	is_deeply([ remedy_model($load) ], \@parties, $what);
}

# Four of five commits of the first leave their WAL to the next flush, and the
# fifth has no room.
my @shares =
  map { (split /, /)[0] } remedy_model('wal_quota sessions=1,1 work=100,100 async=true');
about($shares[0] + $shares[1], 20, 10, 'a quota of WAL, also of commits that do not wait');
cmp_ok($shares[1], '>', 1, '... which leave something to others');

# The next one has the lock after two wake-ups, which no flush awaits.
%load = (clients => 9, work => 0, handoff => 0, flush => 1000);
about(model(%load, notifies => 'true', wake => 100)->{commits},
	1e6 / 1100, 1, 'NOTIFY: nobody else commits, so a flush begins when the next one is awake');
about(model(%load, notifies => 'true', handoff => 50)->{commits},
	1e6 / 1050, 1, '... which the handoff has, where no sample shows it');

# Of ten transactions in one commit, nearly always one sends a NOTIFY, if each
# other one does.
my ($carried) = split /, /, (remedy_model('NOTIFY notifies=2,0 batch=10'))[0];
about($carried, 10_000, 1, 'NOTIFY: a commit sends that of each transaction that it carries');

# Arrivals: as many transactions, a tenth of the flushes
my ($commits, $latency, $time, $flushes) = split /, /, (remedy_model('arrivals batch=10'))[0];
my ($before) = split /, /, (remedy_model('arrivals'))[0];
is($commits, $before, 'arrivals: as many transactions as before');
ok(abs($flushes - $commits / 10) <= 1, '... in a tenth of the flushes')
  or diag "$flushes flushes/s, $commits transactions/s";

end_test($node);
