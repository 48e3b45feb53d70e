-- Pulling: every refusal that needs no source, who may pull and cancel, and what the views say of mappings that never ran.
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
-- Runs a statement and tells its error in all parts; psql would add the place in our source.
CREATE FUNCTION attempt(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  message text; detail text; hint text;
BEGIN
  EXECUTE statement;
  RETURN NEXT 'done';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
  RETURN NEXT SQLSTATE || ': ' || message;
  IF detail <> '' THEN RETURN NEXT 'detail: ' || detail; END IF;
  IF hint <> '' THEN RETURN NEXT 'hint: ' || hint; END IF;
END $$;
CREATE ROLE regress_run_owner;
CREATE ROLE regress_run_other;
CREATE ROLE regress_run_gone;
CREATE TABLE kept (id bigint PRIMARY KEY);
GRANT INSERT, SELECT ON kept TO regress_run_owner, regress_run_gone;
GRANT EXECUTE ON ALL ROUTINES IN SCHEMA public TO regress_run_owner, regress_run_other, regress_run_gone;
SELECT sync_connector_create('api', 'rest', '{"base_url": "https://api.example.com"}') > 0;
SELECT sync_connector_grant('api', 'regress_run_owner');
SELECT sync_connector_grant('api', 'regress_run_gone');
SELECT sync_mapping_create('mine', 'api', '{"path": "/"}', 'public.kept', '{"id": "id"}') > 0;
SELECT sync_mapping_create('off', 'api', '{"path": "/"}', 'public.kept', '{"id": "id"}', enabled => false) > 0;
SET ROLE regress_run_owner;
SELECT sync_mapping_create('hers', 'api', '{"path": "/"}', 'public.kept', '{"id": "id"}') > 0;
SET ROLE regress_run_gone;
SELECT sync_mapping_create('orphaned', 'api', '{"path": "/"}', 'public.kept', '{"id": "id"}') > 0;
RESET ROLE;

-- arguments
SELECT attempt($$SELECT sync_pull(NULL)$$);
SELECT attempt($$SELECT sync_pull('mine', organization => '')$$);
SELECT attempt($$SELECT sync_pull('mine', package => '')$$);
SELECT attempt($$SELECT sync_pull('mine', if_running => 'maybe')$$);
SELECT attempt($$SELECT sync_pull('nothing')$$);
-- a name can forge no line of a log, and does not fill it
SELECT attempt($$SELECT sync_pull(E'a\nLOG:  all is well\x01')$$);
SELECT length(attempt) BETWEEN 900 AND 1100 FROM attempt($$SELECT sync_pull(repeat('x', 1000000))$$) LIMIT 1;
SELECT attempt($$SELECT sync_pull('mine', package => 'com.acme.none')$$);
SELECT attempt($$SELECT sync_pull('off')$$);
SELECT attempt($$SELECT sync_retry_rejects(NULL)$$);
SELECT attempt($$SELECT sync_retry_rejects('nothing')$$);
SELECT attempt($$SELECT sync_retry_rejects('mine', '')$$);
SELECT attempt($$SELECT sync_cancel(NULL)$$);
SELECT attempt($$SELECT sync_cancel(0)$$);

-- where nothing can be started
BEGIN;
SELECT sync_mapping_create('fresh', 'api', '{"path": "/"}', 'public.kept', '{"id": "id"}') > 0;
SELECT attempt($$SELECT sync_pull('fresh')$$);
ROLLBACK;
BEGIN READ ONLY;
SELECT attempt($$SELECT sync_pull('mine')$$);
SELECT attempt($$SELECT sync_retry_rejects('mine')$$);
ROLLBACK;
SELECT attempt($$CALL sync_run('mine')$$);
BEGIN;
\set VERBOSITY terse
CALL sync_run('mine');
ROLLBACK;
CALL sync_run(NULL);
CALL sync_run('nothing');
CALL sync_run('mine', if_running => 'maybe');

-- only who has the mapping pulls it, retries it or cancels it
SET ROLE regress_run_other;
SELECT attempt($$SELECT sync_pull('mine')$$);
SELECT attempt($$SELECT sync_pull('hers')$$);
SELECT attempt($$SELECT sync_retry_rejects('hers')$$);
SELECT attempt($$SELECT * FROM sync_run_store$$);
RESET ROLE;
REVOKE ALL ON kept FROM regress_run_gone;
DELETE FROM sys_sync_connector_grant WHERE role = 'regress_run_gone';
REVOKE ALL ON ALL ROUTINES IN SCHEMA public FROM regress_run_gone;
DROP ROLE regress_run_gone;
SELECT attempt($$SELECT sync_pull('orphaned')$$);

-- nothing of all this left a run
SELECT count(*) FROM sys_sync_run WHERE mapping IN ('mine', 'off', 'hers', 'orphaned', 'fresh');
SELECT count(*) FROM sync_progress;

-- the state of mappings, to those who may see it
SELECT mapping, package_id, organization_id, enabled, health, last_run_id, consecutive_failures, open_rejects, next_run_at
  FROM sync_status WHERE mapping IN ('mine', 'off', 'hers', 'orphaned') ORDER BY mapping;
SET ROLE regress_run_owner;
SELECT mapping, health FROM sync_status;
SET ROLE regress_run_other;
SELECT mapping, health FROM sync_status;
RESET ROLE;

DROP FUNCTION attempt;
SELECT sync_mapping_drop(name) FROM sync_mapping WHERE name IN ('mine', 'off', 'hers', 'orphaned') ORDER BY name;
SELECT sync_connector_drop('api');
DROP TABLE kept;
REVOKE ALL ON ALL ROUTINES IN SCHEMA public FROM regress_run_owner, regress_run_other;
DROP ROLE regress_run_owner, regress_run_other;
