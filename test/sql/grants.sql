-- Who may do what: owners, grants to use a connector, grants of organizations, rights on the target.
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
CREATE ROLE regress_pull_owner;
CREATE ROLE regress_pull_user;
CREATE ROLE regress_pull_group;
CREATE ROLE regress_pull_other;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO regress_pull_owner, regress_pull_user, regress_pull_other;
CREATE TABLE hers (id bigint PRIMARY KEY);
ALTER TABLE hers OWNER TO regress_pull_user;

SET ROLE regress_pull_owner;
SELECT sync_connector_create('api', 'rest', '{"base_url": "https://api.example.com"}') > 0;
RESET ROLE;

-- use of a connector: its owner, or a grant to oneself or to a role that one has
SET ROLE regress_pull_user;
SELECT attempt($$SELECT sync_mapping_create('m', 'api', '{"path": "/"}', 'public.hers', '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_connector_grant('api', 'regress_pull_user')$$);
RESET ROLE;
SET ROLE regress_pull_owner;
SELECT sync_connector_grant('api', 'regress_pull_user');
SELECT sync_connector_grant('api', 'regress_pull_user');
SELECT attempt($$SELECT sync_connector_grant('api', 'regress_pull_nobody')$$);
SELECT attempt($$SELECT sync_connector_grant(NULL, 'regress_pull_user')$$);
SELECT attempt($$SELECT sync_connector_grant('api', NULL)$$);
SELECT attempt($$SELECT sync_connector_grant('nothing', 'regress_pull_user')$$);
SELECT attempt($$SELECT sync_connector_grant('api', 'regress_pull_user', '')$$);
RESET ROLE;
SET ROLE regress_pull_user;
SELECT sync_mapping_create('m', 'api', '{"path": "/"}', 'public.hers', '{"id": "id"}') > 0;
SELECT owner FROM sync_mapping;
-- … which is no right to change it
SELECT attempt($$SELECT sync_connector_alter('api', '{}')$$);
SELECT attempt($$SELECT sync_connector_drop('api')$$);
SELECT attempt($$SELECT sync_connector_ungrant('api', 'regress_pull_user')$$);
RESET ROLE;

-- a mapping is its owner's
SET ROLE regress_pull_other;
SELECT attempt($$SELECT sync_mapping_alter('m', '{}')$$);
SELECT attempt($$SELECT sync_mapping_drop('m')$$);
SELECT attempt($$SELECT sync_mapping_create('m', 'api', '{"path": "/"}', 'public.hers', '{"id": "id"}', or_replace => true)$$);
SELECT attempt($$DELETE FROM sync_mapping$$);
SELECT attempt($$SELECT * FROM sys_sync_connector_grant$$);
RESET ROLE;
-- a superuser's change leaves it to him, and is judged by his rights
SELECT sync_mapping_alter('m', '{"description": "changed"}');
SELECT owner, description FROM sync_mapping;
CREATE TABLE not_hers (id bigint);
SELECT attempt($$SELECT sync_mapping_alter('m', '{"target": "not_hers"}')$$);

-- taken back: what uses it no longer can be changed to use it
SET ROLE regress_pull_owner;
SELECT sync_connector_ungrant('api', 'regress_pull_user');
SELECT sync_connector_ungrant('api', 'regress_pull_user');
RESET ROLE;
SET ROLE regress_pull_user;
SELECT attempt($$SELECT sync_mapping_alter('m', '{"max_rejects": 1}')$$);
SELECT sync_mapping_alter('m', '{"enabled": false}');
RESET ROLE;
SET ROLE regress_pull_owner;
SELECT sync_connector_grant('api', 'regress_pull_group');
RESET ROLE;
SET ROLE regress_pull_user;
SELECT attempt($$SELECT * FROM sync_connector_actions('api')$$);
RESET ROLE;
GRANT regress_pull_group TO regress_pull_user;
SET ROLE regress_pull_user;
SELECT action FROM sync_connector_actions('api');
RESET ROLE;

-- organizations are granted by superusers and the extension's owner
SELECT sync_organization_grant('acme', 'regress_pull_user');
SELECT sync_organization_grant('acme', 'regress_pull_user');
SELECT * FROM sys_sync_organization_grant;
SELECT attempt($$SELECT sync_organization_grant('', 'regress_pull_user')$$);
SELECT attempt($$SELECT sync_organization_grant(NULL, 'regress_pull_user')$$);
SELECT attempt($$SELECT sync_organization_grant('acme', NULL)$$);
SELECT attempt($$SELECT sync_organization_grant('acme', 'regress_pull_nobody')$$);
SET ROLE regress_pull_user;
SELECT attempt($$SELECT sync_organization_grant('acme', 'regress_pull_user')$$);
SELECT attempt($$SELECT sync_organization_ungrant('acme', 'regress_pull_user')$$);
SELECT attempt($$SELECT * FROM sys_sync_organization_grant$$);
RESET ROLE;
SELECT sync_organization_ungrant('acme', 'regress_pull_user');
SELECT count(*) FROM sys_sync_organization_grant;

-- the grant goes with the connector; one to a role that is gone can be taken back
SELECT sync_organization_grant('acme', 'regress_pull_group');
DROP ROLE regress_pull_group;
SELECT sync_organization_ungrant('acme', 'regress_pull_group');
SELECT sync_connector_ungrant('api', 'regress_pull_group');
SELECT (SELECT count(*) FROM sys_sync_organization_grant), (SELECT count(*) FROM sys_sync_connector_grant);

-- an owner who is gone is named; a superuser can clear what is left
CREATE ROLE regress_pull_gone;
SELECT sync_connector_create('left', 'fdw') > 0;
SELECT sync_mapping_create('left', 'left', '{"table": "hers"}', 'not_hers', '{"id": "id"}') > 0;
UPDATE sys_sync_connector SET owner = 'regress_pull_gone' WHERE name = 'left';
UPDATE sync_mapping SET owner = 'regress_pull_gone' WHERE name = 'left';
DROP ROLE regress_pull_gone;
SET ROLE regress_pull_other;
SELECT attempt($$SELECT sync_connector_alter('left', '{}')$$);
SELECT attempt($$SELECT sync_mapping_alter('left', '{}')$$);
RESET ROLE;
SELECT attempt($$SELECT sync_mapping_alter('left', '{"max_rejects": 1}')$$);
SELECT sync_mapping_alter('left', '{"enabled": false}');
SELECT sync_mapping_drop('left');
SELECT sync_connector_drop('left');

SELECT sync_mapping_drop('m');
SELECT sync_connector_drop('api');
DROP TABLE hers, not_hers;
DROP FUNCTION attempt;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM regress_pull_owner, regress_pull_user, regress_pull_other;
DROP ROLE regress_pull_owner, regress_pull_user, regress_pull_other;
