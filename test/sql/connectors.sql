-- Declaring connectors: what is accepted and kept, and every refusal with code, detail and hint.
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
GRANT CREATE ON SCHEMA public TO regress_pull_alice;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO regress_pull_alice, regress_pull_bob;

-- nothing is executable by everybody
SELECT p.proname FROM pg_proc p
 WHERE p.proname ~ '^sync_' AND EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a WHERE a.grantee = 0);

-- create: the id is that of the row, defaults are those of the signature
SELECT sync_connector_create('github', provider => 'rest', config => '{"base_url": "https://api.github.com"}',
                             auth => '{"type": "bearer", "credential_ref": "GITHUB"}', description => 'issues') > 0;
SELECT sync_connector_create('open', 'rest', '{"base_url": "https://example.com/v1"}') > 0;
SELECT name, package_id, provider, config, auth, state, description, owner = current_user AS mine FROM sys_sync_connector ORDER BY name;

-- create: refusals
SELECT attempt($$SELECT sync_connector_create(NULL, 'rest')$$);
SELECT attempt($$SELECT sync_connector_create('x', NULL)$$);
SELECT attempt($$SELECT sync_connector_create('', 'rest', '{"base_url": "https://example.com"}')$$);
SELECT attempt($$SELECT sync_connector_create('x', 'rest', '{"base_url": "https://example.com"}', package => '')$$);
SELECT attempt($$SELECT sync_connector_create('x', 'rset', '{}')$$);
SELECT attempt($$SELECT sync_connector_create('x', 'cobol', '{}')$$);
SELECT attempt($$SELECT sync_connector_create('x', 'openapi', '{"spec": "https://example.com/openapi.json"}')$$);
SELECT attempt($$SELECT sync_connector_create('x', 'mcp', '{"url": "https://example.com/mcp"}')$$);
SELECT attempt($$SELECT sync_connector_create('x', 'rest', '{}')$$);
SELECT attempt($$SELECT sync_connector_create('x', 'rest', '[]')$$);
SELECT attempt($$SELECT sync_connector_create('x', 'rest', '{"base_url": "https://example.com", "header": {}}')$$);
SELECT attempt($$SELECT sync_connector_create('x', 'rest', '{"base_url": "ftp://example.com"}')$$);
SELECT attempt($$SELECT sync_connector_create('x', 'rest', '{"base_url": "https://example.com"}', '{"type": "barer"}')$$);
SELECT attempt($$SELECT sync_connector_create('x', 'rest', '{"base_url": "https://example.com"}', '{"type": "bearer", "token": "canary"}')$$);
SELECT attempt($$SELECT sync_connector_create('x', 'rest', '{"base_url": "https://example.com", "headers": {"Authorization": "Bearer canary"}}')$$);
SELECT attempt($$SELECT sync_connector_create('github', 'rest', '{"base_url": "https://example.com"}')$$);

-- NULL for an optional argument is its default
SELECT sync_connector_create('nulls', 'fdw', NULL, NULL, NULL, NULL, NULL) > 0;
SELECT config, auth FROM sys_sync_connector WHERE name = 'nulls';

-- postgres: a password belongs in a secret, and files and settings of the server to superusers
SELECT sync_connector_create('warehouse', 'postgres', '{"conninfo": "host=db.example.com dbname=shop user=reader"}',
                             '{"type": "basic", "credential_ref": "WAREHOUSE"}') > 0;
SELECT attempt($$SELECT sync_connector_create('x', 'postgres', '{}')$$);
SELECT attempt($$SELECT sync_connector_create('x', 'postgres', '{"conninfo": "host=db.example.com user=reader password=canary"}')$$);
SET ROLE regress_pull_alice;
SELECT attempt($$SELECT sync_connector_create('x', 'postgres', '{"conninfo": "host=db.example.com user=reader passfile=/etc/passwd"}')$$);
SELECT attempt($$SELECT sync_connector_create('hers', 'postgres', '{"conninfo": "host=db.example.com user=reader"}',
                                              '{"type": "basic", "credential_ref": "X"}')$$);
RESET ROLE;

-- or_replace keeps id and owner
SELECT connector_id AS id FROM sys_sync_connector WHERE name = 'open' \gset
SELECT sync_connector_create('open', 'rest', '{"base_url": "https://example.org/v2"}', or_replace => true) = :id AS same;
SELECT config, auth FROM sys_sync_connector WHERE name = 'open';
-- … and sends no stored credential to another origin
SELECT attempt($$SELECT sync_connector_create('github', 'rest', '{"base_url": "https://evil.example"}',
                        '{"type": "bearer", "credential_ref": "GITHUB"}', or_replace => true)$$);
SET ROLE regress_pull_alice;
SELECT attempt($$SELECT sync_connector_create('github', 'rest', '{"base_url": "https://api.github.com"}', or_replace => true)$$);
RESET ROLE;

-- alter: a merge patch; null is the default
SELECT sync_connector_alter('github', '{"config": {"timeouts": {"request": "PT60S"}}, "description": null}');
SELECT config, auth, description FROM sys_sync_connector WHERE name = 'github';
SELECT sync_connector_alter('github', '{"config": {"timeouts": null}}');
SELECT config FROM sys_sync_connector WHERE name = 'github';
SELECT attempt($$SELECT sync_connector_alter('github', NULL)$$);
SELECT attempt($$SELECT sync_connector_alter('github', '[]')$$);
SELECT attempt($$SELECT sync_connector_alter('github', '{"cfg": {}}')$$);
SELECT attempt($$SELECT sync_connector_alter('github', '{"provider": "fdw"}')$$);
SELECT attempt($$SELECT sync_connector_alter('github', '{"description": 1}')$$);
SELECT attempt($$SELECT sync_connector_alter('github', '{"config": {"max_concurrency": 0}}')$$);
SELECT attempt($$SELECT sync_connector_alter('nobody', '{}')$$);
SELECT attempt($$SELECT sync_connector_alter('github', '{}', package => 'com.acme')$$);
-- another origin for a stored credential has to be confirmed
SELECT attempt($$SELECT sync_connector_alter('github', '{"config": {"base_url": "https://ghe.example.com"}}')$$);
SELECT attempt($$SELECT sync_connector_alter('github', '{"config": {"origins": ["https://uploads.github.com"]}}')$$);
SELECT attempt($$SELECT sync_connector_alter('warehouse', '{"config": {"conninfo": "host=evil.example user=reader"}}')$$);
SELECT attempt($$SELECT sync_connector_alter('warehouse', '{"config": {"conninfo": "host=db.example.com user=reader application_name=x dbname=y"}}')$$);
SELECT sync_connector_alter('github', '{"config": {"base_url": "https://ghe.example.com"}}', confirm_origin => true);
-- the path is no origin; without a credential nothing has to be confirmed
SELECT sync_connector_alter('github', '{"config": {"base_url": "https://ghe.example.com/api/v3"}}');
SELECT sync_connector_alter('open', '{"config": {"base_url": "https://example.net"}}');
SELECT name, config FROM sys_sync_connector WHERE name IN ('github', 'open') ORDER BY name;

-- rights: change needs the owner
SET ROLE regress_pull_bob;
SELECT attempt($$SELECT sync_connector_alter('github', '{}')$$);
SELECT attempt($$SELECT sync_connector_drop('github')$$);
SELECT attempt($$SELECT * FROM sync_connector_actions('github')$$);
SELECT attempt($$UPDATE sys_sync_connector SET owner = 'regress_pull_bob'$$);
SELECT attempt($$SELECT sync_connector_create('x', 'rest', '{"base_url": "https://example.com"}', package => 'com.acme')$$);
RESET ROLE;
GRANT regress_pull_alice TO regress_pull_bob;
SET ROLE regress_pull_bob;
SELECT sync_connector_alter('hers', '{"description": "ours"}');
RESET ROLE;
REVOKE regress_pull_alice FROM regress_pull_bob;

-- resolution and stamps
SELECT * FROM sync_connector_resolve('nobody');
SELECT * FROM sync_connector_resolve('github');
SELECT attempt($$SELECT * FROM sync_connector_resolve(NULL)$$);
SELECT sync_connector_create('github', 'rest', '{"base_url": "https://example.com"}', package => '__runtime__') > 0;
SELECT * FROM sync_connector_resolve('github');
SELECT attempt($$SELECT * FROM sync_connector_actions('github')$$);
SELECT sync_connector_drop('github', package => '__runtime__');
-- an entry holds no name; a stack does
SELECT sync_connector_create('crm', 'rest', '{"base_url": "https://crm.example.com"}', package => 'com.acme') > 0;
SELECT * FROM sync_connector_resolve('crm');
INSERT INTO sys_sync_package VALUES ('com.acme', 'acme', '1', true, '{"connectors": [{"name": "crm"}]}', '', current_user, now()),
                                    ('com.beta', 'beta', '1', false, '{"connectors": [{"name": "crm"}, {"name": "erp"}]}', '', current_user, now());
SELECT * FROM sync_connector_resolve('crm');
SELECT * FROM sync_connector_resolve('erp');
SELECT attempt($$SELECT * FROM sync_connector_actions('crm')$$);
SELECT action FROM sync_connector_actions('crm', 'com.acme');
SELECT attempt($$SELECT * FROM sync_connector_actions('crm', 'com.beta')$$);
SELECT attempt($$SELECT * FROM sync_connector_actions('crm', 'com.gamma')$$);
SELECT attempt($$SELECT sync_connector_alter('crm', '{"description": "x"}', 'com.acme')$$);
SELECT attempt($$SELECT sync_connector_drop('crm', 'com.acme')$$);
SELECT attempt($$SELECT sync_connector_create('crm', 'rest', '{"base_url": "https://example.com"}', package => 'com.acme', or_replace => true)$$);
DELETE FROM sys_sync_package;

-- actions
SELECT action, read_only, input_schema -> 'required' AS required FROM sync_connector_actions('github');
SELECT count(*) FROM sync_connector_actions('warehouse');
SELECT attempt($$SELECT * FROM sync_connector_actions('nobody')$$);
SELECT attempt($$SELECT * FROM sync_connector_actions('github', '')$$);

-- drop: what needs it is named, or goes too
CREATE TABLE landed (id bigint PRIMARY KEY, title text);
SELECT sync_mapping_create('by_github', 'github', '{"path": "/issues"}', 'landed', '{"id": "id"}', mode => 'upsert', key => '{id}') > 0;
SELECT attempt($$SELECT sync_connector_drop('github')$$);
SET client_min_messages = notice;
SELECT sync_connector_drop('github', "cascade" => true);
SET client_min_messages = warning;
SELECT count(*) FROM sync_mapping;
SELECT attempt($$SELECT sync_connector_drop('github')$$);
SELECT sync_connector_drop(name, package_id) FROM sys_sync_connector;
SELECT count(*) FROM sys_sync_connector;

-- in a read-only transaction nothing is written
BEGIN READ ONLY;
SELECT attempt($$SELECT sync_connector_create('x', 'fdw')$$);
SELECT attempt($$SELECT sync_connector_alter('x', '{}')$$);
SELECT attempt($$SELECT sync_connector_drop('x')$$);
SELECT * FROM sync_connector_resolve('x');
ROLLBACK;

DROP TABLE landed;
DROP FUNCTION attempt;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM regress_pull_alice, regress_pull_bob;
REVOKE ALL ON SCHEMA public FROM regress_pull_alice;
DROP ROLE regress_pull_alice, regress_pull_bob;
