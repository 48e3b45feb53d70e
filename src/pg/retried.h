#pragma once

// What only rejects that are tried again need of staging.

#include <cstdint>
#include <utility>
#include <vector>

#include "pg/sift.h"

namespace pg_pull::pg {

/// The sequence numbers that are in staging, ascending.
std::vector<std::int64_t> staged_numbers(const LandedRun& run);

/// Of them, after the apply, those whose record is in the target now: all but those that mode `update` found no row for.
std::vector<std::int64_t> settled_numbers(const LandedRun& run);

/// Takes out of staging the records whose row has a higher watermark, or was written by a later run than the one that met the
/// reject (`met`: sequence number and run), where a column receives `$run_id`. Returns how many.
std::int64_t remove_older(const LandedRun& run, const std::vector<std::pair<std::int64_t, std::int64_t>>& met);

/// Elements of `all` that `rest` has not; both ascending.
std::vector<std::int64_t> without(const std::vector<std::int64_t>& all, const std::vector<std::int64_t>& rest);

}  // namespace pg_pull::pg
