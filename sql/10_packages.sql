-------------------------------------------------------------------------------------------------- packages and connectors

CREATE TABLE @extschema@.sys_sync_package (
    package_id   text PRIMARY KEY,
    namespace    text NOT NULL UNIQUE,
    version      text NOT NULL,
    enabled      boolean NOT NULL DEFAULT true,
    stack        jsonb NOT NULL,
    stack_hash   text NOT NULL,
    owner        name NOT NULL,
    installed_at timestamptz NOT NULL
);
-- who declares a connector's name
CREATE INDEX sys_sync_package_stack ON @extschema@.sys_sync_package USING gin (stack jsonb_path_ops);
COMMENT ON TABLE @extschema@.sys_sync_package IS 'Installed packages: bundles of connectors and mappings, each a stack document';

CREATE TABLE @extschema@.sys_sync_connector (
    connector_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    package_id   text,
    name         text NOT NULL,
    provider     text NOT NULL,
    config       jsonb NOT NULL,
    auth         jsonb NOT NULL,
    state        text NOT NULL,
    state_reason text,
    retry_at     timestamptz,
    description  text,
    owner        name NOT NULL,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    CONSTRAINT sys_sync_connector_state CHECK (state IN ('ready', 'degraded', 'misconfigured'))
);
-- no package counts as one value: '' is never a package
CREATE UNIQUE INDEX sys_sync_connector_identity ON @extschema@.sys_sync_connector (name, (coalesce(package_id, '')));
COMMENT ON TABLE @extschema@.sys_sync_connector IS 'Declared instances of remote systems, addressed by (package or none, name)';
COMMENT ON COLUMN @extschema@.sys_sync_connector.package_id IS
    'The entry''s stamp; NULL: the environment''s; __runtime__: judged by resolution at each request';

CREATE TABLE @extschema@.sys_sync_connector_grant (
    connector_id bigint NOT NULL REFERENCES @extschema@.sys_sync_connector ON DELETE CASCADE,
    role         name NOT NULL,
    PRIMARY KEY (connector_id, role)
);
COMMENT ON TABLE @extschema@.sys_sync_connector_grant IS 'Roles that may use a connector without having its owner';

CREATE TABLE @extschema@.sys_sync_organization_grant (
    organization_id text NOT NULL,
    role            name NOT NULL,
    PRIMARY KEY (organization_id, role)
);
COMMENT ON TABLE @extschema@.sys_sync_organization_grant IS 'Roles that may see and act for an organization';

CREATE TABLE @extschema@.sync_secret_store (
    owner  name NOT NULL,
    name   text NOT NULL,
    key_id text NOT NULL,
    sealed bytea NOT NULL,
    set_at timestamptz NOT NULL,
    PRIMARY KEY (owner, name)
);
COMMENT ON TABLE @extschema@.sync_secret_store IS 'Sealed secrets; readable by nobody but superusers, and useless without the key ring';

CREATE VIEW @extschema@.sys_sync_secret WITH (security_barrier) AS
    SELECT s.owner, s.name, s.key_id, s.set_at
      FROM @extschema@.sync_secret_store s
     WHERE EXISTS (SELECT FROM pg_catalog.pg_roles r
                    WHERE r.rolname OPERATOR(pg_catalog.=) s.owner AND pg_catalog.pg_has_role(r.oid, 'USAGE'))
        OR EXISTS (SELECT FROM pg_catalog.pg_extension e
                    WHERE e.extname OPERATOR(pg_catalog.=) 'pg_pull' AND pg_catalog.pg_has_role(e.extowner, 'USAGE'));
COMMENT ON VIEW @extschema@.sys_sync_secret IS 'Secrets of the roles that one has: names only, never a value';

CREATE UNLOGGED TABLE @extschema@.sys_sync_rate (
    connector_id  bigint NOT NULL REFERENCES @extschema@.sys_sync_connector ON DELETE CASCADE,
    connection_id text NOT NULL,
    tokens        double precision NOT NULL,
    updated_at    timestamptz NOT NULL,
    blocked_until timestamptz,
    PRIMARY KEY (connector_id, connection_id)
);
COMMENT ON TABLE @extschema@.sys_sync_rate IS 'Token buckets of rate limits, shared by all workers; '''' stands for the connector''s own credential';

