#pragma once

// What differs between PostgreSQL 14 and 18, and nothing else. Include after postgres.h, inside extern "C".

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/guc.h"

#if PG_VERSION_NUM < 140000 || PG_VERSION_NUM >= 190000
#error "pg_pull supports PostgreSQL 14 to 18"
#endif

#if PG_VERSION_NUM < 150000
#define pg_pull_init_materialized_srf(fcinfo) pg_pull_init_materialized_srf_14(fcinfo)
#else
#define pg_pull_init_materialized_srf(fcinfo) InitMaterializedSRF(fcinfo, 0)
#endif

#if PG_VERSION_NUM >= 160000
#define pg_pull_has_privs_of_role(member, role) has_privs_of_role(member, role)
#else
#define pg_pull_has_privs_of_role(member, role) has_privs_of_role(member, role)
#endif

#if PG_VERSION_NUM >= 170000
#define pg_pull_lock_held_by_me(tag, mode) LockHeldByMe(tag, mode, false)
#else
#define pg_pull_lock_held_by_me(tag, mode) LockHeldByMe(tag, mode)
#endif

#if PG_VERSION_NUM >= 150000
#define pg_pull_reserve_settings(prefix) MarkGUCPrefixReserved(prefix)
#else
#define pg_pull_reserve_settings(prefix) EmitWarningsOnPlaceholders(prefix)
#endif

#if PG_VERSION_NUM >= 160000
#define pg_pull_qualified_name_list(name) stringToQualifiedNameList(name, nullptr)
#else
#define pg_pull_qualified_name_list(name) stringToQualifiedNameList(name)
#endif

#if PG_VERSION_NUM >= 180000
#define pg_pull_collation_is_c(collation) (pg_newlocale_from_collation(collation)->collate_is_c)
#else
#define pg_pull_collation_is_c(collation) lc_collate_is_c(collation)
#endif

// For includers of optimizer/pathnode.h: a scan without order, parameters or private data.
#if PG_VERSION_NUM >= 180000
#define pg_pull_foreignscan_path(root, rel, rows) \
    create_foreignscan_path(root, rel, nullptr, rows, 0, 0, rows, NIL, (rel)->lateral_relids, nullptr, NIL, NIL)
#elif PG_VERSION_NUM >= 170000
#define pg_pull_foreignscan_path(root, rel, rows) \
    create_foreignscan_path(root, rel, nullptr, rows, 0, rows, NIL, (rel)->lateral_relids, nullptr, NIL, NIL)
#else
#define pg_pull_foreignscan_path(root, rel, rows) \
    create_foreignscan_path(root, rel, nullptr, rows, 0, rows, NIL, (rel)->lateral_relids, nullptr, NIL)
#endif
