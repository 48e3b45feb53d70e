#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/apply/apply_plan.h"
#include "core/apply/foreign.h"

namespace pg_pull::apply {

/// Statements for distributed (Citus) tables; they are plain SQL and work on ordinary tables too. Staging is local and always a
/// subquery. Deletes, soft deletes and mode update are those of foreign tables. The command tag of INSERT … ON CONFLICT counts the
/// source's rows there, and system columns mean nothing on partitioned ones: rows returned are counted, and inserts are told
/// from updates by the number of rows before and after.
struct DistributedStatements {
    /// Returns one row for each row inserted or changed. `pattern`: only records with exactly this presence, since EXCLUDED
    /// does not have it (missing: keep).
    static Statement store(const ApplyPlan& plan, const std::optional<Range>& range,
                           const std::optional<std::string>& pattern);
    static Statement presence_patterns(const ApplyPlan& plan,
                                       const std::optional<Range>& range);  ///< one row a pattern
    static Statement count_target(const ApplyPlan& plan);                   ///< rows of the slice
};

}  // namespace pg_pull::apply
