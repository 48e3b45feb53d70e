#pragma once

#include <cstdint>
#include <string>

#include "core/apply/statement.h"
#include "pg/sql.h"
#include "pg/xact.h"

namespace pg_pull::pg {

/// ActAs with the settings that statements on the user's objects run under: search_path `pg_catalog, pg_temp` (an expression of
/// a mapping sees the staged columns and qualified names, nothing else) and row security on.
class AsOwner {
public:
    explicit AsOwner(unsigned owner);
    AsOwner(const AsOwner&) = delete;
    AsOwner& operator=(const AsOwner&) = delete;

private:
    ActAs role_;
};

/// Sets a setting until the innermost AsOwner ends.
void set_for_scope(const char* name, const char* value);
/// work_mem of at least 64 MB, likewise: joins and sorts of whole pulls.
void raise_work_mem();

/// Fires all triggers that are still deferred, as `owner`: at the commit they would run as the worker's superuser, whatever
/// the owner's code had queued there. For the end of every transaction in which code of the owner ran, outside of subtransactions.
void fire_deferred_triggers(unsigned owner);

/// Runs a statement of the core, whose parameters are texts.
Rows query(const apply::Statement& statement);
/// The same for its effect: rows changed as the executor counts them, which for RETURNING are the rows returned.
std::uint64_t execute(const apply::Statement& statement);
/// The integers of the first row.
std::vector<std::int64_t> query_counts(const apply::Statement& statement);

}  // namespace pg_pull::pg
