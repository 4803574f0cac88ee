# Do the protocols without a lock hold on processors that reorder?
#
# Tests on x86, or on an emulated arm64, never show it.  Each *.protocol in
# this folder is a protocol of src/ as a litmus test, in the notation of
# Litmus.pm, with outcomes that must never be.  herd7 tries all executions that
# its model of a processor allows.  Without any one of its barriers, a protocol
# must fail on at least one processor: else the barrier is not needed, or the
# litmus test cannot fail.
#
# script/test-memory-model runs this; MEMORY_MODEL_HERD is the command.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Litmus qw(parse litmus outcomes processors barriers);
use PostgreSQL::Test::Utils;
use Test::More;

my @herd = split ' ', $ENV{MEMORY_MODEL_HERD} || 'herd7';
my ($dir, $inside) = split ':', $ENV{MEMORY_MODEL_FOLDER};
my $root = "$FindBin::RealBin/../..";
my (%protocols, %litmus, %tests);

for my $file (glob "$FindBin::RealBin/*.protocol")
{
	my ($name) = $file =~ m{(\w+)\.protocol$};

	$protocols{$name} = parse(slurp_file($file));
}

# All litmus tests of a protocol, with what they are tests of
sub add_tests
{
	my ($name, $kind, $without) = @_;
	my $protocol = $protocols{$name};

	for my $processor (processors())
	{
		for my $i (0 .. $#{ $protocol->{$kind} })
		{
			my $test = "$name $kind $i $processor $without" =~ s/\W+/_/gr;

			$litmus{$test} = litmus($test, $protocol, $processor,
				$protocol->{$kind}[$i], $without);
			push @{ $tests{"$name $kind $without"} },
			  [ $processor, $test, join ', ', @{ $protocol->{$kind}[$i] } ];
		}
	}
	return;
}

for my $name (sort keys %protocols)
{
	my @barriers = barriers($protocols{$name});

	add_tests($name, 'never', $_) for '', 0 .. $#barriers;
	add_tests($name, 'sometimes', '');
}

my %outcome = outcomes(\@herd, $dir, $inside, %litmus);

is($outcome{error}, '', 'herd7 understands the litmus tests');
for my $name (sort keys %protocols)
{
	for (@{ $tests{"$name never "} })
	{
		my ($processor, $test, $what) = @$_;

		is($outcome{$test}, 'Never', "$name, $processor: never $what");
	}
	for (@{ $tests{"$name sometimes "} || [] })
	{
		my ($processor, $test, $what) = @$_;

		is($outcome{$test}, 'Sometimes',
			"$name, $processor: sometimes $what");
	}
	my @barriers = barriers($protocols{$name});

	for my $without (0 .. $#barriers)
	{
		my @fail =
		  map  { $_->[0] }
		  grep { $outcome{ $_->[1] } ne 'Never' }
		  @{ $tests{"$name never $without"} };

		cmp_ok(@fail, '>', 0,
			"$name needs the $barriers[$without][0]: " . join(', ', @fail));
	}
}

# The source names the protocol of each barrier, and has all barriers of each
# protocol.
my (%named, %found);

for my $file (glob "$root/{,src/,src/*/}*.[ch]")
{
	my $function = 'none';

	next if $file =~ /atomic_barrier\.h$/;
	for (split /\n/, slurp_file($file))
	{
		my ($protocols) = m{protocols? ((?:\w+(?:, | and )?)+)}i;
		my @names = split /, | and /, $protocols // '';

		$named{$_} = 1 for @names;
		$function = $1 if /^(\w+)\(/;
		my ($call) = /(\w*barrier\w*)\(\);/ or next;
		my $kind =
		  $call =~ s/^pg_//r =~ s/barrier_after_atomic/atomic_barrier/r;

		is(join(' ', grep { !$protocols{$_} } @names ? @names : 'none'),
			'', "the barrier in $file names a protocol: " . s/^\s+//r);
		push @{ $found{$_} }, "$kind of $function" for @names;
	}
}
is(join(', ', grep { !$named{$_} } sort keys %protocols),
	'', 'the source names each protocol');
for my $name (sort keys %protocols)
{
	is_deeply(
		[ sort @{ $found{$name} || [] } ],
		[ sort map { @$_ } barriers($protocols{$name}) ],
		"the source has the barriers of $name, and no other ones");
}

done_testing();
