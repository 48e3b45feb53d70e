-------------------------------------------------------------------------------------------------- mappings: functions

-- The two that take a target name without a pinned search_path: they look an unqualified name up by the caller's path first, and
-- pin the path themselves before anything else.

CREATE FUNCTION @extschema@.sync_mapping_create(
    name text, connector text, source jsonb, target text, fields jsonb, mode text DEFAULT 'insert',
    key text[] DEFAULT '{}', watermark jsonb DEFAULT NULL, pagination jsonb DEFAULT '{"type": "none"}',
    scope text[] DEFAULT NULL, delete_mode text DEFAULT 'ignore', deleted_when jsonb DEFAULT NULL,
    deleted_at text DEFAULT 'deleted_at', max_delete_fraction double precision DEFAULT 0.5, "commit" text DEFAULT 'run',
    missing text DEFAULT 'null', on_error text DEFAULT 'reject', max_rejects integer DEFAULT 100,
    full_every interval DEFAULT NULL, connector_package text DEFAULT NULL, description text DEFAULT NULL,
    enabled boolean DEFAULT true, or_replace boolean DEFAULT false)
    RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'pgpull_sync_mapping_create';
REVOKE ALL ON FUNCTION @extschema@.sync_mapping_create FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_mapping_create IS
    'Declares a mapping: where records come from, how fields land, and in which table. Returns its id';

CREATE FUNCTION @extschema@.sync_mapping_alter(mapping text, changes jsonb, package text DEFAULT NULL)
    RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'pgpull_sync_mapping_alter';
REVOKE ALL ON FUNCTION @extschema@.sync_mapping_alter FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_mapping_alter IS
    'Changes a mapping by a JSON merge patch over the columns of sync_mapping; null is back to the default';

CREATE FUNCTION @extschema@.sync_mapping_drop(mapping text, package text DEFAULT NULL)
    RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_mapping_drop';
REVOKE ALL ON FUNCTION @extschema@.sync_mapping_drop FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_mapping_drop IS
    'Drops a mapping and its cursors; its runs and rejects stay';
