# Does each test stand once in the table of doc/contributing.md, and does each
# name there belong to a test?  Does each line of t/not_emulated.txt name a TAP
# file, with a reason?
#
# script/test finds a test by its name alone, so no two may have the same.  The
# check is then tried on tables with one mistake.

use File::Basename qw(basename);
use Lint;

# The tests of each kind, as the table names them: those that neither
# script/test nor script/check runs stand there with their path.
my @kinds = (
	[ map { s{^\Q$root\E/sql/(.*)\.sql$}{$1}r } glob "$root/sql/*.sql" ],
	[ map { s{^\Q$root\E/specs/(.*)\.spec$}{$1}r } glob "$root/specs/*.spec" ],
	[
		(   map { s{^\Q$root\E/t/(.*)\.(?:pl|t)$}{$1}r }
			  glob "$root/t/*.pl $root/t/unit/*.pl $root/t/lint/*.t"),
		(map { s{^\Q$root\E/}{}r } grep { !m{/unit/} } glob "$root/t/*/*.pl")
	]);
my @tests = map { @$_ } @kinds;

# The names in the table, of which "name*" is all tests that begin so.
sub names_in_table ($text)
{
	my ($rows) = $text =~ /^behaviour \| tests\n-\|-\n((?:.+\n)+)/m or return;

	return map {
		my $name = $_;
		$name =~ s/\*$// ? grep { /^\Q$name\E/ } @tests : $name
	} map { /`([^`]+)`/g } $rows =~ /\|(.*)/g;
}

sub mistakes_in_table ($text)
{
	my (%times, %is_test);

	$times{$_}++ for names_in_table($text);
	@is_test{@tests} = ();
	return join '', (map { "$_ is not in the table\n" } grep { !$times{$_} } @tests),
	  (map { "$_ is in the table more than once\n" } grep { $times{$_} > 1 } sort keys %times),
	  (map { "there is no test $_\n" } grep { !exists $is_test{$_} } sort keys %times);
}

sub mistakes_in_exceptions ($text)
{
	my %is_test = map { $_ => 1 } @{ $kinds[2] };
	my $mistakes = '';

	for my $line (grep { !/^#/ } split /\n/, $text)
	{
		my ($test, $reason) = split ' ', $line, 2;

		$test =~ s{^}{unit/} if -f "$root/t/unit/$test.pl";
		$mistakes .= "there is no test $test\n" unless $is_test{$test};
		$mistakes .= "no reason to leave out $test\n" unless $reason;
	}
	return $mistakes;
}

my $document = slurp("$root/doc/contributing.md");
my %named;

$named{ basename($_) }++ for @tests;
cmp_ok(scalar @$_, '>=', 5, 'there are tests of each kind') for @kinds;
is(join(' ', grep { $named{$_} > 1 } sort keys %named), '', 'no two tests have the same name');
is(mistakes_in_table($document), '', 'each test is in the table once');

is( mistakes_in_table($document =~ s/`commits`, //r),
	"commits is not in the table\n",
	'noticed: an SQL test that is missing');
is( mistakes_in_table($document =~ s/`siblings`/`siblings`, `siblings`/r),
	"siblings is in the table more than once\n",
	'noticed: a spec that is there twice');
is( mistakes_in_table($document =~ s/`soak`/`soak`, `soap`/r),
	"there is no test soap\n",
	'noticed: a TAP file that does not exist');
isnt(mistakes_in_table(''), '', 'noticed: no table');

my $exceptions = slurp("$root/t/not_emulated.txt");
is(mistakes_in_exceptions($exceptions), '', 'not_emulated.txt lists tests, with reasons');
is( mistakes_in_exceptions("${exceptions}soap A reason\n"),
	"there is no test soap\n",
	'noticed: a TAP file in not_emulated.txt that does not exist');
is( mistakes_in_exceptions("${exceptions}soak\n"),
	"no reason to leave out soak\n",
	'noticed: a test in not_emulated.txt without a reason');

done_testing();
