# Protocols without a lock as litmus tests, for the processors that reorder.
#
# A protocol is written once, in the terms of port/atomics.h, and translated
# to what a compiler makes of it on each processor.  herd7 then says whether
# its memory model of that processor allows an outcome.

package Litmus;

use v5.36;

use Exporter 'import';
use IPC::Run;

our @EXPORT_OK = qw(parse litmus outcomes processors without_barrier mutants);

# What gcc and clang make of each operation, and what stands in arch-ppc.h.
# Torn, an addition or a swap is a mere read and write.
#
# {r} is the register of a result, {a} that of an address, {v} one with a
# value, {s} a scratch register; "ok" is what {s} has if a swap took place.
# The loops around load-reserve and store-conditional are left out: a run in
# which the latter fails counts for nothing.
my %processors = (
	'AArch64' => {
		arch => 'AArch64',
		register => sub { "W$_[0]" },
		address => sub { "X$_[0]" },
		value => 'MOV {v},#%d',
		read => 'LDR {r},[{a}]',
		write => 'STR {v},[{a}]',
		plus => 'ADD {v},{r},{v}',
		add => ['LDADDAL {v},{r},[{a}]'],
		swap => ['SWPAL {v},{r},[{a}]'],
		unless => [ 'CMP {r},#%d', 'B.NE {label}' ],
		read_barrier => ['DMB ISHLD'],
		write_barrier => ['DMB ISH'],
		memory_barrier => ['DMB ISH'],
	},
	'RISC-V' => {
		arch => 'RISCV',
		register => sub { 'x' . ($_[0] + 5) },
		address => sub { 'x' . ($_[0] + 5) },
		value => 'ori {v},x0,%d',
		read => 'lw {r},0({a})',
		write => 'sw {v},0({a})',
		plus => 'add {v},{r},{v}',
		add => ['amoadd.w.aq.rl {r},{v},({a})'],
		swap => [ 'lr.w.aq.rl {r},0({a})', 'sc.w.rl {s},{v},0({a})' ],
		ok => 0,
		unless => [ 'ori {s},x0,%d', 'bne {r},{s},{label}' ],
		read_barrier => ['fence r,rw'],
		write_barrier => ['fence rw,w'],
		memory_barrier => ['fence rw,rw'],
	},
	'PowerPC' => {
		arch => 'PPC',
		register => sub { "r$_[0]" },
		address => sub { "r$_[0]" },
		value => 'li {v},%d',
		read => 'lwz {r},0({a})',
		write => 'stw {v},0({a})',
		plus => 'add {v},{r},{v}',
		add => [
			'sync',
			'lwarx {r},r0,{a}',
			'add {v},{r},{v}',
			'stwcx. {v},r0,{a}',
			'bne {label}',
			'isync',
			'li {s},1'
		],
		swap =>
		  [ 'sync', 'lwarx {r},r0,{a}', 'stwcx. {v},r0,{a}', 'bne {label}', 'isync', 'li {s},1' ],
		ok => 1,
		unless => [ 'cmpwi {r},%d', 'bne {label}' ],
		read_barrier => ['lwsync'],
		write_barrier => ['lwsync'],
		memory_barrier => ['sync'],
	});

# without the atomic instructions of ARMv8.1
$processors{'AArch64 exclusives'} = {
	%{ $processors{AArch64} },
	add => [ 'LDAXR {r},[{a}]', 'ADD {v},{r},{v}', 'STLXR {s},{v},[{a}]' ],
	swap => [ 'LDAXR {r},[{a}]', 'STLXR {s},{v},[{a}]' ],
	ok => 0
};

for (values %processors)
{
	my ($read, $plus, $write) = @$_{qw(read plus write)};

	@$_{qw(read write torn_add torn_swap)} =
	  ([$read], [$write], [ $read, $plus, $write ], [ $read, $write ]);
}

# base/changecount.h: what an atomic addition or swap lacks to be a full
# barrier, here that of any other processor than x86
$_->{atomic_barrier} = $_->{memory_barrier} for values %processors;

sub processors
{
	return sort keys %processors;
}

# A protocol is a list of processes and of outcomes:
#
#	start tag=1					all others are 0
#	process writer
#		write NAME VALUE
#		read REGISTER NAME
#		add REGISTER NAME VALUE		the register gets the old value
#		swap REGISTER NAME OLD NEW	compare-and-exchange, which succeeds
#		if REGISTER VALUE			else the process ends here
#		write_barrier FUNCTION...	also read_, memory_ and atomic_barrier
#	never PROCESS.REGISTER=VALUE, NAME=VALUE, ...
#	sometimes ...				the same; both may come again
#
# FUNCTION is one in the source that has the barrier there.
sub parse ($text)
{
	my %test = (
		start => {},
		processes => [],
		names => [],
		barriers => [],    # by their numbers, lists of "KIND of FUNCTION"
		never => [],
		sometimes => []);
	my $process;

	for (split /\n/, $text)
	{
		s/#.*//;
		next unless /\S/;
		my ($what, @words) = split ' ';
		if ($what eq 'start')
		{
			%{ $test{start} } = map { split /=/ } @words;
		}
		elsif ($what eq 'process')
		{
			$process = [];
			push @{ $test{processes} }, $process;
			push @{ $test{names} }, $words[0];
		}
		elsif ($what eq 'never' || $what eq 'sometimes')
		{
			push @{ $test{$what} }, [ map { s/,$//r } @words ];
		}
		elsif ($what =~ /_barrier$/)
		{
			push @$process, [ $what, scalar @{ $test{barriers} } ];
			push @{ $test{barriers} }, [ map { "$what of $_" } @words ];
		}
		else
		{
			push @$process, [ $what, @words ];
		}
	}
	return \%test;
}

# The protocol with other steps, those that "change" makes of each
sub changed ($test, $change)
{
	my @processes = map {
		[ map { $change->($_) } @$_ ]
	} @{ $test->{processes} };

	return { %$test, processes => \@processes };
}

# The protocol without the barrier of a number
sub without_barrier ($test, $number)
{
	return changed($test, sub { $_[0][0] =~ /_barrier$/ && $_[0][1] == $number ? () : $_[0] });
}

# Does a condition or an outcome ask for this register?
sub is_used ($test, $register)
{
	my @conditions =
	  grep { $_->[0] eq 'if' && $_->[1] eq $register } map { @$_ } @{ $test->{processes} };
	my @outcomes = grep { /\.\Q$register\E=/ } map { @$_ } map { @{ $test->{$_} } } 'never',
	  'sometimes';

	return @conditions + @outcomes > 0;
}

# The protocol with one of its additions and swaps torn, or left out, each in
# turn.  One whose result is used cannot be left out.
sub mutants ($test)
{
	my @mutants;

	for my $step (map { @$_ } @{ $test->{processes} })
	{
		my ($what, $register) = @$step;
		my @torn = ("torn_$what", @$step[ 1 .. $#$step ]);

		next if $what !~ /^(?:add|swap)$/;
		push @mutants, changed($test, sub { $_[0] == $step ? \@torn : $_[0] });
		push @mutants, changed($test, sub { $_[0] == $step ? () : $_[0] })
		  if !is_used($test, $register);
	}
	return @mutants;
}

# One process as instructions.  Notes which registers have what, and what must
# be so for the run to count.
sub translate ($processor, $process, $n, $vars, $state)
{
	my @lines;
	my $next = 1;
	my $label = "END$n";
	my $new = sub { return $next++ };
	my %address;

	for my $step (@$process)
	{
		my ($what, @words) = @$step;
		my ($result, $name, $value, $old);

		if ($what =~ /_barrier$/)
		{
			push @lines, @{ $processor->{$what} };
			next;
		}
		if ($what eq 'if')
		{
			my $register = $state->{registers}{ $words[0] };
			my $scratch = $processor->{register}->($new->());

			push @lines, map {
				s/\{r\}/$register/r =~ s/\{s\}/$scratch/r =~ s/\{label\}/$label/r =~
				  s/%d/$words[1]/r
			} @{ $processor->{unless} };
			next;
		}
		($name, $value) = @words if $what eq 'write';
		($result, $name) = @words if $what eq 'read';
		($result, $name, $value) = @words if $what =~ /add$/;
		($result, $name, $old, $value) = @words if $what =~ /swap$/;
		die "$what is no operation\n" unless defined $name;

		if (!$address{$name})
		{
			$address{$name} = $processor->{address}->($new->());
			push @{ $state->{init} }, "$n:$address{$name}=$name";
			$vars->{$name} = 1;
		}
		my %place = (a => $address{$name}, label => $label);
		$place{r} = $processor->{register}->($new->()) if defined $result;
		$state->{registers}{$result} = $place{r} if defined $result;
		$place{s} = $processor->{register}->($new->());
		if (defined $value)
		{
			$place{v} = $processor->{register}->($new->());
			push @lines, sprintf($processor->{value}, $value) =~ s/\{v\}/$place{v}/r;
		}
		my @code = @{ $processor->{$what} };
		push @lines, map { s/\{(\w+)\}/$place{$1}/gr } @code;
		push @{ $state->{conditions} }, "$n:$place{s}=$processor->{ok}" if grep { /\{s\}/ } @code;
		push @{ $state->{conditions} }, "$n:$place{r}=$old" if defined $old;
	}
	push @lines, "$label:";
	return @lines;
}

# The litmus test of an outcome on a processor
sub litmus ($name, $test, $processor, $outcome)
{
	my $p = $processors{$processor};
	my (%vars, @columns, @states, @conditions);
	my $rows = 0;

	for my $n (0 .. $#{ $test->{processes} })
	{
		my %state = (registers => {}, init => [], conditions => []);

		push @columns, [ translate($p, $test->{processes}[$n], $n, \%vars, \%state) ];
		push @states, \%state;
		$rows = @{ $columns[-1] } if @{ $columns[-1] } > $rows;
	}
	for (@$outcome)
	{
		my ($where, $value) = split /=/;
		if (my ($process, $register) = $where =~ /^(\w+)\.(\w+)$/)
		{
			my ($n) = grep { $test->{names}[$_] eq $process } 0 .. $#{ $test->{names} };

			push @conditions, "$n:$states[$n]{registers}{$register}=$value";
		}
		else
		{
			push @conditions, "[$where]=$value";
		}
	}
	push @conditions, map { @{ $_->{conditions} } } @states;

	# herd7 knows the whole registers in an outcome
	s/^(\d+:)W/$1X/ for @conditions;
	return join(
		"\n",
		"$p->{arch} $name",
		'{',
		(map { "int $_=" . ($test->{start}{$_} // 0) . ';' } sort keys %vars),
		(   map {
				join(' ', map { "$_;" } @{ $_->{init} })
			} @states),
		'}',
		join(' | ', map { "P$_" } 0 .. $#columns) . ' ;',
		(   map {
				my $row = $_;
				join(' | ', map { $_->[$row] // '' } @columns) . ' ;'
			} 0 .. $rows - 1),
		'exists (' . join(' /\\ ', @conditions) . ')') . "\n";
}

# What herd7 says of tests, by name: Never, Sometimes or Always.  "herd" is the
# command; the tests are written into the folder "dir", which is "inside" for
# the command.
sub outcomes ($herd, $dir, $inside, %litmus)
{
	my ($out, $err);

	for my $name (keys %litmus)
	{
		open my $file, '>', "$dir/$name.litmus" or die "$dir: $!\n";
		print $file $litmus{$name};
		close $file;
	}
	IPC::Run::run([ @$herd, map { "$inside/$_.litmus" } sort keys %litmus ],
		'>', \$out, '2>', \$err);
	return ($out =~ /^Observation (\S+) (\w+) /mg, error => $err);
}

1;
