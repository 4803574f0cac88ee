# Does the documentation say what the catalogs say?
#
# script/generate writes the lists of views; the columns that it reads from the
# SQL script must be those of the catalogs, in order.  Each function in
# doc/reference.md must have the columns, arguments with types and defaults of
# the catalogs, and each setting its limits.  The contents of the reference
# must lead to each view and function, and each query of doc/symptoms.md must
# be one that the server plans.
#
# Each check is then tried on texts with one mistake.

use CommitStats;

my $node = start_node('reference');

# What the catalogs say

# Names of the members of the extension in one of the catalogs.
sub members ($catalog, $name)
{
	my $oids = members_of_extension($catalog);

	return split /\n/, $node->sql("SELECT $name FROM $catalog WHERE oid IN ($oids) ORDER BY 1");
}

my @views = members('pg_class', 'relname');
my %is_view = map { $_ => 1 } @views;

# Those of the same name as a view are there for it.
my @functions = grep { !$is_view{$_} } members('pg_proc', 'DISTINCT proname');
my @settings = map { $_->[0] }
  $node->rows(q{SELECT name FROM pg_settings WHERE name LIKE 'commit\_stats.%' ORDER BY 1});

# Of each object: lines that say what its tables have to.
my %catalog;

$catalog{$_} = [
	$node->rows(qq{SELECT 'column', attname, '', ''
FROM pg_attribute WHERE attrelid = '$_'::regclass AND attnum > 0 AND NOT attisdropped
ORDER BY attnum})
  ]
  for @views;

$catalog{$_} = [
	$node->rows(
		qq{SELECT CASE coalesce(mode, 'i') WHEN 'i' THEN 'argument' ELSE 'column' END, name,
	   CASE coalesce(mode, 'i') WHEN 'i' THEN format_type(type, NULL) ELSE '' END,
	   CASE coalesce(mode, 'i') WHEN 'i' THEN pg_get_function_arg_default(p.oid, n::int) ELSE '' END
FROM pg_proc p,
	 unnest(proargnames, coalesce(proargmodes, array_fill('i'::"char", ARRAY[pronargs])),
		coalesce(proallargtypes, string_to_array(proargtypes::text, ' ')::oid[]))
	 WITH ORDINALITY a (name, mode, type, n)
WHERE p.proname = '$_'
ORDER BY p.pronargs, n})
  ]
  for @functions;

$catalog{Settings} = [
	$node->rows(q{SELECT 'setting', name, boot_val,
	   CASE WHEN vartype = 'integer' THEN concat_ws(' ', min_val, 'to', max_val, unit) END,
	   context
FROM pg_settings WHERE name LIKE 'commit\_stats.%' ORDER BY name})
];

# What the documentation says

# What script/generate lists: view, column
my @generated = map { [ split / / ] } split /\n/, `script/generate --list`;

# A literal as the catalogs have it.
my %default_of;

sub default_of ($type, $literal)
{
	return
		$literal eq ''                                       ? ''
	  : $literal eq 'NULL'                                   ? "NULL::$type"
	  : $type =~ /^(?:boolean|integer)$/ || $literal =~ /\(/ ? $literal
	  : ($default_of{"$type $literal"} //=
		  $node->sql("SELECT quote_literal('$literal'::$type) || '::$type'"));
}

# The lines of the tables of each section, in the form that %catalog has.
sub documented ($text)
{
	my (%lines, $section, $kind);

	push @{ $lines{ $_->[0] } }, [ 'column', $_->[1], '', '' ] for @generated;
	for my $line (split /\n/, $text)
	{
		$section = $1 if $line =~ /^##+ (\w+)/;
		$kind = undef if $line !~ /\|/;
		next if $line !~ /^(?:\| )?(\S.* \| .*?)(?: \|)?$/ || $line =~ /^\|?-/;

		my ($names, @cells) = split / *\| */, $1, -1;

		s/`//g for @cells;
		if (!defined $kind)
		{
			$kind = $names;
			next;
		}
		next if $kind !~ /^(?:argument|column|setting)$/;
		# `x*` is an estimate with its bounds
		for my $name (map { /^(.*)\*$/ ? ($1, "$1_low", "$1_high") : $_ } $names =~ /`([^`]+)`/g)
		{
			my @rest =
				$kind eq 'setting'  ? @cells[ 0 .. 2 ]
			  : $kind eq 'argument' ? ($cells[0], default_of(@cells[ 0, 1 ]))
			  :                       ('', '');

			push @{ $lines{$section} }, [ $kind, $name, @rest ];
		}
	}
	@{ $lines{Settings} } = sort { $a->[1] cmp $b->[1] } @{ $lines{Settings} };
	return %lines;
}

# What is wrong with a reference, a line each.
sub mistakes_in_tables ($text)
{
	my %documented = documented($text);
	my @mistakes;

	for my $object (sort keys %catalog)
	{
		my $is = join '', map { "  @$_\n" } @{ $catalog{$object} };
		my $said = join '', map { "  @$_\n" } @{ $documented{$object} || [] };

		push @mistakes, "$object is\n$is but is said to be\n$said" if $is ne $said;
		push @mistakes, "$object has no section\n" if $text !~ /^##+ $object(\(\))?$/m;
	}
	push @mistakes, map { "$_ does not exist\n" } grep { !$catalog{$_} } sort keys %documented;
	return join '', @mistakes;
}

# The contents of the reference lead to each object.
sub mistakes_in_list ($text)
{
	return join '', map { "$_ is not in the list\n" }
	  grep { $text !~ /\]\(#$_\)/ } @views, @functions;
}

# Queries of a table whose second column has what follows SELECT.
sub queries_that_fail ($text)
{
	my @queries = $text =~ /^[^|\n]+ \| `([^`|]+)` \|/mg;

	cmp_ok(scalar @queries, '>=', 20, 'there are queries to plan');
	my (undef, undef, $stderr) =
	  $node->psql('postgres', join('', map { "EXPLAIN SELECT $_;\n" } @queries),
		on_error_stop => 0);
	return $stderr;
}

# Does it?
my $reference = slurp_file('doc/reference.md');
my $symptoms = slurp_file('doc/symptoms.md');

cmp_ok(scalar @views, '>=', 11, 'there are views to compare');
cmp_ok(scalar @functions, '>=', 5, 'there are functions to compare');
cmp_ok(scalar @settings, '>=', 4, 'there are settings to compare');
is(mistakes_in_tables($reference), '', 'doc/reference.md says what the catalogs say');
is(mistakes_in_list($reference), '', 'its contents lead to each object');
is(queries_that_fail($symptoms), '', 'each query of doc/symptoms.md runs');

# Would we see it if it did not?

# A text with one mistake, which $change makes in $_.
sub with_mistake ($text, $change)
{
	local $_ = $text;
	$change->();
	isnt($_, $text, 'a mistake was made');
	return $_;
}

my @table_mistakes = (
	[ 'a column that is missing', sub { s/^`wal_bytes_per_second`.*\n//m } ],
	[ 'a column that does not exist', sub { s/`rounds`/`rounds`, `more`/ } ],
	[ 'two columns in the wrong order', sub { s/^(`elapsed`.*\n)(`commits`.*\n)/$2$1/m } ],
	[ 'a wrong type', sub { s/(`duration` \|) interval/$1 text/ } ],
	[ 'a view that is missing', sub { s/^### commit_wal_stats$//m } ],
	[
		'an object that does not exist',
		sub {
			$_ .= "\n### commit_more\n\n| column | type |\n|---|---|\n| `a` | text |\n";
		}
	],
	[ 'a wrong default of an argument', sub { s/`250 ms`/`25 ms`/ } ],
	[ 'a function without a table', sub { s/^### commit_stats_report\(\)$//m } ],
	[ 'a wrong default of a setting', sub { s/`2048`/`2049`/ } ],
	[ 'a wrong context', sub { s/\bpostmaster \|/sighup |/ } ],
	[ 'wrong limits', sub { s/128 to 131072/128 to 131073/ } ],
	[ 'a setting that is missing', sub { s/^`commit_stats\.save`.*\n//m } ]);

isnt(mistakes_in_tables(with_mistake($reference, $_->[1])), '', "noticed: $_->[0]")
  for @table_mistakes;
isnt(mistakes_in_list($reference =~ s/\(#commit_stats_reset\)//gr),
	'', 'noticed: an object that the list lacks');
isnt(queries_that_fail($symptoms =~ s/writer_share/writer_part/r),
	'', 'noticed: a query with a column that does not exist');

end_test($node);
