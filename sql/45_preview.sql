-------------------------------------------------------------------------------------------------- looking before pulling

CREATE FUNCTION @extschema@.sync_preview(
    mapping text, max_rows integer DEFAULT 10, organization text DEFAULT NULL, package text DEFAULT NULL)
    RETURNS TABLE (ordinal integer, record json, fields jsonb, error text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_preview';
REVOKE ALL ON FUNCTION @extschema@.sync_preview(text, integer, text, text) FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_preview(text, integer, text, text) IS
    'Fetches the first records of a mapping and shows what each would become: columns and values as texts, or the error that '
    'would reject it. Writes nothing';

CREATE FUNCTION @extschema@.sync_suggest(
    connector text, source jsonb, target text DEFAULT NULL, organization text DEFAULT NULL, package text DEFAULT NULL,
    max_records integer DEFAULT 100)
    RETURNS TABLE (create_table text, fields jsonb, key text[], watermark jsonb)
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_suggest';
REVOKE ALL ON FUNCTION @extschema@.sync_suggest(text, jsonb, text, text, text, integer) FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_suggest(text, jsonb, text, text, text, integer) IS
    'Reads a few records of a source and proposes a table, a fields object, a key and a watermark. Changes nothing';

