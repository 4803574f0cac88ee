# Does script/generate see what is stale?
#
# Each check is tried on a copy of the files with one change.  script/check
# runs script/generate --check on the checkout itself.

use File::Basename qw(dirname);
use File::Temp     qw(tempdir);
use Lint;

my @files = (
	'commit_stats--1.0.sql',
	'doc/reference.md',
	'script/saved_formats',
	'monitoring/metrics',
	map { "monitoring/$_.yml" }
	  qw(postgres_exporter sql_exporter cloudnativepg pgwatch otel_collector));

# What script/generate --check prints once $change was made to a file.
sub complaints ($path, $change)
{
	my $copy = tempdir(CLEANUP => 1);

	for my $name (@files, map { s{^\Q$root\E/}{}r } glob "$root/src/*/*.h")
	{
		local $_ = slurp("$root/$name");
		my $before = $_;

		$change->() if $name eq $path;
		die "$path did not change\n" if $name eq $path && $_ eq $before;
		system('mkdir', '-p', dirname("$copy/$name"));
		open(my $file, '>', "$copy/$name") or die "could not write $name: $!\n";
		print $file $_;
		close $file;
	}
	return `$root/script/generate --check $copy`;
}

my $sql = 'commit_stats--1.0.sql';

like(
	complaints($sql, sub { s/^(\t\('commit_flush_stats', 'flushes', ')/$1other /m }),
	qr{^doc/reference.md is stale.*\n$},
	'noticed: another meaning of a column');
like(
	complaints($sql, sub { s/^\t\('commit_activity', 'waiting_for',.*\n//m }),
	qr{^commit_activity\.waiting_for has no meaning}m,
	'noticed: a column without a comment');
is( () = complaints('monitoring/metrics', sub { s/commits \+ commits_async/commits/ }) =~ /stale/g,
	5,
	'noticed: another metric, in five files');
like(
	complaints('src/stats/backend_slots.h', sub { s/\tX\(SLOT_PREPARES,.*\n// }),
	qr/raise PERSIST_FORMAT/,
	'noticed: another saved counter');

done_testing();
