#pragma once

// How the pages of a pull land. The order of calls, all in the worker:
//
//   in one short transaction   describe_target, check_mapping_against_target, check_organization_scope, make_stage_plan,
//                              watermark_start
//   outside of any             Landing, then stage() for each page, then apply()
//
// Every transaction of a Landing checks the extension first, acts as the mapping's owner on whatever is the user's, and writes
// the extension's tables outside of that. None stays open between calls.

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/run/source.h"
#include "core/run/stage_plan.h"
#include "core/run/target.h"
#include "pg/cursor.h"
#include "pg/rejects.h"
#include "pg/request.h"
#include "pg/sift.h"
#include "pg/stage.h"
#include "pg/target_rules.h"
#include "pg/target_table.h"

namespace pg_pull::pg {

/// Rejects that are tried again instead of pages of a source: nothing is deleted by absence, no watermark moves, and a record whose
/// row has a later version is left out.
struct RetryOptions {
    struct Outcome {
        std::vector<std::int64_t> stored;      ///< sequence numbers
        std::vector<std::int64_t> superseded;  ///< left out: a later version of the record is there
    };
    std::vector<std::pair<std::int64_t, std::int64_t>> met;  ///< sequence number, and the last run that met the reject
    /// Called in the apply's transaction, outside of the owner's rights, after rejects were written.
    std::function<void(const Extension&, const Outcome&)> settled;
};

struct LandingOptions {
    const RunCounters* counters = nullptr;  ///< of source and engine, read when the run ends; outlives the Landing
    std::optional<std::string> where;       ///< staged_where()
    std::function<void()> pump;             ///< called while a page is loaded, to move transfers on; must not throw
    const RetryOptions* retry = nullptr;    ///< outlives the Landing
};

class Landing final : public Target {
public:
    Landing(WorkerContext& context, const RunHandle& run, MappingRow mapping, std::vector<Field> fields,
            TargetTable target, StagePlan plan, LandingOptions options);

    std::int64_t stage(const StagedPage& page) override;
    /// Also ends the run row: counters of source and apply, watermark_to, error_detail (unmapped_keys, deletes_skipped).
    /// Where it fails, rejects are kept in a transaction of their own, and failed_counters() was told of them.
    ApplySummary apply(const ApplyOrder& order) override;

    /// Rejects written and committed so far.
    [[nodiscard]] std::int64_t rejected() const noexcept { return committed_rejects_; }

private:
    struct PageSpan {
        std::int64_t first_seq = 0;
        std::int64_t last_seq = 0;
        std::int64_t number = 0;
        std::uint32_t first_ordinal = 1;
        std::vector<std::uint32_t> ordinals;  ///< empty: consecutive
    };
    using Columns = std::vector<std::pair<std::string, std::optional<std::string>>>;

    void describe();
    void make_stage();
    void remember(const StagedPage& page);
    void load(const StagedPage& page, std::size_t first, std::size_t last);
    void refuse(Reject reject);
    [[nodiscard]] Reject refused_line(const StagedPage& page, std::size_t line, const CopyFailure& failure) const;
    [[nodiscard]] std::optional<std::string> key_of(std::string_view line) const;
    [[nodiscard]] Place place_of(std::int64_t seq) const;
    [[nodiscard]] LandedRun landed();
    void check_limit();

    ApplySummary apply_in_transaction(const ApplyOrder& order);
    [[nodiscard]] bool absence_counts(const ApplyOrder& order) const;
    void settle(const Extension& extension, const ApplyOrder& order, ApplySummary& summary);
    [[nodiscard]] std::optional<std::string> watermark_seen() const;
    void supersede_earlier_rejects(const Extension& extension);
    void finish(const Extension& extension, const ApplyOrder& order, const ApplySummary& summary);
    void remember_full(const Extension& extension) const;
    [[nodiscard]] std::vector<std::string> new_unmapped_keys(const Extension& extension) const;
    void keep_rejects();
    [[nodiscard]] Columns source_columns(std::int64_t rejected) const;

    WorkerContext& context_;
    const RunHandle& run_;
    MappingRow mapping_;
    std::vector<Field> fields_;
    TargetTable target_;
    StagePlan plan_;
    LandingOptions options_;
    Stage stage_;
    bool described_ = false;
    RejectStore rejects_;
    std::vector<std::optional<std::string>> rejected_keys_;
    std::vector<PageSpan> pages_;
    std::set<std::string> unmapped_keys_;
    std::int64_t records_ = 0;  ///< lines and refused records of all pages
    std::int64_t lines_ = 0;    ///< that are in staging
    std::int64_t committed_rejects_ = 0;
    bool deletes_skipped_ = false;
    RetryOptions::Outcome outcome_;
};

}  // namespace pg_pull::pg
