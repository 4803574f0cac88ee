--
-- The histograms: sizes of flush groups, and siblings of leaders
--
CALL start_over();
CALL mark();
DO $$
BEGIN
  FOR i IN 1..50 LOOP
    INSERT INTO durable VALUES (i);
    COMMIT;
  END LOOP;
END $$;
SELECT * FROM add_up();
SELECT sum(commits) >= 25 AS at_least_half FROM commit_flush_histogram;

-- A commit alone is a group of one without siblings
SELECT min(commits_in_flush) = 1 OR NOT quiet(50) AS alone FROM commit_flush_histogram;
SELECT min(siblings) = 0 OR NOT quiet(50) AS alone FROM commit_sibling_histogram;

-- The average
SELECT commits_per_flush = round((commits - commits_without_leader)::numeric / flushes, 2) AS average,
       followers + flushes + commits_without_leader = commits OR NOT quiet(50) AS led_or_followed
FROM commit_flush_stats;

-- One row for each size that occurred
SELECT bool_and(flushes > 0) AS occurred,
       bool_and(commits = flushes * commits_in_flush) AS commits,
       bool_and(delayed_flushes BETWEEN 0 AND flushes) AS delayed,
       count(*) = count(DISTINCT commits_in_flush) AS once,
       array_agg(commits_in_flush) = array_agg(commits_in_flush ORDER BY commits_in_flush) AS in_order
FROM commit_flush_histogram;

-- Shares make a whole, up to rounding, and the bars show them
SELECT abs(sum(share) - 100) < 0.01 * count(*) AS whole,
       bool_and(share BETWEEN 0 AND 100) AS percent
FROM commit_flush_histogram;
SELECT max(length(bar)) AS longest, bool_and(bar ~ '^#+$') AS only_that,
       array_agg(bar ORDER BY flushes) = array_agg(bar ORDER BY length(bar)) AS as_the_flushes
FROM commit_flush_histogram;

-- The share that would sleep falls with commit_siblings, from all to few
SELECT max(length(bar)) AS longest, bool_and(bar ~ '^#+$') AS only_that,
       max(share_at_least) FILTER (WHERE siblings = least) AS least,
       bool_and(share_at_least > 0) AS some,
       array_agg(share_at_least ORDER BY siblings) =
         array_agg(share_at_least ORDER BY share_at_least DESC) AS falls,
       array_agg(siblings) = array_agg(siblings ORDER BY siblings) AS in_order
FROM (SELECT *, min(siblings) OVER () AS least FROM commit_sibling_histogram) s;

-- A flush that slept is in both histograms
SET commit_delay = 1000;
SET commit_siblings = 0;
INSERT INTO durable VALUES (1);
INSERT INTO durable VALUES (2);
INSERT INTO durable VALUES (3);
RESET commit_delay;
RESET commit_siblings;
SELECT * FROM add_up();
SELECT sum(delayed_flushes) BETWEEN 1 AND 3 OR NOT current_setting('fsync')::bool AS delayed
FROM commit_flush_histogram;
