# Do the protocols without a lock hold on processors that reorder?
#
# Tests on x86, or on an emulated arm64, never show it.  Each *.protocol in
# this folder is a protocol of src/ as a litmus test, in the notation of
# Litmus.pm, with outcomes that must never be.  At least one outcome may be,
# and comes about: else the processes would not reach their ends.  herd7 tries
# all executions that its model of a processor allows.  Without any one of its
# barriers, a protocol must fail on at least one processor: else the barrier is
# not needed, or the litmus test cannot fail.  An outcome that no missing
# barrier allows must come about when an addition or a swap is not atomic, or
# is missing.
#
# script/test-memory-model runs this; MEMORY_MODEL_HERD is the command.

use v5.36;

use FindBin;
use lib $FindBin::RealBin;
use Litmus qw(parse litmus outcomes processors without_barrier mutants);
use PostgreSQL::Test::Utils;
use Test::More;

my @herd = split ' ', $ENV{MEMORY_MODEL_HERD} || 'herd7';
my ($dir, $inside) = split ':', $ENV{MEMORY_MODEL_FOLDER};
my $root = "$FindBin::RealBin/../..";
my %protocols;

for my $file (glob "$FindBin::RealBin/*.protocol")
{
	my ($name) = $file =~ m{(\w+)\.protocol$};

	$protocols{$name} = parse(slurp_file($file));
}
my @names = sort keys %protocols;

cmp_ok(@names, '>', 0, 'there are protocols');
is(join(' ', grep { !@{ $protocols{$_}{sometimes} } } @names),
	'', 'each has an outcome that may be');

# A name without blanks
sub test_name
{
	return join(' ', @_) =~ s/\W+/_/gr;
}

# What herd7 says of all outcomes of a kind, by the names of the tests.  A
# protocol has several variants: "variants" is a list of them for each name.
sub observe ($kind, %variants)
{
	my %litmus;

	for my $name (keys %variants)
	{
		my @outcomes = @{ $protocols{$name}{$kind} };
		my @variants = @{ $variants{$name} };

		for my $processor (processors())
		{
			for my $v (0 .. $#variants)
			{
				for my $i (0 .. $#outcomes)
				{
					my $test = test_name($name, $kind, $i, $processor, $v);

					$litmus{$test} = litmus($test, $variants[$v], $processor, $outcomes[$i]);
				}
			}
		}
	}
	my %said = outcomes(\@herd, $dir, $inside, %litmus);

	is(delete $said{error}, '', "herd7 understands the litmus tests: $kind");
	is(join(' ', grep { !$said{$_} } sort keys %litmus),
		'', "herd7 has judged each litmus test: $kind");
	return %said;
}

# The processors on which an outcome comes about in one of these variants
sub processors_where ($said, $name, $i, @variants)
{
	return grep {
		my $processor = $_;
		grep {
			($said->{ test_name($name, 'never', $i, $processor, $_) } // '') =~ /Sometimes|Always/
		} @variants;
	} processors();
}

my %variants;

for my $name (@names)
{
	my $protocol = $protocols{$name};

	$variants{$name} =
	  [ $protocol, map { without_barrier($protocol, $_) } 0 .. $#{ $protocol->{barriers} } ];
}

my %never = observe('never', %variants);
my %sometimes = observe('sometimes', map { ($_ => [ $protocols{$_} ]) } @names);

for my $name (@names)
{
	for my $processor (processors())
	{
		for my $kind ('never', 'sometimes')
		{
			my $said = $kind eq 'never' ? \%never : \%sometimes;
			my @outcomes = @{ $protocols{$name}{$kind} };

			is( $said->{ test_name($name, $kind, $_, $processor, 0) },
				ucfirst $kind,
				"$name, $processor: $kind " . join(', ', @{ $outcomes[$_] })) for 0 .. $#outcomes;
		}
	}
}

# Without something
my %unproven;    # outcomes that no missing barrier allows

for my $name (@names)
{
	my @outcomes = 0 .. $#{ $protocols{$name}{never} };
	my $barriers = $protocols{$name}{barriers};
	my @without = 1 .. @$barriers;

	for my $v (@without)
	{
		my %fail = map { $_ => 1 } map { processors_where(\%never, $name, $_, $v) } @outcomes;

		cmp_ok(keys %fail, '>', 0,
			"$name needs the $barriers->[$v - 1][0]: " . join(', ', sort keys %fail));
	}
	my @rest = grep { !processors_where(\%never, $name, $_, @without) } @outcomes;
	$unproven{$name} = \@rest if @rest;
}

my %mutants = map { ($_ => [ mutants($protocols{$_}) ]) } keys %unproven;
my %broken = observe('never', %mutants);

for my $name (sort keys %unproven)
{
	for my $i (@{ $unproven{$name} })
	{
		my @fail = processors_where(\%broken, $name, $i, 0 .. $#{ $mutants{$name} });

		cmp_ok(@fail, '>', 0,
			"$name is why this is never: " . join(', ', @{ $protocols{$name}{never}[$i] }));
	}
}

# The source names the protocol of each barrier, and has all barriers of each
# protocol.
my (%named, %found);

for my $file (glob "$root/{,src/,src/*/}*.[ch]")
{
	my $function = 'none';

	# a comment can go on in the next line
	for (split /\n/, slurp_file($file) =~ s{(barrier\(\);\s*/\*[^\n]*)\n\s*\*\s}{$1 }gr)
	{
		my ($protocols) = m{protocols? ((?:\w+(?:, | and )?)+)}i;
		my @names = split /, | and /, $protocols // '';

		$named{$_} = 1 for @names;
		$function = $1 if /^(\w+)\(/;
		next if $function eq 'barrier_after_atomic';
		my ($call) = /(\w*barrier\w*)\(\);/ or next;
		my $kind = $call =~ s/^pg_//r =~ s/barrier_after_atomic/atomic_barrier/r;

		is(join(' ', grep { !$protocols{$_} } @names ? @names : 'none'),
			'', "the barrier in $file names a protocol: " . s/^\s+//r);
		push @{ $found{$_} }, "$kind of $function" for @names;
	}
}
is(join(', ', grep { !$named{$_} } sort keys %protocols), '', 'the source names each protocol');
for my $name (sort keys %protocols)
{
	is_deeply(
		[ sort @{ $found{$name} || [] } ],
		[ sort map { @$_ } @{ $protocols{$name}{barriers} } ],
		"the source has the barriers of $name, and no other ones");
}

done_testing();
