# Does pg_dump bring the extension, and what users built on it, to another
# database and to a server without the library?
#
# pg_dump writes CREATE EXTENSION and the grants that differ from those of the
# script.  So the script must contain all of its objects.

use CommitStats;
use Restored;

my $node = start_node('origin');
my $dump = $node->basedir . '/dump.sql';
my $globals = $node->basedir . '/globals.sql';

fill_database($node, 'original');
my $original = members($node, 'original');

$node->command_ok([ 'pg_dump', '-f', $dump, 'original' ],
	'pg_dump of a database with the extension');
like(slurp_file($dump), qr/^CREATE EXTENSION.* commit_stats/m, 'the dump creates the extension');
unlike(
	slurp_file($dump),
	qr/^CREATE (VIEW|FUNCTION) public\.commit_(flush|sibling|stats)/m,
	'the dump leaves its objects to the script');

# Into a new database of the same server
$node->sql('CREATE DATABASE restored TEMPLATE template0');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, 'restored' ],
	'the dump can be restored');
has_arrived($node, 'restored', 'same server', $original);
counts($node, 'restored', 'same server');

# Into a server that does not have the library
my $other = init_node('elsewhere');

$other->adjust_conf('postgresql.conf', 'shared_preload_libraries', "''");
$other->start;
$node->command_ok([ 'pg_dumpall', '--globals-only', '-f', $globals ], 'pg_dumpall of roles');
# The superuser is there already.
my ($out, $err) =
  run_command([ 'psql', '-X', '-q', '-d', $other->connstr('postgres'), '-f', $globals ]);
my @errors = grep { !/role "[^"]+" already exists/ } $err =~ /ERROR:.*/g;
is("@errors", '', 'the roles can be restored');
$other->sql('CREATE DATABASE restored TEMPLATE template0');
$other->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, 'restored' ],
	'the dump can be restored without the library');
has_arrived($other, 'restored', 'without the library', $original);
asks_for_the_library($other, 'restored', 'without the library');

# ... until it gets it.
$other->adjust_conf('postgresql.conf', 'shared_preload_libraries', "'commit_stats'");
$other->restart;
counts($other, 'restored', 'with the library again');

end_test($other, $node);
