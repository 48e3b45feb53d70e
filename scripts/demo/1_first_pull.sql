\set ON_ERROR_STOP on
\set QUIET on
\pset footer off
\pset null '-'
\set VERBOSITY terse
\echo
\echo '=== 1. The extension, and two ordinary tables for what we want to have here'
\set ECHO queries
CREATE EXTENSION pg_pull;

CREATE TABLE tickets (id bigint PRIMARY KEY, subject text, status text, requester text, tags text[], updated_at timestamptz);
CREATE TABLE customers (id bigint PRIMARY KEY, name text, city text, credit numeric);

\set ECHO none
\echo
\echo '=== 2. Connectors say where the two systems are. Passwords are named, never written down:'
\echo '       PG_PULL_SHOP_PASSWORD is a variable in the environment of this server'
\set ECHO queries
SELECT sync_connector_create('helpdesk', provider => 'rest',
         config => '{"base_url": "http://127.0.0.1:3000"}');

SELECT sync_connector_create('shop', provider => 'postgres',
         config => '{"conninfo": "host=127.0.0.1 port=5433 dbname=shop user=reader"}',
         auth   => '{"type": "basic", "credential_ref": "PG_PULL_SHOP_PASSWORD"}');

\set ECHO none
\echo
\echo '=== 3. Mappings say what to fetch, and which field goes into which column'
\set ECHO queries
SELECT sync_mapping_create('tickets',
         connector  => 'helpdesk',
         source     => '{"path": "/tickets", "query": {"_limit": "3"}}',
         pagination => '{"type": "page", "param": "_page", "size": 3}',
         target     => 'public.tickets',
         fields     => '{"id": "id", "subject": "subject", "status": "status",
                         "requester": "requester.name", "tags": "tags", "updated_at": "updated_at"}',
         mode       => 'upsert', key => '{id}',
         watermark  => '{"field": "updated_at", "param": "updated_at_gte", "lookback": "PT0S"}',
         full_every => '1 day');

SELECT sync_mapping_create('customers',
         connector  => 'shop',
         source     => '{"table": "public.customers"}',
         target     => 'public.customers',
         fields     => '{"id": "id", "name": "name", "city": "city", "credit": "credit"}',
         mode       => 'upsert', key => '{id}', delete_mode => 'hard');

\set ECHO none
\echo
\echo '=== 4. A look at what would come; nothing is written'
\set ECHO queries
SELECT ordinal, fields->>'id' AS id, fields->>'subject' AS subject, fields->>'requester' AS requester FROM sync_preview('tickets', 3);

\set ECHO none
\echo
\echo '=== 5. Pull'
\set ECHO queries
SELECT status, pages, records_read, rows_inserted FROM sync_pull('tickets');

SELECT status, records_read, rows_inserted FROM sync_pull('customers');

SELECT * FROM tickets ORDER BY id;

SELECT * FROM customers ORDER BY id;
