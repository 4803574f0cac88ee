# Does a sweep disturb any kind of transaction beside it?
#
# No session may ever see a stray commit_delay, and nothing may fail that would
# not fail without a sweep.

use AllCommits;
use CommitStats;

my $node = start_node(
	'sweep_beside',
	conf => q{
commit_delay = 7
commit_siblings = 3
max_prepared_transactions = 20
autovacuum = on
autovacuum_naptime = 1
});

my %load = start_all_commits($node);
wait_for_commits($node, 50);

# On a busy machine slots may be late or have no commit.
my ($sweep, @rows);
ok( eventually(sub {
		$sweep = $node->start_psql(
			"SELECT rounds, commits > 0, delay_hit_share FROM commit_delay_sweep('{0,500,3000}', '{0,3}', '9 s', '500 ms')"
		);
		end_background($sweep);
		@rows = map { [ split /\|/ ] } split /\n/, $sweep->{out};
		return ($rows[2]->[2] || 0) > 0;
	}),
	'a sweep beside all of it, which lets commits sleep') or diag $sweep->{err};
is(scalar @rows, 6, 'it has its rows');
is($node->sql('SELECT sweep_pid IS NULL FROM commit_stats_info'), 't', 'it is over');

end_all_commits($node, %load);
end_test($node);
