-------------------------------------------------------------------------------------------------- connections: the door

CREATE FUNCTION @extschema@.sync_connector_test(connector text, organization text DEFAULT NULL, package text DEFAULT NULL)
    RETURNS TABLE (ok boolean, status integer, reason text, message text, duration_ms integer)
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_connector_test';
REVOKE ALL ON FUNCTION @extschema@.sync_connector_test FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_connector_test IS
    'Sends the connector''s verify request, or a harmless one, and reports what came of it';

CREATE FUNCTION @extschema@.sync_connector_call(connector text, action text, input jsonb DEFAULT '{}', organization text DEFAULT NULL, package text DEFAULT NULL)
    RETURNS jsonb
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_connector_call';
REVOKE ALL ON FUNCTION @extschema@.sync_connector_call FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_connector_call IS
    'One call with a connection, without a mapping: {ok, status, headers, body}. Sent by a worker: ROLLBACK does not undo it';

CREATE FUNCTION @extschema@.sync_connection_begin(connector text, organization text, redirect_uri text DEFAULT NULL, package text DEFAULT NULL,
    scopes text[] DEFAULT NULL, fields jsonb DEFAULT '{}')
    RETURNS TABLE (authorization_url text, state text, expires_at timestamptz)
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_connection_begin';
REVOKE ALL ON FUNCTION @extschema@.sync_connection_begin FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_connection_begin IS
    'Begins an authorization: the address of the provider''s consent page, good for ten minutes';

CREATE FUNCTION @extschema@.sync_connection_callback(state text, code text DEFAULT NULL, iss text DEFAULT NULL, error text DEFAULT NULL,
    error_description text DEFAULT NULL, params jsonb DEFAULT '{}')
    RETURNS TABLE (connection_id uuid, organization_id text, package_id text, connector text, status text, account jsonb)
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_connection_callback';
REVOKE ALL ON FUNCTION @extschema@.sync_connection_callback FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_connection_callback IS
    'Completes an authorization with what the provider''s redirect brought; a second call reports the first outcome';

CREATE FUNCTION @extschema@.sync_connection_set(connector text, organization text, credential jsonb, fields jsonb DEFAULT '{}', package text DEFAULT NULL)
    RETURNS TABLE (connection_id uuid, organization_id text, package_id text, connector text, status text, account jsonb)
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_connection_set';
REVOKE ALL ON FUNCTION @extschema@.sync_connection_set FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_connection_set IS
    'Connects an organization that brings a key, token, password or client secret of its own';

CREATE FUNCTION @extschema@.sync_connection_read(connector text, organization text, package text DEFAULT NULL)
    RETURNS TABLE (connection_id uuid, organization_id text, package_id text, connector text, status text, status_reason text,
                   account jsonb, fields jsonb, scopes_granted text[], token_expires_at timestamptz, connected_at timestamptz)
    LANGUAGE c STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_connection_read';
REVOKE ALL ON FUNCTION @extschema@.sync_connection_read FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_connection_read IS
    'The connection that answers for an organization, or not_connected; never a token';

CREATE FUNCTION @extschema@.sync_connection_revoke(connector text, organization text, package text DEFAULT NULL)
    RETURNS TABLE (connection_id uuid, package_id text, remote text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_connection_revoke';
REVOKE ALL ON FUNCTION @extschema@.sync_connection_revoke FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_connection_revoke IS
    'Deletes every connection that answers, and tells the provider; remote is revoked, not_declared, queued or failed';

CREATE FUNCTION @extschema@.sync_connection_list(connector text, package text DEFAULT NULL)
    RETURNS TABLE (organization_id text, status text, connection_id uuid, package_id text, account jsonb,
                   token_expires_at timestamptz, refusal text)
    LANGUAGE c STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_connection_list';
REVOKE ALL ON FUNCTION @extschema@.sync_connection_list FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_connection_list IS
    'The organizations that are connected, each once, with its account or its refusal';

CREATE FUNCTION @extschema@.sync_connection_audit()
    RETURNS TABLE (connection_id uuid, organization_id text, package_id text, connector text, resolution text,
                   holders text[], finding text, remedy text)
    LANGUAGE c STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_connection_audit';
REVOKE ALL ON FUNCTION @extschema@.sync_connection_audit FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_connection_audit IS
    'Connections that answer nobody, or another instance than they name, with the remedy';

CREATE FUNCTION @extschema@.sync_connection_bind(organization text, connector text, package text)
    RETURNS uuid
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_connection_bind';
REVOKE ALL ON FUNCTION @extschema@.sync_connection_bind FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_connection_bind IS
    'Gives a connection that names no package to a package that holds the name';

CREATE FUNCTION @extschema@.sync_connection_backfill()
    RETURNS TABLE (connection_id uuid, organization_id text, connector text, package_id text, outcome text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_connection_backfill';
REVOKE ALL ON FUNCTION @extschema@.sync_connection_backfill FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_connection_backfill IS
    'Stamps the connections that name no package with the one package that holds their name';

CREATE FUNCTION @extschema@.sync_connection_claim()
    RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_connection_claim';
REVOKE ALL ON FUNCTION @extschema@.sync_connection_claim FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_connection_claim IS
    'On a copy of a database: takes the connections over from the original. Returns their number';
