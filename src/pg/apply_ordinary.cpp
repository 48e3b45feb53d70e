#include "core/apply/ordinary.h"
#include "pg/apply.h"
#include "pg/as_owner.h"

namespace pg_pull::pg {
namespace {

using apply::OrdinaryStatements;
using apply::Range;

class OrdinaryStrategy final : public ApplyStrategy {
public:
    explicit OrdinaryStrategy(const apply::ApplyPlan& plan) : plan_(plan) {}

    StoreCounts store(const std::optional<Range>& range) override {
        const auto counts = query_counts(OrdinaryStatements::store(plan_, range));
        return {counts.at(0), counts.at(1), counts.at(2)};
    }
    std::int64_t remove_tombstones(const std::optional<Range>& range) override {
        return query_counts(OrdinaryStatements::remove_tombstones(plan_, range)).at(0);
    }
    SliceCounts count_slice() override {
        const auto counts = query_counts(OrdinaryStatements::count_slice(plan_));
        return {counts.at(0), counts.at(1)};
    }
    std::int64_t remove_absent() override { return query_counts(OrdinaryStatements::remove_absent(plan_)).at(0); }
    std::int64_t clear_slice() override { return query_counts(OrdinaryStatements::clear_slice(plan_)).at(0); }

private:
    const apply::ApplyPlan& plan_;
};

}  // namespace

std::unique_ptr<ApplyStrategy> make_ordinary_strategy(const apply::ApplyPlan& plan) {
    return std::make_unique<OrdinaryStrategy>(plan);
}

}  // namespace pg_pull::pg
