# Does the report say that a pooler takes the names away, or makes too many?
#
# Three applications whose transactions clear application_name, as RESET ALL
# does behind some poolers.  Then each transaction has another name, as with
# application_name_add_host of PgBouncer.

use Symptoms;

my $node = make_situation('pooler', conf => "commit_stats.max_clients = 10\n");
my $insert = 'INSERT INTO logged (n) VALUES (1);';

# Three applications with 300 commits each
sub run_applications ($before)
{
	$node->sql('SELECT commit_stats_reset()');
	for my $name (qw(web api cron))
	{
		local $ENV{PGAPPNAME} = $name;
		run_pgbench($node, '-M simple -c 3 -t 100', $name => "$before\n$insert");
	}
	return report_of($node);
}

my $report = run_applications(q{SET application_name = '';});

like(
	$report->{text} =~ s/\n +/ /gr,
	qr/^Who commits, since the reset (?:100|9\d\.\d|>99\.9)% of the commits have no name: the application sets none, or a driver or pooler clears it\. -> SET commit_stats\.client_tag/m,
	'commits have no name');
is($node->sql(q{SELECT sum(commits) FROM commit_client_stats WHERE application_name = ''}),
	900, '... all of them');

{
	local $ENV{PGOPTIONS} = '-c commit_stats.client_tag=web';
	$report = run_applications('RESET ALL;');
}
unlike($report->{text}, qr/have no name/, 'with a tag: nothing of that');

my $many = q{\set id random(1, 1000000000)
SELECT set_config('application_name', 'web - 10.0.0.' || :id, false);};
$report = run_applications($many);
my ($lost) = $report->{text} =~ /newer\s+ones\s+took\s+the\s+row\s+of\s+(\d+)\s+clients/;

cmp_ok($lost // 0, '>=', 800, 'with a name for each transaction: clients lose their rows');
like($report->{text}, qr/application_name_add_host = 0/, '... and what to do');
$node->alter_system('commit_stats.client_name_pattern' => 's/ - .*//');
unlike(run_applications($many)->{text}, qr/took\s+the\s+row\s+of/, '... which helps');

$report = run_applications('SELECT 1;');
unlike($report->{text}, qr/have no name/, 'with their names: nothing of that');

end_test($node);
