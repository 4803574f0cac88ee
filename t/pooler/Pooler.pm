# What the tests with a pooler share: Debian's PgBouncer before a server.

package Pooler;

use CommitStats;
use Exporter 'import';

our @EXPORT = qw(find_pgbouncer start_pgbouncer stop_pgbouncer);

my $n = 0;

# The program; undef if there is none.  It does not start as root.
sub find_pgbouncer
{
	return undef if $> == 0;
	my ($path) = grep { -x } map { "$_/pgbouncer" } split(/:/, $ENV{PATH}), '/usr/sbin';
	return $path;
}

# A PgBouncer in transaction mode.  "databases" has a line of its own for each
# database that clients can name, "settings" what is not the default.  The
# result has "host" and "port" for clients.
sub start_pgbouncer ($node, $databases, %settings)
{
	my $dir = PostgreSQL::Test::Utils::tempdir_short();
	my $port = 6432 + $n++;
	my %ini = (
		listen_port => $port,
		unix_socket_dir => $dir,
		auth_type => 'any',
		pool_mode => 'transaction',
		logfile => "$dir/log",
		pidfile => "$dir/pid",
		%settings);
	my $user = getpwuid $>;

	append_to_file(
		"$dir/ini",
		join "\n",
		'[databases]',
		(   map {
					"$_ = host="
				  . $node->host
				  . ' port='
				  . $node->port
				  . " user=$user $databases->{$_}"
			} sort keys %$databases),
		'[pgbouncer]',
		(map { "$_ = $ini{$_}" } sort keys %ini),
		'');
	my $pooler = start_background([ find_pgbouncer(), "$dir/ini" ]);
	$pooler->{host} = $dir;
	$pooler->{port} = $port;
	poll_until(sub { -S "$dir/.s.PGSQL.$port" }, 20)
	  or die 'PgBouncer does not start: ' . slurp_file("$dir/log");
	return $pooler;
}

# Returns when it has closed its connections.
sub stop_pgbouncer ($pooler)
{
	return end_background($pooler, 'INT');
}

1;
