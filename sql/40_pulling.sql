-------------------------------------------------------------------------------------------------- pulling

CREATE FUNCTION @extschema@.sync_pull(
    mapping text, organization text DEFAULT NULL, "full" boolean DEFAULT false, if_running text DEFAULT 'error',
    wait boolean DEFAULT true, allow_mass_delete boolean DEFAULT false, package text DEFAULT NULL)
    RETURNS @extschema@.sys_sync_run
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_pull';
REVOKE ALL ON FUNCTION @extschema@.sync_pull FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_pull IS
    'Pulls a mapping in a background worker, waits for it, and returns its run; raises what the run failed with. '
    'wait => false returns the running run at once';

-- no SET clause: a procedure that has one cannot commit
CREATE PROCEDURE @extschema@.sync_run(
    mapping text, organization text DEFAULT NULL, "full" boolean DEFAULT false, if_running text DEFAULT 'error',
    allow_mass_delete boolean DEFAULT false, package text DEFAULT NULL, INOUT run_id bigint DEFAULT NULL)
    LANGUAGE c
    AS 'MODULE_PATHNAME', 'pgpull_sync_run';
REVOKE ALL ON PROCEDURE @extschema@.sync_run FROM PUBLIC;
COMMENT ON PROCEDURE @extschema@.sync_run IS
    'sync_pull outside a transaction block: commits first and waits without a snapshot';

CREATE FUNCTION @extschema@.sync_cancel(run_id bigint)
    RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_cancel';
REVOKE ALL ON FUNCTION @extschema@.sync_cancel FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_cancel IS
    'Cancels a run of one''s own mapping. False: it was over';

CREATE FUNCTION @extschema@.sync_retry_rejects(mapping text, organization text DEFAULT NULL, package text DEFAULT NULL)
    RETURNS @extschema@.sys_sync_run
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'pgpull_sync_retry_rejects';
REVOKE ALL ON FUNCTION @extschema@.sync_retry_rejects FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.sync_retry_rejects IS
    'Stores the open rejects of a mapping again, as a run of its own, and returns that run';
