# Does pg_upgrade bring the extension, and what users built on it, to a newer
# server, and to one that does not preload the library?
#
# pg_upgrade does not run the extension's script: it creates each object again,
# makes it a member of the extension, and must find the library.  The test
# needs two servers.  So script/test-upgrade runs it, not make installcheck;
# OLD_INSTALL and NEW_INSTALL are their folders.

use CommitStats;
use File::Spec::Functions 'rel2abs';
use Restored;

my ($old_install, $new_install) = @ENV{qw(OLD_INSTALL NEW_INSTALL)};

die "OLD_INSTALL and NEW_INSTALL must be set\n" unless defined $old_install && defined $new_install;

# A cluster that is like the others in all that pg_upgrade compares.
sub init_cluster ($name, $install, $libraries)
{
	my $node = PostgreSQL::Test::Cluster->new($name, install_path => $install);
	my @extra = ('--no-locale', '-E', 'UTF8');

	# the default before 18
	push @extra, '--no-data-checksums' if $node->pg_version >= 18;
	$node->init(extra => \@extra);
	$node->append_conf(
		'postgresql.conf', qq{
shared_preload_libraries = '$libraries'
fsync = on
autovacuum = off
});
	return $node;
}

# pg_upgrade copies, so that the old cluster stays unchanged.
sub upgrade ($old, $new, $name, @options)
{
	command_ok(
		[
			$new->installed_command('pg_upgrade'), '--no-sync',
			@options, '-b',
			"$old_install/bin", '-B',
			"$new_install/bin", '-d',
			rel2abs($old->data_dir), '-D',
			rel2abs($new->data_dir), '-p',
			$old->port, '-P',
			$new->port, '-s',
			$new->host
		],
		$name);
	# which it writes to where it is called
	unlink 'delete_old_cluster.sh';
}

my $old = init_cluster('old', $old_install, 'commit_stats');

$old->start;
fill_database($old, 'kept');
counts($old, 'kept', 'old server');
my $version =
  $old->safe_psql('kept', "SELECT extversion FROM pg_extension WHERE extname = 'commit_stats'");
my $objects = member_names($old, 'kept');
$old->stop;

for my $libraries ('commit_stats', '')
{
	my $name = $libraries ? 'with the library' : 'without the library';
	my $new = init_cluster($libraries ? 'preloaded' : 'forgotten', $new_install, $libraries);

	my $upgraded_at = time;
	upgrade($old, $new, "$name: pg_upgrade --check", '--check');
	upgrade($old, $new, "$name: pg_upgrade");
	ok(!-e $new->data_dir . '/pg_stat/commit_stats_history.stat',
		"$name: pg_upgrade itself leaves no history");
	$new->start;
	is( $new->safe_psql(
			'kept', "SELECT extversion FROM pg_extension WHERE extname = 'commit_stats'"),
		$version,
		"$name: the extension has the same version");
	is(member_names($new, 'kept'), $objects, "$name: the same objects belong to it");
	has_arrived($new, 'kept', $name);

	if ($libraries)
	{
		counts($new, 'kept', $name);
		is( $new->safe_psql(
				'kept',
				"SELECT count(*) FROM commit_history WHERE period_start < to_timestamp($upgraded_at)"
			),
			0,
			"$name: no row of the history of the old cluster");
		unlike(slurp_file($new->logfile), qr/refused file/, "$name: no file is refused");
	}
	else
	{
		asks_for_the_library($new, 'kept', $name);
	}
	is(error_of($new, 'DROP EXTENSION commit_stats CASCADE', 'kept'),
		'', "$name: the extension can be dropped");
	is($new->safe_psql('kept', "SELECT to_regclass('commit_flush_stats') IS NULL"),
		't', "$name: and its views with it");
	ends_well($new);
}

done_testing();
