# Prometheus and exporters for tests: starting them with the project's own
# files, and asking them.

package Programs;

use CommitStats;
use Exporter 'import';
use HTTP::Tiny;
use IPC::Run;
use JSON::PP;

our @EXPORT = qw(adapted program free_address start_at start_program
  end_programs page ask query);

my @running;

# A program of Debian's packages, unpacked where script/test-monitoring says.
sub program ($name)
{
	die "MONITORING_PROGRAMS must be set\n" unless $ENV{MONITORING_PROGRAMS};
	return "$ENV{MONITORING_PROGRAMS}/$name";
}

# A copy of a file in which some lines are for this machine: pairs of what is
# there and what to put there.
sub adapted ($file, $to, @changes)
{
	my $text = slurp_file($file);

	while (my ($old, $new) = splice @changes, 0, 2)
	{
		$text =~ s/\Q$old\E/$new/ or die "there is no \"$old\" in $file\n";
	}
	append_to_file($to, $text);
	return $to;
}

sub free_address
{
	return '127.0.0.1:' . PostgreSQL::Test::Cluster::get_free_port();
}

# Start a command that serves at an address, and wait until it does.  Its log
# is returned.
sub start_at ($address, $ready, $name, @command)
{
	my $log = "$PostgreSQL::Test::Utils::log_path/$name-$address.log";

	push @running, IPC::Run::start([@command], '<', \undef, '>', $log, '2>&1');
	poll_until(sub { (page("$address$ready") // '') ne '' })
	  or die "$name does not answer, see $log\n";
	return $log;
}

# Start one of Debian's programs at a free address, which is returned.
sub start_program ($name, $ready, @options)
{
	my $address = free_address();

	start_at($address, $ready, $name, program($name), "--web.listen-address=$address", @options);
	return $address;
}

sub end_programs
{
	for my $program (splice @running)
	{
		$program->signal('TERM');
		$program->finish;
	}
}

# What is at an address; undef if nothing is.
sub page ($where)
{
	my $response = HTTP::Tiny->new(timeout => 30)->get("http://$where");

	return $response->{success} ? $response->{content} : undef;
}

# A question to the HTTP API of Prometheus.
sub ask ($address, $what, %parameters)
{
	my $http = HTTP::Tiny->new(timeout => 30);
	my $response =
	  $http->get("http://$address/api/v1/$what?" . $http->www_form_urlencode(\%parameters));

	die "Prometheus does not answer $what: $response->{content}\n" unless $response->{success};
	return decode_json($response->{content})->{data};
}

# The answer to a PromQL expression, as what there is for each set of labels:
# [time, value] or, for a range, a list of these.
sub query ($address, $expr, $time = undef)
{
	my $answer = ask($address, 'query', query => $expr, defined $time ? (time => $time) : ());

	return map {
		my %labels = %{ $_->{metric} };

		(join(',', map { "$_=$labels{$_}" } sort keys %labels) => $_->{value} || $_->{values})
	} @{ $answer->{result} };
}

END
{
	my $status = $?;

	end_programs();
	$? = $status;
}

1;
