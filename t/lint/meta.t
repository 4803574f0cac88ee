# Does META.json have the fields that PGXN requires, and agree with the
# extension itself?

use JSON::PP;
use Lint;

my $meta = decode_json(slurp("$root/META.json"));

like($meta->{maintainer}, qr/\w/, 'it has a maintainer');
is($meta->{license}, 'postgresql', 'its license has the name that PGXN uses');
is($meta->{'meta-spec'}{version}, '1.0.0', 'it follows this version of the specification');

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
