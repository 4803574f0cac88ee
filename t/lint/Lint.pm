# What the checks of files share.  They need neither a server nor Perl modules
# beyond Perl's own.  Exports Test::More as well.

package Lint;

use strict;
use warnings;
use feature 'signatures';
no warnings 'experimental::signatures';

use Exporter;
use File::Basename qw(dirname);
use File::Copy     qw(copy);
use File::Path     qw(make_path);
use File::Temp     qw(tempdir);
use FindBin;
use Test::More;

our @ISA = qw(Exporter);
our @EXPORT = (@Test::More::EXPORT, qw($root slurp run_command copy_checkout find_pg_config));

# Turns on strict, warnings and signatures in the file that uses this.
sub import
{
	strict->import;
	warnings->import;
	feature->import('signatures');
	warnings->unimport('experimental::signatures');
	goto &Exporter::import;
}

our $root = "$FindBin::RealBin/../..";

# What the make and git that run this check were told is not for those that it
# runs.
delete @ENV{ 'MAKEFLAGS', 'MFLAGS', 'MAKELEVEL', grep { /^GIT_/ } keys %ENV };

sub slurp ($path)
{
	open(my $file, '<', $path) or die "could not open $path: $!\n";
	local $/;
	return scalar <$file>;
}

# The exit status of a command, and its output and error messages.
sub run_command (@command)
{
	open(my $pipe, '-|', 'sh', '-c', 'exec "$@" </dev/null 2>&1', 'sh', @command)
	  or die "could not run $command[0]: $!\n";
	my $out = join '', <$pipe>;
	close $pipe;
	return ($? >> 8, $out);
}

# The tracked files with their changes, in a temporary folder.  Without git, as
# in an unpacked archive, all files.
sub copy_checkout
{
	my $copy = tempdir(CLEANUP => 1);
	my ($status, $files) =
	  run_command('git', '-C', $root, '-c', 'safe.directory=*', 'ls-files', '-z');

	# an archive may have been unpacked in a repository that does not track it
	(undef, $files) = run_command('sh', '-c', 'cd "$0" && find . -type f -print0', $root)
	  if $status != 0 || $files eq '';
	for my $file (grep { -e "$root/$_" } split /\0/, $files)
	{
		make_path(dirname("$copy/$file"));
		copy("$root/$file", "$copy/$file") or die "could not copy $file: $!\n";
	}
	return $copy;
}

# A pg_config that leads to PGXS and the server's headers, which can be
# packages of their own: PG_CONFIG, the one in the path, or the newest one of
# Debian.
sub find_pg_config
{
	my @debian = sort { ($b =~ /(\d+)/)[0] <=> ($a =~ /(\d+)/)[0] }
	  glob('/usr/lib/postgresql/*/bin/pg_config');

	for my $pg_config ($ENV{PG_CONFIG} || ('pg_config', @debian))
	{
		my ($status, $found) = run_command($pg_config, '--pgxs', '--includedir-server');
		my ($pgxs, $headers) = split /\n/, $found;

		return $pg_config if $status == 0 && -e $pgxs && -e "$headers/postgres.h";
	}
	return;
}

1;
