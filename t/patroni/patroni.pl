# Patroni in strict synchronous mode: is no acknowledged commit lost when the
# primary changes, do the statistics go on at the new primary, and does the
# report name what commits wait for meanwhile?
#
# Two nodes and etcd.  Clients insert numbers, and write down each one whose
# commit was acknowledged; these must be in the table of the last primary.
# script/test-patroni installs the programs.

use CommitStats;
use HTTP::Tiny;
use POSIX       ();
use Time::HiRes qw(usleep);

my ($etcd) = grep { -x } qw(/usr/bin/etcd /usr/local/bin/etcd);
plan skip_all => 'there is no etcd or Patroni' if !defined $etcd || !-x '/usr/bin/patroni';

my $folder = PostgreSQL::Test::Utils::tempdir();
my $bin = pg_config('--bindir');
my $clients = 4;
my @started;    # programs to end
my @load;       # processes of clients
my $stopped;    # a process to continue

END
{
	my $status = $?;

	kill 'CONT', $stopped if $stopped;
	kill 'KILL', @load;
	end_background($_, 'TERM') for reverse @started;
	$? = $status;
}

sub start_program ($name, @command)
{
	my %program =
	  (run => IPC::Run::start(\@command, '<', \undef, '>&', "$folder/$name.log"), err => '');

	push @started, \%program;
	return \%program;
}

# The cluster
my $etcd_port = PostgreSQL::Test::Cluster::get_free_port();
my $peer_port = PostgreSQL::Test::Cluster::get_free_port();
my %node = map {
	$_ => {
		name => $_,
		port => PostgreSQL::Test::Cluster::get_free_port(),
		api => PostgreSQL::Test::Cluster::get_free_port()
	}
} qw(node1 node2);

sub write_config ($node)
{
	append_to_file("$folder/$node->{name}.yml", <<"END_OF_FILE");
scope: commit_stats
name: $node->{name}
restapi: {listen: "127.0.0.1:$node->{api}", connect_address: "127.0.0.1:$node->{api}"}
etcd3: {host: "127.0.0.1:$etcd_port"}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 1
    retry_timeout: 5
    synchronous_mode: true
    synchronous_mode_strict: true
    postgresql:
      use_pg_rewind: true
      parameters: {wal_log_hints: "on", max_connections: 30}
  initdb: [encoding: UTF8, locale: C, auth: trust]
postgresql:
  listen: "127.0.0.1:$node->{port}"
  connect_address: "127.0.0.1:$node->{port}"
  data_dir: $folder/$node->{name}
  bin_dir: $bin
  pgpass: $folder/$node->{name}.pgpass
  authentication:
    superuser: {username: postgres, password: secret}
    replication: {username: replicator, password: secret}
    rewind: {username: rewinder, password: secret}
  pg_hba:
    - local all all trust
    - host all all 127.0.0.1/32 trust
    - host replication all 127.0.0.1/32 trust
  parameters:
    unix_socket_directories: $folder
    shared_preload_libraries: commit_stats
    track_wal_io_timing: "on"
END_OF_FILE
}

sub start_patroni ($node)
{
	# without a locale for its messages Patroni would not start
	local $ENV{LC_ALL} = 'C.UTF-8';
	$node->{patroni} =
	  start_program($node->{name}, '/usr/bin/patroni', "$folder/$node->{name}.yml");
}

# What a statement returns; undef if the node does not answer.
sub query ($node, $sql)
{
	my ($out, $err);

	IPC::Run::run(
		[
			"$bin/psql", '-XAtq', '-c', $sql, '-d',
			"host=$folder port=$node->{port} user=postgres dbname=postgres"
		],
		'>',
		\$out,
		'2>',
		\$err) or return;
	chomp $out;
	return $out;
}

# Wait until a statement returns "t".
sub wait_for ($node, $sql, $what)
{
	return ok(poll_until(sub { (query($node, $sql) // '') eq 't' }, 5), $what)
	  || diag map { "$_:\n" . substr(slurp_file($_), -3000) } glob "$folder/*.log";
}

# Wait until one node commits and waits for the other, and Patroni knows it.
sub has_standby ($primary, $standby, $what)
{
	wait_for(
		$primary,
		qq{SELECT NOT pg_is_in_recovery() AND count(*) = 1 FROM pg_stat_replication
WHERE sync_state = 'sync' AND application_name = '$standby->{name}'
	AND current_setting('synchronous_standby_names') ~ '$standby->{name}'}, $what);
	return ok(
		poll_until(
			sub { HTTP::Tiny->new->get("http://127.0.0.1:$standby->{api}/sync")->{success} }, 5),
		"$what, which Patroni has noted");
}

# Clients, each a child of the test

# Statements from number $first on; each number is printed when its commit has
# returned.
sub statements ($first)
{
	return join '', map { "INSERT INTO numbers VALUES ($_);\n\\echo $_\n" } $first .. $first + 3000;
}

# What a client does: a session that fails has left one number in doubt.
sub run_client ($i)
{
	my $next = $i * 1_000_000;
	my $target = join ' ', 'host=127.0.0.1,127.0.0.1', "port=$node{node1}{port},$node{node2}{port}",
	  'user=postgres dbname=postgres target_session_attrs=read-write connect_timeout=2';

	while (!-e "$folder/end")
	{
		my $file = "$folder/client$i";

		unlink "$file.sql";
		append_to_file("$file.sql", statements($next));
		system(
			"'$bin/psql' -Xq -v ON_ERROR_STOP=1 -d '$target' -f '$file.sql' >'$file.out' 2>'$file.err' </dev/null"
		);
		my @numbers = split /\n/, slurp_file("$file.out");
		append_to_file("$folder/acknowledged", join '', map { "$_\n" } @numbers);
		$next = $numbers[-1] + 2 if @numbers;
		usleep(100_000);
	}
}

sub start_clients
{
	for my $i (1 .. $clients)
	{
		my $pid = fork // die "cannot fork: $!\n";

		if ($pid == 0)
		{
			eval { run_client($i) };
			warn $@ if $@;
			POSIX::_exit(0);
		}
		push @load, $pid;
	}
}

sub end_clients
{
	append_to_file("$folder/end", '');
	waitpid $_, 0 for @load;
	@load = ();
	return split /\n/, slurp_file("$folder/acknowledged");
}

# What commit_stats says

sub commits ($node)
{
	return query($node, 'SELECT commits FROM commit_flush_stats') // 0;
}

sub commits_grow ($node, $what)
{
	my $before = commits($node);

	return wait_for($node, "SELECT commits > $before + 100 FROM commit_flush_stats", $what);
}

# All clients wait, and the report's first line says for what.
sub explains ($node, $pattern, $what)
{
	my $line = '';

	ok_soon "$what: the pause is explained", sub {
		my $report = query($node, 'SELECT commit_stats_report()') // '';

		# it may have been wrapped
		$line = $report =~ /^(.*(?:\n +.*)*)/ ? $1 =~ s/\n +/ /gr : '';
		return $line =~ /^$clients commits wait now, .*$pattern/;
	}, 5 or diag $line;
	return note $line;
}

# A primary, and a standby that each commit waits for
write_config($_) for values %node;
start_program(
	'etcd', $etcd,
	'--data-dir' => "$folder/etcd",
	'--listen-client-urls' => "http://127.0.0.1:$etcd_port",
	'--advertise-client-urls' => "http://127.0.0.1:$etcd_port",
	'--listen-peer-urls' => "http://127.0.0.1:$peer_port",
	'--initial-advertise-peer-urls' => "http://127.0.0.1:$peer_port",
	'--initial-cluster' => "default=http://127.0.0.1:$peer_port");
my ($one, $two) = @node{qw(node1 node2)};

start_patroni($one);
wait_for($one, 'SELECT NOT pg_is_in_recovery()', 'node1 is the primary');
start_patroni($two);
has_standby($one, $two, '... and node2 its standby');
query($one, 'CREATE EXTENSION commit_stats; CREATE TABLE numbers (n int)');
start_clients();
commits_grow($one, 'the primary counts commits');

# A standby that does not answer
$stopped = query($two, 'SELECT pid FROM pg_stat_wal_receiver');
kill 'STOP', $stopped;
explains($one, "standby 'node2': not (?:written|flushed)", 'slow standby');
is( query(
		$one, q{SELECT standby, sum(waiting_now) FROM commit_standby_stats
WHERE waiting_now > 0 GROUP BY 1}),
	"node2|$clients",
	'slow standby: commit_standby_stats agrees');
kill 'CONT', $stopped;
undef $stopped;

# Switch over
commits_grow($one, 'switchover: before');
IPC::Run::run(
	[
		'/usr/bin/patronictl', '-c', "$folder/node1.yml", 'switchover',
		'--master', 'node1', '--candidate', 'node2',
		'--force', 'commit_stats'
	],
	'>&',
	"$folder/patronictl.log") or die slurp_file("$folder/patronictl.log");
has_standby($two, $one, 'switchover: node2 is the primary, and node1 its standby');
commits_grow($two, 'switchover: statistics go on');

# Fail over: nobody starts node2 again for a while, and without a standby
# strict mode lets no commit pass
#
# The whole node goes down: a backend that waits for a standby when only the
# postmaster is killed may go on, deaf, and read its standard input.
my ($postmaster) = slurp_file("$folder/node2/postmaster.pid") =~ /^(\d+)/;
my @processes = split /\n/, query($two, 'SELECT pid FROM pg_stat_activity');
$two->{patroni}->{run}->signal('KILL');
kill 'KILL', $postmaster, @processes;
wait_for($one, 'SELECT NOT pg_is_in_recovery()', 'failover: node1 is the primary');
explains($one, 'too few synchronous standbys are connected', 'failover');
start_patroni($two);
has_standby($one, $two, 'failover: node2 is its standby');
commits_grow($one, 'failover: statistics go on');

# Nothing is lost
my @acknowledged = end_clients();
my %there = map { $_ => 1 } split /\n/, query($one, 'SELECT n FROM numbers');
my @lost = grep { !$there{$_} } @acknowledged;

cmp_ok(scalar @acknowledged, '>', 500, 'commits were acknowledged');
is("@lost", '', '... and none of them is lost');
note scalar(@acknowledged) . ' acknowledged';
done_testing();
