--
-- The report: its shape, with any load.  t/report_situations.pl tests what it says, on
-- a server of its own.
--
CREATE FUNCTION report_lines() RETURNS TABLE (n bigint, line text)
LANGUAGE sql VOLATILE AS $$
  SELECT n, line
  FROM regexp_split_to_table(commit_stats_report(), '\n') WITH ORDINALITY AS l (line, n)
$$;

-- One screen, with any counts
CREATE FUNCTION report_fits() RETURNS TABLE (rows boolean, columns boolean,
                                             numbers boolean, tidy boolean)
LANGUAGE sql VOLATILE AS $$
  SELECT max(n) <= 50, max(length(line)) <= 78,
         NOT bool_or(line ~* '\m(nan|inf|infinity|null|-0)\M'),
         NOT bool_or(line ~ '\s$' OR line ~ '\t')
  FROM report_lines()
$$;

SELECT commit_stats_reset() IS NOT NULL AS reset;
SELECT * FROM report_fits();
INSERT INTO durable VALUES (1);
SELECT * FROM report_fits();
SET synchronous_commit = off;
INSERT INTO durable VALUES (1);
RESET synchronous_commit;
SELECT * FROM report_fits();

-- All sections, in this order
SELECT substring(line, '^(No commit waits|PostgreSQL|Where|Why|Who commits|commit_delay as a remedy|Figures|Commits in a flush)') AS section
FROM report_lines()
WHERE line ~ '^(No commit waits|PostgreSQL|Where|Why|Who commits|commit_delay as a remedy|Figures|Commits in a flush)'
ORDER BY n;
SELECT line = format('PostgreSQL %s, commit_stats is counting',
                     split_part(current_setting('server_version'), ' ', 1)) AS head
FROM report_lines() WHERE line LIKE 'PostgreSQL%';
SELECT line LIKE format('(since %s%%',
                        to_char(stats_reset, 'YYYY-MM-DD HH24:MI:SS')) AS since
FROM report_lines(), commit_stats_info WHERE line LIKE '(since 2%';

-- The settings of the configuration, whatever this session has
SET commit_delay = 123;
SET commit_siblings = 45;
SET commit_stats.slow_commit_time = '67 s';
SELECT substring(line, '^  commit_delay[^:]*') AS settings
FROM report_lines() WHERE line LIKE '  commit_delay%';
SELECT line FROM report_lines() WHERE line ~ '^  slow commits.* 67(\.0)? s';
RESET commit_delay;
RESET commit_siblings;
RESET commit_stats.slow_commit_time;

-- Too few commits for advice
SELECT commit_stats_reset() IS NOT NULL AS reset;
SELECT regexp_replace(line, '\d+ commits', 'N commits') AS advice
FROM report_lines()
WHERE line LIKE 'commit_delay as a remedy%';

-- The report changes nothing, and works in a read-only transaction
BEGIN READ ONLY;
SELECT * FROM report_fits();
COMMIT;

-- Periods of the history
SELECT commit_stats_report('2026-01-02', '2026-01-01'); -- fails
\echo :SQLSTATE
SET timezone = 'Europe/Berlin';
SELECT commit_stats_report('2026-03-29 02:00', '2026-03-29 03:00'); -- an hour that clocks skip
RESET timezone;
SELECT commit_stats_report(NULL, now()) IS NULL AS is_null;
SELECT commit_history_close() IS NOT NULL AS closed;
SELECT substring(commit_stats_report('1999-01-01', '1999-01-02', 1000) FROM '^[^;]*') AS nothing;
SELECT substring(commit_stats_report(a::timestamptz, b::timestamptz, 1000) FROM ' of the (.*) asked for') AS asked
FROM (VALUES ('1900-01-01 00:00+00', '2100-01-01 00:00+00'),
             ('4713-01-01 00:00+00 BC', '294276-12-31 00:00+00')) period(a, b);
\set VERBOSITY terse
SELECT * FROM commit_stats_compare('empty', '(,)'); -- fails
SELECT * FROM commit_stats_compare('[1999-01-01,1999-01-02)', '(,)'); -- fails
\echo :SQLSTATE
\set VERBOSITY default

DROP FUNCTION report_fits(), report_lines();
