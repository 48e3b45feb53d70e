#pragma once

// From staging to target: one interface, a strategy for each kind of target, and what all of them share.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/apply/apply_plan.h"
#include "core/run/target.h"
#include "pg/sift.h"

namespace pg_pull::pg {

struct StoreCounts {
    std::int64_t inserted = 0;
    std::int64_t updated = 0;
    std::int64_t matched = 0;  ///< mode update: records that have a row
};

struct SliceCounts {
    std::int64_t live = 0;    ///< rows of the slice that are not marked deleted
    std::int64_t absent = 0;  ///< of them, those whose key was not pulled
};

/// The statements of one kind of target. All run under AsOwner; each call sees one snapshot as far as the kind of target can.
class ApplyStrategy {
public:
    virtual ~ApplyStrategy() = default;
    /// Inserts and updates by the plan's mode: the staged records of the range, or all.
    virtual StoreCounts store(const std::optional<apply::Range>& range) = 0;
    virtual std::int64_t remove_tombstones(const std::optional<apply::Range>& range) = 0;
    virtual SliceCounts count_slice() = 0;
    virtual std::int64_t remove_absent() = 0;
    virtual std::int64_t clear_slice() = 0;
};

/// The plan must outlive the strategy.
std::unique_ptr<ApplyStrategy> make_ordinary_strategy(const apply::ApplyPlan& plan);
std::unique_ptr<ApplyStrategy> make_foreign_strategy(const apply::ApplyPlan& plan);
std::unique_ptr<ApplyStrategy> make_distributed_strategy(const apply::ApplyPlan& plan);
std::unique_ptr<ApplyStrategy> make_strategy(TargetKind kind, const apply::ApplyPlan& plan);

apply::ApplyPlan make_apply_plan(const LandedRun& run);

/// What absence means in this run.
struct AbsenceOrder {
    bool counts = false;  ///< rows that were not pulled are gone
    bool allow_mass_delete = false;
    std::int64_t records = 0;  ///< pulled and not dropped by `where`, refused ones included
};

/// Deletes by absence (apply_delete.cpp): the guard first, then the deletes; before the records are stored, so that they free
/// what others need (a unique name), or else, where a foreign key of a record to be changed is in the way, after them.
class AbsenceDeletes {
public:
    AbsenceDeletes(LandedRun& run, apply::ApplyPlan& plan, const AbsenceOrder& order);
    ~AbsenceDeletes();
    /// Raises delete_guard. Returns false where the key of a refused record cannot be read, so that nothing may be deleted.
    bool prepare(ApplyStrategy& strategy);
    std::int64_t before_store(ApplyStrategy& strategy);
    std::int64_t after_store(ApplyStrategy& strategy);

private:
    [[nodiscard]] bool keep_rejected_keys();
    std::int64_t remove(ApplyStrategy& strategy);

    LandedRun& run_;
    apply::ApplyPlan& plan_;
    AbsenceOrder order_;
    bool due_ = false;
};

/// Raises key_duplicate where two rows of the target have the key of one staged record.
void check_key_duplicates(const LandedRun& run, const apply::ApplyPlan& plan);

/// Applies staging to the target, within the apply's transaction; records that the target refuses go to the rejects. Counts
/// everything but ignored (of sift), rejected, and watermark. `notice` tells what the caller should know.
ApplySummary apply_staged(LandedRun& run, const AbsenceOrder& order,
                          const std::function<void(const std::string&, const std::string&)>& notice);

/// True for rows of our slice that are there and not marked deleted; needs no staging.
bool slice_has_rows(const LandedRun& run);
/// delete_guard.
Error guard_error(const LandedRun& run, std::int64_t records, std::int64_t gone, std::int64_t live);

}  // namespace pg_pull::pg
