--
-- commit_stats_sample: the row of a time without commits, and what it refuses.
-- t/rates_and_samples.pl tests what it measures.
--
SELECT elapsed BETWEEN 0.1 AND 60 AS elapsed, commits, commits_per_second,
       commits_async_per_second, flushes_per_second, commits_per_flush,
       delay_hit_share, wal_busy_share, mean, p50, p95, p99
FROM commit_stats_sample('100 ms');
SELECT * FROM commit_stats_sample(NULL);

\set VERBOSITY terse
SELECT * FROM commit_stats_sample('0');
SELECT * FROM commit_stats_sample('9 ms');
SELECT * FROM commit_stats_sample('-1 s');
SELECT * FROM commit_stats_sample('1 month');
SELECT * FROM commit_stats_sample('25 hours');
SELECT * FROM commit_stats_sample('soon');
\set VERBOSITY default

-- It does not begin if a timeout would end it
SET statement_timeout = '10 s';
\set VERBOSITY terse
SELECT * FROM commit_stats_sample('1 day');
\set VERBOSITY default
RESET statement_timeout;
