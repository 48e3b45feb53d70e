-------------------------------------------------------------------------------------------------- packages: functions

-- no SET search_path: a target's name is looked up by the caller's, as in sync_mapping_create
CREATE FUNCTION @extschema@.sync_package_install(stack jsonb)
    RETURNS TABLE (package_id text, version text, connectors integer, mappings integer, restamped integer, changed boolean)
    LANGUAGE c VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'pgpull_sync_package_install';
REVOKE ALL ON FUNCTION @extschema@.sync_package_install FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_package_install IS
    'Installs a package, or puts another version in its place: connectors and mappings from one stack document, all or nothing';

CREATE FUNCTION @extschema@.sync_package_uninstall(package text, connections text DEFAULT 'keep')
    RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_package_uninstall';
REVOKE ALL ON FUNCTION @extschema@.sync_package_uninstall FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_package_uninstall IS
    'Drops a package with its connectors and mappings; its connections are kept, or revoked';

CREATE FUNCTION @extschema@.sync_package_enable(package text)
    RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_package_enable';
REVOKE ALL ON FUNCTION @extschema@.sync_package_enable FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_package_enable IS
    'Takes back what sync_package_disable() did';

CREATE FUNCTION @extschema@.sync_package_disable(package text)
    RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_package_disable';
REVOKE ALL ON FUNCTION @extschema@.sync_package_disable FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_package_disable IS
    'Refuses pulls and requests through a package''s mappings and connectors; it still holds its names';
