# Does the compiler refuse a platform on which the end of a WAL record does not
# fit into the head of the ring?

use CommitStats;

my $dir = PostgreSQL::Test::Utils::tempdir();

# What the compiler says of src/stats/flush_ring.h, where MAXALIGN is this.
sub compile_with ($alignment)
{
	my $include = pg_config('--includedir-server');
	my $err;

	append_to_file(
		"$dir/$alignment.c", qq{
#include "postgres.h"
#undef MAXIMUM_ALIGNOF
#define MAXIMUM_ALIGNOF $alignment
#include "stats/flush_ring.h"
});
	IPC::Run::run([ 'cc', '-fsyntax-only', "-I$include", '-Isrc', "$dir/$alignment.c" ],
		'2>', \$err);
	return $err;
}

is(compile_with(8), '', '8 bytes: it compiles');
like(
	compile_with(4),
	qr/error: .*aligns WAL records to 8 bytes/,
	'4 bytes: the compiler says why not');

done_testing();
