-------------------------------------------------------------------------------------------------- connectors: functions

CREATE FUNCTION @extschema@.sync_connector_create(
    name text, provider text, config jsonb DEFAULT '{}', auth jsonb DEFAULT '{"type": "none"}',
    description text DEFAULT NULL, package text DEFAULT NULL, or_replace boolean DEFAULT false)
    RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_connector_create';
REVOKE ALL ON FUNCTION @extschema@.sync_connector_create FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_connector_create IS
    'Declares a connector: an instance of a remote system. Returns its id';

CREATE FUNCTION @extschema@.sync_connector_alter(name text, changes jsonb, package text DEFAULT NULL, confirm_origin boolean DEFAULT false)
    RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_connector_alter';
REVOKE ALL ON FUNCTION @extschema@.sync_connector_alter FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_connector_alter IS
    'Changes a connector by a JSON merge patch over config, auth and description; null is back to the default';

CREATE FUNCTION @extschema@.sync_connector_drop(name text, package text DEFAULT NULL, "cascade" boolean DEFAULT false)
    RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_connector_drop';
REVOKE ALL ON FUNCTION @extschema@.sync_connector_drop FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_connector_drop IS
    'Drops a connector; with cascade also the mappings that use it';

CREATE FUNCTION @extschema@.sync_connector_resolve(name text)
    RETURNS TABLE (state text, package_id text, holders text[], entries integer)
    LANGUAGE c STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_connector_resolve';
REVOKE ALL ON FUNCTION @extschema@.sync_connector_resolve FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_connector_resolve IS
    'Who declares a connector name: state is none, environment, one or refused';

CREATE FUNCTION @extschema@.sync_connector_actions(connector text, package text DEFAULT NULL)
    RETURNS TABLE (action text, description text, input_schema jsonb, read_only boolean)
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_connector_actions';
REVOKE ALL ON FUNCTION @extschema@.sync_connector_actions FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_connector_actions IS
    'The actions that sync_connector_call() can send through a connector';

CREATE FUNCTION @extschema@.sync_connector_grant(connector text, role name, package text DEFAULT NULL)
    RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_connector_grant';
REVOKE ALL ON FUNCTION @extschema@.sync_connector_grant FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_connector_grant IS
    'Lets a role use a connector in mappings and calls, without the right to change it';

CREATE FUNCTION @extschema@.sync_connector_ungrant(connector text, role name, package text DEFAULT NULL)
    RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_connector_ungrant';
REVOKE ALL ON FUNCTION @extschema@.sync_connector_ungrant FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_connector_ungrant IS
    'Takes back what sync_connector_grant() gave';

CREATE FUNCTION @extschema@.sync_organization_grant(organization text, role name)
    RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_organization_grant';
REVOKE ALL ON FUNCTION @extschema@.sync_organization_grant FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_organization_grant IS
    'Lets a role see and act for an organization';

CREATE FUNCTION @extschema@.sync_organization_ungrant(organization text, role name)
    RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_organization_ungrant';
REVOKE ALL ON FUNCTION @extschema@.sync_organization_ungrant FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_organization_ungrant IS
    'Takes back what sync_organization_grant() gave';
