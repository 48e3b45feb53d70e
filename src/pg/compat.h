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
