#pragma once

// The settings pg_pull.* (API.sql "settings"): one table in settings.cpp, one page in docs/reference.

namespace pg_pull::pg::settings {

void define();  ///< from _PG_init

extern int max_workers;
extern int start_timeout_ms;
extern int max_run_time_ms;
extern char* key_file;
extern char* key_command;
extern char* credential_env;
extern char* credential_env_roles;
extern char* allowed_hosts;
extern char* databases;
extern char* listen;
extern char* redirect_uri;
extern int run_retention_s;
extern int reject_retention_s;
extern bool dormant;

}  // namespace pg_pull::pg::settings
