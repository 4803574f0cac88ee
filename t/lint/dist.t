# Does "make dist" put everything into the archive that a build needs?
#
# make -n only says that it knows how.  script/package builds its packages from
# the archive, and runs all tests with them.

use File::Basename        qw(dirname);
use File::Path            qw(make_path);
use IO::Uncompress::Unzip qw($UnzipError);
use Lint;

my $pg_config = find_pg_config();

plan skip_all => "there is no $_"
  for grep { system("$_ --version >/dev/null 2>&1") != 0 } qw(git make);
plan skip_all => 'there is no pg_config of a PostgreSQL server' if !defined $pg_config;

my $copy = copy_checkout();
my $folder = 'commit_stats-1.0.0';
my $archive = "$copy/$folder.zip";

sub run_or_die (@command)
{
	my ($status, $out) = run_command(@command);

	die "@command: $out\n" if $status != 0;
}

# The archive has what is committed: so all tracked files, in a repository of
# their own.
my @git = ('git', '-C', $copy);

run_or_die(@git, 'init', '-q');
run_or_die(@git, 'add', '--all');
run_or_die(@git, '-c', 'user.name=test', '-c', 'user.email=', 'commit', '-q', '-m', 'all');
run_or_die('make', '-s', '-C', $copy, "PG_CONFIG=$pg_config", 'dist');

my $zip = IO::Uncompress::Unzip->new($archive) or die $UnzipError;
my %files;

do
{
	my $name = $zip->getHeaderInfo->{Name};

	if ($name !~ /\/$/)
	{
		$files{$name} = 1;
		make_path(dirname("$copy/$name"));
		open(my $file, '>', "$copy/$name") or die "could not write $name: $!\n";
		print $file join('', <$zip>);
		close $file;
	}
} while ($zip->nextStream == 1);

is(join(' ', grep { !/^\Q$folder\E\// } sort keys %files),
	'', 'all files are in a folder with name and version');
ok($files{"$folder/$_"}, "$_ is in the archive")
  for qw(META.json README.md LICENSE commit_stats.control);

my ($status, $out) = run_command('make', '-n', '-C', "$copy/$folder",
	"PG_CONFIG=$pg_config", 'CC=sh', 'with_llvm=no', 'all', 'install');

is($status, 0, 'make knows how to build and install it') or diag($out);

done_testing();
