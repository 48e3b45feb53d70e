#pragma once

#include "pg/sift.h"

namespace pg_pull::pg {

[[nodiscard]] bool has_computed_columns(const std::vector<Field>& fields);

/// Gives `lookup` and `sql` columns their values: staging moves to a second table whose columns all have the target's types, so
/// that every expression is evaluated exactly once for a record, and keys may be computed too. Records for which that fails,
/// and those for which a lookup finds more than one row, are refused.
void compute_columns(LandedRun& run);

}  // namespace pg_pull::pg
