# Does "make dist" make an archive that has all that it takes to build?
#
# That make knows how is asked here; script/package builds its packages from the
# archive, and runs all tests in it.

use strict;
use warnings;

use Cwd;
use File::Basename;
use File::Path qw(make_path);
use IO::Uncompress::Unzip qw($UnzipError);
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'there is no git'
  if system('git --version >/dev/null 2>&1') != 0;

my $dir = PostgreSQL::Test::Utils::tempdir;
my $folder = 'commit_stats-1.0.0';
my $archive = "$folder.zip";
my $pg_config = $ENV{PG_CONFIG} || 'pg_config';

# The archive is of what is committed: all that is here, in a repository elsewhere.
{
	local $ENV{GIT_DIR} = "$dir/git";
	local $ENV{GIT_WORK_TREE} = getcwd();

	system_or_bail('git', 'init', '-q');
	system_or_bail('git', 'add', '--all');
	system_or_bail('git', '-c', 'user.name=test', '-c', 'user.email=',
		'commit', '-q', '-m', 'all');
	system_or_bail('make', '-s', "PG_CONFIG=$pg_config", 'dist');
}

my $zip = IO::Uncompress::Unzip->new($archive) or die $UnzipError;
my %files;

do
{
	my $name = $zip->getHeaderInfo->{Name};

	if ($name !~ /\/$/)
	{
		$files{$name} = 1;
		make_path(dirname("$dir/$name"));
		append_to_file("$dir/$name", join('', <$zip>));
	}
} while ($zip->nextStream == 1);
unlink $archive;

is(join(' ', grep { !/^\Q$folder\E\// } sort keys %files),
	'', 'all files are in a folder with name and version');
ok($files{"$folder/$_"}, "$_ is in the archive")
  for qw(META.json README.md LICENSE commit_stats.control);
command_ok(
	[
		'make', '-n', '-C', "$dir/$folder", "PG_CONFIG=$pg_config",
		'all', 'install'
	],
	'make knows how to build and install it');

done_testing();
