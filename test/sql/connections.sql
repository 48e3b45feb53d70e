-- The door without a provider: which row answers, connect, revoke, bind, backfill, audit.
\set VERBOSITY default
SET client_min_messages = warning;
CREATE FUNCTION stack(id text, version text DEFAULT '1') RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_object('manifest', jsonb_build_object('id', id, 'namespace', replace(id, '.', '_'), 'version', version),
        'connectors', '[{"name": "crm", "provider": "rest", "config": {"base_url": "https://api.crm.example"},
                         "auth": {"type": "api_key", "per": "connection"}}]'::jsonb) $$;
CREATE FUNCTION rows() RETURNS TABLE (organization_id text, package_id text, status text) LANGUAGE sql AS $$
    SELECT organization_id, package_id, status FROM sys_sync_connection ORDER BY 1, 2 NULLS FIRST $$;

-- the environment's entry
SELECT sync_connector_create('crm', 'rest', '{"base_url": "https://api.crm.example"}', '{"type": "api_key", "per": "connection"}') > 0 AS made;
SELECT status, connection_id FROM sync_connection_read('crm', 'org_a');
SELECT organization_id, package_id, connector, status FROM sync_connection_set('crm', 'org_a', '{"key": "canary-1"}');
SELECT organization_id, package_id, connector, status FROM sync_connection_set('crm', 'org_a', '{"key": "canary-2"}');
SELECT * FROM rows();
SELECT position('canary' IN string_agg(s::text, '')) AS found FROM sync_connection_store s;
-- refusals
SELECT * FROM sync_connection_set('crm', 'org_a', '{"token": "canary-3"}');
SELECT * FROM sync_connection_set('crm', 'org_a', '{}');
SELECT * FROM sync_connection_set('crm', '', '{"key": "k"}');
SELECT * FROM sync_connection_set('nothing', 'org_a', '{"key": "k"}');
SELECT * FROM sync_connection_begin('crm', 'org_a');
SELECT * FROM sync_connection_revoke('crm', 'org_b');
SELECT * FROM sync_connection_bind('org_a', 'crm', 'com.a');

-- one holder: the row without a package answers it; backfill stamps it
SELECT restamped, changed FROM sync_package_install(stack('com.a'));
SELECT status, package_id FROM sync_connection_read('crm', 'org_a');
SELECT organization_id, finding FROM sync_connection_audit();
SELECT organization_id, package_id, outcome FROM sync_connection_backfill();
SELECT * FROM rows();
SELECT * FROM sync_connection_bind('org_a', 'crm', 'com.a');

-- two holders: each its own row
SELECT restamped, changed FROM sync_package_install(stack('com.b'));
SELECT * FROM sync_connector_resolve('crm');
SELECT * FROM sync_connection_read('crm', 'org_a');
SELECT status FROM sync_connection_read('crm', 'org_a', 'com.a');
SELECT status FROM sync_connection_read('crm', 'org_a', 'com.b');
SELECT package_id, status FROM sync_connection_set('crm', 'org_a', '{"key": "k"}', package => 'com.b');
SELECT * FROM rows();
SELECT organization_id, status, package_id FROM sync_connection_list('crm', 'com.b');
-- a stray row that names no package is nobody's
INSERT INTO sys_sync_connection (connection_id, organization_id, connector, status, fields, generation, connected_by, connected_at, updated_at)
    VALUES (gen_random_uuid(), 'org_b', 'crm', 'connected', '{}', 1, current_user, now(), now());
SELECT * FROM sync_connection_read('crm', 'org_b', 'com.a');
SELECT * FROM sync_connection_set('crm', 'org_b', '{"key": "k"}', package => 'com.a');
SELECT * FROM sync_connection_revoke('crm', 'org_b', 'com.a');
SELECT organization_id, status, refusal FROM sync_connection_list('crm', 'com.a');
SELECT organization_id, finding FROM sync_connection_audit();
SELECT organization_id, outcome FROM sync_connection_backfill();
SELECT sync_connection_bind('org_b', 'crm', 'com.c');
SELECT sync_connection_bind('org_b', 'crm', 'com.a') IS NOT NULL AS bound;
SELECT status, package_id FROM sync_connection_read('crm', 'org_b', 'com.a');

-- one holder again: two rows could answer org_a, and revoke deletes both
SELECT sync_package_uninstall('com.b');
SELECT * FROM sync_connection_read('crm', 'org_a');
SELECT organization_id, status, refusal FROM sync_connection_list('crm');
SELECT package_id, remote FROM sync_connection_revoke('crm', 'org_a') ORDER BY 1;
SELECT * FROM rows();
-- a disabled package still holds its name
SELECT sync_package_disable('com.a');
SELECT status FROM sync_connection_read('crm', 'org_b');
SELECT * FROM sync_connection_set('crm', 'org_c', '{"key": "k"}');
SELECT sync_package_enable('com.a');

-- who may
CREATE ROLE regress_conn_user;
GRANT USAGE ON SCHEMA public TO regress_conn_user;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO regress_conn_user;
SET ROLE regress_conn_user;
SELECT * FROM sync_connection_read('crm', 'org_b');
RESET ROLE;
SELECT sync_connector_grant('crm', 'regress_conn_user', 'com.a');
SET ROLE regress_conn_user;
SELECT * FROM sync_connection_read('crm', 'org_b');
SELECT count(*) FROM sync_connection_list('crm');
SELECT count(*) FROM sys_sync_connection;
RESET ROLE;
SELECT sync_organization_grant('org_b', 'regress_conn_user');
SET ROLE regress_conn_user;
SELECT status FROM sync_connection_read('crm', 'org_b');
SELECT organization_id FROM sys_sync_connection;
SELECT * FROM sync_connection_backfill();
SELECT sync_connection_claim();
RESET ROLE;
SELECT package_id, remote FROM sync_connection_revoke('crm', 'org_b');
SELECT sync_package_uninstall('com.a');
SELECT sync_connector_drop('crm');
SELECT sync_organization_ungrant('org_b', 'regress_conn_user');
DROP FUNCTION stack, rows;
DROP OWNED BY regress_conn_user;
DROP ROLE regress_conn_user;
