#pragma once

#include <string>
#include <vector>

#include "core/mapping/column.h"

namespace pg_pull {

/// The columns of a run's staging table, in order. First `columns` (names of target columns; a `lookup` field stages the value
/// to look up, in the type of the column it is matched with), then those of the plan itself that are switched on, in the order
/// below. The plan's own names are given by the target layer, which keeps them apart from the target's columns.
struct StagePlan {
    std::vector<Column> columns;
    std::vector<std::string> key;  ///< target columns; all of them are among `columns`
    // the plan's own, in this order:
    //   seq bigint            order of arrival over the whole run, from 1; always there
    bool record = false;     // record text      the exact text of the record, where the apply may still refuse it
    bool presence = false;   // present varbit   one bit a column of `columns`: 0 = the path was absent (missing: keep)
    bool tombstone = false;  // tombstone boolean  deleted_when holds
    bool watermark = false;  // watermark text   the exact text of the watermark field, \N where absent or null
};

}  // namespace pg_pull
