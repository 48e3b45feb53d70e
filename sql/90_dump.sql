-------------------------------------------------------------------------------------------------- privileges and pg_dump

GRANT SELECT ON @extschema@.sys_sync_package, @extschema@.sys_sync_connector, @extschema@.sync_mapping,
                @extschema@.sys_sync_secret, @extschema@.sys_sync_connection, @extschema@.sys_sync_run, @extschema@.sys_sync_reject, @extschema@.sys_sync_cursor
   TO PUBLIC;

SELECT pg_catalog.pg_extension_config_dump('@extschema@.sys_sync_package', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.sys_sync_connector', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.sys_sync_connector_connector_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.sys_sync_connector_grant', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.sys_sync_organization_grant', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.sync_secret_store', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.sync_mapping', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.sync_mapping_mapping_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.sys_sync_slice', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.sys_sync_slice_slice_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.sync_run_store', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.sync_run_store_run_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.sync_reject_store', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.sync_reject_store_reject_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.sync_cursor_store', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.sync_connection_store', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.sync_identity_store', '');
