# Does commit_remedies() propose what can be run, for the clients that there
# are, and leave nothing behind?  What its changed loads do is in
# t/unit/whatif_model.pl.
#
# The shim (t/ground_truth/shim.c) makes devices of 5 ms of the disks.

use GroundTruth;
use List::Util qw(min);

my $texts = has_library('pg_stat_statements');
my $node = start_truth('remedies',
	"commit_delay = 7\nmax_prepared_transactions = 10\ncommit_stats.max_clients = 20\n"
	  . ($texts ? "shared_preload_libraries = 'commit_stats, pg_stat_statements'\n" : ''));
$node->sql('CREATE TABLE logged (n int)');
set_device($node, flush_time => 5);
$node->sql('CREATE EXTENSION pg_stat_statements') if $texts;
my $notices;    # of the newest sample

# The rows beside a load, as "remedy|...", without the figures.  On a busy
# machine a session may commit too little to be $seen, or a sample may not be
# explained, and has no statements; then another one is taken, which is longer.
sub remedies ($columns, $where = 'true', $seen = qr/./)
{
	my $rows;
	my $seconds = 2;

	$where .= ' AND others_saved IS NOT NULL' if $columns =~ /\bstatement\b(?!, undo\))/;

	eventually(sub {
		my $status;

		($status, $rows, $notices) = $node->psql('postgres',
			"SELECT $columns FROM commit_remedies('$seconds s') WHERE $where ORDER BY remedy COLLATE \"C\""
		);
		$seconds = min(2 * $seconds, 16);
		return $status == 0 && $rows =~ $seen;
	});
	return $rows;
}

like(
	error_of($node, "SELECT * FROM commit_remedies('200 ms')"),
	qr/55000: there is no load to learn from.*HINT:/s,
	'no load');

# Two roles, of which one has a name that needs quotes, and one sends NOTIFY
$node->sql(q{CREATE ROLE "Odd" LOGIN IN ROLE pg_write_all_data;
CREATE ROLE plain LOGIN IN ROLE pg_write_all_data;
ALTER ROLE plain IN DATABASE postgres SET synchronous_commit = local});
local $ENV{PGAPPNAME} = 'batch';
my $other = start_pgbench($node, '-c 3 -T 3600 -U Odd', load => "INSERT INTO logged VALUES (1);\n");
$ENV{PGAPPNAME} = '';
my $plain = start_pgbench(
	$node,
	'-c 1 -T 3600 -U plain',
	notify => "BEGIN;\nINSERT INTO logged VALUES (1);\nNOTIFY something;\nCOMMIT;\n");

$node->wait_until(
	q{SELECT count(*) = 2 FROM commit_client_stats WHERE commits > 200 AND rolname <> current_user}
);
# a busy machine may take one for sessions with a rate of their own
my $never_waits = qr/(?=.*\|t\|t\|t\|$)(?:^synchronous_commit[^\n]*\|t\|[tf]\|t\|\n?){2}/ms;

# commit_siblings of one pair is 1, that of the other the present one
my @sample = map { [ split /\|/, $_, -1 ] } split /\n/, remedies(
	q{remedy, coalesce(reason, '') ~ '^commit_delay = \d+ is the best of 13 fixed pairs: ',
	safe, statement, undo,
	measured_commits_per_second > 0, measured_p99 > 0,
	others_mean = others_now_mean, others_p99 = others_now_p99, coalesce(others_saved, 0),
	commits_per_second IS NULL, reason ~ '^the sample does not show',
	others_commits_per_second > 0 AND flushes_per_second > 0,
	commits_per_second_high > 1.68 * commits_per_second}, 'true',
	qr/^10 [^\n]*"batch"[^\n]*t\n10 [^\n]*t\n.*^NOTIFY of role plain.*\|t\|loses nothing.*$never_waits/ms
);
my @rows = map { join '|', @$_[ 0, 2 .. 4 ] } @sample;
my $statement =
  $texts ? "\n\QDETAIL:  Its most frequent statement is: INSERT INTO logged VALUES (\$1)\E" : '';
like($notices, qr/NOTICE:  $_$statement$/m, 'whose commits a remedy changes')
  for '"batch": \d+ of these commits, in 3 sessions',
  'role plain: \d+ of these commits, in 1 sessions';
my $pair = qr/commit_delay = (\d+), commit_siblings = ([15])/;
my $reload = 'SELECT pg_reload_conf();';

# which pair is best depends on the machine, and whether one is; how much of
# the WAL are images, on checkpoints; stalls of a busy machine may look like a
# quota
my @best = grep { /^$pair\|/ } @rows;
my @others =
  grep { !/^(?:commit_delay|without the WAL|no full-page images|twice the quota)/ } @rows;
is_deeply(
	[ sort @others ],
	[
		'10 transactions of "batch" in one commit|needs the application||',
		'10 transactions of role plain in one commit|needs the application||',
		'NOTIFY of role plain outside of its other transactions|needs the application||',
		'half the flush time of the device|needs another device||',
		'leave it|loses nothing||',
		'no delay|loses nothing|'
		  . "ALTER SYSTEM SET commit_delay = 0; $reload|ALTER SYSTEM RESET commit_delay; $reload",
		'synchronous_commit = off for "batch"|may lose the newest commits at a crash|'
		  . 'ALTER ROLE "Odd" IN DATABASE postgres SET synchronous_commit = off; -- for new sessions that log in as this role|'
		  . 'ALTER ROLE "Odd" IN DATABASE postgres RESET synchronous_commit;',
		'synchronous_commit = off for role plain|may lose the newest commits at a crash|'
		  . 'ALTER ROLE plain IN DATABASE postgres SET synchronous_commit = off; -- for new sessions that log in as this role|'
		  . 'ALTER ROLE plain IN DATABASE postgres SET synchronous_commit = local;',
		'the adaptive delay|loses nothing|'
		  . "ALTER SYSTEM SET commit_stats.adaptive_delay = on; $reload|"
		  . "ALTER SYSTEM RESET commit_stats.adaptive_delay; $reload"
	],
	'the remedies');
for (@best)
{
	my ($delay, $siblings) = /^$pair/;
	my $do = "ALTER SYSTEM SET commit_delay = $delay; ";
	my $undo = 'ALTER SYSTEM RESET commit_delay; ';

	if ($siblings != 5)
	{
		$do   .= "ALTER SYSTEM SET commit_siblings = $siblings; ";
		$undo .= 'ALTER SYSTEM RESET commit_siblings; ';
	}
	like($_, qr/\|loses nothing\|\Q$do$reload|$undo$reload\E$/, 'a pair');
}
# null where a busy machine does what cannot be explained
is( join("\n", map { join '|', @$_[ 0, 5 .. 9 ] } grep { $_->[5] ne '' } @sample),
	'leave it|t|t|t|t|0',
	'what was measured, and what it saves to leave it');

like(
	join("\n", map { "$_->[0]|$_->[1]" } grep { $_->[0] =~ /^(?:no delay|commit_)/ } @sample),
	qr/^(?:$pair\|t\nno delay\|f|no delay\|t)$/,
	'why a fixed pair is listed, or none');

like(
	join('', map { join('|', @$_[ 0, 10 .. 13 ]) . "\n" } @sample),
	qr/^10 .*$never_waits/ms,
	'how often sessions commit that never wait, nobody knows');
is(join(' ', map { $_->[13] } grep { $_->[0] =~ /^10 / } @sample),
	't t', '... nor for sure if they wait less often');

$node->wait_until(
	q{SELECT commit_stats_report() ~ '\nNewest prediction \(\d{4}-\d\d-\d\d \d\d:\d\d, from \d+ s\): '}
);
$node->alter_system(commit_delay => 8);
unlike($node->report, qr/Newest prediction/, '... but not with other settings');
$node->sql('ALTER SYSTEM RESET commit_delay');
$node->reload;

# What the statements change, and what their undo leaves
sub all_settings ()
{
	return $node->sql(
		q{SELECT string_agg(setconfig::text, ' ' ORDER BY setrole) FROM pg_db_role_setting})
	  . "\n"
	  . slurp_file($node->data_dir . '/postgresql.auto.conf');
}

# Psql runs each as it is printed.
sub runs_and_undoes ($statement, $undo)
{
	my $before = all_settings();

	is(error_of($node, $statement), '', $statement);
	isnt(all_settings(), $before, '... changes a setting');
	is(error_of($node, $undo), '', $undo);
	is(all_settings(), $before, '... undoes it');
}
for (@rows)
{
	my (undef, undef, $statement, $undo) = split /\|/;

	runs_and_undoes($statement, $undo) if defined $statement && $statement ne '';
}

# A third client of the same role: what another one of it has stays
$ENV{PGAPPNAME} = 'third';
run_pgbench($node, '-t 1 -U plain', load => "INSERT INTO logged VALUES (1);\n");
my $sessions = remedies('statement, undo', q{remedy ~ '^synchronous_commit.*plain'});
my $set_local = 'BEGIN; SET LOCAL synchronous_commit = off; /* its statements */ COMMIT;|';
is($sessions, $set_local, 'another client of the same role');
is(error_of($node, $_), '', $_) for split /\|/, $sessions;

# A setting of a role is for those that log in.
my $of_batch = q{remedy ~ '^synchronous_commit.*batch'};
$node->sql('ALTER ROLE "Odd" NOLOGIN');
is(remedies('statement, undo', $of_batch), $set_local, 'a role that cannot log in');
$node->sql('ALTER ROLE "Odd" LOGIN');

# Whether there is a value to go back to, not all may see.
$node->sql('GRANT EXECUTE ON FUNCTION commit_remedies(interval) TO "Odd"');
{
	local $ENV{PGUSER} = 'Odd';
	is( remedies('undo, statement IS NULL', q{remedy = 'the adaptive delay'}),
		'-- only members of pg_read_all_settings see what postgresql.auto.conf has|f',
		'an undo that the caller may not see');
}

# More clients of another role than have a row
$node->sql(join "\n",
	map { "SET application_name = 'name $_';\nINSERT INTO logged VALUES (1);" } 1 .. 20);
is($node->sql(q{SELECT commits > 0 FROM commit_client_stats WHERE status = 'overflow'}),
	't', 'some clients have lost their row');
is(remedies('statement, undo', $of_batch), $set_local, '... of which role, nobody knows');

# With the adaptive delay on, it is what there is
$node->sql($_) for 'ALTER SYSTEM SET commit_stats.adaptive_delay = on', $reload;
$node->wait_until('SELECT in_force FROM commit_delay_state');
my $no_delay =
  remedies('remedy, statement, undo', q{remedy IN ('no delay', 'the adaptive delay')}, qr/^no/m);
is( $no_delay,
	"no delay|ALTER SYSTEM SET commit_stats.adaptive_delay = off; ALTER SYSTEM SET commit_delay = 0; $reload|"
	  . "ALTER SYSTEM SET commit_stats.adaptive_delay = 'on'; ALTER SYSTEM RESET commit_delay; $reload",
	'the adaptive delay is on, and no remedy');
runs_and_undoes((split /\|/, $no_delay)[ 1, 2 ]);
is($node->sql('SELECT capturing FROM commit_stats_info'), 'f', 'nobody captures commits');

end_background($other, 'KILL');
end_background($plain, 'KILL');

# Two clients with one name; the role of one is dropped while it commits.
$node->sql('GRANT INSERT ON logged TO PUBLIC');
$ENV{PGAPPNAME} = 'twin';
($other, $plain) =
  map { start_pgbench($node, "-c 1 -T 3600 -U $_", load => "INSERT INTO logged VALUES (1);\n") }
  'Odd', 'plain';
$node->wait_until(
	q{SELECT count(*) = 2 FROM commit_client_stats WHERE application_name = 'twin' AND commits > 100}
);
my $dropped = $node->sql(q{SELECT oid FROM pg_roles WHERE rolname = 'plain'});
$node->sql('DROP ROLE plain');
is( remedies('remedy', q{remedy ~ '^10 '}, qr/dropped .*\n.*"Odd"/),
	qq{10 transactions of "twin" of dropped role $dropped in database postgres in one commit\n}
	  . '10 transactions of "twin" of role "Odd" in database postgres in one commit',
	'a role that was dropped');
end_background($other, 'KILL');
end_background($plain, 'KILL');

# One client, of which a statement is what can change
$node->sql('DROP EXTENSION IF EXISTS pg_stat_statements');
$ENV{PGAPPNAME} = 'one';
$plain = start_pgbench(
	$node, '-c 4 -T 3600',
	one => "INSERT INTO logged VALUES (1);\n",
	two => "INSERT INTO logged VALUES (1), (2);\n");
$node->wait_until(
	q{SELECT sum(commits) > 200 FROM commit_client_stats WHERE application_name = 'one'});
$statement = 'BEGIN; SET LOCAL synchronous_commit = off; /* its statements */ COMMIT;';
my $both = qq{SELECT count(*), count(DISTINCT s.queryid), bool_and(r.statement = '$statement'),
	bool_and(r.undo IS NULL)
FROM commit_remedies('2 s') r JOIN commit_statement_stats s USING (queryid)
WHERE r.remedy = 'synchronous_commit = off for statement ' || queryid AND
   s.rolname = current_user};
ok_eventually 'the statements of the only client',
  sub { return ($node->psql('postgres', $both))[1] eq '2|2|t|t' };
is(error_of($node, $statement), '', $statement);

# One more writes most of the WAL from now on, nearly all of it images.
$node->sql('CREATE TABLE numbers AS SELECT g FROM generate_series(1, 20000) g');
$node->sql('SELECT commit_stats_reset()');
$other = start_pgbench($node, '-c 1 -T 3600',
	index => "BEGIN;\nCREATE INDEX again ON numbers (g);\nDROP INDEX again;\nCOMMIT;\n");
$node->wait_until('SELECT max(wal_bytes) > 4000000 FROM commit_statement_stats');
my $less_wal = q{remedy ~ '^(without the WAL|no full)'};
my $rows = remedies('remedy, safe, statement, undo', $less_wal);
my $writer = $node->sql(
	'SELECT queryid FROM commit_statement_stats WHERE queryid IS NOT NULL ORDER BY wal_bytes DESC LIMIT 1'
);
is( $rows,
	"without the WAL of statement $writer|needs the application||",
	'a new index: less WAL, but its images stay');
end_background($other, 'KILL');

# Changes of many pages soon after a checkpoint; they are most commits, so no
# statement is one to leave out.
$node->sql('CREATE TABLE pages AS SELECT g, 0 AS n FROM generate_series(1, 200000) g');
$node->sql('CREATE INDEX ON pages (g)');
my @images = (
	[ '-c 12', changes => "\\set g random(1, 200000)\nUPDATE pages SET n = n + 1 WHERE g = :g;\n" ],
	[ '-c 1', checkpoints => "CHECKPOINT;\n\\sleep 500 ms\n" ]);

sub start_images ()
{
	return map { start_pgbench($node, "$_->[0] -T 3600", @$_[ 1, 2 ]) } @images;
}
my @loads = start_images();
$rows = remedies('remedy, safe, statement, undo', q{remedy LIKE 'no full-page images%'});
is( $rows,
	"no full-page images (wal_compression = on: smaller ones, and safe)|may corrupt the database at a crash|ALTER SYSTEM SET full_page_writes = off; $reload|"
	  . "ALTER SYSTEM RESET full_page_writes; $reload",
	'images of changed pages');
runs_and_undoes((split /\|/, $rows)[ 2, 3 ]);
end_background($_, 'KILL') for @loads;

# Images without full_page_writes are those of indexes, here of three
# statements.
$node->alter_system(full_page_writes => 'off');
$other = start_pgbench(
	$node,
	'-c 1 -T 3600',
	indexes => 'BEGIN;'
	  . join('', map { "CREATE INDEX again$_ ON numbers (g);" } 1 .. 3)
	  . "ROLLBACK;\n");
is(remedies('remedy', q{remedy ~ '^no full-page images|^leave it$'}, qr/^leave/m),
	'leave it', 'full_page_writes is off');
$node->sql($_) for 'ALTER SYSTEM RESET full_page_writes', $reload;

end_background($other, 'KILL');
end_background($plain, 'KILL');

# ALTER SYSTEM does not reach sessions with a setting of their own.
$node->sql('ALTER ROLE "Odd" SET commit_delay = 9');
$other = start_pgbench($node, '-c 4 -T 3600 -U Odd', own => "INSERT INTO logged VALUES (1);\n");
for my $adaptive ('off', 'on')
{
	$node->sql($_) for "ALTER SYSTEM SET commit_stats.adaptive_delay = $adaptive", $reload;
	$node->wait_until("SELECT in_force = '$adaptive' FROM commit_delay_state");
	is( remedies('statement, undo IS NULL', q{remedy = 'no delay'}),
		'-- sessions, roles, databases or the command line have their own commit_delay or commit_siblings|t',
		"no statement where a role has its own commit_delay, adaptive delay $adaptive");
}
$node->sql($_) for 'ALTER SYSTEM RESET commit_stats.adaptive_delay', $reload;
$node->wait_until('SELECT NOT in_force FROM commit_delay_state');
end_background($other, 'KILL');

# A delay may hide a quota: a pair with more flushes is not advised.
$node->alter_system(commit_delay => 20000, commit_siblings => 0);
$other = start_pgbench($node, '-c 4 -T 3600', hidden => "INSERT INTO logged VALUES (1);\n");
my $hides = q{FROM commit_remedies('2 s') WITH ORDINALITY AS r};
my $no_quota = q{'^\d+ flushes/s in place of \d+: a quota'};
ok_eventually 'a delay that may hide a quota: more flushes are not advised', sub {
	return ($node->psql(
		'postgres',
		qq{SELECT (array_agg(reason ~ $no_quota) FILTER (WHERE remedy = 'no delay'))[1],
	count(*) FILTER (WHERE ordinality < leave AND statement ~ 'SET commit_delay')
FROM (SELECT *, max(ordinality) FILTER (WHERE remedy = 'leave it') OVER () AS leave $hides) r}
	))[1] eq 't|0';
};
ok_eventually '... and commit_delay_whatif() warns', sub {
	return ($node->psql('postgres', "SELECT FROM commit_delay_whatif('{0}', sample => '2 s')"))[2]
	  =~ /WARNING: .*the best pair makes \d+ flushes\/s in place of \d+/;
};
end_background($other, 'KILL');
$node->sql($_) for 'ALTER SYSTEM RESET commit_delay', 'ALTER SYSTEM RESET commit_siblings', $reload;

# One client with one statement: what it changes is no time of others.
$other = start_pgbench($node, '-c 4 -T 3600', alone => "INSERT INTO logged VALUES (1);\n");
is(remedies('remedy', q{remedy ~ '^10 '}), '10 transactions of "one" in one commit', 'alone');
my $report;
ok_eventually '... with a prediction', sub {
	$report = $node->report;
	return $report =~ /^Newest prediction /m;
};
unlike($report, qr/\sof\s+the\s+others\s/, '... that is not of others');
end_background($other, 'KILL');

# Ten transactions that take each other's rows would deadlock.
$node->sql('CREATE TABLE hot AS SELECT 0 AS n');
$other = start_pgbench($node, '-c 4 -T 3600', hot => "UPDATE hot SET n = n + 1;\n");
is( remedies('remedy', q{remedy ~ '^(10|synchronous_commit) '}, qr/^synchronous_commit/m),
	'synchronous_commit = off for "one"',
	'sessions that wait for each other: not ten in one commit');
end_background($other, 'KILL');

# PREPARE TRANSACTION and COMMIT PREPARED wait, whatever synchronous_commit is.
my $prepare = <<'SQL';
BEGIN;
INSERT INTO logged VALUES (1);
PREPARE TRANSACTION 'p:client_id';
COMMIT PREPARED 'p:client_id';
SQL
$other = start_pgbench($node, '-c 4 -T 3600', prepare => $prepare);
is(remedies('remedy', q{remedy ~ '^(10|synchronous_commit|leave|without) '}, qr/^leave/),
	'leave it', 'prepared transactions: nothing of the client');
like($notices, qr/: \d+ of these commits, in 4 sessions/, '... which is there');
$ENV{PGAPPNAME} = 'manager';
my $manager = start_pgbench($node, '-c 2 -T 3600', prepare => $prepare =~ s/'p/'q/gr);
ok_eventually '... of a second one, for which the first may wait: no prediction', sub {
	remedies('remedy') and $notices =~ /WARNING: .*2 clients prepare transactions: if these/;
};
end_background($_, 'KILL') for $other, $manager;

# An apply worker sets synchronous_commit itself, as its subscription says.
my $publisher = start_truth('publisher', '', allows_streaming => 'logical');
set_device($publisher, flush_time => 5);
$publisher->sql('CREATE TABLE logged (n int); CREATE PUBLICATION everything FOR ALL TABLES');
$node->sql(
		'CREATE SUBSCRIPTION sub CONNECTION \''
	  . $publisher->connstr
	  . q{ dbname=postgres' PUBLICATION everything
WITH (synchronous_commit = remote_write);
CREATE SUBSCRIPTION also CONNECTION '' PUBLICATION everything
WITH (connect = false, slot_name = NONE, synchronous_commit = on)});
$node->wait_for_subscription_sync($publisher, 'sub');
$other = start_pgbench($publisher, '-c 4 -T 3600', load => "INSERT INTO logged VALUES (1);\n");
is( remedies('statement, undo', q{remedy ~ '^(10|synchronous_commit) '}),
	join(
		'|',
		map {
			"-- of apply workers, in database postgres: ALTER SUBSCRIPTION also SET (synchronous_commit = $_->[0]);"
			  . " ALTER SUBSCRIPTION sub SET (synchronous_commit = $_->[1]);"
		}[ 'off', 'off' ],
		[ 'on', 'remote_write' ]),
	'an apply worker');
end_background($other, 'KILL');
$node->sql("DROP SUBSCRIPTION $_") for qw(sub also);

# Sessions that commit once are measured, and cannot be predicted.
$other = start_pgbench($node, '-C -c 4 -T 3600', once => "INSERT INTO logged VALUES (1);\n");
$plain =
  start_pgbench($node, '-c 1 -T 3600', pause => "\\sleep 12 ms\nINSERT INTO logged VALUES (1);\n");
$rows = remedies(
	q{remedy, reason ^@ 'the prediction cannot explain', num_nulls(others_saved, statement, undo) = 3},
	'true', qr/\|t\|/);
is_deeply([ grep { !/\|t\|t$/ || /^$pair/ } split /\n/, $rows ],
	[], 'not explained: nothing is saved or to be run, no pair is the best');

end_background($other, 'KILL');
end_background($plain, 'KILL');

# ALTER SYSTEM changes nothing that the command line has.
sub remedies_with ($options, @arguments)
{
	my @pg_ctl = ($node->installed_command('pg_ctl'), '-s', '-w', '-D', $node->data_dir);

	with_shim(sub { system_or_bail(@pg_ctl, '-l', $node->logfile, '-o', $options, 'start') });
	set_device($node, flush_time => 5);

	my @loads = start_images();
	my $found = remedies(@arguments);

	end_background($_, 'KILL') for @loads;
	system_or_bail(@pg_ctl, '-m', 'fast', 'stop');
	return $found;
}

$node->sql('ALTER SYSTEM SET commit_stats.adaptive_delay = on');
$node->stop('fast');
is( remedies_with(
		'-c commit_stats.adaptive_delay=off -c full_page_writes=on',
		'statement, undo IS NULL',
		q{remedy ~ '^no full-page images|^the adaptive delay$'},
		qr/full_page.*\n/),
	join("\n",
		map { "-- the command line has $_, and comes before ALTER SYSTEM|t" }
		  qw(full_page_writes commit_stats.adaptive_delay)),
	'what the command line has');
like(
	remedies_with(
		'-c max_worker_processes=0',
		'statement, undo IS NULL',
		q{remedy = 'the adaptive delay'}),
	qr/^-- commit_stats\.adaptive_delay is on, but no background worker .*\|t$/,
	'the adaptive delay is on, and nobody obeys it');
end_test($publisher);
