#pragma once

#include <optional>

#include "core/apply/apply_plan.h"

namespace pg_pull::apply {

/// Statements for foreign tables and for partitioned ones with foreign partitions: they have no unique index that ON CONFLICT
/// could use, take no MERGE, and joins with a local table are quick only in these forms. Changing statements are counted by
/// the executor (their RETURNING would fetch every row back).
struct ForeignStatements {
    static Statement update(const ApplyPlan& plan,
                            const std::optional<Range>& range);  ///< text empty: nothing can change
    /// All staged records without a key, the missing ones with it.
    static Statement insert(const ApplyPlan& plan, const std::optional<Range>& range);
    static Statement matched(const ApplyPlan& plan, const std::optional<Range>& range);  ///< one row: a count
    static Statement remove_tombstones(const ApplyPlan& plan, const std::optional<Range>& range);
    static Statement remove_absent(const ApplyPlan& plan);
    static Statement clear_slice(const ApplyPlan& plan);
};

}  // namespace pg_pull::apply
