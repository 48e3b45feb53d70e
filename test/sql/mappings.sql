-- Declaring mappings: defaults, targets, and every refusal with code, detail and hint.
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
CREATE SCHEMA "Shop";
CREATE TABLE "Shop"."Orders" (id bigint PRIMARY KEY, org text, title text, updated_at timestamptz, deleted_at timestamptz);
CREATE TABLE plain (id bigint, org text, region text, title text, updated_at timestamptz(0), at timestamptz, deleted_at timestamptz);
CREATE VIEW seen AS SELECT * FROM plain;
CREATE TEMPORARY TABLE passing (id bigint);
SELECT sync_connector_create('api', 'rest', '{"base_url": "https://api.example.com"}') > 0;
SELECT sync_connector_create('paged', 'rest', '{"base_url": "https://api.example.com", "pagination": {"type": "page"}}') > 0;
SELECT sync_connector_create('here', 'fdw') > 0;

-- all defaults; a field that receives $organization makes the scope
SELECT sync_mapping_create('orders', 'api', '{"path": "/orders"}', '"Shop"."Orders"', '{"id": "id", "org": "$organization"}') > 0;
SELECT to_jsonb(m) - 'mapping_id' - 'owner' - 'created_at' - 'updated_at' FROM sync_mapping m;
SELECT owner = current_user, created_at = updated_at FROM sync_mapping;

-- the target is looked up by the caller's path and stored with its schema; the path is his again afterwards
SET search_path = "Shop", public;
SELECT sync_mapping_create('by path', 'api', '{"path": "/orders"}', '"Orders"', '{"id": "id", "title": "title"}') > 0;
SELECT target FROM sync_mapping WHERE name = 'by path';
SHOW search_path;
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/orders"}', 'Orders', '{"id": "id"}')$$);
SHOW search_path;
RESET search_path;
SELECT sync_mapping_drop('by path');

-- names and required arguments
SELECT attempt($$SELECT sync_mapping_create(NULL, 'api', '{"path": "/"}', 'plain', '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', NULL, '{"path": "/"}', 'plain', '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', NULL, 'plain', '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', NULL, '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', NULL)$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', key => ARRAY['id', NULL])$$);
SELECT attempt($$SELECT sync_mapping_create('', 'api', '{"path": "/"}', 'plain', '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', connector_package => '')$$);
SELECT attempt($$SELECT sync_mapping_create('orders', 'api', '{"path": "/"}', 'plain', '{"id": "id"}')$$);

-- targets
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'nowhere', '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'a.b.c.d', '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', '', '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'seen', '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'pg_class', '{"oid": "id"}')$$);
SELECT split_part(attempt, '"', 1) FROM attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'passing', '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"ident": "id"}')$$);

-- configuration
SELECT attempt($$SELECT sync_mapping_create('x', 'nobody', '{"path": "/"}', 'plain', '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', connector_package => 'com.acme')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"paths": "/"}', 'plain', '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'here', '{"path": "/"}', 'plain', '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '[{"source": "id", "target": "id", "transform": "javascript"}]')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', pagination => '{"type": "pages"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', pagination => '{"type": "page", "sized": 1}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', deleted_when => '{"path": "gone", "is": 1}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', watermark => '{"fields": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', mode => 'upsrt')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', mode => 'merge')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', delete_mode => 'sotf')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', missing => 'drop')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', on_error => 'ignore')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', max_delete_fraction => 1.5)$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', max_delete_fraction => 'NaN')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', max_rejects => -1)$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', deleted_at => '')$$);

-- the SQL of a mapping is read when it is declared, each as one expression over the columns that the mapping fills
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/", "where": "id >"}', 'plain', '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/", "where": "id"}', 'plain', '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/", "where": "title is not null"}', 'plain', '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/", "where": "true) OR (true"}', 'plain', '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/", "where": "true; DROP TABLE plain"}', 'plain', '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '[{"source": "id", "target": "id"}, {"target": "title", "transform": "sql", "params": {"expression": "nothing(id)"}}]')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '[{"source": "id", "target": "id"}, {"target": "at", "transform": "sql", "params": {"expression": "id"}}]')$$);
SELECT sync_mapping_create('sql', 'api', '{"path": "/", "where": "id > 1 -- odd ones too"}', 'plain', '[{"source": "id", "target": "id"}, {"target": "title", "transform": "sql", "params": {"expression": "''no '' || id /* text */"}}]') > 0;
SELECT sync_mapping_drop('sql');

-- names of any length and kind, in messages of one line
SELECT length(attempt) < 1100, left(attempt, 30), right(attempt, 10) FROM attempt(format('SELECT sync_mapping_drop(%L)', repeat('long', 100000))) LIMIT 1;
SELECT attempt($$SELECT sync_mapping_drop(E'two\nlines')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', pagination => (repeat('[', 900) || repeat(']', 900))::jsonb)$$);

-- keys and scopes
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', key => '{id}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', mode => 'upsert')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', mode => 'upsert', key => '{title}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', mode => 'upsert', key => '{id,id}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id", "org": "$organization"}', mode => 'upsert', key => '{id}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id", "org": "org"}', scope => '{org}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', delete_mode => 'hard')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', mode => 'history', key => '{id}')$$);

-- watermarks
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', watermark => '{"field": "updated"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id", "updated_at": "updated"}', watermark => '{"field": "updated"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id", "at": "updated"}', mode => 'replace', watermark => '{"field": "updated"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id", "at": "updated"}', watermark => '{"field": "updated", "initial": "yesterday"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id", "at": "updated"}', watermark => '{"field": "id", "initial": "2024-01-01"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id", "at": "updated"}', watermark => '{"field": "id", "initial": "12", "format": "iso_date"}')$$);

-- commit by page
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', "commit" => 'never')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', "commit" => 'page')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}', mode => 'replace', "commit" => 'page')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id", "at": "updated"}', "commit" => 'page',
                                            watermark => '{"field": "updated", "order": "asc"}')$$);

-- two mappings on one target
SELECT sync_mapping_create('eu', 'api', '{"path": "/"}', 'plain', '[{"source": "id", "target": "id"}, {"target": "region", "transform": "constant", "params": {"value": "eu"}}]',
                           mode => 'replace', scope => '{region}') > 0;
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '[{"source": "id", "target": "id"}, {"target": "region", "transform": "constant", "params": {"value": "eu"}}]', scope => '{region}')$$);
SELECT sync_mapping_create('us', 'api', '{"path": "/"}', 'plain', '[{"source": "id", "target": "id"}, {"target": "region", "transform": "constant", "params": {"value": "us"}}]', scope => '{region}') > 0;
SELECT sync_mapping_drop('us');
SELECT sync_mapping_drop('eu');

-- what is allowed and yet unwise is said
SET client_min_messages = notice;
SELECT sync_mapping_create('noticed', 'paged', '{"path": "/"}', 'plain', '{"id": "id", "at": "updated"}', mode => 'upsert', key => '{id}', watermark => '{"field": "updated"}') > 0;
SELECT sync_mapping_create('noticed', 'paged', '{"path": "/"}', 'plain', '{"id": "id", "at": "updated"}', mode => 'upsert', key => '{id}', watermark => '{"field": "updated", "lookback": "PT1H"}', or_replace => true) > 0;
CREATE UNIQUE INDEX plain_id ON plain (id);
SELECT sync_mapping_create('noticed', 'paged', '{"path": "/"}', 'plain', '{"id": "id", "at": "updated"}', mode => 'upsert', key => '{id}', watermark => '{"field": "updated"}', full_every => '1 day', or_replace => true) > 0;
SET client_min_messages = warning;

-- or_replace keeps the id, and the cursor as long as target and watermark stay
SELECT mapping_id AS id FROM sync_mapping WHERE name = 'noticed' \gset
INSERT INTO sync_cursor_store VALUES ('noticed', NULL, NULL, '', 'watermark', '2024-01-01', 1, now(), current_user);
INSERT INTO sys_sync_slice (mapping_id, last_full_at) VALUES (:id, '2024-01-01');
SELECT sync_mapping_create('noticed', 'api', '{"path": "/v2"}', 'plain', '{"id": "id", "at": "updated"}', mode => 'upsert', key => '{id}', watermark => '{"field": "updated"}', or_replace => true) = :id;
SELECT connector, source, full_every FROM sync_mapping WHERE mapping_id = :id;
SELECT count(*) FROM sys_sync_cursor;
SELECT sync_mapping_alter('noticed', '{"watermark": {"param": "since"}}');
SELECT watermark FROM sync_mapping WHERE mapping_id = :id;
SELECT count(*) FROM sys_sync_cursor;
SELECT count(last_full_at) FROM sys_sync_slice;

-- alter
SELECT sync_mapping_alter('noticed', '{"fields": {"title": "name"}, "description": "all of them", "max_rejects": 5, "full_every": "P2D"}');
SELECT fields, description, max_rejects, full_every FROM sync_mapping WHERE mapping_id = :id;
SELECT sync_mapping_alter('noticed', '{"fields": {"title": null}, "description": null, "max_rejects": null, "full_every": null, "watermark": null, "mode": null, "key": null}');
SELECT fields, description, max_rejects, full_every, watermark, mode, key FROM sync_mapping WHERE mapping_id = :id;
SELECT sync_mapping_alter('noticed', '{"target": "\"Shop\".\"Orders\"", "enabled": false, "fields": {"at": null}, "scope": null}');
SELECT target, enabled, scope FROM sync_mapping WHERE mapping_id = :id;
SELECT sync_mapping_alter('noticed', '{"fields": {"org": "$organization"}}');
SELECT scope FROM sync_mapping WHERE mapping_id = :id;
SELECT attempt($$SELECT sync_mapping_alter(NULL, '{}')$$);
SELECT attempt($$SELECT sync_mapping_alter('noticed', NULL)$$);
SELECT attempt($$SELECT sync_mapping_alter('noticed', '[]')$$);
SELECT attempt($$SELECT sync_mapping_alter('nothing', '{}')$$);
SELECT attempt($$SELECT sync_mapping_alter('noticed', '{}', 'com.acme')$$);
SELECT attempt($$SELECT sync_mapping_alter('noticed', '{}', '')$$);
SELECT attempt($$SELECT sync_mapping_alter('noticed', '{"name": "x"}')$$);
SELECT attempt($$SELECT sync_mapping_alter('noticed', '{"max_reject": 1}')$$);
SELECT attempt($$SELECT sync_mapping_alter('noticed', '{"max_rejects": "1"}')$$);
SELECT attempt($$SELECT sync_mapping_alter('noticed', '{"max_rejects": 1.5}')$$);
SELECT attempt($$SELECT sync_mapping_alter('noticed', '{"key": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_alter('noticed', '{"target": null}')$$);
SELECT attempt($$SELECT sync_mapping_alter('noticed', '{"target": "nowhere"}')$$);
SELECT attempt($$SELECT sync_mapping_alter('noticed', '{"full_every": "soon"}')$$);
SELECT attempt($$SELECT sync_mapping_alter('noticed', '{"mode": "upsert"}')$$);
-- a mapping whose target is gone can still be switched off
DROP TABLE "Shop"."Orders";
SELECT sync_mapping_alter('orders', '{"enabled": false, "description": "gone"}');
SELECT attempt($$SELECT sync_mapping_alter('orders', '{"max_rejects": 1}')$$);

-- drop: cursors go
INSERT INTO sync_cursor_store VALUES ('noticed', NULL, NULL, '', 'watermark', '2024-01-01', 1, now(), current_user);
SELECT sync_mapping_drop('noticed');
SELECT sync_mapping_drop('orders');
SELECT (SELECT count(*) FROM sync_mapping), (SELECT count(*) FROM sys_sync_cursor), (SELECT count(*) FROM sys_sync_slice);
SELECT attempt($$SELECT sync_mapping_drop('noticed')$$);
SELECT attempt($$SELECT sync_mapping_drop(NULL)$$);

-- in one transaction, a mapping may use the connector just made
BEGIN;
SELECT sync_connector_create('fresh', 'rest', '{"base_url": "https://example.com"}') > 0;
SELECT sync_mapping_create('fresh', 'fresh', '{"path": "/"}', 'plain', '{"id": "id"}') > 0;
SELECT sync_mapping_alter('fresh', '{"description": "x"}');
ROLLBACK;
SELECT count(*) FROM sync_mapping;
BEGIN READ ONLY;
SELECT attempt($$SELECT sync_mapping_create('x', 'api', '{"path": "/"}', 'plain', '{"id": "id"}')$$);
SELECT attempt($$SELECT sync_mapping_alter('x', '{}')$$);
SELECT attempt($$SELECT sync_mapping_drop('x')$$);
ROLLBACK;

SELECT sync_connector_drop(name) FROM sys_sync_connector;
DROP TABLE plain CASCADE;
DROP SCHEMA "Shop" CASCADE;
DROP FUNCTION attempt;
