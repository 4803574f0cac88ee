# What does make say if something that it needs is missing?
#
# Nothing is compiled here: make prints what it would do, or stops before it
# does anything.

use File::Temp qw(tempdir);
use Lint;

my $pg_config = find_pg_config();

plan skip_all => 'there is no make' if system('make --version >/dev/null 2>&1') != 0;
plan skip_all => 'there is no pg_config of a PostgreSQL server' if !defined $pg_config;

my $folder = tempdir(CLEANUP => 1);
my $copy = copy_checkout();

# make with these variables and goals: exit status and output.
sub run_make
{
	return run_command('make', '-C', $copy, @_);
}

sub says ($arguments, $message, $name)
{
	my ($status, $out) = run_make(@$arguments);

	is($status, 2, "$name: make fails");
	like($out, $message, "$name: says what to do");
	unlike($out, qr/-c -o/, "$name: nothing is compiled");
}

# A pg_config that comes with the client library only says where PGXS would be.
my $client = "$folder/pg_config";
open(my $script, '>', $client) or die "could not write $client: $!\n";
print $script "#!/bin/sh\necho /nonexistent/pgxs.mk\n";
close $script;
chmod 0755, $client;

# sh takes the place of the compiler, which need not be installed.
my ($status, $out) = run_make('-n', '-B', "PG_CONFIG=$pg_config", 'CC=sh', 'with_llvm=no', 'all');
is($status, 0, 'with all there is, make works');
like($out, qr/-c -o src\/views\/rates_view\.o/, '... and compiles');
unlike($out, qr/Install/, '... and has nothing to say');

# A changed header compiles anew what may include it.
my @objects = map { s/\.c$/.o/r } glob("$copy/*.c $copy/src/*/*.c");

utime(1e9, 1e9, glob("$copy/src/*/*.h"), map { s/\.o$/.c/r } @objects);
for my $made (@objects, "$copy/commit_stats.so")
{
	open(my $file, '>', $made) or die "could not write $made: $!\n";
	close $file;
	utime(1e9 + 1, 1e9 + 1, $made);
}
my @make = ('-n', "PG_CONFIG=$pg_config", 'CC=sh', 'with_llvm=no', 'all');
unlike((run_make(@make))[1], qr/-c -o/, 'what is made is not made again');
utime(1e9 + 2, 1e9 + 2, "$copy/src/base/guc.h");
like(
	(run_make(@make))[1],
	qr/-c -o src\/views\/rates_view\.o/,
	'... but after a header has changed');
unlink @objects, "$copy/commit_stats.so";

my $server =
  qr/is not the pg_config of a PostgreSQL server.*Debian: postgresql-server-dev-15.*make PG_CONFIG=/;

says(['PG_CONFIG=/nonexistent/pg_config'], qr/"\/nonexistent\/pg_config" $server/, 'no pg_config');
says(["PG_CONFIG=$client"], $server, 'pg_config of a client');
says(
	[ "PG_CONFIG=$pg_config", 'includedir_server=/nonexistent' ],
	qr/headers of PostgreSQL \d+ are not in \/nonexistent.*Debian: postgresql-server-dev-\d+/,
	'no headers');
says(
	[ "PG_CONFIG=$pg_config", 'CC=/nonexistent/cc -m64' ],
	qr/no \/nonexistent\/cc -m64\. Install a C compiler.*make CC=/,
	'no compiler');
says(
	[ "PG_CONFIG=$pg_config", 'CC=sh', 'with_llvm=yes', 'CLANG=/nonexistent/clang' ],
	qr/no \/nonexistent\/clang, .*make with_llvm=no/,
	'no clang');
says(
	[ "PG_CONFIG=$pg_config", 'CC=/nonexistent/cc', 'install' ],
	qr/Install a C compiler/,
	'no compiler, install');

# A goal that compiles nothing needs no compiler.
($status, $out) = run_make('-n', "PG_CONFIG=$pg_config", 'CC=/nonexistent/cc', 'clean');
is($status, 0, 'no compiler: make clean works');

done_testing();
