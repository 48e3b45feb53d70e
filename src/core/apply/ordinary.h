#pragma once

#include <optional>

#include "core/apply/apply_plan.h"

namespace pg_pull::apply {

/// Statements for ordinary and partitioned tables. Each is one statement and therefore sees one snapshot: a row that somebody
/// else inserts meanwhile meets the unique index and is not lost between an UPDATE that missed it and an INSERT that saw it.
/// Rows that do not change cost no write at all. Counts are counted from RETURNING.
struct OrdinaryStatements {
    /// One row: inserted, updated, matched (staged records that have a row; only in mode update, else 0).
    static Statement store(const ApplyPlan& plan, const std::optional<Range>& range);
    /// One row: deleted, or stamped.
    static Statement remove_tombstones(const ApplyPlan& plan, const std::optional<Range>& range);
    /// One row: live rows of the slice, and those among them that are absent from staging.
    static Statement count_slice(const ApplyPlan& plan);
    static Statement remove_absent(const ApplyPlan& plan);
    static Statement clear_slice(const ApplyPlan& plan);
};

}  // namespace pg_pull::apply
