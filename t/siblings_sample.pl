# Does a random share of the commits count its siblings, and do the figures
# hold for all?
#
# Without a delay, and beside more than 8 other backends, a commit counts them
# with such a probability that it visits 8 on average.  Each visit reads a
# cache line that another processor may have written.  The views must say how
# large the share is.

use CommitStats;

my $idle = 31;    # sessions, beside the one that commits
my $commits = 4000;
# The WAL writer would flush some commits in the place of the session.
my $node = start_node('sibling_sample', conf => "wal_writer_delay = 10s\n");

# Idle sessions, some of them in a transaction with an id.
my $others = start_pgbench(
	$node, "-c $idle -T 600",
	hold => 'BEGIN; SELECT CASE WHEN :client_id < 10 THEN pg_current_xact_id() END;
SELECT pg_sleep(600);');
$node->wait_until(qq{SELECT count(*) FILTER (WHERE backend_xid IS NOT NULL) = 10 AND
	count(*) FILTER (WHERE query ~ 'pg_sleep') = $idle
FROM pg_stat_activity WHERE pid <> pg_backend_pid()});

# One session commits with these settings; returns the views as a hash.
sub commit_with (@settings)
{
	my $row = $node->sql(
		join('', map { "SET $_;\n" } @settings) . qq{SELECT commit_stats_reset();
DO \$\$BEGIN FOR i IN 1 .. $commits LOOP INSERT INTO logged VALUES (i); COMMIT; END LOOP; END\$\$;
SELECT 'row', f.flushes, f.siblings_avg, f.siblings_max, h.flushes, l.known, l.wrong,
       i.sibling_count_share, i.connected_backends
FROM commit_flush_stats f, commit_stats_info i,
     (SELECT sum(flushes) AS flushes FROM commit_sibling_histogram) h,
     (SELECT count(siblings)::float8 / count(*) AS known,
             count(*) FILTER (WHERE siblings <> 10) AS wrong
      FROM commit_flush_log) l
});
	my %seen;

	@seen{qw(flushes avg max counted known wrong share connected)} =
	  split /\|/, ($row =~ /^row\|(.*)/m)[0];
	return \%seen;
}

my $seen = commit_with();
my $share = 8 / ($seen->{connected} - 1);

cmp_ok($seen->{flushes}, '>=', 0.99 * $commits, 'one flush for each commit');
cmp_ok(abs($seen->{share} - 100 * $share),
	'<', 0.1, 'commit_stats_info says which share of the commits counts');
# 4000 draws with a chance of 1/4: more than six standard deviations
cmp_ok(abs($seen->{counted} / $seen->{flushes} - $share),
	'<', 0.05, '... and about that share does');
cmp_ok(abs($seen->{known} - $share), '<', 0.08, '... also in the log of flushes');
is($seen->{wrong}, 0, '... and none of these says anything else than there was');
is("$seen->{avg} $seen->{max}", '10 10', '... nor do average and maximum');
is($node->sql(q{SELECT count(*) FROM commit_flush_log WHERE active_transactions <> 11}),
	0, 'M of those that did not count is that of the flush before');

$seen = commit_with('commit_delay = 1', 'commit_siblings = 1000');
is($seen->{counted}, $seen->{flushes}, 'with commit_delay all leaders count');
is($seen->{share}, 100, '... which commit_stats_info says');

$seen = commit_with('commit_stats.log_flushes = on');
is($seen->{counted}, $seen->{flushes}, 'with log_flushes all leaders count');

end_background($others, 'TERM');
end_test($node);
