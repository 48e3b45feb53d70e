#pragma once

// What is done with staged records before they are applied, within the apply's transaction.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/apply/statement.h"
#include "core/mapping/fields.h"
#include "pg/rejects.h"
#include "pg/stage.h"

namespace pg_pull::pg {

/// Where a staged record came from.
struct Place {
    std::int64_t page = 0;
    std::int64_t ordinal = 0;
};

/// What sift and apply share of a run.
struct LandedRun {
    const RunHandle& run;
    const MappingRow& mapping;
    const std::vector<Field>& fields;
    const TargetTable& target;
    std::optional<std::string> where;
    Stage& stage;
    RejectStore& rejects;
    std::int64_t staged_lines = 0;  ///< taken by staging in the whole run
    std::function<Place(std::int64_t)> place;
    /// Keys of all records refused in this run, as texts; nullopt: unreadable.
    std::vector<std::optional<std::string>>& rejected_keys;
};

/// In this order: records that `where` drops are ignored; computed columns (lookup, sql) get their values, in a new staging
/// table; ambiguous lookups, null keys and missing values are refused; of several records with one key the last by
/// watermark, then by arrival, stays. Returns the number of ignored records. Raises the run's limit error.
std::int64_t sift(LandedRun& run);

/// Takes the records that `condition` (on alias `s`) holds for out of staging and refuses them; `describe` fills in column, code and
/// message. Raises the run's limit error when the limit is passed. An AsOwner must be active.
void refuse_staged(LandedRun& run, const apply::Statement& condition, const std::function<void(Reject&)>& describe);

/// The sequence numbers in staging; the first call makes an index over them.
apply::Range stage_bounds(const Stage& stage, bool make_index);

}  // namespace pg_pull::pg
