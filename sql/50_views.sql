-------------------------------------------------------------------------------------------------- views

-- What the rows of sync_status look at: the last runs of each slice.
CREATE INDEX sync_run_store_slice ON @extschema@.sync_run_store (slice_id, run_id);

-- One row for each slice, and one for a mapping that never ran. A run is known to be alive by its worker's lock (the class
-- 20560 = 0x5050 of src/pg/locks.h): a row "running" without it was left behind by a worker that died.
-- Skipped runs say nothing about the mapping and are left out; cancelled ones count neither as success nor as failure.
CREATE VIEW @extschema@.sync_status WITH (security_barrier) AS
    WITH alive AS MATERIALIZED (
        SELECT l.objid::pg_catalog.int8 AS slice_id
          FROM pg_catalog.pg_locks l
         WHERE l.locktype OPERATOR(pg_catalog.=) 'advisory' AND l.objsubid OPERATOR(pg_catalog.=) 20560
           AND l.mode OPERATOR(pg_catalog.=) 'ExclusiveLock' AND l.granted
           AND l.database OPERATOR(pg_catalog.=) (SELECT d.oid FROM pg_catalog.pg_database d
                                                   WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database())),
    slices AS (
        SELECT m.mapping_id, m.name AS mapping, m.package_id, s.organization_id, s.slice_id,
               m.enabled AND coalesce(p.enabled, true) AS enabled,
               s.slice_id IN (SELECT a.slice_id FROM alive a) AS alive
          FROM @extschema@.sync_mapping m
          LEFT JOIN @extschema@.sys_sync_package p ON p.package_id OPERATOR(pg_catalog.=) m.package_id
          LEFT JOIN @extschema@.sys_sync_slice s ON s.mapping_id OPERATOR(pg_catalog.=) m.mapping_id
         WHERE EXISTS (SELECT FROM pg_catalog.pg_extension e
                        WHERE e.extname OPERATOR(pg_catalog.=) 'pg_pull' AND pg_catalog.pg_has_role(e.extowner, 'USAGE'))
            OR EXISTS (SELECT FROM pg_catalog.pg_roles r
                        WHERE r.rolname OPERATOR(pg_catalog.=) m.owner AND pg_catalog.pg_has_role(r.oid, 'USAGE'))
            OR EXISTS (SELECT FROM @extschema@.sys_sync_organization_grant g JOIN pg_catalog.pg_roles r
                               ON r.rolname OPERATOR(pg_catalog.=) g.role
                        WHERE g.organization_id OPERATOR(pg_catalog.=) s.organization_id
                          AND pg_catalog.pg_has_role(r.oid, 'USAGE'))),
    facts AS (
        SELECT s.*, last.run_id AS last_run_id, last.started_at AS last_started_at,
               CASE WHEN last.status OPERATOR(pg_catalog.=) 'running' AND NOT s.alive THEN 'interrupted'
                    ELSE last.status END AS last_status,
               success.run_id AS success_id, success.finished_at AS last_success_at,
               failures.number AS consecutive_failures, failures.last_id AS last_failure_id
          FROM slices s
          LEFT JOIN LATERAL (
                SELECT r.run_id, r.status, r.started_at
                  FROM @extschema@.sync_run_store r
                 WHERE r.slice_id OPERATOR(pg_catalog.=) s.slice_id AND r.status OPERATOR(pg_catalog.<>) 'skipped'
                 ORDER BY r.run_id DESC LIMIT 1) last ON true
          LEFT JOIN LATERAL (
                SELECT r.run_id, r.finished_at
                  FROM @extschema@.sync_run_store r
                 WHERE r.slice_id OPERATOR(pg_catalog.=) s.slice_id AND r.status OPERATOR(pg_catalog.=) 'succeeded'
                 ORDER BY r.run_id DESC LIMIT 1) success ON true
          CROSS JOIN LATERAL (
                SELECT pg_catalog.count(*) AS number, pg_catalog.max(r.run_id) AS last_id
                  FROM @extschema@.sync_run_store r
                 WHERE r.slice_id OPERATOR(pg_catalog.=) s.slice_id
                   AND r.run_id OPERATOR(pg_catalog.>) coalesce(success.run_id, 0)
                   AND (r.status IN ('failed', 'interrupted')
                        OR r.status OPERATOR(pg_catalog.=) 'running' AND NOT s.alive)) failures)
    SELECT f.mapping, f.package_id, f.organization_id, f.enabled,
           CASE WHEN NOT f.enabled THEN 'disabled'
                WHEN f.last_status OPERATOR(pg_catalog.=) 'running' THEN 'running'
                WHEN f.consecutive_failures OPERATOR(pg_catalog.>) 0
                     AND failure.error_reason OPERATOR(pg_catalog.=) 'reconnect_required' THEN 'reconnect_required'
                WHEN f.consecutive_failures OPERATOR(pg_catalog.>) 0 THEN 'failing'
                WHEN f.success_id IS NULL THEN 'never_run'
                ELSE 'ok' END AS health,
           f.last_run_id, f.last_status, f.last_started_at, f.last_success_at,
           pg_catalog.now() OPERATOR(pg_catalog.-) f.last_success_at AS age,
           f.consecutive_failures,
           (SELECT pg_catalog.count(*)
              FROM @extschema@.sync_reject_store j
             WHERE j.status OPERATOR(pg_catalog.=) 'open' AND j.mapping OPERATOR(pg_catalog.=) f.mapping
               AND coalesce(j.package_id, '') OPERATOR(pg_catalog.=) coalesce(f.package_id, '')
               AND coalesce(j.organization_id, '') OPERATOR(pg_catalog.=) coalesce(f.organization_id, '')) AS open_rejects,
           failure.error_reason AS last_error_reason, failure.error_message AS last_error_message,
           (SELECT c.value
              FROM @extschema@.sync_cursor_store c
             WHERE c.kind OPERATOR(pg_catalog.=) 'watermark' AND c.partition_key OPERATOR(pg_catalog.=) ''
               AND c.mapping OPERATOR(pg_catalog.=) f.mapping
               AND coalesce(c.package_id, '') OPERATOR(pg_catalog.=) coalesce(f.package_id, '')
               AND coalesce(c.organization_id, '') OPERATOR(pg_catalog.=) coalesce(f.organization_id, '')) AS watermark,
           NULL::pg_catalog.timestamptz AS next_run_at
      FROM facts f
      LEFT JOIN LATERAL (
            SELECT CASE WHEN r.status OPERATOR(pg_catalog.=) 'running' THEN 'worker_died' ELSE r.error_reason END AS error_reason,
                   CASE WHEN r.status OPERATOR(pg_catalog.=) 'running' THEN 'the pull worker ended before it finished'
                        ELSE r.error_message END AS error_message
              FROM @extschema@.sync_run_store r
             WHERE r.run_id OPERATOR(pg_catalog.=) f.last_failure_id) failure ON true;
COMMENT ON VIEW @extschema@.sync_status IS
    'One row for each mapping and organization that it ran for: how it is, and since when. Rows are shown as in sys_sync_run';

CREATE FUNCTION @extschema@.sync_progress()
    RETURNS TABLE (
        run_id bigint, mapping text, package_id text, organization_id text, phase text, wait_reason text,
        waiting_until timestamptz, pages bigint, records_read bigint, rows_rejected bigint, bytes_read bigint,
        requests bigint, retries bigint, throttled_ms bigint, started_at timestamptz, worker_pid integer)
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_progress';
REVOKE ALL ON FUNCTION @extschema@.sync_progress FROM PUBLIC;
GRANT EXECUTE ON FUNCTION @extschema@.sync_progress TO pg_monitor;
COMMENT ON FUNCTION @extschema@.sync_progress IS
    'What the view sync_progress reads: running pulls, straight from the memory of their workers and callers';

CREATE VIEW @extschema@.sync_progress WITH (security_barrier) AS
    SELECT p.run_id, p.mapping, p.package_id, p.organization_id, p.phase, p.wait_reason, p.waiting_until, p.pages,
           p.records_read, p.rows_rejected, p.bytes_read, p.requests, p.retries, p.throttled_ms, p.started_at, p.worker_pid
      FROM @extschema@.sync_progress() p;
COMMENT ON VIEW @extschema@.sync_progress IS
    'Pulls that run or wait to run, as they are at this moment. A run_id of NULL: no worker has begun yet';

GRANT SELECT ON @extschema@.sync_status, @extschema@.sync_progress TO PUBLIC;
