# Is a pid taken for the process that had it then, and for no other?
#
# commit_flush_log and commit_slow_log look up who led a flush that is over.
# The leader may have left since, and its pid be that of a new session.

use CommitStats;

my $program = compile_program('t/unit/client_sessions.c');

# The names of the processes with these pids at these times.
sub found
{
	return $program->([@_]);
}

is( found(10, 200, 20, 200, 30, 200),
	'one two three',
	'sessions that are there since before the flush');
is(found(20, 100), 'two', 'a session that began at that very time');
is(found(10, 99, 30, 1, 20, 0),
	'- - -', 'another session had the pid: the new one is not taken for it');
is(found(15, 200, 0, 200, 40, 200), '- - -', 'a process that has left');

done_testing();
