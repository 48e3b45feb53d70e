-- The settings: defaults, units and bounds; what cannot be is refused when it is set, not when it is used.
\pset format unaligned
\pset tuples_only on
LOAD 'pg_pull';
SELECT name, setting, unit, context, min_val, max_val FROM pg_settings WHERE name LIKE 'pg_pull.%' ORDER BY name;
\set VERBOSITY default
SET pg_pull.start_timeout = '5s';
SHOW pg_pull.start_timeout;
SET pg_pull.start_timeout = -1;
SET pg_pull.max_run_time = '2h';
SHOW pg_pull.max_run_time;
SET pg_pull.max_workers = 2;
SET pg_pull.credential_env = 'CRM_TOKEN, ERP_*';
SHOW pg_pull.credential_env;
SET pg_pull.credential_env = 'A,,B';
SET pg_pull.credential_env = 'A-B';
SET pg_pull.allowed_hosts = '*.example.com, 10.0.0.0/8, [fd00::]/8, localhost';
SHOW pg_pull.allowed_hosts;
SET pg_pull.allowed_hosts = 'https//example.com?x';
SET pg_pull.credential_env_roles = 'a b';
SET pg_pull.credential_env_roles = 'etl, "Etl Two"';
SHOW pg_pull.credential_env_roles;
-- reserved: a name that is misspelt is an error
SET pg_pull.max_worker = 2;
-- files and commands are not for everybody's eyes
CREATE ROLE regress_pull_reader;
SET ROLE regress_pull_reader;
SHOW pg_pull.key_command;
SET pg_pull.allowed_hosts = '';
RESET ROLE;
DROP ROLE regress_pull_reader;
