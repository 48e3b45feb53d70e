#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/run/page.h"

namespace pg_pull {

/// What the end of a run brought, as counted by the apply.
struct ApplySummary {
    std::int64_t inserted = 0;
    std::int64_t updated = 0;
    std::int64_t unchanged = 0;
    std::int64_t deleted = 0;     ///< rows, by tombstone or absence, hard or soft
    std::int64_t tombstones = 0;  ///< records that were tombstones
    std::int64_t ignored = 0;     ///< records: where, update without a row, earlier duplicate of a key
    std::int64_t rejected = 0;    ///< records refused by the apply (those refused while staging are counted by stage())
    std::optional<std::string> watermark_to;  ///< exact text, see sys_sync_run.watermark_to
};

struct ApplyOrder {
    bool full = false;      ///< not started from a watermark
    bool complete = false;  ///< everything was read: absence counts
    bool allow_mass_delete = false;
};

/// Where the pages of one run land. Implemented in the server layer; tests hold one in memory.
/// Errors leave by exception there (they carry the server's own error data); a Result here would flatten them.
class Target {
public:
    virtual ~Target() = default;
    /// Lands one page in staging, in a transaction of its own. Returns the number of rejected records of this page. Raises
    /// too_many_rejects when the run's limit is passed, or the first refusal where on_error is fail.
    virtual std::int64_t stage(const StagedPage& page) = 0;
    /// Applies staging to the target, writes the cursor and ends the run row, all in one transaction.
    virtual ApplySummary apply(const ApplyOrder& order) = 0;
};

}  // namespace pg_pull
