--
-- The extension, and functions of the other tests
--
CREATE EXTENSION commit_stats;

-- The counters are those of the whole server, so they include commits of other
-- processes during a test, such as autovacuum.  Each such commit finishes a
-- transaction id.  finished_ids() returns how many are finished so far.
CREATE FUNCTION finished_ids() RETURNS bigint
LANGUAGE sql VOLATILE AS $$
  SELECT pg_snapshot_xmax(s)::text::bigint -
         (SELECT count(*) FROM pg_snapshot_xip(s))
  FROM pg_current_snapshot() AS s
$$;

-- mark() stores the counters.  It uses a setting, as a table would cost a transaction
-- id.
CREATE PROCEDURE mark()
LANGUAGE plpgsql AS $$
DECLARE
  ids bigint := finished_ids();
BEGIN
  -- a process that has finished an id may not have counted it yet: wait a moment
  PERFORM count(*) FROM generate_series(1, 20000);
  PERFORM set_config('regress.mark',
                     (to_jsonb(s) || jsonb_build_object(
                       'ids', ids,
                       'lsn', pg_current_wal_insert_lsn(),
                       'at', clock_timestamp()))::text,
                     false)
  FROM commit_flush_stats s;
END $$;

-- The value of a counter at mark().
CREATE FUNCTION at_mark(counter text) RETURNS numeric
LANGUAGE sql STABLE AS $$
  SELECT (current_setting('regress.mark')::jsonb ->> counter)::numeric
$$;

-- Has only this session finished ids since mark(), namely "own_ids"?
CREATE FUNCTION quiet(own_ids bigint) RETURNS boolean
LANGUAGE sql VOLATILE AS $$
  SELECT finished_ids() - at_mark('ids') = own_ids
$$;

-- The counts since mark(), and those that this session alone should cause.  "own_ids" is
-- the number of transaction ids that it has finished, if it differs from the number of
-- commits.  On a quiet server this shows the plain differences.  Where other sessions
-- have finished ids, it shows the number next to the expected one that these ids can
-- explain.  "waited" shows whether commit_time grew.
CREATE FUNCTION since_mark(sync bigint DEFAULT 0, async bigint DEFAULT 0,
                           unlogged bigint DEFAULT 0, prepared bigint DEFAULT 0,
                           own_ids bigint DEFAULT NULL)
RETURNS TABLE (commits numeric, commits_async numeric,
               commits_unlogged numeric, prepares numeric, waited boolean)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  now commit_flush_stats;
  others bigint;
BEGIN
  SELECT * INTO now FROM commit_flush_stats;
  others := finished_ids() - at_mark('ids') -
            coalesce(own_ids, sync + async + unlogged);
  commits := greatest(now.commits - at_mark('commits') - others,
                      least(now.commits - at_mark('commits'), sync));
  commits_async := greatest(now.commits_async - at_mark('commits_async') - others,
                            least(now.commits_async - at_mark('commits_async'), async));
  commits_unlogged := greatest(now.commits_unlogged - at_mark('commits_unlogged') - others,
                               least(now.commits_unlogged - at_mark('commits_unlogged'), unlogged));
  prepares := greatest(now.prepares - at_mark('prepares') - others,
                       least(now.prepares - at_mark('prepares'), prepared));
  waited := now.commit_time > at_mark('commit_time')::float8 AND
            (sync > 0 OR others = 0);
  RETURN NEXT;
END $$;

-- The flushes since mark() that this session led.
CREATE FUNCTION own_flushes() RETURNS SETOF commit_flush_log
LANGUAGE sql VOLATILE AS $$
  SELECT * FROM commit_flush_log
  WHERE leader_pid = pg_backend_pid() AND
        flush_lsn > (current_setting('regress.mark')::jsonb ->> 'lsn')::pg_lsn
$$;

-- Did this session lead the flushes of its "n" commits since mark()?  A commit that did
-- not lead is a follower, was flushed by a process that does not commit, or led without
-- being noticed; on a quiet server there is none of these.
CREATE FUNCTION led(n bigint) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  now commit_flush_stats;
  own bigint := (SELECT count(*) FROM own_flushes());
BEGIN
  SELECT * INTO now FROM commit_flush_stats;
  RETURN own <= n AND
    now.flushes - at_mark('flushes') >= own AND
    n - own <= now.followers - at_mark('followers') +
               now.commits_without_leader - at_mark('commits_without_leader') +
               now.unresolved_flushes - at_mark('unresolved_flushes') +
               now.inferred_flushes - at_mark('inferred_flushes');
END $$;

-- Do the histograms agree with the totals?  Other sessions commit between the two
-- queries, so this reads the totals before and after: the histograms must be in
-- between.  A commit that counts at that moment may break this, so it is tried again.
CREATE FUNCTION add_up() RETURNS TABLE (commits bool, flushes bool, delays bool,
                                        by_siblings bool, siblings bool)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  a commit_flush_stats;
  z commit_flush_stats;
  h record;
  s record;
BEGIN
  FOR attempt IN 1..100 LOOP
    SELECT * INTO a FROM commit_flush_stats;
    SELECT sum(x.commits) AS commits, sum(x.flushes) AS flushes,
           sum(x.delayed_flushes) AS delayed
      INTO h FROM commit_flush_histogram x;
    SELECT sum(x.commits) AS commits, sum(x.flushes) AS flushes,
           sum(x.delay_hits) AS delayed, max(x.siblings) AS max,
           sum(x.siblings * x.flushes) / sum(x.flushes) AS avg
      INTO s FROM commit_sibling_histogram() x;
    SELECT * INTO z FROM commit_flush_stats;

    -- Each commit is in the histogram, or in a column that says why not
    commits := h.commits + z.commits_without_leader + z.unresolved_commits >= a.commits AND
               h.commits + a.commits_without_leader + a.unresolved_commits <= z.commits;
    -- So is each flush
    flushes := h.flushes + z.unresolved_flushes >= a.flushes AND
               h.flushes + a.unresolved_flushes <= z.flushes;
    -- A group that was delayed is a delay hit
    delays := h.delayed <= z.delay_hits + z.delay_uncertain + z.inferred_flushes AND
              h.delayed + z.delay_uncertain + z.unresolved_flushes >= a.delay_hits;
    -- The other histogram has the same groups in another order
    by_siblings := s.flushes BETWEEN h.flushes AND z.flushes AND
                   s.commits BETWEEN h.commits AND z.commits AND
                   s.delayed >= h.delayed;
    -- The totals of siblings come from it
    siblings := s.max BETWEEN a.siblings_max AND z.siblings_max AND
                (s.flushes <> z.flushes OR abs(s.avg - z.siblings_avg) < 0.006);
    EXIT WHEN commits AND flushes AND delays AND by_siblings AND siblings;
  END LOOP;
  RETURN NEXT;
END $$;

-- Resets until the totals and histograms agree.  A commit in progress may be in one of
-- them and not in the other.
CREATE PROCEDURE start_over()
LANGUAGE plpgsql AS $$
BEGIN
  FOR attempt IN 1..10 LOOP
    PERFORM commit_stats_reset();
    INSERT INTO durable VALUES (1);
    COMMIT;
    EXIT WHEN (SELECT commits AND flushes AND delays AND by_siblings AND siblings
               FROM add_up());
  END LOOP;
END $$;

-- The sums of commit_wal_stats over all cycles; their values at mark_wal(), and the
-- difference since then
CREATE FUNCTION wal_sums(OUT commits numeric, OUT records numeric,
                         OUT fpi numeric, OUT bytes numeric,
                         OUT aborted numeric, OUT cycles bigint)
LANGUAGE sql VOLATILE AS $$
  SELECT coalesce(sum(commits), 0), coalesce(sum(wal_records), 0),
         coalesce(sum(wal_fpi), 0), coalesce(sum(wal_bytes), 0),
         coalesce(sum(wal_bytes_aborted), 0), count(*)
  FROM commit_wal_stats
$$;
CREATE PROCEDURE mark_wal()
LANGUAGE plpgsql AS $$
BEGIN
  CALL mark();
  PERFORM set_config('regress.wal', to_jsonb(s)::text, false) FROM wal_sums() s;
END $$;
CREATE FUNCTION wal_since_mark(OUT commits numeric, OUT records numeric,
                               OUT fpi numeric, OUT bytes numeric,
                               OUT aborted numeric, OUT cycles bigint)
LANGUAGE sql VOLATILE AS $$
  SELECT s.commits - (m ->> 'commits')::numeric,
         s.records - (m ->> 'records')::numeric,
         s.fpi - (m ->> 'fpi')::numeric,
         s.bytes - (m ->> 'bytes')::numeric,
         s.aborted - (m ->> 'aborted')::numeric,
         s.cycles - (m ->> 'cycles')::bigint
  FROM wal_sums() s, LATERAL (SELECT current_setting('regress.wal')::jsonb) j (m)
$$;

-- The purpose of these functions: a transaction of this session counts exactly once.
CREATE TABLE durable (i int);
CALL mark();
INSERT INTO durable VALUES (1);
SELECT * FROM since_mark(sync => 1);
SELECT led(1);
