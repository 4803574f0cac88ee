# What is on the page of commit_stats_html()?
#
# The rows of the history are those of a table, which takes the place of the
# view: a night of eight hours, a day in which each minute has all there can
# be, and what is rare.  Names and texts of users contain markup.

use CommitStats;

need_library('pg_stat_statements');

my $node = init_node('page',
	conf => "shared_preload_libraries = 'commit_stats, pg_stat_statements'\nTimeZone = 'UTC'\n");
my $db = '<i>d&"';

$node->start;
$node->sql(qq{CREATE DATABASE "<i>d&""" TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'});

# Statements that the next ones are to find done
my $pending = '';

sub run_sql ($sql)
{
	my $before = $pending;

	$pending = '';
	return $node->safe_psql($db, "SET client_min_messages = warning; $before $sql");
}

run_sql(q{CREATE EXTENSION commit_stats; CREATE EXTENSION pg_stat_statements;
CREATE TABLE mock AS SELECT * FROM commit_history WITH NO DATA;
CREATE OR REPLACE VIEW commit_history AS SELECT * FROM mock;
CREATE TABLE "<u>t&" (n int);
CREATE ROLE "<b>r&'""" LOGIN SUPERUSER});

# The page of a period, and what is wrong with its markup: tags that are not
# closed, and what is no markup of the page's.
sub page ($from, $to)
{
	return run_sql("SELECT commit_stats_html('$from', '$to')");
}

sub markup_errors ($page)
{
	my @open;
	my @errors;

	$page =~ s/^<!DOCTYPE html>\n// or push @errors, 'no DOCTYPE';
	for my $piece ($page =~ /<[^<>]*>|[<>]|&[^;]{0,8};?/g)
	{
		if ($piece =~ m{^</(\w+)>$})
		{
			push @errors, "$piece closes " . ($open[-1] // 'nothing') if ($open[-1] // '') ne $1;
			pop @open;
		}
		elsif ($piece =~
			m{^<(html|head|meta|title|style|body|h1|h2|p|div|table|tr|th|td|svg|path|rect|u|b|i|s)(?: [\w:-]+="[^"<]*")*(/?)>$}
		  )
		{
			push @open, $1 if $2 eq '';
		}
		elsif ($piece !~ /^&(?:amp|lt|gt|quot|#\d+);$/) { push @errors, $piece; }
	}
	return join "\n", @errors, @open;
}

sub is_well_formed ($page, $name)
{
	is(markup_errors($page), '', "$name: well-formed");
	unlike($page, qr/[^\n\t -~]/, "$name: in ASCII");
	unlike($page, qr/<script|href=|src=|url\(|\@import/, "$name: needs nothing else");
}

# The labels below the curves
sub labels ($page)
{
	my ($times) = $page =~ /<div class="times">(.*?)<\/div>/s;

	return join ' ', $times =~ />([^<>]+)<\/i>/g;
}

# The times and texts of "What happened"
sub happened ($page)
{
	my ($table) = $page =~ /<table class="e">(.*?)<\/table>/s;

	return map { s/<\/td><td>/ | /gr } $table =~ /<tr><td>\d+<\/td><td>(.*?)<\/td><\/tr>/g;
}

# Nothing yet
my $page = page('2026-01-01', '2026-01-02');
is_well_formed($page, 'no row');
# A minute may have ended since the server started.
like($page, qr/commit_history has no row (?:yet|of this period)/, 'no row: the page says so');
unlike($page, qr/Nothing stands out/, '... and nothing else about the period');

# Markup of users, in each name and text
is( $node->psql(
		$db, q{SET commit_stats.client_tag = '<em>tag&"''';
INSERT INTO "<u>t&" VALUES (1) /* <script>alert("é")</script> */},
		connstr => $node->connstr($db) =~
		  s/\\/\\\\/gr . q{ user='<b>r&\'"' application_name='<a>app&'}),
	0,
	'a commit of a user with markup');
is( $node->psql(
		$db,
		q{INSERT INTO "<u>t&" VALUES (2)},
		connstr => $node->connstr($db) . q{ user='<b>r&\'"' application_name='<a>app&'}),
	0,
	'... and one with another name');
run_sql(q{CREATE ROLE U&"odd\009b" SUPERUSER; SET ROLE U&"odd\009b"; SET application_name = '';}
	  . q{INSERT INTO "<u>t&" VALUES (3);} x 20);

my @causes = qw(quota checkpoint archiver bulk_wal bytes segment cpu_limit pause other_io unknown);
my $usual = join '; ',
  q{resolution = 'minute'; period_start = t; period_end = t + interval '1 min'; seconds = 60;
after_gap = false; commits = 2400 + n % 7; commits_async = 0; flushes = 800; commit_time = 6000;
commit_p50 = 2 + 0.01 * (n % 5); commit_p99 = 7; commit_max = 10; flush_p99 = 3; stalls = 0;
stall_time = 0; checkpoint_share = CASE WHEN n % 5 = 0 THEN 40 ELSE 0 END; standby_time = 0;
commit_delay = 0; commit_siblings = 5; adaptive_delay = false;
top_application_name = '<b>app&"'; top_client_flushes_share = 60},
  map { "${_}_stall_time = 0" } @causes;

# Rows: the start of the first, their number, and columns that are not as usual
sub insert_rows ($from, $n, @other)
{
	my %value = map { /(\w+) = (.*)/s } split /;/, join ';', $usual, @other;
	my @columns = sort keys %value;

	$pending .= sprintf q{INSERT INTO mock (%s) SELECT %s
FROM (SELECT n, timestamptz '%s' + n * interval '1 min' AS t FROM generate_series(0, %d) n) r;},
	  join(', ', @columns), join(', ', @value{@columns}), $from, $n - 1;
}

# ... in an empty table
sub first_rows
{
	$pending .= 'TRUNCATE mock;';
	insert_rows(@_);
}

my $idle = 'commits = 0; flushes = 0; commit_p50 = NULL; commit_p99 = NULL; commit_time = 0';
insert_rows('2026-01-01 00:00', 1, $idle, 'flush_p99 = NULL; checkpoint_share = NULL');
$page = page('2026-01-01', '2026-01-02');
is_well_formed($page, 'one row of zeros');
like($page, qr/00:00 0\.00 commits\/s/, 'one row of zeros: with its minute');
like(
	$page,
	qr/<p>Fewer than ten minutes \(or hours\) are too few to compare levels; nothing else stands out/,
	'... which are too few for levels');
unlike($page, qr/<(?:i|b|u|a|em|script)>[^<]*(?:d&|r&|t&|app|tag|alert)/, 'no markup of a user');
like($page, qr/&lt;i&gt;d&amp;&quot;/, 'the name of the database');
like($page, qr/&lt;b&gt;r&amp;&#39;&quot;/, '... of the role');
like($page, qr/&lt;a&gt;app&amp;</, '... of the application');
like($page, qr/&lt;em&gt;tag&amp;&quot;&#39;/, '... of the tag');
like($page, qr/&lt;u&gt;t&amp;/, '... and of a table, in the text of a statement');
is(run_sql(q{SELECT commit_stats_html_escape(E'a\x01\u00e9\uffff\n.')}),
	"a?&#233;?\n.", 'characters that no page can have');
is(run_sql(q{SELECT commit_stats_html_escape(E'a\u202eb\u2066\u061c\u200d')}),
	'a?b??&#8205;', '... or that turn its text round');
like(
	run_sql(
		q{SELECT commit_history_close(); SELECT commit_stats_report('-infinity', 'infinity', 1000)}
	),
	qr/ are led by client no name \("odd\?\?", /,
	'a report without controls of a terminal');

# A night
first_rows('2026-01-01 22:00', 60);
insert_rows('2026-01-01 23:00',
	1,
	q{period_start = t + interval '10 min'; period_end = t + interval '11 min'; after_gap = true});
insert_rows('2026-01-01 23:11', 179);
my $stalled = 'commits = 600; commit_p50 = 40; commit_p99 = 500; stalls = 10; stall_time = 20000';
insert_rows('2026-01-02 02:10', 2, $stalled, 'unknown_stall_time = 20000');
insert_rows('2026-01-02 02:12', 48, $stalled, 'quota_stall_time = 20000');
insert_rows('2026-01-02 03:00', 12, $idle);
insert_rows('2026-01-02 03:12',
	1, 'commit_p99 = 137439; commit_max = 137439; commit_time = 6000000; standby_time = 5990000');
insert_rows('2026-01-02 03:13', 17);
insert_rows('2026-01-02 03:30', 30, 'commit_delay = 1000');
insert_rows('2026-01-02 04:00', 1, 'commits = 4800 + n % 7; commit_delay = 1000');
insert_rows('2026-01-02 04:01', 1, 'commits = 2400; commit_delay = 1000');
insert_rows('2026-01-02 04:02',
	118, 'commits = 4800 + n % 7; commit_p99 = 40; commit_delay = 1000; standby_time = 4000');
$page = page('2026-01-01 22:00', '2026-01-02 06:00');
is_well_formed($page, 'a night');

# What the dashboard has as well has the same name there.
my $dashboard = slurp_file('monitoring/dashboard.json');
for my $name ('Commits', 'Flushes', 'Commit time', 'Flush time', 'Stalls', 'Clients',
	'Commits in a flush')
{
	like($dashboard, qr/"title": "$name[",]/, "the dashboard has $name");
	like($page, qr/(?:>|and |svg>)$name\b/i, '... and so has the page');
}
is( join("\n", happened($page)),
	q{23:00 to 23:10 | no counts: the server or commit_stats was off, or a crash lost them
02:10 to 03:00 | flushes stalled for 1,000 s in all, cause: quota (960 s), unknown (40.0 s); commits/s 40.0 &#8594; 10.0; median commit 2.02 &#8594; 40.0 ms; p99 of commits 7.00 &#8594; 500 ms
03:00 to 03:12 | commits stopped: they waited for a standby
03:12 | commits/s 0.00 &#8594; 40.0; median commit 40.0 &#8594; 2.01 ms; p99 of commits 500 &#8594; 7.00 ms
03:30 | commit_delay 0 &#8594; 1000
04:00 | commits/s 40.1 &#8594; 72.0; p99 of commits 7.00 &#8594; 40.0 ms},
	'a night: what happened, with the minutes; no wait for a standby below 1 ms; a minute like before does not hide a change'
);
like(
	$page,
	qr/04:00 80\.0 commits\/s 13\.3 flushes\/s, p50 2\.00 p99 7\.00 ms, &lt;b&gt;app&amp;&quot; 60%</,
	'a night: the row of a minute');
is(() = $page =~ /<rect /g, 470, 'a night: each minute has one');
is( run_sql(
		qq{SET search_path = pg_temp; SET lc_numeric = 'C';
SELECT public.commit_stats_html('2026-01-01 22:00', '2026-01-02 06:00') LIKE '%80.0 commits/s%'}),
	't',
	'a night: under any search_path');

# Few commits wait for flushes that take long
run_sql('CREATE TABLE night AS SELECT * FROM mock');
first_rows('2026-01-01 00:00', 10, q{flush_p99 = 3000; top_application_name = ''});
$page = page('2026-01-01 00:00', '2026-01-01 00:10');
like(
	$page,
	qr/<path class="flush99" d="M0 \d+h1h/,
	'flushes longer than commits: their curve is on the page');
like($page, qr/<p>Nothing stands out\.</, 'ten minutes with one level');
like($page, qr/, \(no name\) 60%</, 'a client without a name has one on the page');
like($page, qr/<td>\(no name\)<\/td>/, '... and in the table');

# A server that starts again within a minute, with a clock that began in 1970
first_rows('2026-01-01 00:00', 10);
insert_rows('2026-01-01 00:10', 1, q{after_gap = true; period_start = t + interval '31 s'});
insert_rows('2026-01-01 00:10', 1, q{period_end = t + interval '29 s'});
insert_rows('2026-01-01 00:11', 10);
is( join("\n", happened(page('2026-01-01 00:00', '2026-01-01 01:00'))),
	'00:10 | no counts: the server or commit_stats was off, or a crash lost them',
	'a restart within a minute: that minute');
insert_rows('2025-12-31 23:59', 1,
	q{period_start = '1970-01-01'; period_end = t + interval '59 s'});
$page = page('2025-12-31 23:00', '2026-01-01 01:00');
like($page, qr/>2025-12-31 23:00 to 2026-01-01 00:21, /, 'a row of years: from the period on');
like($page, qr/<rect x="60"><title>00:00 /, '... and the minutes after it are minutes');
is_well_formed(page('-infinity', 'infinity'), 'all since 1970');

# A setting that changes as two rows begin in a minute, of which the table has
# the later one first
first_rows('2026-01-01 00:00', 10);
insert_rows('2026-01-01 00:11', 10, 'commit_delay = 1000');
insert_rows('2026-01-01 00:10', 1, q{period_start = t + interval '30 s'; commit_delay = 1000});
insert_rows('2026-01-01 00:10', 1, q{period_end = t + interval '30 s'});
is( join("\n", happened(page('2026-01-01 00:00', '2026-01-01 01:00'))),
	'00:10 | commit_delay 0 &#8594; 1000',
	'a setting that changes within a minute: one change');

# Commits that stop: as clients leave whose commits wait for a standby, as they
# become asynchronous, and after a restart within a minute
my $for_standby = 'standby_time = 4000';
first_rows('2026-01-01 00:00', 60, $for_standby);
insert_rows('2026-01-01 01:00', 30, $idle);
insert_rows('2026-01-01 01:30', 60, $for_standby, 'commit_max = 900');
insert_rows('2026-01-01 02:30', 30, $idle, 'commits_async = 2400');
insert_rows('2026-01-01 03:00',
	60, q{period_end = t + interval '1 min' - CASE WHEN n = 59 THEN interval '40 s' ELSE '0' END});
insert_rows('2026-01-01 04:00', 1, $idle, q{after_gap = true; period_start = t - interval '20 s'});
insert_rows('2026-01-01 04:01', 9, $idle);
insert_rows('2026-01-01 04:10', 20);
is( join("\n", grep { /stopped|no counts/ } happened(page('2026-01-01 00:00', '2026-01-01 05:00'))),
	q{01:00 to 01:30 | commits stopped
02:30 to 03:00 | commits stopped to wait for their flush; asynchronous ones went on
03:59 | no counts: the server or commit_stats was off, or a crash lost them
03:59 to 04:10 | commits stopped},
	'a stop: for a standby only if a commit lasted as long; apart from a restart');

# Sessions that wait for locks in their statements, in two minutes close to
# each other, and too few; while commits get faster
first_rows('2026-01-01 00:00', 60, 'row_wait_time = 110000');
insert_rows('2026-01-01 01:00', 1, 'row_wait_time = 300000; lock_wait_time = 180000');
insert_rows('2026-01-01 01:01', 5);
insert_rows('2026-01-01 01:06', 1, 'row_wait_time = 600000; commit_p50 = 1');
insert_rows('2026-01-01 01:07', 13);
# a row that commit_history_close() ended as it began
insert_rows('2026-01-01 01:20',
	1, 'seconds = 0; commits = 2; row_wait_time = 0; lock_wait_time = 0');
is( join("\n", happened(page('2026-01-01 00:00', '2026-01-01 03:00'))),
	q{01:00 to 01:07 | on average 3.00 sessions waited for other locks in their statements; on average 7.50 sessions waited for a row or lock that one in COMMIT held},
	'waits for locks: when, and how many sessions then');

# A server so quiet that a minute without a commit is chance
first_rows('2026-01-01 00:00', 50, 'commits = 3 * (n % 7 <> 0)::int');
insert_rows('2026-01-01 00:50',
	1, 'commits = 3; stalls = 1; stall_time = 900; quota_stall_time = 900');
insert_rows('2026-01-01 00:51', 69, 'commits = 3 * (n % 7 <> 0)::int');
insert_rows('2026-01-01 02:00', 4, $idle);
insert_rows('2026-01-01 02:04', 10, 'commits = 3');
is( join("\n", happened(page('2026-01-01 00:00', '2026-01-01 03:00'))),
	q{00:50 | flushes stalled for 0.90 s in all, cause: quota
02:00 to 02:04 | commits stopped},
	'a quiet server: stops only where ten commits were to come');

# More than the list has
first_rows('2026-01-01 00:00', 130, 'commit_delay = n / 5');
$page = page('2026-01-01 00:00', '2026-01-01 03:00');
is(() = happened($page), 24, 'more than the list has: 24');
like($page, qr/>Of 25 that stand out, 24 are shown\. A level/, '... and how many there are');

# A machine on which times go up and down all the time
first_rows('2026-01-01 00:00', 120, 'commit_p50 = 2 + 3 * (n / 6 % 2)');
insert_rows('2026-01-01 02:00', 120, 'commit_p50 = 100 + 150 * (n / 6 % 2)');
$page = page('2026-01-01 00:00', '2026-01-01 04:00');
is(labels($page), '00:00 01:00 02:00 03:00', 'four hours: each has a label');
is( join("\n", happened($page)),
	'02:00 | median commit 5.00 &#8594; 100 ms',
	'times that double every six minutes do not stand out beside what does');
run_sql('TRUNCATE mock; INSERT INTO mock TABLE night');

# Hours before the minutes, and in a long period
my $hour = q{resolution = 'hour'; period_end = t + interval '1 h'; seconds = 3600};
insert_rows("2026-01-01 $_:00", 1, $hour) for 20 .. 22;
$page = page('2026-01-01', '2026-01-02 06:00');
is(() = $page =~ /<rect /g, 472, 'hours until the minutes begin');
like($page, qr/>20:00 0\.67 commits\/s/, 'an hour is longer');
is(() = page('2026-01-01 20:30', '2026-01-01 22:00') =~ /<rect /g,
	1, 'of hours, those that lie in the period');
insert_rows('2025-12-31 00:00', 1, $hour);
$page = page('-infinity', 'infinity');
is(() = $page =~ /<rect /g, 4 + 410, 'a long period: minutes after the last hour');
like($page, qr/>Jan 01 20:00 0\.67 commits\/s/, '... and times have a date');
run_sql(q{DELETE FROM mock WHERE resolution = 'minute' AND period_start < '2026-01-01 22:50'});
$page = page('2026-01-01', '2026-01-02 06:00');
is(() = $page =~ /<rect /g, 3 + 410, 'minutes that begin within an hour: after it');

first_rows('2026-01-01 10:00', 1, $hour, q{period_end = t + interval '58 min'});
insert_rows('2026-01-01 10:28', 30);
is(() = page('2026-01-01', '2026-01-02') =~ /<rect /g, 30, 'an hour that still grows: minutes');

first_rows('2026-01-01 10:00', 1, $hour);
insert_rows('2026-01-01 10:55', 5);
is(() = page('2026-01-01 10:00', '2026-01-01 11:00') =~ /<rect /g,
	1, 'a full hour with which the period ends: not its last minutes alone');

first_rows(
	'2026-01-01', 300,
	q{period_start = t + n * interval '9 min';
period_end = t + n * interval '9 min' + interval '1 min'}
);
insert_rows(
	'2026-01-02', 24, $hour,
	q{period_start = t + n * interval '59 min';
period_end = t + n * interval '59 min' + interval '1 h'}
);
is(() = page('2026-01-01', '2026-01-04') =~ /<rect /g, 300, 'fewer hours than minutes: minutes');

first_rows('2026-01-01 08:00', 1, $hour);
insert_rows('2026-01-01 09:00', 1, $hour, 'after_gap = true');
is( join("\n", happened(page('2026-01-01', '2026-01-02'))),
	'09:00 | within this hour, no counts: the server or commit_stats was off, or a crash lost them',
	'an hour that has a gap');

first_rows('2026-01-01', 1, $hour);
insert_rows('2026-12-31', 1, $hour);
is( labels(page('2026-01-01', '2027-01-01')),
	'01-07 03-08 05-07 07-06 09-04 11-03',
	'a year: labels that have room');

# Stalls of a row count by its length.
my $by_hour = "$hour; period_start = t + n * interval '59 min'";
first_rows(
	'2026-01-01', 30, $by_hour,
	q{period_end = t + n * interval '59 min' + interval '1 h'; stalls = (n = 7)::int;
stall_time = 2000000 * (n = 7)::int; quota_stall_time = 2000000 * (n = 7)::int}
);
insert_rows(
	'2026-01-02 06:00', 1, $hour,
	q{period_end = t + interval '5 min'; seconds = 300; stalls = 1; stall_time = 200000;
quota_stall_time = 200000}
);
is( join("\n", grep { /stalled/ } happened(page('2026-01-01', '2026-01-03'))),
	q{Jan 01 07:00 to Jan 01 08:00 | flushes stalled for 2,000 s in all, cause: quota
Jan 02 06:00 to Jan 02 06:05 | flushes stalled for 200 s in all, cause: quota},
	'an hour, and five minutes with as many stalls each');

# A level changes in the first row that has it, though the one before is higher
# than usual, and on the line of stalls that begin within an hour.
my $by_full_hour = "$by_hour; period_end = t + n * interval '59 min' + interval '1 h'";
first_rows('2026-01-01', 20, $by_full_hour, 'commit_p50 = 8; commit_p99 = 20');
insert_rows('2026-01-01 20:00', 1, $hour, 'commit_p50 = 9; commit_p99 = 160');
insert_rows('2026-01-01 21:00',
	4, $by_full_hour,
	'commit_p50 = 48; commit_p99 = 160; stalls = 10; stall_time = 9000; quota_stall_time = 9000');
insert_rows('2026-01-02 01:00', 24, $by_full_hour, 'commit_p50 = 12; commit_p99 = 30');
is( join("\n", happened(page('2026-01-01', '2026-01-03'))),
	q{Jan 01 21:00 to Jan 02 01:00 | flushes stalled for 36.0 s in all, cause: quota; median commit 8.20 &#8594; 40.8 ms; p99 of commits 20.0 &#8594; 160 ms},
	'hours that become slow: one line, with the first of them');

# Clocks go back in the morning of the fourth day.
first_rows(
	'2026-10-22', 168, $hour,
	q{period_start = timestamptz '2026-10-22 00:00+02' + n * interval '1 h';
period_end = timestamptz '2026-10-22 01:00+02' + n * interval '1 h'}
);
is( labels(
		run_sql(
			q{SET TimeZone = 'Europe/Berlin'; SELECT commit_stats_html('2026-10-22', '2026-10-29')})
	),
	'10-22 10-23 10-24 10-25 10-26 10-27 10-28',
	'days in which clocks change: each has one label');

# A day in which each minute has all there can be
first_rows(
	'2026-01-01 00:00',
	1440,
	q{commits = 6000000 + (n * 7919) % 1000000; commits_async = (n * 7907) % 100000;
flushes = 1000000 + (n * 7901) % 100000; commit_p50 = 0.1 + (n * 17) % 100;
commit_p99 = 100 + (n * 7919) % 4000; flush_p99 = 50 + (n * 7919) % 3000; stalls = 100;
stall_time = 60000; quota_stall_time = 1000 + (n * 7919) % 30000;
checkpoint_stall_time = (n * 7907) % 3000; checkpoint_share = (n * 37) % 101;
standby_time = (n * 31) % 6000; commit_delay = n % 100;
top_application_name = 'an application with a long name'}
);
$page = page('2026-01-01', '2026-01-02');
is_well_formed($page, 'a full day');
is(() = $page =~ /<rect /g, 1440, 'a full day: each minute');
cmp_ok(length $page, '<', 300_000, 'a full day: less than 300 kB');

end_test($node);
