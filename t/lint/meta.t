# Does META.json keep to PGXN's specification, and agree with the extension
# itself?
#
# The rules are those of the PGXN Meta Spec, version 1.0.0, for the fields used
# here; other fields of the specification would have to be added.  Each rule is
# also tried on a copy that breaks it.

use JSON::PP;
use Lint;

my $string = qr/\A.*\S.*\z/s;
my $version = qr/\A(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-[A-Za-z][-0-9A-Za-z]*)?\z/;
my $term = qr/\A[^\s[:cntrl:]\/\\]{2,}\z/;
my $tag = qr/\A[^[:cntrl:]\/\\]{1,256}\z/;
my $url = qr/\A[a-z][-+.a-z]*:\/\/[^\s\/?#]+\S*\z/i;
my $file = qr/\A(?!\/)(?!.*\.\.)\S+\z/;
my $license = qr/\A(?:agpl_3|apache_(?:1_1|2_0)|artistic_[12]|bsd|freebsd|gfdl_1_[23]|
	gpl_[123]|lgpl_2_1|lgpl_3_0|mit|mozilla_1_[01]|openssl|perl_5|postgresql|qpl_1_0|
	ssleay|sun|zlib|open_source|restricted|unrestricted|unknown)\z/x;
my $custom = qr/\Ax_/i;

# What a value must look like: a pattern, a list of values, or the fields of an
# object.  A field with "!" is required; "*" is for all others whose names
# match.
my $spec = {
	'name!' => $term,
	'abstract!' => $string,
	'version!' => $version,
	'maintainer!' => [$string],
	'license!' => [$license],
	'provides!' => {
		'*' => [
			$term,
			{
				'file!' => $file,
				'version!' => $version,
				abstract => $string,
				docfile => $file,
			}
		]
	},
	'meta-spec!' => { 'version!' => qr/\A1\.0\.0\z/, url => $url },
	description => $string,
	generated_by => $string,
	release_status => qr/\A(?:stable|testing|unstable)\z/,
	tags => [$tag],
	prereqs => {
		'*' => [
			qr/\A(?:configure|build|test|runtime|develop)\z/,
			{
				'*' => [
					qr/\A(?:requires|recommends|suggests|conflicts)\z/,
					{ '*' => [ $term, $version ] }
				]
			}
		]
	},
};

# The places where a value breaks the rules.  A list of one may be written
# without brackets.
sub broken ($where, $rule, $value)
{
	if (ref $rule eq 'ARRAY')
	{
		return
		  map { broken($where, $rule->[0], $_) }
		  ref $value eq 'ARRAY' && @$value ? @$value : $value;
	}
	return broken_fields($where, $rule, $value) if ref $rule eq 'HASH';
	return defined $value && !ref $value && $value =~ $rule ? () : $where;
}

sub broken_fields ($where, $rule, $value)
{
	my ($name_rule, $value_rule) = @{ $rule->{'*'} || [] };
	my @broken;

	return $where if ref $value ne 'HASH' || !%$value;
	for my $must (map { /(.*)!$/ ? $1 : () } keys %$rule)
	{
		push @broken, "$where/$must" if !exists $value->{$must};
	}
	for my $name (sort keys %$value)
	{
		my $known = $rule->{$name} || $rule->{"$name!"};

		if ($known)
		{
			push @broken, broken("$where/$name", $known, $value->{$name});
		}
		elsif ($name_rule && $name =~ $name_rule)
		{
			push @broken, broken("$where/$name", $value_rule, $value->{$name});
		}
		elsif ($name_rule || $name !~ $custom)
		{
			push @broken, "$where/$name";
		}
	}
	return @broken;
}

my $text = slurp("$root/META.json");
my $meta = decode_json($text);

is(join(' ', broken('', $spec, $meta)), '', 'META.json keeps to the specification');

# Break a copy: which field is blamed?
sub blames ($field, $break, $name)
{
	my $copy = decode_json($text);

	$break->($copy);
	is(join(' ', broken('', $spec, $copy)), $field, $name);
}

for my $field (map { /(.*)!$/ ? $1 : () } sort keys %$spec)
{
	blames("/$field", sub { delete $_[0]{$field} }, "$field must be there");
}
blames('/version', sub { $_[0]{version} = '1.0' }, 'a version has three numbers');
blames('/version', sub { $_[0]{version} = '1.0.01' }, 'a version has no leading zeros');
blames('/name', sub { $_[0]{name} = 'commit stats' }, 'a name has no spaces');
blames('/abstract', sub { $_[0]{abstract} = '' }, 'an abstract says something');
blames('/maintainer', sub { $_[0]{maintainer} = [] }, 'it has a maintainer');
blames(
	'/license',
	sub { $_[0]{license} = 'PostgreSQL License' },
	'a license has a name of the list');
blames('/provides', sub { $_[0]{provides} = {} }, 'it provides something');
blames(
	'/provides/commit_stats/file',
	sub { delete $_[0]{provides}{commit_stats}{file} },
	'an extension has a file');
blames(
	'/provides/commit_stats/version',
	sub { $_[0]{provides}{commit_stats}{version} = 'v1' },
	'an extension has a version');
blames(
	'/meta-spec/version',
	sub { $_[0]{'meta-spec'}{version} = '2.0.0' },
	'it is this specification');
blames('/meta-spec/url', sub { $_[0]{'meta-spec'}{url} = 'spec.txt' }, 'a URL is one');
blames('/prereqs/later', sub { $_[0]{prereqs}{later} = { requires => {} } }, 'a phase is known');
blames(
	'/prereqs/runtime/requires/PostgreSQL',
	sub { $_[0]{prereqs}{runtime}{requires}{PostgreSQL} = '15' },
	'a version that is required has three numbers');
blames('/tags', sub { push @{ $_[0]{tags} }, 'a/b' }, 'a tag has no slash');
blames('/keywords', sub { $_[0]{keywords} = 'x' }, 'no field is unknown');
blames('', sub { $_[0]{x_own} = 'x' }, 'a field of our own begins with x_');

# Agreement with other files.  Version 1.0 is 1.0.0 for PGXN, which wants three
# numbers.  The last one stays 0, as ALTER EXTENSION must know each new
# version.
my $control = slurp("$root/commit_stats.control");
my ($default_version) = $control =~ /^default_version = '(.*)'$/m;
my ($comment) = $control =~ /^comment = '(.*)'$/m;
my ($oldest) = slurp("$root/src/base/compat.h") =~ /supports PostgreSQL (\d+) to/;
my $extension = $meta->{provides}{commit_stats};

is($meta->{name}, 'commit_stats', 'the name is that of the extension');
is("@{[keys %{ $meta->{provides} }]}", 'commit_stats', 'it provides this extension');
is($meta->{version}, "$default_version.0",
	"the version is that of the control file with .0 appended");
is($extension->{version}, $meta->{version}, 'the extension has the same version');
is( $extension->{file},
	"commit_stats--$default_version.sql",
	'its file is the script of that version');
ok(-f "$root/$extension->{$_}", "its $_ is there") for qw(file docfile);
is(lcfirst $meta->{abstract}, $comment, 'the abstract is the comment of the control file');
is($extension->{abstract}, $meta->{abstract}, 'the extension has the same abstract');
is($meta->{prereqs}{runtime}{requires}{PostgreSQL},
	"$oldest.0.0", 'it requires the oldest PostgreSQL that it compiles with');

done_testing();
