# What does make say to somebody who lacks something that it needs?
#
# Nothing is compiled here: make is asked what it would do, or stops before it
# does anything.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

# What the make that runs this test was told is not for those that it calls.
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL)};
my $pg_config = $ENV{PG_CONFIG} || 'pg_config';
my $folder = PostgreSQL::Test::Utils::tempdir();

# make with these variables and goals: how it ends, and all that it says.
sub run_make
{
	my @arguments = @_;
	my $out = '';

	IPC::Run::run([ 'make', @arguments ], '<', \undef, '>&', \$out);
	return ($? >> 8, $out);
}

sub says
{
	my ($arguments, $message, $name) = @_;
	my ($status, $out) = run_make(@$arguments);

	is($status, 2, "$name: make fails");
	like($out, $message, "$name: says what to do");
	unlike($out, qr/-c -o/, "$name: nothing is compiled");
	return;
}

# One that comes with the client's library only says where the rest would be.
my $client = "$folder/pg_config";
append_to_file($client, "#!/bin/sh\necho /nonexistent/pgxs.mk\n");
chmod 0755, $client;

my ($status, $out) =
  run_make('-n', '-B', "PG_CONFIG=$pg_config", 'with_llvm=no', 'all');
is($status, 0, 'with all there is, make works');
like($out, qr/-c -o src\/views\/rates_view\.o/, '... and compiles');
unlike($out, qr/Install/, '... and has nothing to say');

my $server = qr/is not the pg_config of a PostgreSQL server.*Debian: postgresql-server-dev-15.*make PG_CONFIG=/;

says([ 'PG_CONFIG=/nonexistent/pg_config' ],
	qr/"\/nonexistent\/pg_config" $server/, 'no pg_config');
says([ "PG_CONFIG=$client" ],
	$server, 'pg_config of a client');
says([ "PG_CONFIG=$pg_config", 'includedir_server=/nonexistent' ],
	qr/headers of PostgreSQL \d+ are not in \/nonexistent.*Debian: postgresql-server-dev-\d+/,
	'no headers');
says([ "PG_CONFIG=$pg_config", 'CC=/nonexistent/cc -m64' ],
	qr/no \/nonexistent\/cc -m64\. Install a C compiler.*make CC=/,
	'no compiler');
says([ "PG_CONFIG=$pg_config", 'with_llvm=yes', 'CLANG=/nonexistent/clang' ],
	qr/no \/nonexistent\/clang, .*make with_llvm=no/, 'no clang');
says([ "PG_CONFIG=$pg_config", 'CC=/nonexistent/cc', 'install' ],
	qr/Install a C compiler/, 'no compiler, install');

# What compiles nothing needs no compiler.
($status, $out) = run_make('-n', "PG_CONFIG=$pg_config", 'CC=/nonexistent/cc',
	'clean');
is($status, 0, 'no compiler: make clean works');

done_testing();
