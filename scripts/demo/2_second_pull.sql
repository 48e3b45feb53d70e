\set ON_ERROR_STOP on
\set QUIET on
\pset footer off
\pset null '-'
\set VERBOSITY terse
\echo
\echo '=== 7. Pull again: of the tickets only what changed is asked for (the watermark); of the customers, those that are'
\echo '       gone over there are deleted here. Rows that did not change are not touched'
\set ECHO queries
SELECT status, watermark_from, records_read, rows_inserted, rows_updated, rows_unchanged FROM sync_pull('tickets');

SELECT status, records_read, rows_inserted, rows_updated, rows_unchanged, rows_deleted FROM sync_pull('customers');

SELECT * FROM tickets ORDER BY id;

SELECT * FROM customers ORDER BY id;

\set ECHO none
\echo
\echo '=== 8. Every run left a row: what it read, and what it did'
\set ECHO queries
SELECT run_id, mapping, status, records_read AS read, rows_inserted AS ins, rows_updated AS upd, rows_unchanged AS same,
       rows_deleted AS del, requests, watermark_from
  FROM sys_sync_run ORDER BY run_id;

\set ECHO none
\echo
\echo '=== 9. A pull that fails says why, changes nothing, and leaves its row, too'
\set ON_ERROR_STOP off
\set VERBOSITY default
\set ECHO queries
SELECT sync_mapping_alter('tickets', '{"source": {"path": "/no-such-thing"}}');

SELECT sync_pull('tickets');

SELECT run_id, mapping, status, error_code, error_reason, error_message FROM sys_sync_run ORDER BY run_id DESC LIMIT 1;

SELECT mapping, health, last_status, consecutive_failures FROM sync_status ORDER BY mapping;
