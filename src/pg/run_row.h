#pragma once

// The rows of sync_run_store over a run's life. Every function needs a transaction and an Spi scope, runs with the rights of the
// worker (a superuser's), and raises. The end of a row also queues its NOTIFY, in the same transaction.
//
//   insert_run ─▶ running ──amend_run──▶ running ──end_run──▶ succeeded | failed | cancelled
//        └──────▶ skipped                    └──(worker gone) mark_interrupted──▶ interrupted

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pg/catalog.h"
#include "pg/schema.h"
#include "pg/sql.h"

namespace pg_pull::pg {

using RunColumns = std::vector<std::pair<std::string, std::optional<std::string>>>;  ///< column -> value as text
using RunRow = std::vector<Rows::Value>;  ///< the columns of sys_sync_run, in its order

struct NewRun {
    const MappingRow& mapping;
    std::optional<std::string> organization;
    int slice_id = 0;
    std::string trigger;
    bool full = false;
    std::string requested_by;
    std::string started_at;  ///< RunHandle::started_at
    int worker_pid = 0;
};

/// The id of what a run locks; made where it is missing.
int slice_of(const Extension& extension, std::int64_t mapping_id, const std::optional<std::string>& organization);

/// The run that holds the slice, as far as it is committed.
std::optional<std::int64_t> running_run(const Extension& extension, int slice_id);

/// Ends the rows that their workers left behind. The caller holds the run lock of the slice.
void mark_interrupted(const Extension& extension, int slice_id);

RunRow insert_run(const Extension& extension, const NewRun& run, bool skipped);

/// Nothing where the row is not running any more.
std::optional<RunRow> end_run(const Extension& extension, std::int64_t run_id, const std::string& status,
                              const RunColumns& columns);

void amend_run(const Extension& extension, std::int64_t run_id, const RunColumns& columns);

/// The value of a column of a row.
const Rows::Value& run_value(const RunRow& row, const char* column);

/// A row's way through shared memory.
std::string pack(const RunRow& row);
RunRow unpack_run_row(std::string_view packed);

}  // namespace pg_pull::pg
