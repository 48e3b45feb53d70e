-------------------------------------------------------------------------------------------------- mappings, runs, rejects

CREATE TABLE @extschema@.sync_mapping (
    mapping_id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    package_id          text,
    name                text NOT NULL,
    connector           text NOT NULL,
    connector_package   text,
    source              jsonb NOT NULL,
    pagination          jsonb NOT NULL,
    target              text NOT NULL,
    fields              jsonb NOT NULL,
    mode                text NOT NULL,
    key                 text[] NOT NULL,
    watermark           jsonb,
    scope               text[] NOT NULL,
    delete_mode         text NOT NULL,
    deleted_when        jsonb,
    deleted_at          text NOT NULL,
    max_delete_fraction double precision NOT NULL,
    commit              text NOT NULL,
    missing             text NOT NULL,
    on_error            text NOT NULL,
    max_rejects         integer NOT NULL,
    full_every          interval,
    owner               name NOT NULL,
    enabled             boolean NOT NULL,
    description         text,
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL
);
CREATE UNIQUE INDEX sync_mapping_identity ON @extschema@.sync_mapping (name, (coalesce(package_id, '')));
COMMENT ON TABLE @extschema@.sync_mapping IS 'Where records come from, how fields land, and in which table: what sync_pull runs';

-- One row for each (mapping, organization) that ran: its id is what a run locks.
CREATE TABLE @extschema@.sys_sync_slice (
    slice_id        integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    mapping_id      bigint NOT NULL REFERENCES @extschema@.sync_mapping ON DELETE CASCADE,
    organization_id text,
    last_full_at    timestamptz,
    known_keys      text[]
);
CREATE UNIQUE INDEX sys_sync_slice_identity ON @extschema@.sys_sync_slice (mapping_id, (coalesce(organization_id, '')));
COMMENT ON TABLE @extschema@.sys_sync_slice IS 'What a (mapping, organization) remembers between runs, besides its cursor';
COMMENT ON COLUMN @extschema@.sys_sync_slice.known_keys IS 'Keys of the source that nothing stores and that a run has reported';

CREATE TABLE @extschema@.sync_run_store (
    run_id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    mapping          text NOT NULL,
    package_id       text,
    organization_id  text,
    connector        text NOT NULL,
    connection_id    uuid,
    trigger          text NOT NULL,
    is_full          boolean NOT NULL,
    status           text NOT NULL,
    started_at       timestamptz NOT NULL,
    finished_at      timestamptz,
    watermark_from   text,
    watermark_to     text,
    pages            bigint NOT NULL DEFAULT 0,
    records_read     bigint NOT NULL DEFAULT 0,
    records_ignored  bigint NOT NULL DEFAULT 0,
    rows_inserted    bigint NOT NULL DEFAULT 0,
    rows_updated     bigint NOT NULL DEFAULT 0,
    rows_unchanged   bigint NOT NULL DEFAULT 0,
    rows_deleted     bigint NOT NULL DEFAULT 0,
    rows_rejected    bigint NOT NULL DEFAULT 0,
    bytes_read       bigint NOT NULL DEFAULT 0,
    requests         bigint NOT NULL DEFAULT 0,
    requests_ignored bigint NOT NULL DEFAULT 0,
    retries          bigint NOT NULL DEFAULT 0,
    throttled_ms     bigint NOT NULL DEFAULT 0,
    error_code       text,
    error_reason     text,
    error_message    text,
    error_detail     jsonb,
    worker_pid       integer,
    requested_by     name NOT NULL,
    -- not shown: the slice whose lock a running run holds, and who owned the mapping then
    slice_id         integer,
    mapping_owner    name NOT NULL,
    CONSTRAINT sync_run_status CHECK (status IN ('running', 'succeeded', 'failed', 'cancelled', 'interrupted', 'skipped'))
);
CREATE INDEX sync_run_store_mapping ON @extschema@.sync_run_store (mapping, run_id);
CREATE INDEX sync_run_store_running ON @extschema@.sync_run_store (slice_id) WHERE status = 'running';
CREATE INDEX sync_run_store_finished ON @extschema@.sync_run_store (finished_at);
COMMENT ON TABLE @extschema@.sync_run_store IS 'Storage of sys_sync_run';

-- Filtering by views instead of row security policies: a policy of an extension's table is dumped by pg_dump although
-- CREATE EXTENSION makes it, and so breaks the restore.
CREATE VIEW @extschema@.sys_sync_run WITH (security_barrier) AS
    SELECT s.run_id, s.mapping, s.package_id, s.organization_id, s.connector, s.connection_id, s.trigger, s.is_full, s.status,
           s.started_at, s.finished_at, s.watermark_from, s.watermark_to, s.pages, s.records_read, s.records_ignored,
           s.rows_inserted, s.rows_updated, s.rows_unchanged, s.rows_deleted, s.rows_rejected, s.bytes_read, s.requests,
           s.requests_ignored, s.retries, s.throttled_ms, s.error_code, s.error_reason, s.error_message, s.error_detail,
           s.worker_pid, s.requested_by
      FROM @extschema@.sync_run_store s
     WHERE EXISTS (SELECT FROM pg_catalog.pg_extension e
                    WHERE e.extname OPERATOR(pg_catalog.=) 'pg_pull' AND pg_catalog.pg_has_role(e.extowner, 'USAGE'))
        OR EXISTS (SELECT FROM pg_catalog.pg_roles r
                    WHERE r.rolname OPERATOR(pg_catalog.=) s.mapping_owner AND pg_catalog.pg_has_role(r.oid, 'USAGE'))
        OR EXISTS (SELECT FROM @extschema@.sys_sync_organization_grant g JOIN pg_catalog.pg_roles r
                           ON r.rolname OPERATOR(pg_catalog.=) g.role
                    WHERE g.organization_id OPERATOR(pg_catalog.=) s.organization_id AND pg_catalog.pg_has_role(r.oid, 'USAGE'));
COMMENT ON VIEW @extschema@.sys_sync_run IS
    'One row for each execution of a mapping. Shown: all to superusers and the extension''s owner, else the runs of one''s own '
    'mappings and of organizations granted by sync_organization_grant()';

CREATE TABLE @extschema@.sync_reject_store (
    reject_id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    mapping         text NOT NULL,
    package_id      text,
    organization_id text,
    run_id          bigint NOT NULL,
    last_run_id     bigint NOT NULL,
    attempts        integer NOT NULL,
    record          json,
    record_raw      bytea,
    record_key      text,
    page            bigint,
    ordinal         bigint,
    column_name     text,
    error_code      text NOT NULL,
    error_message   text NOT NULL,
    status          text NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    -- not shown
    record_hash     bytea NOT NULL,
    mapping_owner   name NOT NULL,
    CONSTRAINT sync_reject_status CHECK (status IN ('open', 'stored', 'superseded'))
);
CREATE UNIQUE INDEX sync_reject_store_record ON @extschema@.sync_reject_store
    (mapping, (coalesce(package_id, '')), (coalesce(organization_id, '')), record_hash) WHERE status = 'open';
CREATE INDEX sync_reject_store_updated ON @extschema@.sync_reject_store (updated_at);
COMMENT ON TABLE @extschema@.sync_reject_store IS 'Storage of sys_sync_reject';

CREATE VIEW @extschema@.sys_sync_reject WITH (security_barrier) AS
    SELECT s.reject_id, s.mapping, s.package_id, s.organization_id, s.run_id, s.last_run_id, s.attempts, s.record, s.record_raw,
           s.record_key, s.page, s.ordinal, s.column_name, s.error_code, s.error_message, s.status, s.created_at, s.updated_at
      FROM @extschema@.sync_reject_store s
     WHERE EXISTS (SELECT FROM pg_catalog.pg_extension e
                    WHERE e.extname OPERATOR(pg_catalog.=) 'pg_pull' AND pg_catalog.pg_has_role(e.extowner, 'USAGE'))
        OR EXISTS (SELECT FROM pg_catalog.pg_roles r
                    WHERE r.rolname OPERATOR(pg_catalog.=) s.mapping_owner AND pg_catalog.pg_has_role(r.oid, 'USAGE'))
        OR EXISTS (SELECT FROM @extschema@.sys_sync_organization_grant g JOIN pg_catalog.pg_roles r
                           ON r.rolname OPERATOR(pg_catalog.=) g.role
                    WHERE g.organization_id OPERATOR(pg_catalog.=) s.organization_id AND pg_catalog.pg_has_role(r.oid, 'USAGE'));
COMMENT ON VIEW @extschema@.sys_sync_reject IS 'Records that could not be stored, each with its reason';

CREATE TABLE @extschema@.sync_cursor_store (
    mapping         text NOT NULL,
    package_id      text,
    organization_id text,
    partition_key   text NOT NULL DEFAULT '',
    kind            text NOT NULL,
    value           text NOT NULL,
    run_id          bigint NOT NULL,
    updated_at      timestamptz NOT NULL,
    -- not shown
    mapping_owner   name NOT NULL,
    CONSTRAINT sync_cursor_kind CHECK (kind IN ('watermark', 'delta', 'page'))
);
CREATE UNIQUE INDEX sync_cursor_store_identity ON @extschema@.sync_cursor_store
    (mapping, (coalesce(package_id, '')), (coalesce(organization_id, '')), partition_key, kind);
COMMENT ON TABLE @extschema@.sync_cursor_store IS 'Storage of sys_sync_cursor';

CREATE VIEW @extschema@.sys_sync_cursor WITH (security_barrier) AS
    SELECT s.mapping, s.package_id, s.organization_id, s.partition_key, s.kind, s.value, s.run_id, s.updated_at
      FROM @extschema@.sync_cursor_store s
     WHERE EXISTS (SELECT FROM pg_catalog.pg_extension e
                    WHERE e.extname OPERATOR(pg_catalog.=) 'pg_pull' AND pg_catalog.pg_has_role(e.extowner, 'USAGE'))
        OR EXISTS (SELECT FROM pg_catalog.pg_roles r
                    WHERE r.rolname OPERATOR(pg_catalog.=) s.mapping_owner AND pg_catalog.pg_has_role(r.oid, 'USAGE'))
        OR EXISTS (SELECT FROM @extschema@.sys_sync_organization_grant g JOIN pg_catalog.pg_roles r
                           ON r.rolname OPERATOR(pg_catalog.=) g.role
                    WHERE g.organization_id OPERATOR(pg_catalog.=) s.organization_id AND pg_catalog.pg_has_role(r.oid, 'USAGE'));
COMMENT ON VIEW @extschema@.sys_sync_cursor IS 'Where the next pull goes on: written in the transaction of the rows';

