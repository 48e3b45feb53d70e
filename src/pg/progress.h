#pragma once

// Running pulls of this database, for the view sync_progress. No server header is needed.

#include <optional>
#include <string>
#include <vector>

namespace pg_pull::pg {

/// The columns of sync_progress in their order, as texts for their input functions.
using ProgressRow = std::vector<std::optional<std::string>>;

/// The runs that the current role may see: its own and those of organizations granted to it; all for monitoring roles. Needs a
/// transaction with a snapshot. Raises.
std::vector<ProgressRow> progress_rows();

}  // namespace pg_pull::pg
