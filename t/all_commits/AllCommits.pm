# Sessions with all kinds of commits, and with commits that fail, which must
# never see another commit_delay than their own.
#
# The server must have commit_delay = 7, commit_siblings = 3 and a table
# "logged", and must not log statements.

package AllCommits;

use CommitStats;
use Exporter 'import';

our @EXPORT = qw(start_all_commits end_all_commits);

# Each script ends with this, in the session in which it ran; the one that
# commits most does so now and then.
my $check = "SELECT same_settings();\n";

sub _create_objects ($node)
{
	create_same_settings($node, 7, 3);
	$node->sql(q{
CREATE FUNCTION own_delay(own int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF current_setting('commit_delay') <> own::text THEN
		RAISE 'commit_delay is %', current_setting('commit_delay');
	END IF;
END $$;

-- a procedure that commits and rolls back
CREATE PROCEDURE commits() LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 3 LOOP
		INSERT INTO logged VALUES (i);
		COMMIT;
		PERFORM same_settings();
		INSERT INTO logged VALUES (i);
		ROLLBACK;
		PERFORM same_settings();
	END LOOP;
END $$;

-- a trigger that fails at the commit, after it has looked, and one in which a
-- transaction fails that would be fine without
CREATE TABLE failing (n int);
CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM same_settings();
	RAISE division_by_zero;
END $$;
CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON failing
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail();
CREATE PROCEDURE commits_in_vain() LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 3 LOOP
		BEGIN
			INSERT INTO failing VALUES (i);
			SET CONSTRAINTS ALL IMMEDIATE;
		EXCEPTION WHEN division_by_zero THEN
			PERFORM same_settings();
		END;
	END LOOP;
END $$;

-- of transactions that read both rows and write one, one must fail, often at
-- its commit
CREATE TABLE serial (id int, n int);
INSERT INTO serial VALUES (1, 0), (2, 0);
});
}

# A commit that fails ends a script of pgbench, so these are run by sessions of
# psql, over and over, which go on after an error.  They pause, as they would
# take a processor.
sub _start_failing ($node, $name, $sql)
{
	my $path = $node->basedir . "/$name.sql";

	write_file($path, "$sql\n${check}SELECT pg_sleep(0.01);\n" x 2000);
	return start_background([
		$node->installed_command('psql'), '-XAtq', '-d', $node->connstr('postgres'), '-f', $path ]);
}

# Start the sessions.
sub start_all_commits ($node)
{
	_create_objects($node);
	return (
		insert => start_pgbench($node, '-c 4 -T 3600', insert => $watched =~ s/tick/logged/r),
		ddl => start_pgbench(
			$node, '-c 2 -T 3600', ddl => qq{
BEGIN;
CREATE TABLE t:client_id (n int PRIMARY KEY);
CREATE TEMP TABLE mine (n int) ON COMMIT DROP;
INSERT INTO mine VALUES (1);
INSERT INTO t:client_id SELECT generate_series(1, 10);
COMMIT;
$check
ALTER TABLE t:client_id ADD COLUMN m int DEFAULT 1;
TRUNCATE t:client_id;
VACUUM t:client_id;
DROP TABLE t:client_id;
$check}),
		two_phase => start_pgbench(
			$node, '-c 2 -T 3600', two_phase => qq{
BEGIN;
INSERT INTO logged VALUES (2);
PREPARE TRANSACTION 'p:client_id';
$check
COMMIT PREPARED 'p:client_id';
$check
BEGIN;
INSERT INTO logged VALUES (2);
PREPARE TRANSACTION 'p:client_id';
ROLLBACK PREPARED 'p:client_id';
$check}),
		procedures => start_pgbench(
			$node, '-c 2 -T 3600', procedures => "CALL commits();\nCALL commits_in_vain();\n$check"
		),
		notify => start_pgbench(
			$node, '-c 1 -T 3600', notify => qq{
BEGIN;
INSERT INTO logged VALUES (3);
NOTIFY someone;
SAVEPOINT a;
INSERT INTO logged VALUES (3);
ROLLBACK TO a;
COMMIT AND CHAIN;
INSERT INTO logged VALUES (3);
ROLLBACK AND CHAIN;
SET LOCAL synchronous_commit = off;
INSERT INTO logged VALUES (3);
COMMIT;
$check}),
		# its own settings, which are its own again afterwards
		own => start_pgbench(
			$node, '-c 1 -T 3600',
			own => q{SET commit_delay = 11;
INSERT INTO logged VALUES (4);
SELECT own_delay(11);
BEGIN;
SET LOCAL commit_delay = 13;
INSERT INTO logged VALUES (4);
SELECT own_delay(13);
COMMIT;
SELECT own_delay(11);
RESET commit_delay;
} . $check),
		triggers => _start_failing($node, 'triggers', 'INSERT INTO failing VALUES (1);'),
		missing => _start_failing(
			$node, 'missing', "COMMIT PREPARED 'nothing'; ROLLBACK PREPARED 'nothing';"),
		temporary => _start_failing(
			$node,
			'temporary',
			"BEGIN; CREATE TEMP TABLE t (n int); INSERT INTO logged VALUES (5); PREPARE TRANSACTION 'temporary';"
		),
		map { (
			"serial$_" => _start_failing(
				$node,
				"serial$_",
				"BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT sum(n) FROM serial; UPDATE serial SET n = n + 1 WHERE id = $_; SELECT pg_sleep(random() / 200); COMMIT;"
			)) } 1,
		2);
}

my %error = (
	triggers => qr/ERROR:  division_by_zero/,
	missing => qr/ERROR:  prepared transaction with identifier "nothing" does not exist/,
	temporary => qr/ERROR:  cannot PREPARE a transaction that has operated on temporary objects/,
	serial1 => qr/./s,
	serial2 => qr/./s);

# End them: they have seen no other commit_delay, and no other errors than they
# would have without.
sub end_all_commits ($node, %load)
{
	ok_soon 'transactions failed at their commit', sub {
		return slurp_file($node->logfile) =~
		  /could not serialize access.*\n(?:.*(?:DETAIL|HINT): .*\n)*.*STATEMENT:  COMMIT/;
	}, 5;
	for my $name (sort keys %load)
	{
		my $err = errors_so_far($load{$name});

		unlike($err, qr/commit_delay is/, "$name: no stray commit_delay");
		if (exists $error{$name})
		{
			like($err, $error{$name}, "$name: its errors") if $name !~ /serial/;
			unlike($err, qr/PANIC|FATAL|terminated/, "$name: nothing worse");
		}
		else
		{
			is($err, '', "$name: no other error");
		}
		end_background($load{$name}, 'TERM');
	}

	# nothing is left in new sessions, and autovacuum goes on
	$node->sql('SELECT same_settings()');
	ok(!$node->log_contains(qr/PANIC|TRAP|terminated by signal|commit_delay is/),
		'the log has no surprise');
}

1;
