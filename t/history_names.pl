# Whom does commit_history name?
#
# As commit_statement_stats: members of pg_read_all_stats see the top client
# and the top statement of each row, and others only those of their own role.
# Of an hour and of a period, top is who led most flushes in all minutes.

use CommitStats;

# From a whole hour on
my $node = start_node('names', conf => 'commit_stats.history_start = 1800000000');

$node->sql(q{CREATE ROLE other LOGIN; CREATE ROLE stats LOGIN IN ROLE pg_read_all_stats;
GRANT INSERT ON logged TO other; GRANT SELECT ON commit_history TO other;
GRANT EXECUTE ON FUNCTION commit_history() TO other});

# What a role sees of the newest row with a client
sub seen ($role)
{
	return $node->sql(
		q{SELECT top_client_flushes > 0, top_datname IS NULL, top_rolname,
	top_application_name IS NULL, top_queryid IS NULL, top_reason
FROM commit_history WHERE resolution = 'minute' AND top_statement_flushes > 10
ORDER BY period_start DESC LIMIT 1},
		connstr => $node->connstr('postgres') . " user=$role");
}

# A minute may end at any time, so enough for the newest of two rows
sub commit_as ($role, $n = 40)
{
	$node->sql('SELECT commit_history_close()');
	$node->sql('INSERT INTO logged VALUES (1);' x $n,
		connstr => $node->connstr('postgres') . " user=$role");
	$node->sql('SELECT commit_history_close()');
}

my $superuser = $node->sql('SELECT current_user');

commit_as($superuser);
is(seen($superuser), "t|f|$superuser|f|f|", 'a superuser sees all names');
is(seen('stats'), "t|f|$superuser|f|f|", 'so does a member of pg_read_all_stats');
is( seen('other'),
	't|t||t|t|insufficient_privilege',
	'others see that there is a client and a statement');
commit_as('other');
is(seen('other'), 't|f|other|f|f|', '... and the names of their own');

# Nobody commits in the second row
$node->sql('SELECT commit_history_close()') for 1 .. 2;
is( $node->sql(q{SELECT count(top_client_flushes_share) - count(top_client_flushes),
	count(top_statement_flushes_share) - count(top_statement_flushes) FROM commit_history}),
	'0|0',
	'no share without flushes');

# The top of the first minute led more than the other one in any minute
$node->sql('SELECT commit_history_reset()');
commit_as($superuser, 60);
commit_as('other', 30) for 1 .. 4;
is( $node->sql(q{SELECT top_rolname, top_client_flushes >= 100, top_statement_flushes >= 100
	FROM commit_history WHERE resolution = 'hour'}),
	'other|t|t',
	'an hour names who led most in all its minutes');
like(
	$node->sql(q{SELECT commit_stats_report('-infinity', 'infinity')}),
	qr{are led by client [^.]*\.\.\."\s+\(other, },
	'... and so does a period');
end_test($node);
