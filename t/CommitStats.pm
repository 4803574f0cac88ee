# What the tests of commit_stats share: a server with the library, its counts
# as a hash, and what the WAL says about the same time.  Exports Test::More and
# PostgreSQL::Test::Utils as well, which nearly all of them use.

package CommitStats;

use strict;
use warnings;
use feature 'signatures';
no warnings 'experimental::signatures';

use Cwd qw(abs_path);
use Exporter;
use File::Basename qw(dirname);
use IPC::Open3     qw(open3);
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

our @ISA = qw(Exporter);
our @EXPORT = (
	@PostgreSQL::Test::Utils::EXPORT, @Test::More::EXPORT,
	qw(compile_c compile_program compile_module pg_config has_library has_sanitizers need_library init_node start_node flush_stats wait_for_commits write_file waldump
	  wal_records run_pgbench start_pgbench start_background errors_so_far end_background
	  end_pgbench pgbench_log ways_to_end error_of poll_until eventually ok_soon ok_eventually create_same_settings $watched create_read_all
	  kill_backend starts_from_zero named_causes causes_of
	  views_of_commit_stats members_of_extension disagreements views_agree counts_load near about add_standby require_standby ends_well end_test)
);

# Turns on strict, warnings and signatures in the file that uses this.
sub import
{
	strict->import;
	warnings->import;
	feature->import('signatures');
	warnings->unimport('experimental::signatures');
	goto &Exporter::import;
}

# pg_ctl gives a server a minute to start or stop, which is short on a busy
# machine.
$ENV{PGCTLTIMEOUT} //= 4 * $PostgreSQL::Test::Utils::timeout_default;

# initdb takes longer than many a test.  From 17 on Cluster.pm copies the
# cluster that INITDB_TEMPLATE names; older ones do so here.
{
	my $run = \&PostgreSQL::Test::Utils::system_or_bail;

	no warnings 'redefine';
	*PostgreSQL::Test::Utils::system_or_bail = sub {
		my @command = @_;

		# without options of the test's own
		@command = ('cp', '-RPp', $ENV{INITDB_TEMPLATE}, $command[2])
		  if $ENV{INITDB_TEMPLATE} && @command == 6 && $command[0] eq 'initdb';
		return $run->(@command);
	};
}

# The time that a session has is for each query and for its end, and not for
# the whole test.
{
	my $start = PostgreSQL::Test::Cluster->can('background_psql');
	my $quit = PostgreSQL::Test::BackgroundPsql->can('quit');

	no warnings 'redefine';
	*PostgreSQL::Test::Cluster::background_psql = sub {
		my $session = $start->(@_);

		$session->{query_timer_restart} = 1;
		return $session;
	};
	*PostgreSQL::Test::BackgroundPsql::quit = sub ($session) {
		$session->{timeout}->start;
		return $quit->($session);
	};
}

# Methods more of a server: a statement in the database postgres, its rows, and
# the wait until a query there returns true.
sub PostgreSQL::Test::Cluster::sql ($self, $sql, %options)
{
	return $self->safe_psql('postgres', $sql, %options);
}

# The columns of a row
sub PostgreSQL::Test::Cluster::row ($self, $query)
{
	return split /\|/, $self->sql($query), -1;
}

sub PostgreSQL::Test::Cluster::rows ($self, $query)
{
	return map { [ split /\|/, $_, -1 ] } split /\n/, $self->sql($query);
}

# One session asks for it again and again, as connecting takes longer than most
# queries.  A server that stops ends psql.
sub PostgreSQL::Test::Cluster::wait_until ($self, $query, $db = 'postgres')
{
	my @psql = ($self->installed_command('psql'), '-XAt', '-d', $self->connstr($db));
	my ($pid, $in, $out, $answer);
	my $end = sub {
		close $in;
		waitpid $pid, 0;
		undef $pid;
	};

	local $SIG{PIPE} = 'IGNORE';
	poll_until(
		sub {
			$answer = '';
			$pid //= open3($in, $out, undef, @psql);
			print $in "$query\n;\n\\echo answered\n";
			$in->flush;
			while (my $line = <$out>)
			{
				return $answer eq "t\n" if $line eq "answered\n";
				$answer .= $line;
			}
			$end->();
			return 0;
		},
		20) or die "never true: $query\n$answer";
	$end->();
	return 1;
}

# Wait until no other client is connected, and all have added up their counts.
sub PostgreSQL::Test::Cluster::wait_until_alone ($self)
{
	return $self->wait_until(
		q{SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'client backend'});
}

sub PostgreSQL::Test::Cluster::report ($self)
{
	return $self->sql('SELECT commit_stats_report()');
}

# The process of the background worker
sub PostgreSQL::Test::Cluster::worker_pid ($self)
{
	return $self->sql(
		q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'commit_stats worker'});
}

# Stop it as it sleeps: else it may hold a lock for which a reset waits
sub PostgreSQL::Test::Cluster::stop_worker ($self)
{
	my $pid = $self->worker_pid;
	my $session = $self->background_psql('postgres');

	poll_until(sub {
		kill 'STOP', $pid;
		return 1
		  if $session->query_safe(
			"SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = $pid") eq 't';
		kill 'CONT', $pid;
		return 0;
	}) or die "the worker does not sleep\n";
	$session->quit;
	return $pid;
}

# The process that runs commit_delay_sweep(), if one does
sub PostgreSQL::Test::Cluster::sweep_pid ($self)
{
	return $self->sql('SELECT sweep_pid FROM commit_stats_info');
}

# The identifier of a statement
sub PostgreSQL::Test::Cluster::queryid ($self, $statement)
{
	return ($self->sql("EXPLAIN (VERBOSE) $statement") =~ /Query Identifier: (-?\d+)/)[0];
}

# What a server for a single user prints, and its messages
sub PostgreSQL::Test::Cluster::single_user ($self, $statements)
{
	my ($out, $err);

	IPC::Run::run(
		[ $self->installed_command('postgres'), '--single', '-D', $self->data_dir, 'postgres' ],
		'<', \$statements, '>', \$out, '2>', \$err);
	return ($out, $err);
}

# The views, with which a test can say "all of them".
sub views_of_commit_stats
{
	my $script = slurp_file(dirname(__FILE__) . '/../commit_stats--1.0.sql');

	return $script =~ /^CREATE VIEW (\w+)/mg;
}

# The members of the extension in one of the catalogs: a query for their
# identifiers.
sub members_of_extension ($catalog)
{
	return qq{SELECT objid FROM pg_depend
WHERE classid = '$catalog'::regclass AND refclassid = 'pg_extension'::regclass AND
	  deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'commit_stats')};
}

# Where the views contradict commit_flush_stats, while nothing commits.
sub disagreements ($node)
{
	return $node->sql(
		q{WITH d AS (SELECT sum(commits) AS commits, sum(commits_async) AS commits_async,
				  sum(commits_unlogged) AS commits_unlogged,
				  sum(commits_read_only) AS commits_read_only,
				  sum(prepares) AS prepares, sum(flushes) AS flushes,
				  sum(commits_carried) AS commits_carried,
				  sum(timed_flushes) AS timed_flushes,
				  sum(commit_time) AS commit_time, sum(flush_time) AS flush_time
		   FROM commit_database_stats),
	 h AS (SELECT coalesce(sum(commits), 0) AS commits, coalesce(sum(flushes), 0) AS flushes
		   FROM commit_flush_histogram),
	 b AS (SELECT coalesce(sum(flushes), 0) AS flushes FROM commit_sibling_histogram),
	 l AS (SELECT coalesce(sum(commits) FILTER (WHERE role <> 'asynchronous'), 0) AS commits,
				  coalesce(sum(commits) FILTER (WHERE role = 'asynchronous'), 0) AS commits_async,
				  coalesce(sum(commits) FILTER (WHERE role = 'follower'), 0) AS followers,
				  sum(commit_time) FILTER (WHERE role <> 'asynchronous') AS commit_time,
				  sum(flush_time) AS flush_time,
				  bool_or(other_time < 0 OR record_time < 0 OR
				  (other_time > 0 AND wait_level IN ('off', 'local') AND
					  abs(record_time + notify_time + coalesce(delay_time, 0)
						  + coalesce(flush_time, 0) + other_time - commit_time) > 0.01)) AS parts
		   FROM commit_latency_stats),
	 c AS (SELECT coalesce(sum(commits), 0) AS commits FROM commit_latency_histogram),
	 f AS (SELECT coalesce(sum(flushes), 0) AS flushes, sum(flush_time) AS flush_time
		   FROM commit_flush_latency_stats),
	 g AS (SELECT coalesce(sum(flushes), 0) AS flushes FROM commit_flush_latency_histogram),
	 w AS (SELECT coalesce(sum(commits), 0) AS commits FROM commit_wal_stats)
SELECT concat_ws(', ',
	CASE WHEN (d.commits, d.commits_async, d.commits_unlogged, d.commits_read_only, d.prepares)
			  <> (s.commits, s.commits_async, s.commits_unlogged, s.commits_read_only, s.prepares)
		 THEN 'commits of databases' END,
	CASE WHEN (d.flushes, d.commits_carried, d.timed_flushes)
			  <> (s.flushes, s.followers + s.commits_without_leader, s.timed_flushes)
		 THEN 'flushes of databases' END,
	CASE WHEN abs(d.commit_time - s.commit_time) + abs(d.flush_time - s.flush_time) > 0.1
		 THEN 'times of databases' END,
	CASE WHEN h.commits <> s.commits - s.commits_without_leader - s.unresolved_commits
		 THEN 'commits in flushes' END,
	CASE WHEN h.flushes <> s.flushes - s.unresolved_flushes THEN 'flushes by size' END,
	-- without a delay not all leaders count them
	CASE WHEN b.flushes <> h.flushes AND
			  (b.flushes > h.flushes OR current_setting('commit_delay') <> '0')
		 THEN 'flushes by siblings' END,
	CASE WHEN (l.commits, l.commits_async, l.followers)
			  <> (s.commits, s.commits_async, s.followers + s.commits_without_leader)
		 THEN 'commits by role' END,
	CASE WHEN abs(l.commit_time - s.commit_time) > 0.01 THEN 'commit times' END,
	CASE WHEN l.parts THEN 'parts of commit times' END,
	CASE WHEN c.commits <> s.commits + s.commits_async THEN 'cells of commits' END,
	CASE WHEN f.flushes <> s.timed_flushes OR g.flushes <> s.timed_flushes
		 THEN 'timed flushes' END,
	CASE WHEN abs(f.flush_time - s.flush_time) > 0.01 OR
			  (s.prepares = 0 AND abs(l.flush_time - s.flush_time) > 0.01)
		 THEN 'flush times' END,
	CASE WHEN w.commits <> s.commits + s.commits_async + s.commits_unlogged
		 THEN 'commits of cycles' END)
FROM commit_flush_stats s, d, h, b, l, c, f, g, w});
}

sub views_agree ($node, $name)
{
	is(disagreements($node), '', "$name: the views agree");
}

# A load of $n commits, as observe() has seen it: each is counted, and led, or
# followed, or had no leader.
sub counts_load ($counted, $records, $n, $name)
{
	is($records->{COMMIT}, $n, "$name: the load is what it should be");
	is($counted->{commits}, $n, "$name: every commit is counted");
	is($counted->{flushes} + $counted->{followers} + $counted->{commits_without_leader},
		$n, "$name: and has its flush");
}

# A server, not started yet, with settings in lines, or behind semicolons.
# Cluster.pm sets fsync = off, which would leave no flushes to share.  Without
# allows_streaming it sets wal_level = minimal, which hardly any real server
# has, and with it few connections.  Autovacuum would add commits of its own.
# A processor's counter, which 19 prefers, is calibrated anew at each start,
# with errors of 0.1%: 0.3 ms of a long stall.
sub init_node ($name, %params)
{
	my $node = PostgreSQL::Test::Cluster->new($name);

	my %init = (allows_streaming => 1, %{ $params{init} || {} });

	# the default before 18; with checksums, hint bits are logged
	$init{extra} = ['--no-data-checksums'] if $params{no_checksums} && $node->pg_version >= 18;
	$node->init(%init);
	$node->append_conf(
		'postgresql.conf', q{
shared_preload_libraries = 'commit_stats'
max_connections = 100
shared_buffers = 128MB
fsync = on
autovacuum = off
log_statement = none
});
	$node->append_conf('postgresql.conf', "timing_clock_source = system\n")
	  if $node->pg_version >= 19;
	$node->append_conf('postgresql.conf', $params{conf} =~ s/;\s*/\n/gr) if defined $params{conf};
	return $node;
}

# A running server, with the extension and a table to write to.
sub start_node
{
	my $node = init_node(@_);

	$node->start;
	$node->sql('CREATE EXTENSION commit_stats; CREATE TABLE logged (n int)');
	return $node;
}

# Change settings of a server, and wait until new sessions have them.
sub PostgreSQL::Test::Cluster::alter_system ($node, %settings)
{
	my @names = sort keys %settings;

	$node->sql(
		join "\n",
		(map { "ALTER SYSTEM SET $_ = '$settings{$_}';" } @names),
		'SELECT pg_reload_conf()');
	$node->wait_until(
		'SELECT ' . join(' AND ', map { "current_setting('$_') = '$settings{$_}'" } @names));
}

# Stop a server, of which the test has killed some processes and which was
# never in trouble else.
sub ends_well ($node, $killed = 0)
{
	$node->stop;
	# "(PID 4711) was terminated": no program of a COPY
	my @troubles =
	  slurp_file($node->logfile) =~ /(PANIC|TRAP|(?<=\) was )terminated by signal \d+)/g;

	is( "@troubles",
		join(' ', ('terminated by signal 9') x $killed),
		$node->name . ': no process died except those killed');
}

# The end of a test: these servers stop as usual, and were never in trouble.
sub end_test (@nodes)
{
	ends_well($_) for @nodes;
	done_testing();
}

# Kill the backend of pg_stat_activity with this condition, and wait until the
# server has all its processes again.
sub kill_backend ($node, $condition)
{
	my $log_end = -s $node->logfile;
	my $pid = $node->sql("SELECT pid FROM pg_stat_activity WHERE $condition LIMIT 1");

	$pid =~ /^\d+$/ && kill('KILL', $pid) == 1 or die "no process to kill\n";
	$node->wait_for_log(
		qr/all server processes terminated; reinitializing.*database system is ready to accept connections/s,
		$log_end);
}

# Is nothing left of the statistics since $before?  Only reading has been
# counted.
sub starts_from_zero ($node, $before, $how)
{
	is( $node->sql(
			qq{SELECT (SELECT string_agg(key || ' ' || value, ', ') FROM jsonb_each(to_jsonb(s))
	 WHERE CASE jsonb_typeof(value) WHEN 'number' THEN value::numeric <> 0 END
		   AND key NOT IN ('commits_read_only', 'session_time')),
	(SELECT count(*) FROM commit_flush_histogram),
	(SELECT count(*) FROM commit_sibling_histogram),
	(SELECT count(*) FROM commit_flush_log),
	(SELECT count(*) FROM commit_latency_stats),
	(SELECT coalesce(sum(commits), 0) FROM commit_database_stats),
	(SELECT coalesce(sum(commits), 0) FROM commit_wal_stats),
	stats_reset > '$before', stats_reset <= now(),
	stats_reset = (SELECT stats_reset FROM commit_stats_info)
FROM commit_flush_stats s}),
		join('|', '', (0) x 6, ('t') x 3),
		"$how: starts from zero, and says so");
}

# The causes that a report names, in order, each without line breaks
sub named_causes ($report)
{
	return map { s/\n +/ /gr } $report =~ /^  \d\. (.*(?:\n     .*)*)/mg;
}

# ... but for those that a busy machine adds: a stop of the whole server, as by
# a pause or a limit of the CPU, and waits for a processor.
sub causes_of ($report)
{
	return grep { !/^\S+ (?:not run|flushes that wait for a processor): / } named_causes($report);
}

# A function read_all(), which reads all views and fails if a number there is
# negative.
sub create_read_all ($node)
{
	my $all_rows = join ' UNION ALL ',
	  map { "SELECT '$_' AS view, to_jsonb(v) AS row FROM $_ v" } views_of_commit_stats();

	$node->sql(qq{CREATE FUNCTION read_all() RETURNS void LANGUAGE plpgsql AS \$\$
DECLARE
	found record;
BEGIN
	FOR found IN
		SELECT view, row, key FROM ($all_rows) r, jsonb_each(row)
		WHERE CASE jsonb_typeof(value) WHEN 'number' THEN value::numeric < 0 END
			AND key NOT LIKE '%queryid'
	LOOP
		RAISE EXCEPTION 'negative % in %: %', found.key, found.view, found.row;
	END LOOP;
END \$\$});
}

# A trigger that does this at each COMMIT for each new row of a table.
sub PostgreSQL::Test::Cluster::create_deferred_trigger ($node, $table, $statement)
{
	$node->sql(qq{CREATE FUNCTION deferred_of_$table() RETURNS trigger LANGUAGE plpgsql AS
	\$\$ BEGIN $statement; RETURN NULL; END \$\$;
CREATE CONSTRAINT TRIGGER later AFTER INSERT ON $table DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION deferred_of_$table()});
}

# A running standby of a server, named "standby".
sub add_standby ($node, $conf = '', $name = 'standby')
{
	my $standby = PostgreSQL::Test::Cluster->new($name);

	$node->backup("base_of_$name");
	$standby->init_from_backup($node, "base_of_$name", has_streaming => 1);
	$standby->append_conf('postgresql.conf', $conf);
	$standby->start;
	return $standby;
}

# From now on commits wait for these standbys, one of which is there, or for
# none.
sub require_standby ($node, $names)
{
	$node->alter_system(synchronous_standby_names => $names);
	$node->wait_until(q{SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'})
	  if $names ne '';
}

# Where the server under test has something, as "--pkglibdir"
sub pg_config ($option)
{
	return `@{[ $ENV{PG_CONFIG} || 'pg_config' ]} $option` =~ s/\n//r;
}

# Compile with the headers of the server under test; the arguments are those of
# cc.  COMMIT_STATS_CC names another compiler for programs, which a library
# that other programs load could not use; see script/test-sanitizers.
sub compile_c ($output, @arguments)
{
	my $cc = $ENV{COMMIT_STATS_CC} || 'cc';

	$cc = 'cc' if grep { $_ eq '-shared' } @arguments;
	system_or_bail(
		split(' ', $cc),
		'-O1', '-Wall', '-Werror', '-D_GNU_SOURCE', '-isystem', pg_config('--includedir-server'),
		'-Isrc', '-o', $output, @arguments);
}

# A program of C files, without what would need the server, which it may name
# and cannot call: a function that gives it arguments, if the first of its own
# is a list of these, and lines, and returns what it prints.  Memory and
# formatting are those of libpgcommon; skips the test without.
sub compile_program (@arguments)
{
	my $program = PostgreSQL::Test::Utils::tempdir() . '/program';
	my ($folder) = grep { -e "$_/libpgcommon.a" } map { ($_, "$_/..") } pg_config('--pkglibdir');

	plan(skip_all => 'libpgcommon.a is not installed') if !defined $folder;
	compile_c($program, '-ffunction-sections', '-fdata-sections', '-no-pie',
		'-Wl,--gc-sections,--warn-unresolved-symbols',
		@arguments, "-L$folder", '-lpgcommon', '-lpgport', '-lm');
	return sub (@lines) {
		my @command = ($program, ref $lines[0] ? @{ shift @lines } : ());
		my $in = join '', map { "$_\n" } @lines;
		my $out;

		IPC::Run::run(\@command, '<', \$in, '>', \$out)
		  or die "$arguments[0] failed: status $? (11: it may call a function of the server)\n";
		return $out =~ s/\s+\z//r;
	};
}

# The path of a library of C files.  The library that is preloaded has
# functions of the same names.
sub compile_module (@arguments)
{
	my $module = abs_path(PostgreSQL::Test::Utils::tempdir()) . '/module.so';

	compile_c($module, '-fPIC', '-shared', '-Wl,-Bsymbolic', @arguments);
	return $module;
}

# Is this library of the server's contrib installed?
sub has_library ($name)
{
	return -e pg_config('--pkglibdir') . "/$name.so";
}

# Is the server compiled with AddressSanitizer?  That has its own malloc(), and
# terabytes of address space.
sub has_sanitizers ()
{
	return pg_config('--cflags') =~ /-fsanitize/;
}

# Skip the test where a library is not installed.
sub need_library ($name)
{
	plan(skip_all => "there is no $name") if !has_library($name);
}

# Functions of a module: "name(arguments) RETURNS type".
sub PostgreSQL::Test::Cluster::create_functions ($node, $module, @functions)
{
	$node->sql(join "\n", map { "CREATE FUNCTION $_ LANGUAGE C STRICT AS '$module';" } @functions);
}

# The row of commit_flush_stats.
sub flush_stats ($node)
{
	return { map { @$_ }
		  $node->rows('SELECT key, value FROM commit_flush_stats s, jsonb_each_text(to_jsonb(s))')
	};
}

# Wait until $n more commits have waited for their flush.
sub wait_for_commits ($node, $n)
{
	my $before = $node->sql('SELECT commits FROM commit_flush_stats');

	$node->wait_until("SELECT commits >= $before + $n FROM commit_flush_stats");
}

# Put a file in the place of one that may be there.
sub write_file ($path, $content)
{
	unlink $path;
	append_to_file($path, $content);
}

# What pg_waldump prints of the WAL between two positions.  The files are
# named: pg_waldump would read the segment size from any file in the folder,
# and that one may be empty.
sub waldump ($node, $start, $end, @options)
{
	my ($out, $err);
	my @files = $node->row("SELECT pg_walfile_name('$start'::pg_lsn + 1), pg_walfile_name('$end')");
	my @command = ($node->installed_command('pg_waldump'), '-p', $node->data_dir . '/pg_wal');

	IPC::Run::run([ @command, @options, '-s', $start, '-e', $end, @files ], '>', \$out, '2>', \$err)
	  or die "pg_waldump from $start to $end failed: $err\n";
	return $out;
}

# How many transaction records of each kind the WAL has between two positions.
sub wal_records ($node, $start, $end)
{
	my %count;

	# The file only has what is flushed.
	$node->sql("SELECT pg_switch_wal() WHERE pg_current_wal_flush_lsn() < '$end'");
	return {} if $start eq $end;
	$count{$_}++ for waldump($node, $start, $end, '-r', 'Transaction') =~ /desc: ([A-Z_]+)/g;
	return \%count;
}

# What commit_stats counted while $code ran, and what the WAL says.  A count
# that does not occur is 0.
sub PostgreSQL::Test::Cluster::observe ($node, $code)
{
	my $start = $node->lsn('insert');
	my $before = flush_stats($node);
	my ($after, $end, %counted, %records);

	$code->();
	$after = flush_stats($node);
	$end = $node->lsn('insert');
	for my $column (keys %$after)
	{
		next if $column eq 'stats_reset';
		$counted{$column} = ($after->{$column} || 0) - ($before->{$column} || 0);
	}
	%records = (
		COMMIT => 0,
		COMMIT_PREPARED => 0,
		PREPARE => 0,
		ABORT => 0,
		%{ wal_records($node, $start, $end) });
	return (\%counted, \%records);
}

# The command of pgbench in the database PGDATABASE with each of the scripts
# (name => SQL) as likely as the others, or of the weight behind the name and
# @.  Another pgbench may be about to read the same script.
sub _pgbench_command ($node, $options, %scripts)
{
	my @files;

	for my $name (sort keys %scripts)
	{
		my ($path, $weight) = ($node->basedir . "/$name") =~ /^(.*?)(\@\d+)?$/;

		$path .= '.sql';
		unlink $path if -e $path && slurp_file($path) ne $scripts{$name};
		append_to_file($path, $scripts{$name}) if !-e $path;
		push @files, '-f', $path . ($weight // '');
	}
	return [
		$node->installed_command('pgbench'),
		'-n', '-h', $node->host, '-p', $node->port, split(/\s+/, $options), @files
	];
}

# Run pgbench to its end.
sub run_pgbench ($node, $options, %scripts)
{
	my ($out, $err);

	IPC::Run::run(_pgbench_command($node, $options, %scripts), '>', \$out, '2>', \$err)
	  or die "pgbench $options failed: $err\n";
	return $out;
}

# The lines of pgbench's logs, each as a list: client, transaction, us, ...
sub pgbench_log ($prefix)
{
	return map { [ split ' ' ] } map { split /\n/, slurp_file($_) } glob "$prefix.*";
}

# Start a command beside the test; the result has its output.
sub start_background ($command)
{
	my %background = (out => '', err => '');

	$background{run} =
	  IPC::Run::start($command, '<', \undef, '>', \$background{out}, '2>', \$background{err});
	return \%background;
}

sub start_pgbench
{
	return start_background(_pgbench_command(@_));
}

# A session of psql with one or more commands.  The first error ends it.
sub PostgreSQL::Test::Cluster::start_psql ($node, @commands)
{
	return start_background([
		$node->installed_command('psql'),
		'-XAtq', '-v', 'ON_ERROR_STOP=1', '-v', 'VERBOSITY=verbose', '-d',
		$node->connstr('postgres'),
		map { ('-c', $_) } @commands
	]);
}

# A session of psql that measures a load, once $runs(session) is true.  On a
# busy machine it may find no load, or be over too soon, and starts again.
sub PostgreSQL::Test::Cluster::start_measuring ($node, $runs, @commands)
{
	my $session;

	poll_until(
		sub {
			errors_so_far($session) if $session;
			$session = $node->start_psql(@commands) if !$session || !$session->{run}->pumpable;
			return $runs->($session);
		},
		20) or die "it does not run: $session->{err}\n";
	return $session;
}

# The error messages of a background command so far.
sub errors_so_far ($background)
{
	$background->{run}->pump_nb if $background->{run}->pumpable;
	return $background->{err};
}

# Wait for the end of a background command, after a signal if one is given;
# true if it succeeded.  TERM will do; a command that a shell started in the
# background ignores INT.  One that does not end would stop all tests.
sub end_background ($background, $signal = undef)
{
	local $SIG{ALRM} = sub { die "a background command does not end\n" };
	alarm 4 * $PostgreSQL::Test::Utils::timeout_default;
	$background->{run}->signal($signal) if defined $signal;
	$background->{run}->finish;
	alarm 0;
	return $background->{run}->result == 0;
}

# End a pgbench, and wait until its backends have left.
sub end_pgbench ($node, $pgbench)
{
	end_background($pgbench, 'TERM');
	return $node->wait_until_alone;
}

# Ways to end what the process PID() does that a session waits for: name,
# statement to begin with, what ends it, and the error.
sub ways_to_end ($node, $pid, $timeout)
{
	my $signal = sub ($function) {
		return sub { $node->sql("SELECT $function(" . $pid->() . ')') };
	};

	return (
		[ 'cancel', 'SELECT 1', $signal->('pg_cancel_backend'), qr/57014.*user request/ ],
		[ 'timeout', "SET statement_timeout = '$timeout'", sub { }, qr/57014.*statement timeout/ ],
		[ 'terminate', 'SELECT 1', $signal->('pg_terminate_backend'), qr/57P01/ ]);
}

# Wait until $code returns true, for what SQL cannot tell; false if it never
# does.  $code runs $rate times a second, 50 by default, if it is quick.
sub poll_until ($code, $rate = 50)
{
	my $end = time + 4 * $PostgreSQL::Test::Utils::timeout_default;

	while (time < $end)
	{
		return 1 if $code->();
		usleep(1_000_000 / $rate);
	}
	return 0;
}

# The same for what takes its time, as a load or scraping does
sub eventually ($code)
{
	return poll_until($code, 1);
}

# The same as assertions
sub ok_soon ($name, $code, $rate = 50)
{
	return ok(poll_until($code, $rate), $name);
}

sub ok_eventually ($name, $code)
{
	return ok(eventually($code), $name);
}

# Equal, except for the last digits, which were rounded.
sub near ($got, $expected, $name)
{
	ok(abs($got - $expected) <= 0.002 * abs($expected) + 0.06, $name)
	  or diag("got $got, expected $expected");
}

# Equal to so many percent.
sub about ($got, $expected, $percent, $name)
{
	ok(abs($got - $expected) <= $expected * $percent / 100, $name)
	  or diag("got $got, expected $expected");
}

# A script of pgbench that commits, and looks at its settings after one commit
# of ten, as pg_settings takes longer than a commit.
our $watched = q{
INSERT INTO tick VALUES (1);
\set look random(1, 10)
\if :look = 1
SELECT same_settings();
\endif
};

# A function same_settings(), which fails in a session that does not have these
# settings, from the configuration file.
sub create_same_settings ($node, $delay, $siblings)
{
	$node->sql(qq{CREATE FUNCTION same_settings() RETURNS void LANGUAGE plpgsql AS \$\$
BEGIN
	IF current_setting('commit_delay') <> '$delay' OR
	   current_setting('commit_siblings') <> '$siblings' OR
	   EXISTS (SELECT FROM pg_settings
			   WHERE name IN ('commit_delay', 'commit_siblings') AND
					 source <> 'configuration file')
	THEN
		RAISE 'commit_delay is %, commit_siblings is %',
			current_setting('commit_delay'), current_setting('commit_siblings');
	END IF;
END \$\$});
}

# SQLSTATE, message and hint of a statement that fails; empty if it succeeds.
sub error_of ($node, $sql, $db = 'postgres')
{
	my ($status, $out, $err) =
	  $node->psql($db, $sql, extra_params => [ '-v', 'VERBOSITY=verbose' ], on_error_stop => 1);

	return $status == 0 ? '' : $err;
}

1;
