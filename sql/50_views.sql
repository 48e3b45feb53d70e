-------------------------------------------------------------------------------------------------- views

-- From here on to the end of this part, what is not qualified is the server's own.
SET LOCAL search_path = pg_catalog, pg_temp;

-- What the rows of sync_status look at: the last runs of each slice.
CREATE INDEX sync_run_store_slice ON @extschema@.sync_run_store (slice_id, run_id);

-- The jobs of pg_cron that pull, each field of the schedule as the numbers that it matches. Without pg_cron, or the right to see
-- its table, there are none: the table is named in a text, since a view cannot refer to what may not exist. One sees one's own
-- jobs only, as in cron.job.
CREATE VIEW @extschema@.sync_schedule AS
    WITH jobs AS MATERIALIZED (
        SELECT j.jobid, lower(btrim(j.schedule)) AS schedule, j.command
          FROM (SELECT CASE WHEN EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                                          WHERE n.nspname = 'cron' AND c.relname = 'job'
                                            AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT'))
                            THEN query_to_xml('SELECT jobid, schedule, command FROM cron.job WHERE active AND database '
                                              'OPERATOR(pg_catalog.=) pg_catalog.current_database()', false, false, '')
                       END AS document) x,
               XMLTABLE('//row' PASSING x.document COLUMNS jobid bigint, schedule text, command text) j
         WHERE j.command ~* '\msync_(pull|run)\M'),
    parts AS (
        SELECT j.jobid, j.command, j.schedule, regexp_split_to_array(f.text, '\s+') AS parts
          FROM jobs j,
               LATERAL (SELECT CASE j.schedule WHEN '@hourly' THEN '0 * * * *' WHEN '@daily' THEN '0 0 * * *'
                                               WHEN '@midnight' THEN '0 0 * * *' WHEN '@weekly' THEN '0 0 * * 0'
                                               WHEN '@monthly' THEN '0 0 1 * *' WHEN '@yearly' THEN '0 0 1 1 *'
                                               WHEN '@annually' THEN '0 0 1 1 *' ELSE j.schedule END AS text) f),
    -- names of months and days: the position of the first three letters
    numbered AS (
        SELECT p.jobid, p.command, p.schedule,
               p.parts[1:3] || ARRAY[
                   (SELECT string_agg(CASE WHEN w.word ~ '^[a-z]{3}'
                                           THEN ((position(left(w.word, 3) in 'janfebmaraprmayjunjulaugsepoctnovdec') + 2) / 3)::text
                                           ELSE w.word END, '' ORDER BY w.at)
                      FROM regexp_split_to_table(p.parts[4], '(?<=[a-z])(?=[^a-z])|(?<=[^a-z])(?=[a-z])') WITH ORDINALITY w (word, at)),
                   (SELECT string_agg(CASE WHEN w.word ~ '^[a-z]{3}'
                                           THEN ((position(left(w.word, 3) in 'sunmontuewedthufrisat') - 1) / 3)::text
                                           ELSE w.word END, '' ORDER BY w.at)
                      FROM regexp_split_to_table(p.parts[5], '(?<=[a-z])(?=[^a-z])|(?<=[^a-z])(?=[a-z])') WITH ORDINALITY w (word, at))
               ] AS parts
          FROM parts p
         WHERE cardinality(p.parts) = 5),
    matched AS (
        SELECT n.jobid, u.field, v.value
          FROM numbered n, (VALUES (1, 0, 59), (2, 0, 23), (3, 1, 31), (4, 1, 12), (5, 0, 7)) u (field, low, high),
               LATERAL generate_series(u.low, u.high) v (value)
         WHERE EXISTS (
                SELECT FROM regexp_split_to_table(n.parts[u.field], ',') i (item),
                            regexp_match(i.item, '^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:/(\d{1,2}))?$') m,
                            LATERAL (SELECT coalesce(m[1]::integer, u.low) AS first,
                                            coalesce(m[2]::integer, CASE WHEN m[1] IS NULL OR m[3] IS NOT NULL THEN u.high
                                                                         ELSE m[1]::integer END) AS last,
                                            nullif(coalesce(m[3]::integer, 1), 0) AS step) r
                 WHERE v.value BETWEEN r.first AND r.last AND (v.value - r.first) % r.step = 0))
    SELECT n.jobid, n.command, NULL::interval AS every,
           array_agg(m.value) FILTER (WHERE m.field = 1) AS minutes,
           array_agg(m.value) FILTER (WHERE m.field = 2) AS hours,
           array_agg(m.value) FILTER (WHERE m.field = 3) AS days,
           array_agg(m.value) FILTER (WHERE m.field = 4) AS months,
           array_agg(m.value % 7) FILTER (WHERE m.field = 5) AS weekdays,
           -- two restricted day fields: either may match
           n.parts[3] !~ '^\*' AND n.parts[5] !~ '^\*' AS either_day
      FROM numbered n JOIN matched m ON m.jobid = n.jobid
     GROUP BY n.jobid, n.command, n.parts
    UNION ALL
    SELECT j.jobid, j.command, make_interval(secs => s.seconds[1]::double precision), NULL, NULL, NULL, NULL, NULL, false
      FROM jobs j, regexp_match(j.schedule, '^(\d{1,2})\s*seconds?$') s (seconds)
     WHERE s.seconds IS NOT NULL;
COMMENT ON VIEW @extschema@.sync_schedule IS 'Internal: jobs of pg_cron that pull, for sync_status';

-- One row for each slice, and one for a mapping that never ran. A run is known to be alive by its worker's lock (the class
-- 20560 = 0x5050 of src/pg/locks.h): a row "running" without it was left behind by a worker that died.
-- Skipped runs say nothing about the mapping and are left out; cancelled ones count neither as success nor as failure.
CREATE VIEW @extschema@.sync_status WITH (security_barrier) AS
    WITH alive AS MATERIALIZED (
        SELECT l.objid::bigint AS slice_id
          FROM pg_locks l
         WHERE l.locktype = 'advisory' AND l.objsubid = 20560 AND l.mode = 'ExclusiveLock' AND l.granted
           AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())),
    slices AS (
        SELECT m.mapping_id, m.name AS mapping, m.package_id, s.organization_id, s.slice_id,
               m.enabled AND coalesce(p.enabled, true) AS enabled,
               s.slice_id IN (SELECT a.slice_id FROM alive a) AS alive
          FROM @extschema@.sync_mapping m
          LEFT JOIN @extschema@.sys_sync_package p ON p.package_id = m.package_id
          LEFT JOIN @extschema@.sys_sync_slice s ON s.mapping_id = m.mapping_id
         WHERE EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'pg_pull' AND pg_has_role(e.extowner, 'USAGE'))
            OR EXISTS (SELECT FROM pg_roles r WHERE r.rolname = m.owner AND pg_has_role(r.oid, 'USAGE'))
            OR EXISTS (SELECT FROM @extschema@.sys_sync_organization_grant g JOIN pg_roles r ON r.rolname = g.role
                        WHERE g.organization_id = s.organization_id AND pg_has_role(r.oid, 'USAGE'))),
    facts AS (
        SELECT s.*, last.run_id AS last_run_id, last.started_at AS last_started_at,
               CASE WHEN last.status = 'running' AND NOT s.alive THEN 'interrupted' ELSE last.status END AS last_status,
               success.run_id AS success_id, success.finished_at AS last_success_at,
               failures.number AS consecutive_failures, failures.last_id AS last_failure_id
          FROM slices s
          LEFT JOIN LATERAL (
                SELECT r.run_id, r.status, r.started_at
                  FROM @extschema@.sync_run_store r
                 WHERE r.slice_id = s.slice_id AND r.status <> 'skipped'
                 ORDER BY r.run_id DESC LIMIT 1) last ON true
          LEFT JOIN LATERAL (
                SELECT r.run_id, r.finished_at
                  FROM @extschema@.sync_run_store r
                 WHERE r.slice_id = s.slice_id AND r.status = 'succeeded'
                 ORDER BY r.run_id DESC LIMIT 1) success ON true
          CROSS JOIN LATERAL (
                SELECT count(*) AS number, max(r.run_id) AS last_id
                  FROM @extschema@.sync_run_store r
                 WHERE r.slice_id = s.slice_id AND r.run_id > coalesce(success.run_id, 0)
                   AND (r.status IN ('failed', 'interrupted') OR r.status = 'running' AND NOT s.alive)) failures),
    -- due_at: when the schedule wanted the first run after the last one
    planned AS (
        SELECT f.mapping_id, f.slice_id, min(t.at) FILTER (WHERE t.what = 'next') AS next_run_at,
               min(t.at) FILTER (WHERE t.what = 'due') AS due_at
          FROM facts f
          JOIN @extschema@.sync_schedule c ON position(quote_literal(f.mapping) in c.command) > 0
           AND (f.organization_id IS NULL OR position(quote_literal(f.organization_id) in c.command) > 0)
         CROSS JOIN LATERAL (SELECT coalesce(nullif(current_setting('cron.timezone', true), ''), 'GMT') AS name) zone
         CROSS JOIN LATERAL (
                SELECT b.what, coalesce(b.base + c.every, (
                        SELECT min((d.day + make_interval(hours => h, mins => i)) AT TIME ZONE zone.name)
                          FROM (SELECT q.day
                                  FROM (SELECT (b.base AT TIME ZONE zone.name)::date + generate_series(0, 1500) AS day) q
                                 WHERE date_part('month', q.day)::integer = ANY (c.months)
                                   AND CASE WHEN c.either_day
                                            THEN date_part('day', q.day)::integer = ANY (c.days)
                                              OR date_part('dow', q.day)::integer = ANY (c.weekdays)
                                            ELSE date_part('day', q.day)::integer = ANY (c.days)
                                             AND date_part('dow', q.day)::integer = ANY (c.weekdays) END
                                 LIMIT 2) d,  -- all times of the first may be over
                               unnest(c.hours) h, unnest(c.minutes) i
                         WHERE (d.day + make_interval(hours => h, mins => i)) AT TIME ZONE zone.name > b.base)) AS at
                  FROM (VALUES ('next', now()), ('due', f.last_started_at)) b (what, base)
                 WHERE b.base IS NOT NULL) t
         GROUP BY f.mapping_id, f.slice_id)
    SELECT f.mapping, f.package_id, f.organization_id, f.enabled,
           CASE WHEN NOT f.enabled THEN 'disabled'
                WHEN f.last_status = 'running' THEN 'running'
                WHEN f.consecutive_failures > 0 AND failure.error_reason = 'reconnect_required' THEN 'reconnect_required'
                WHEN f.consecutive_failures > 0 THEN 'failing'
                WHEN f.success_id IS NULL THEN 'never_run'
                WHEN p.due_at < now() - interval '1 minute' THEN 'late'
                ELSE 'ok' END AS health,
           f.last_run_id, f.last_status, f.last_started_at, f.last_success_at,
           now() - f.last_success_at AS age,
           f.consecutive_failures,
           (SELECT count(*)
              FROM @extschema@.sync_reject_store j
             WHERE j.status = 'open' AND j.mapping = f.mapping AND coalesce(j.package_id, '') = coalesce(f.package_id, '')
               AND coalesce(j.organization_id, '') = coalesce(f.organization_id, '')) AS open_rejects,
           failure.error_reason AS last_error_reason, failure.error_message AS last_error_message,
           (SELECT c.value
              FROM @extschema@.sync_cursor_store c
             WHERE c.kind = 'watermark' AND c.partition_key = '' AND c.mapping = f.mapping
               AND coalesce(c.package_id, '') = coalesce(f.package_id, '')
               AND coalesce(c.organization_id, '') = coalesce(f.organization_id, '')) AS watermark,
           CASE WHEN f.enabled THEN p.next_run_at END AS next_run_at
      FROM facts f
      LEFT JOIN planned p ON p.mapping_id = f.mapping_id AND p.slice_id IS NOT DISTINCT FROM f.slice_id
      LEFT JOIN LATERAL (
            SELECT CASE WHEN r.status = 'running' THEN 'worker_died' ELSE r.error_reason END AS error_reason,
                   CASE WHEN r.status = 'running' THEN 'the pull worker ended before it finished'
                        ELSE r.error_message END AS error_message
              FROM @extschema@.sync_run_store r
             WHERE r.run_id = f.last_failure_id) failure ON true;
COMMENT ON VIEW @extschema@.sync_status IS
    'One row for each mapping and organization that it ran for: how it is, and since when. Rows are shown as in sys_sync_run';

-- A foreign table, since a view reads its tables with its owner's rights, but runs functions with its reader's.
CREATE FUNCTION @extschema@.pg_pull_progress_handler() RETURNS fdw_handler
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_progress_handler';
REVOKE ALL ON FUNCTION @extschema@.pg_pull_progress_handler FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.pg_pull_progress_handler IS 'Internal: running pulls as a foreign table, for sync_progress';

CREATE FOREIGN DATA WRAPPER pg_pull_progress HANDLER @extschema@.pg_pull_progress_handler;
COMMENT ON FOREIGN DATA WRAPPER pg_pull_progress IS 'Internal: running pulls, from the memory of their workers and callers';
CREATE SERVER pg_pull_progress FOREIGN DATA WRAPPER pg_pull_progress;
COMMENT ON SERVER pg_pull_progress IS 'Internal: running pulls of this server';
CREATE FOREIGN TABLE @extschema@.sync_progress_memory (
    run_id bigint, mapping text, package_id text, organization_id text, phase text, wait_reason text,
    waiting_until timestamptz, pages bigint, records_read bigint, rows_rejected bigint, bytes_read bigint,
    requests bigint, retries bigint, throttled_ms bigint, started_at timestamptz, worker_pid integer)
    SERVER pg_pull_progress;
COMMENT ON FOREIGN TABLE @extschema@.sync_progress_memory IS
    'Internal: running pulls, of which each reader gets what sys_sync_run shows him';

CREATE VIEW @extschema@.sync_progress WITH (security_barrier) AS
    SELECT p.run_id, p.mapping, p.package_id, p.organization_id, p.phase, p.wait_reason, p.waiting_until, p.pages,
           p.records_read, p.rows_rejected, p.bytes_read, p.requests, p.retries, p.throttled_ms, p.started_at, p.worker_pid
      FROM @extschema@.sync_progress_memory p;
COMMENT ON VIEW @extschema@.sync_progress IS
    'Pulls that run or wait to run, as they are at this moment. A run_id of NULL: no worker has begun yet';

GRANT SELECT ON @extschema@.sync_status, @extschema@.sync_progress TO PUBLIC;

SET LOCAL search_path = @extschema@, pg_temp;
