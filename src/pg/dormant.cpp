extern "C" {
#include "postgres.h"

#include "miscadmin.h"
}

#include "pg/border.h"
#include "pg/catalog.h"
#include "pg/dormant.h"
#include "pg/settings.h"

namespace pg_pull::pg {
namespace {

bool is_copy(const Extension& extension) {
    const Rows rows = catalog_query_latest(
        extension, "SELECT i.database_oid = $1 FROM " + extension.relation("sync_identity_store") + " i",
        {oid(MyDatabaseId)});
    return !rows.empty() && !to_bool(rows.one());
}

}  // namespace

void refuse_dormant_server() {
    if (!settings::dormant) return;
    raise(fail(Reason::dormant, "no request leaves this server while pg_pull.dormant is on")
              .with_hint("Set pg_pull.dormant to off where this server is not a copy of another."));
}

void refuse_dormant(const Extension& extension) {
    refuse_dormant_server();
    if (!is_copy(extension)) return;
    raise(fail(Reason::dormant, "this database is a copy, which does not use up the tokens of the original")
              .with_detail("The connections were stored in a database with another oid.")
              .with_hint("If this database takes over from the original, run sync_connection_claim()."));
}

}  // namespace pg_pull::pg
