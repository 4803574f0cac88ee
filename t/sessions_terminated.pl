# Does a session that is terminated in the middle of any call end, and leave
# nothing behind?
#
# One session for each view and function in the catalogs calls it in a loop,
# and others commit.  The test terminates them at once, beside a load that must
# not notice: a third of the objects with each of the functions that exclude
# each other.

use CommitStats;

my $node = start_node(
	'terminated', conf =>
	  q{max_logical_replication_workers = 0; max_prepared_transactions = 10; track_wal_io_timing = on;
commit_delay = 100; commit_siblings = 1});

# Functions with arguments, with which they take long.  A slot without a commit
# would end the sweep, and the load gets little of a busy processor.
my %calls = (
	commit_stats_sample => "commit_stats_sample('1 hour')",
	commit_delay_sweep => "commit_delay_sweep('{0,1000}', '{0}', '1 hour', '10 s')",
	commit_delay_whatif => "commit_delay_whatif('{0,1000}', '{0}', sample => '5 min')",
	commit_remedies => "commit_remedies('5 min')",
	commit_stats_report => "commit_stats_report(now() - interval '1 h', now())",
	commit_stats_html => 'commit_stats_html()',
	commit_stats_html_escape => "commit_stats_html_escape('<')",
	commit_stats_html_number => 'commit_stats_html_number(1)',

	# raises an error where a reset of the history leaves no commit to compare
	commit_stats_compare => undef);
my @experiments = qw(commit_delay_sweep commit_delay_whatif commit_remedies);

# All views and functions, in the form that can stand after FROM.
my %objects;

for ($node->rows(
		'SELECT relname, relname, 0 FROM pg_class WHERE oid IN ('
	  . members_of_extension('pg_class')
	  . q{) UNION ALL
SELECT proname || '()', proname, pronargs FROM pg_proc WHERE oid IN (}
	  . members_of_extension('pg_proc') . ')'))
{
	my ($object, $name, $arguments) = @$_;

	if ($arguments)
	{
		exists $calls{$name} or die "how is $name to be called?\n";
		$objects{ $calls{$name} } = $calls{$name} if defined $calls{$name};
	}
	else
	{
		$objects{$object} = $object;
	}
}

# A named session that repeats a statement without end, once the gate is open.
sub start_named ($name, $code, $begin = 'LOCK gate IN ACCESS SHARE MODE;')
{
	return $node->start_psql(
		'SET application_name = $a$victim ' . $name . '$a$',
		"SET client_min_messages = warning",
		"DO \$\$ BEGIN $begin LOOP $code; END LOOP; END \$\$");
}

sub nothing_is_left ($how)
{
	is($node->sql(q{SELECT sweep_pid IS NULL, capturing FROM commit_stats_info}),
		't|f', "$how: no experiment is left");
	is($node->sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"),
		0, "$how: no lock is left");
}

# These objects at once, with sessions that commit, beside one that measures.
sub terminate_with ($with, @objects)
{
	my $how = "with $with";
	my $gate = $node->background_psql('postgres');
	my %sessions =
	  ($calls{$with} => start_named($calls{$with}, "PERFORM * FROM $calls{$with}", ''));

	$node->wait_until(q{SELECT sweep_pid IS NOT NULL OR capturing FROM commit_stats_info});
	$gate->query_safe('BEGIN; LOCK gate');
	$sessions{$_} = start_named($_, "PERFORM * FROM $objects{$_}") for @objects;
	$sessions{'nothing but commits'} =
	  start_named('nothing but commits', 'INSERT INTO logged VALUES (1); COMMIT');
	$sessions{'asynchronous commits'} = start_named('asynchronous commits',
		'SET LOCAL synchronous_commit = off; INSERT INTO logged VALUES (1); COMMIT');

	$node->wait_until(qq{SELECT count(*) = @{[ keys(%sessions) - 1 ]} FROM pg_stat_activity
WHERE application_name LIKE 'victim %' AND wait_event = 'relation'});
	$gate->quit;
	$node->wait_until(q{SELECT count(*) = 0 FROM pg_stat_activity
WHERE application_name LIKE 'victim %' AND wait_event = 'relation'});
	$node->sql('SELECT pg_sleep(0.3)');
	is( $node->sql(q{SELECT count(*) FROM pg_stat_activity
WHERE application_name LIKE 'victim %' AND pg_terminate_backend(pid)}),
		keys(%sessions),
		"$how: all are told to end");
	for my $object (sort keys %sessions)
	{
		end_background($sessions{$object});
		like(
			$sessions{$object}{err},
			qr/FATAL:  57P01: terminating connection due to administrator command/,
			"$how, $object: the error");
		unlike($sessions{$object}{err}, qr/ERROR|PANIC|WARNING/, "$how, $object: nothing else");
	}
	# a terminated backend leaves its client before it ends
	$node->wait_until(
		q{SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name LIKE 'victim %'});
	nothing_is_left($how);
}

sub terminate_all
{
	my %excluded = map { ($calls{$_} => 1) } @experiments;
	my @objects = grep { !$excluded{$_} } sort keys %objects;

	for my $i (0 .. $#experiments)
	{
		terminate_with($experiments[$i],
			@objects[ grep { $_ % @experiments == $i } 0 .. $#objects ]);
	}
}

# Two loads that the test does not terminate
$node->sql('CREATE TABLE gate ()');
my $load = start_pgbench($node, '-c 2 -T 3600', load => "INSERT INTO logged VALUES (1);\n");

terminate_all();
is(errors_so_far($load), '', 'the other sessions go on');
end_pgbench($node, $load);

# Without resets, all their commits until the end count.
my ($counted, $records) = $node->observe(sub {
	delete $objects{'commit_stats_reset()'} or die "there is no reset\n";
	$load = start_pgbench($node, '-c 2 -T 3600', load => "INSERT INTO logged VALUES (1);\n");
	terminate_all();
	is(errors_so_far($load), '', 'the other sessions still go on');
	end_pgbench($node, $load);
});
cmp_ok($records->{COMMIT}, '>', 0, 'there was a load');
is($counted->{commits} + $counted->{commits_async},
	$records->{COMMIT}, 'every commit of them is counted');

$node->sql('SELECT commit_stats_reset()');
run_pgbench($node, '-c 4 -t 50', after => 'INSERT INTO logged VALUES (1);');
views_agree($node, 'after all that');

end_test($node);
