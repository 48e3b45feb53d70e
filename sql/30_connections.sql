-------------------------------------------------------------------------------------------------- connections

-- All rows, tokens sealed. Nobody reads it but superusers and the functions of the door; people read sys_sync_connection.
CREATE TABLE @extschema@.sync_connection_store (
    connection_id        uuid PRIMARY KEY DEFAULT pg_catalog.gen_random_uuid(),
    organization_id      text NOT NULL CHECK (organization_id <> ''),
    package_id           text CHECK (package_id <> ''),
    connector            text NOT NULL CHECK (connector <> ''),
    status               text NOT NULL DEFAULT 'connected' CHECK (status IN ('connected', 'reconnect_required')),
    status_reason        text,
    account              jsonb,
    fields               jsonb NOT NULL DEFAULT '{}',
    scopes_asked         text[],
    scopes_granted       text[],
    token_expires_at     timestamptz,
    refresh_expires_at   timestamptz,
    generation           bigint NOT NULL DEFAULT 1,
    refresh_started_at   timestamptz,
    last_refresh_at      timestamptz,
    last_error           text,
    connected_by         name NOT NULL DEFAULT current_user,
    connected_at         timestamptz NOT NULL DEFAULT pg_catalog.now(),
    updated_at           timestamptz NOT NULL DEFAULT pg_catalog.now(),
    token_lifetime       interval,
    retry_at             timestamptz,
    key_id               text,
    sealed_token         bytea,
    sealed_refresh_token bytea,
    sealed_credential    bytea
);
-- no package counts as one value: '' is never a package
CREATE UNIQUE INDEX sync_connection_store_identity
    ON @extschema@.sync_connection_store (connector, organization_id, (coalesce(package_id, '')));
COMMENT ON TABLE @extschema@.sync_connection_store IS
    'Stored connections by (organization, package or none, connector name), with sealed tokens; readable by nobody but superusers, and useless without the key ring';
COMMENT ON COLUMN @extschema@.sync_connection_store.generation IS
    'Rises with each stored token: who refreshes writes only over the generation that he read';
COMMENT ON COLUMN @extschema@.sync_connection_store.refresh_started_at IS
    'Committed before a refresh is sent and cleared with its result; left behind by a crash: the refresh is in doubt';
COMMENT ON COLUMN @extschema@.sync_connection_store.token_lifetime IS 'As the provider last reported it';
COMMENT ON COLUMN @extschema@.sync_connection_store.retry_at IS 'No refresh is tried before: the provider was out of order';

CREATE VIEW @extschema@.sys_sync_connection WITH (security_barrier) AS
    SELECT c.connection_id, c.organization_id, c.package_id, c.connector, c.status, c.status_reason, c.account, c.fields,
           c.scopes_asked, c.scopes_granted, c.token_expires_at, c.refresh_expires_at, c.generation, c.refresh_started_at,
           c.last_refresh_at, c.last_error, c.connected_by, c.connected_at, c.updated_at
      FROM @extschema@.sync_connection_store c
     WHERE EXISTS (SELECT FROM pg_catalog.pg_extension e
                    WHERE e.extname OPERATOR(pg_catalog.=) 'pg_pull' AND pg_catalog.pg_has_role(e.extowner, 'USAGE'))
        OR EXISTS (SELECT FROM @extschema@.sys_sync_organization_grant g
                     JOIN pg_catalog.pg_roles r ON r.rolname OPERATOR(pg_catalog.=) g.role
                    WHERE g.organization_id OPERATOR(pg_catalog.=) c.organization_id
                      AND pg_catalog.pg_has_role(r.oid, 'USAGE'));
COMMENT ON VIEW @extschema@.sys_sync_connection IS
    'Connections of the organizations that one may see (sync_organization_grant); never a token';

-- Authorizations that were begun and not completed yet. Used once, for ten minutes; not dumped.
CREATE TABLE @extschema@.sync_pending_store (
    state_hash      bytea PRIMARY KEY,
    organization_id text NOT NULL,
    package_id      text,
    connector       text NOT NULL,
    requester       name NOT NULL,
    redirect_uri    text NOT NULL,
    fields          jsonb NOT NULL,
    scopes_asked    text[] NOT NULL,
    key_id          text,
    sealed_verifier bytea,
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL,
    used_at         timestamptz,
    outcome         jsonb
);
CREATE INDEX sync_pending_store_expiry ON @extschema@.sync_pending_store (expires_at);
COMMENT ON TABLE @extschema@.sync_pending_store IS
    'Authorizations under way, by the hash of their state; the package is that of the instance, none included';
COMMENT ON COLUMN @extschema@.sync_pending_store.outcome IS
    'What the callback came to, for whoever calls it again: {"connection_id": …} or {"error": {…}}';

-- Tokens that a connector gets for itself (client_credentials or login with a credential of its own).
CREATE TABLE @extschema@.sync_connector_token_store (
    connector_id         bigint PRIMARY KEY REFERENCES @extschema@.sys_sync_connector ON DELETE CASCADE,
    token_expires_at     timestamptz,
    refresh_expires_at   timestamptz,
    generation           bigint NOT NULL,
    refresh_started_at   timestamptz,
    last_refresh_at      timestamptz,
    last_error           text,
    token_lifetime       interval,
    retry_at             timestamptz,
    fields               jsonb NOT NULL DEFAULT '{}',
    key_id               text,
    sealed_token         bytea,
    sealed_refresh_token bytea
);
COMMENT ON TABLE @extschema@.sync_connector_token_store IS
    'Access tokens that connectors got with their own credential, sealed; lost without harm';

-- Revocations that the provider has not been told of yet, as ready requests.
CREATE TABLE @extschema@.sync_revocation_store (
    revocation_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    connector      text NOT NULL,
    connection_id  uuid NOT NULL,
    key_id         text NOT NULL,
    sealed_request bytea NOT NULL,
    attempts       integer NOT NULL DEFAULT 0,
    try_after      timestamptz NOT NULL,
    created_at     timestamptz NOT NULL,
    last_error     text
);
COMMENT ON TABLE @extschema@.sync_revocation_store IS
    'Connections that are deleted here and that the provider has still to be told of, sealed requests; sent again for a day';

-- The database that the connections belong to: in a copy the oid differs, and nothing is refreshed (sync_connection_claim).
CREATE TABLE @extschema@.sync_identity_store (
    only_one     boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    database_oid oid NOT NULL,
    claimed_at   timestamptz NOT NULL DEFAULT pg_catalog.now()
);
COMMENT ON TABLE @extschema@.sync_identity_store IS
    'The oid of the database whose connections these are, written with the first one; dumped, so that a copy is known as one';

-- Documents of authorization servers (RFC 8414), for connectors that name one instead of their endpoints.
CREATE TABLE @extschema@.sync_discovery_store (
    connector_id bigint PRIMARY KEY REFERENCES @extschema@.sys_sync_connector ON DELETE CASCADE,
    document     jsonb NOT NULL,
    fetched_at   timestamptz NOT NULL
);
COMMENT ON TABLE @extschema@.sync_discovery_store IS 'Documents of authorization servers, fetched anew after a day; lost without harm';
