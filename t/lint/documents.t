# Do the links and paths in the documents lead somewhere?
#
# All documents of the checkout, doc/ and monitoring/ are checked.  Each check
# is then tried on a text with one mistake.

use Lint;

# The anchors of a text's headings, as the usual renderers name them.
sub anchors ($text)
{
	my (%anchors, %seen);

	$text =~ s/^```.*?^```$//gms;
	for my $heading ($text =~ /^#+ (.*)$/mg)
	{
		my $anchor = lc $heading;

		$anchor =~ s/[^\w -]//g;
		$anchor =~ tr/ /-/;
		$anchor .= "-$seen{$anchor}" if $seen{$anchor}++;
		$anchors{$anchor} = 1;
	}
	return \%anchors;
}

# Links of a text that lead nowhere, and files that it names but do not exist.
sub mistakes_in_links ($file, $text)
{
	my ($folder) = $file =~ m{^(.*/)?};
	my @mistakes;

	$folder = '' unless defined $folder;
	for my $link ($text =~ /\]\(([^()\s]+)\)/g)
	{
		my ($path, $anchor) = $link =~ /^([^#]*)#?(.*)$/;
		my $target = $path eq '' ? $file : "$folder$path";

		next if $link =~ /^https?:/;
		if (!-e "$root/$target")
		{
			push @mistakes, "$file: no file for $link\n";
		}
		elsif ($anchor ne '')
		{
			my $there = $path eq '' ? $text : slurp("$root/$target");

			push @mistakes, "$file: no anchor for $link\n" unless anchors($there)->{$anchor};
		}
	}

	# programs and sources by their path, and sources by their name; an archive
	# lacks .ci and debian
	for my $path ($text =~
		m{(?<![\w/.])((?:\.ci|bench|debian|doc|monitoring|script|specs|sql|src|t)/[\w./-]*\w)}g)
	{
		next if $path =~ m{^(\.ci|debian)/} && !-d "$root/$1";
		push @mistakes, "$file: there is no $path\n" unless -e "$root/$path";
	}
	for my $source ($text =~ m{(?<![\w/.])(\w+\.[ch])\b}g)
	{
		push @mistakes, "$file: there is no $source\n"
		  unless -e "$root/$source" || grep { -e } glob("$root/src/{.,*}/$source");
	}
	return join '', @mistakes;
}

for my $path (sort(glob "$root/{,doc/,monitoring/}*.md"))
{
	my ($file) = $path =~ m{^\Q$root\E/(.*)$};

	is(mistakes_in_links($file, slurp($path)), '', "$file: links and paths lead somewhere");
}

like(
	mistakes_in_links('doc/limits.md', '[a](nowhere.md)'),
	qr/no file for nowhere/,
	'noticed: a link to no file');
like(mistakes_in_links('doc/limits.md', '[a](reference.md#nowhere)'),
	qr/no anchor/, 'noticed: a link to no anchor');
like(mistakes_in_links('doc/limits.md', "# here\n\n[a](#here-1)"),
	qr/no anchor/, 'noticed: a link to no anchor of the same file');
is(mistakes_in_links('doc/limits.md', "# A `b()`\n\n[a](#a-b)"),
	'', 'a link to an anchor of the same file is no mistake');
like(mistakes_in_links('doc/limits.md', '`script/nothing`'),
	qr/no script/, 'noticed: a program that does not exist');
like(mistakes_in_links('doc/limits.md', 'nothing.c'),
	qr/no nothing/, 'noticed: a source that does not exist');
done_testing();
