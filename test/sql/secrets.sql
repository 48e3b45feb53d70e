-- Secrets: sealed, owned by whoever sets them, never shown; the key ring that seals them.
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
CREATE ROLE regress_pull_alice;
CREATE ROLE regress_pull_bob;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO regress_pull_alice, regress_pull_bob;

-- set, set anew, drop
SET ROLE regress_pull_alice;
SELECT sync_secret_set('token', 'canary-one');
SELECT sync_secret_set('token', 'canary-two');
SELECT sync_secret_set('other', 'canary-three');
SELECT owner, name FROM sys_sync_secret ORDER BY name;
SELECT sync_secret_drop('other'), sync_secret_drop('other');
SELECT attempt($$SELECT sync_secret_set(NULL, 'canary')$$);
SELECT attempt($$SELECT sync_secret_set('x', NULL)$$);
SELECT attempt($$SELECT sync_secret_set('', 'canary')$$);
SELECT attempt($$SELECT sync_secret_set('x', '')$$);
SELECT attempt($$SELECT sync_secret_drop(NULL)$$);
-- the sealed value is nobody's to read, and key and value are in no view
SELECT attempt($$SELECT * FROM sync_secret_store$$);
SELECT attempt($$SELECT sync_key_rotate()$$);
SELECT column_name FROM information_schema.columns WHERE table_name = 'sys_sync_secret' ORDER BY 1;
RESET ROLE;
SELECT sealed::text LIKE '%' || encode('canary-two', 'hex') || '%', length(sealed) FROM sync_secret_store;

-- each role has its own
SET ROLE regress_pull_bob;
SELECT count(*) FROM sys_sync_secret;
SELECT sync_secret_drop('token');
SELECT sync_secret_set('token', 'canary-four');
SELECT owner, name FROM sys_sync_secret;
RESET ROLE;
SELECT owner, name FROM sys_sync_secret ORDER BY owner;

-- the statement that held the value is not shown as the session's last one
SELECT sync_secret_set('mine', 'canary-five') \; SELECT query FROM pg_stat_activity WHERE pid = pg_backend_pid();
SELECT sync_secret_drop('mine');

-- the key
SELECT ok, key_id ~ '^[0-9a-f]{16}$', source ~ '^file ".*pg_pull.key"$', message FROM sync_key_check();
SELECT DISTINCT key_id AS old_key FROM sys_sync_secret \gset
SELECT sealed AS old_sealed FROM sync_secret_store WHERE owner = 'regress_pull_alice' \gset
SELECT sync_key_rotate();
SELECT count(DISTINCT key_id), bool_or(key_id = :'old_key') FROM sys_sync_secret;
SELECT ok, key_id <> :'old_key', message FROM sync_key_check();
-- what was sealed before the rotation still opens; what was sealed for another does not
UPDATE sync_secret_store SET key_id = :'old_key', sealed = :'old_sealed' WHERE owner = 'regress_pull_alice';
SELECT ok, message FROM sync_key_check();
UPDATE sync_secret_store SET key_id = :'old_key', sealed = :'old_sealed' WHERE owner = 'regress_pull_bob';
SELECT ok, message FROM sync_key_check();
SELECT attempt($$SELECT sync_key_rotate()$$);
UPDATE sync_secret_store SET key_id = '0123456789abcdef' WHERE owner = 'regress_pull_bob';
SELECT ok, message FROM sync_key_check();

-- in a read-only transaction nothing is written, and the key can be checked
BEGIN READ ONLY;
SELECT attempt($$SELECT sync_secret_set('x', 'canary')$$);
SELECT attempt($$SELECT sync_secret_drop('x')$$);
SELECT attempt($$SELECT sync_key_rotate()$$);
SELECT ok FROM sync_key_check();
ROLLBACK;

DELETE FROM sync_secret_store;
SELECT ok, message FROM sync_key_check();
DROP FUNCTION attempt;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM regress_pull_alice, regress_pull_bob;
DROP ROLE regress_pull_alice, regress_pull_bob;
