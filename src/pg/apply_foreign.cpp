#include "core/apply/foreign.h"
#include "core/apply/ordinary.h"
#include "pg/apply.h"
#include "pg/as_owner.h"

namespace pg_pull::pg {
namespace {

using apply::ForeignStatements;
using apply::Range;

/// UPDATE and INSERT are two statements: one wrapper transaction of the remote side makes them see one snapshot where the
/// wrapper has such a thing, and no unique index here would tell of a row that came between them anyway.
class ForeignStrategy final : public ApplyStrategy {
public:
    explicit ForeignStrategy(const apply::ApplyPlan& plan) : plan_(plan) {}

    StoreCounts store(const std::optional<Range>& range) override {
        StoreCounts counts;
        if (const auto update = ForeignStatements::update(plan_, range); !update.text.empty())
            counts.updated = static_cast<std::int64_t>(execute(update));
        if (plan_.mode == apply::Mode::update)
            counts.matched = query_counts(ForeignStatements::matched(plan_, range)).at(0);
        else
            counts.inserted = static_cast<std::int64_t>(execute(ForeignStatements::insert(plan_, range)));
        return counts;
    }
    std::int64_t remove_tombstones(const std::optional<Range>& range) override {
        return static_cast<std::int64_t>(execute(ForeignStatements::remove_tombstones(plan_, range)));
    }
    SliceCounts count_slice() override {
        const auto counts = query_counts(apply::OrdinaryStatements::count_slice(plan_));
        return {counts.at(0), counts.at(1)};
    }
    std::int64_t remove_absent() override {
        return static_cast<std::int64_t>(execute(ForeignStatements::remove_absent(plan_)));
    }
    std::int64_t clear_slice() override {
        return static_cast<std::int64_t>(execute(ForeignStatements::clear_slice(plan_)));
    }

private:
    const apply::ApplyPlan& plan_;
};

}  // namespace

std::unique_ptr<ApplyStrategy> make_foreign_strategy(const apply::ApplyPlan& plan) {
    return std::make_unique<ForeignStrategy>(plan);
}

}  // namespace pg_pull::pg
