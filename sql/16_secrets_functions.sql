-------------------------------------------------------------------------------------------------- secrets and the key

CREATE FUNCTION @extschema@.sync_secret_set(name text, value text)
    RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_secret_set';
REVOKE ALL ON FUNCTION @extschema@.sync_secret_set FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_secret_set IS
    'Stores a secret of the calling role, sealed; a connector of that role refers to it by name';

CREATE FUNCTION @extschema@.sync_secret_drop(name text)
    RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_secret_drop';
REVOKE ALL ON FUNCTION @extschema@.sync_secret_drop FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_secret_drop IS
    'Forgets a secret of the calling role; false: there was none';

CREATE FUNCTION @extschema@.sync_key_rotate()
    RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_key_rotate';
REVOKE ALL ON FUNCTION @extschema@.sync_key_rotate FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_key_rotate IS
    'Adds a key to the server''s key ring and seals every value of this database anew. Returns their number';

CREATE FUNCTION @extschema@.sync_key_check()
    RETURNS TABLE (ok boolean, key_id text, source text, message text)
    LANGUAGE c STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_key_check';
REVOKE ALL ON FUNCTION @extschema@.sync_key_check FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_key_check IS
    'Whether the key ring of this server opens what this database holds; also on a standby';
