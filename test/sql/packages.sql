-- Packages: installing, replacing and removing them, and every refusal with code, detail and hint.
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
CREATE FUNCTION attempt_install(stack jsonb) RETURNS SETOF text LANGUAGE sql AS
  $$ SELECT attempt(pg_catalog.format('SELECT * FROM sync_package_install(%L)', stack)) $$;
-- a small stack; parts can be put over it
CREATE FUNCTION stack(id text, version text, names text[] DEFAULT '{crm}', mappings jsonb DEFAULT '[]') RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object(
    'manifest', jsonb_build_object('id', id, 'namespace', replace(split_part(id, '.', 3), '-', '_'), 'version', version),
    'connectors', (SELECT coalesce(jsonb_agg(jsonb_build_object('name', n, 'provider', 'rest',
                                                       'config', jsonb_build_object('base_url', 'https://' || split_part(id, '.', 3) || '.example.com'))), '[]')
                     FROM unnest(names) n),
    'mappings', mappings) $$;
CREATE FUNCTION mapping(name text, target text DEFAULT 'people', connector text DEFAULT 'crm') RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('name', name, 'connector', connector, 'source', '{"path": "/people"}'::jsonb, 'target', target,
                            'fields', '{"id": "id", "name": "name"}'::jsonb) $$;
CREATE TABLE people (id bigint PRIMARY KEY, name text, city text);
CREATE TABLE other (id bigint PRIMARY KEY, name text);
CREATE TABLE tickets (id bigint PRIMARY KEY, name text);

-- a package with a connector and a mapping; the same again changes nothing
SELECT * FROM sync_package_install(stack('com.acme.crm', '1.0', '{crm,mail}', jsonb_build_array(mapping('people'))));
SELECT * FROM sync_package_install(stack('com.acme.crm', '1.0', '{crm,mail}', jsonb_build_array(mapping('people'))));
SELECT package_id, namespace, version, enabled, owner = current_user, jsonb_path_query_array(stack, '$.connectors[*].name') FROM sys_sync_package;
SELECT package_id, name, provider, config, auth, state, owner = current_user FROM sys_sync_connector ORDER BY name;
SELECT package_id, name, connector, target, mode, scope, on_error, enabled, owner = current_user FROM sync_mapping;
SELECT * FROM sync_connector_resolve('crm');

-- the same version with other content; another package in the same namespace; neither leaves a trace
SELECT attempt_install(stack('com.acme.crm', '1.0', '{crm}'));
SELECT attempt_install(jsonb_set(stack('com.other.pack', '1', '{x}'), '{manifest,namespace}', '"crm"'));
SELECT count(*) FROM sys_sync_package;

-- a new version: what stays keeps its id, what is new is there, what is gone is gone
CREATE TABLE ids AS SELECT connector_id, mapping_id FROM sys_sync_connector c, sync_mapping m WHERE c.name = 'crm';
SELECT * FROM sync_package_install(stack('com.acme.crm', '1.1', '{crm,calendar}',
  jsonb_build_array(mapping('people') || '{"fields": {"id": "id", "name": "name", "city": "city"}}', mapping('others', 'other'))));
SELECT name, connector_id IN (SELECT connector_id FROM ids) FROM sys_sync_connector ORDER BY name;
SELECT name, mapping_id IN (SELECT mapping_id FROM ids), fields FROM sync_mapping ORDER BY name;
SELECT * FROM sync_connector_resolve('mail');
-- two mappings can change their targets with each other
SELECT changed FROM sync_package_install(stack('com.acme.crm', '1.2', '{crm,calendar}',
  jsonb_build_array(mapping('people', 'other') || '{"mode": "replace"}', mapping('others', 'people') || '{"mode": "replace"}')));
SELECT changed FROM sync_package_install(stack('com.acme.crm', '1.3', '{crm,calendar}',
  jsonb_build_array(mapping('people', 'people') || '{"mode": "replace"}', mapping('others', 'other') || '{"mode": "replace"}')));
SELECT name, target FROM sync_mapping ORDER BY name;
SELECT changed FROM sync_package_install(stack('com.acme.crm', '1.4', '{crm,calendar}', jsonb_build_array(mapping('people'), mapping('others', 'other'))));

-- a mapping that stays as it was is not touched, however its interval is written
SELECT changed FROM sync_package_install(stack('com.acme.crm', '1.5', '{crm,calendar}',
  jsonb_build_array(mapping('people') || '{"full_every": "P1D"}', mapping('others', 'other'))));
CREATE TABLE times AS SELECT name, updated_at FROM sync_mapping;
SELECT changed FROM sync_package_install(stack('com.acme.crm', '1.6', '{crm,calendar}',
  jsonb_build_array(mapping('people') || '{"full_every": "1 day"}', mapping('others', 'other') || '{"description": "new"}')));
SELECT name, m.updated_at = t.updated_at FROM sync_mapping m JOIN times t USING (name) ORDER BY name;

-- a wrong last mapping takes everything back
SELECT attempt_install(stack('com.acme.crm', '2.0', '{new}', jsonb_build_array(mapping('fine', 'other', 'new'),
  mapping('bad', 'people', 'new') || '{"fields": {"id": "id", "nmae": "name"}}')));
SELECT version FROM sys_sync_package;
SELECT name FROM sys_sync_connector UNION ALL SELECT name FROM sync_mapping ORDER BY name;
SELECT attempt_install(stack('com.acme.crm', '2.0', '{crm}', jsonb_build_array(mapping('people', 'no_such_table'))));
SELECT attempt_install(stack('com.acme.crm', '2.0', '{crm}', jsonb_build_array(mapping('people', 'people', 'crn'))));
SELECT attempt_install(stack('com.acme.crm', '2.0', '{crm}', jsonb_build_array(mapping('people') || '{"full_every": "soon"}')));

-- its own connectors come first, also beside one of the environment and another package's
SELECT sync_connector_create('crm', 'rest', '{"base_url": "https://environment.example.com"}') > 0;
SELECT * FROM sync_connector_resolve('crm');
SELECT * FROM sync_package_install(stack('com.rival.rival', '1.0', '{crm}', jsonb_build_array(mapping('people', 'other'))));
SELECT * FROM sync_connector_resolve('crm');
-- without a package two holders are no answer
SELECT attempt($$SELECT sync_mapping_create('mine', 'crm', '{"path": "/"}', 'people', '{"id": "id"}')$$);
SELECT package_id, name, target FROM sync_mapping ORDER BY 1, 2;
SELECT attempt($$SELECT sync_pull('people')$$);

-- a packaged entry changes by its stack only
SELECT attempt($$SELECT sync_connector_alter('crm', '{"description": "x"}', package => 'com.rival.rival')$$);
SELECT attempt($$SELECT sync_connector_drop('crm', package => 'com.rival.rival')$$);

-- the camelCase form, as ObjectStack writes it, is stored in our own
SELECT * FROM sync_package_install('{
  "manifest": {"id": "com.acme.camel", "namespace": "camel", "version": "1.0.0", "name": "Camel", "type": "app"},
  "connectors": [{"name": "helpdesk", "label": "Help desk", "provider": "rest",
    "providerConfig": {"baseUrl": "https://help.example.com", "maxConcurrency": 2, "headers": {"X-Client": "camelCase"}},
    "auth": {"type": "api-key", "credentialRef": "helpdesk_key"}}],
  "mappings": [{"name": "tickets", "targetObject": "tickets", "mode": "upsert", "upsertKey": ["id"],
    "fieldMapping": [{"source": "id", "target": "id"},
                     {"source": "fullName", "target": "name", "transform": "map", "params": {"valueMap": {"a": "b"}}}],
    "connectorSource": {"connector": "helpdesk", "action": "request",
      "input": {"path": "/tickets", "query": {"pageSize": "50"}}, "recordsPath": "data.items"}}]}');
SELECT provider, config, auth, description FROM sys_sync_connector WHERE name = 'helpdesk';
SELECT connector, source, target, fields, mode, key, watermark FROM sync_mapping WHERE name = 'tickets';
SELECT stack #> '{mappings,0}' FROM sys_sync_package WHERE package_id = 'com.acme.camel';

-- refusals of the document name the place
SELECT attempt('SELECT sync_package_install(NULL)');
SELECT attempt_install('[]');
SELECT attempt_install('{"manifest": {"id": "com.a.b", "namespace": "a", "version": "1"}, "conectors": []}');
SELECT attempt_install('{"connectors": []}');
SELECT attempt_install('{"manifest": {"id": "com.a.b", "namespace": "a", "version": "1"}, "connectors": [{"name": "a", "provider": "rest", "atuh": {}}]}');
SELECT attempt_install('{"manifest": {"id": "com.a.b", "namespace": "a", "version": "1"}, "connectors": [{"name": "a", "provider": "rest", "auth": []}]}');
SELECT attempt_install('{"manifest": {"id": "com.a.b", "namespace": "a", "version": "1"}, "connectors": [{"name": "a", "provider": "rest"}]}');
SELECT attempt_install('{"manifest": {"id": "com.a.b", "namespace": "a", "version": "1"}, "connectors": [{"name": "a", "provider": "rset"}]}');
SELECT attempt_install('{"manifest": {"id": "com.a.b", "namespace": "a", "version": "1"}, "connectors": [{"name": "a", "provider": "rest", "config": {"baseUrl": "https://x.example.com"}, "auth": {"type": "bearer", "token": "s3cret"}}]}');
SELECT attempt_install('{"manifest": {"id": "com.a.b", "namespace": "a", "version": "1"}, "connectors": [{"name": "a", "provider": "fdw"}, {"name": "a", "provider": "fdw"}]}');
SELECT attempt_install('{"manifest": {"id": "com.a.b", "namespace": "a", "version": "1"}, "mappings": [{"name": "a", "connector": "b", "target": "people"}]}');
SELECT attempt_install(jsonb_build_object('manifest', jsonb_build_object('id', id, 'namespace', 'a', 'version', '1')))
  FROM unnest('{__runtime__,"",acme,com.Acme,com..x,.com.x,com.x.,"com.a b","com.a'';--"}'::text[]) id;

-- names of a hostile kind are data
SELECT attempt_install(stack('com.evil.names', '1', array['a''b"; DROP TABLE people; --', '__runtime__', E'new\nline']));
SELECT name FROM sys_sync_connector WHERE package_id = 'com.evil.names' ORDER BY name COLLATE "C";
SELECT state, package_id FROM sync_connector_resolve('a''b"; DROP TABLE people; --');
SELECT attempt($$SELECT sync_package_uninstall('com.evil.names')$$);
SELECT count(*) FROM sys_sync_connector WHERE package_id = 'com.evil.names';

-- disabled: it holds its names, and nothing is pulled
SELECT attempt($$SELECT sync_package_disable('com.acme.camel')$$);
SELECT attempt($$SELECT sync_pull('tickets')$$);
SELECT * FROM sync_connector_resolve('helpdesk');
SELECT sync_mapping_create('through', 'helpdesk', '{"path": "/"}', 'other', '{"id": "id"}') > 0;
SELECT attempt($$SELECT sync_pull('through')$$);
-- a new version does not enable it
SELECT changed FROM sync_package_install(jsonb_set((SELECT stack FROM sys_sync_package WHERE package_id = 'com.acme.camel'), '{manifest,version}', '"1.0.1"'));
SELECT version, enabled FROM sys_sync_package WHERE package_id = 'com.acme.camel';
SELECT attempt($$SELECT sync_package_enable('com.acme.camel')$$);
SELECT enabled FROM sys_sync_package WHERE package_id = 'com.acme.camel';

-- a credential that is stored does not go to another address by a new version
SELECT attempt_install(jsonb_set(jsonb_set(stack, '{manifest,version}', '"1.1"'), '{connectors,0,config,base_url}', '"https://elsewhere.example.com"'))
  FROM sys_sync_package WHERE package_id = 'com.acme.camel';
SELECT config ->> 'base_url' FROM sys_sync_connector WHERE name = 'helpdesk';

-- the second holder: the row that answered is stamped with the first one before; two rows stay, and are named
SELECT changed FROM sync_package_install(stack('com.first.first', '1', '{shared}'));
INSERT INTO sync_connection_store (connection_id, organization_id, package_id, connector, connected_at) VALUES
  ('00000000-0000-0000-0000-000000000001', 'one', NULL, 'shared', '2026-01-01'),
  ('00000000-0000-0000-0000-000000000002', 'two', NULL, 'shared', '2026-01-01'),
  ('00000000-0000-0000-0000-000000000003', 'two', 'com.gone.gone', 'shared', '2026-01-02'),
  ('00000000-0000-0000-0000-000000000004', 'stray', 'com.second.second', 'shared', '2026-01-01'),
  ('00000000-0000-0000-0000-000000000005', 'own', 'com.first.first', 'shared', '2026-01-01'),
  ('00000000-0000-0000-0000-000000000006', 'one', NULL, 'elsewhere', '2026-01-01');
SELECT * FROM sync_package_install(stack('com.second.second', '1', '{shared}'));
SELECT organization_id, connector, package_id FROM sync_connection_store ORDER BY connection_id;
-- a third one changes nothing any more
SELECT restamped FROM sync_package_install(stack('com.third.third', '1', '{shared}'));
SELECT attempt($$SELECT sync_package_uninstall('com.third.third')$$);
-- uninstall keeps the rows and tells which changes hands
UPDATE sync_connection_store SET package_id = 'com.second.second' WHERE organization_id = 'own';
SET client_min_messages = notice;
SELECT sync_package_uninstall('com.second.second');
SELECT organization_id, connector, package_id FROM sync_connection_store ORDER BY connection_id;
-- revoke takes those that it answered: with one holder all of the name
SELECT sync_package_uninstall('com.first.first', 'revoke');
SET client_min_messages = warning;
SELECT organization_id, connector, package_id FROM sync_connection_store ORDER BY connection_id;
SELECT * FROM sync_connector_resolve('shared');

-- a package that loses a name by a new version keeps the connections, too
SET client_min_messages = notice;
SELECT sync_connector_create('elsewhere', 'rest', '{"base_url": "https://elsewhere.example.com"}') > 0;
SELECT changed FROM sync_package_install(stack('com.move.move', '1', '{elsewhere}'));
SELECT sync_mapping_create('borrower', 'elsewhere', '{"path": "/"}', 'other', '{"id": "id"}', connector_package => 'com.move.move') > 0;
SELECT changed FROM sync_package_install(stack('com.move.move', '2', '{}'));
SET client_min_messages = warning;
SELECT organization_id, connector, package_id FROM sync_connection_store ORDER BY connection_id;
SELECT state FROM sync_connector_resolve('elsewhere');
SELECT attempt($$SELECT sync_package_uninstall('com.move.move')$$);

-- what cannot be done
SELECT attempt($$SELECT sync_package_uninstall('com.rival.rival', 'throw away')$$);
SELECT attempt($$SELECT sync_package_uninstall('com.nobody.here')$$);
SELECT attempt($$SELECT sync_package_enable('com.nobody.here')$$);
SELECT attempt($$SELECT sync_package_disable('')$$);

-- a role with EXECUTE installs for itself, and touches nobody else's package
CREATE ROLE regress_packer;
GRANT EXECUTE ON FUNCTION sync_package_install, sync_package_uninstall, sync_package_enable, sync_package_disable TO regress_packer;
GRANT EXECUTE ON FUNCTION attempt, attempt_install, stack, mapping TO regress_packer;
GRANT CREATE, USAGE ON SCHEMA public TO regress_packer;
SET ROLE regress_packer;
SELECT attempt_install(stack('com.packer.packer', '1', '{crm}', jsonb_build_array(mapping('people'))));
CREATE TABLE packed (id bigint PRIMARY KEY, name text);
SELECT attempt_install(stack('com.packer.packer', '1', '{crm}', jsonb_build_array(mapping('people', 'packed'))));
SELECT owner, package_id FROM sync_mapping WHERE package_id = 'com.packer.packer'
UNION ALL SELECT owner, package_id FROM sys_sync_connector WHERE package_id = 'com.packer.packer'
UNION ALL SELECT owner, package_id FROM sys_sync_package WHERE package_id = 'com.packer.packer';
SELECT attempt_install(stack('com.acme.crm', '9', '{crm}'));
SELECT attempt($$SELECT sync_package_uninstall('com.acme.crm')$$);
SELECT attempt($$SELECT sync_package_disable('com.acme.crm')$$);
BEGIN READ ONLY;
SELECT attempt($$SELECT sync_package_uninstall('com.packer.packer')$$);
COMMIT;
RESET ROLE;
SELECT attempt($$SELECT sync_package_uninstall('com.packer.packer')$$);
DROP OWNED BY regress_packer;
DROP ROLE regress_packer;
SET ROLE pg_read_all_data;
SELECT attempt_install(stack('com.packer.packer', '1', '{crm}'));
RESET ROLE;

-- uninstalled: nothing of them is left but what other roles declared
SELECT attempt(format('SELECT sync_package_uninstall(%L)', package_id)) FROM sys_sync_package ORDER BY package_id;
SELECT count(*) FROM sys_sync_package;
SELECT package_id, name FROM sys_sync_connector UNION ALL SELECT package_id, name FROM sync_mapping ORDER BY 2;

DELETE FROM sync_connection_store;
SELECT sync_mapping_drop('borrower'), sync_mapping_drop('through'), sync_connector_drop('crm'), sync_connector_drop('elsewhere');
DROP TABLE people, other, tickets, ids, times;
DROP FUNCTION attempt_install, attempt, stack, mapping;
