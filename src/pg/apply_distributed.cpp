#include <algorithm>

#include "core/apply/distributed.h"
#include "core/apply/ordinary.h"
#include "pg/apply.h"
#include "pg/as_owner.h"

namespace pg_pull::pg {
namespace {

using apply::DistributedStatements;
using apply::ForeignStatements;
using apply::Range;

class DistributedStrategy final : public ApplyStrategy {
public:
    explicit DistributedStrategy(const apply::ApplyPlan& plan) : plan_(plan) {}

    StoreCounts store(const std::optional<Range>& range) override {
        StoreCounts counts;
        if (plan_.mode == apply::Mode::update) {
            if (const auto update = ForeignStatements::update(plan_, range); !update.text.empty())
                counts.updated = static_cast<std::int64_t>(execute(update));
            counts.matched = query_counts(ForeignStatements::matched(plan_, range)).at(0);
            return counts;
        }
        if (plan_.mode == apply::Mode::insert || plan_.key.empty()) {
            counts.inserted = written(range);
            return counts;
        }
        const std::int64_t before = query_counts(DistributedStatements::count_target(plan_)).at(0);
        const std::int64_t rows = written(range);
        const std::int64_t after = query_counts(DistributedStatements::count_target(plan_)).at(0);
        counts.inserted = std::clamp<std::int64_t>(after - before, 0, rows);
        counts.updated = rows - counts.inserted;
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
    std::int64_t written(const std::optional<Range>& range) {
        if (plan_.presence.empty())
            return static_cast<std::int64_t>(execute(DistributedStatements::store(plan_, range, std::nullopt)));
        std::int64_t rows = 0;
        for (const auto& pattern : query(DistributedStatements::presence_patterns(plan_, range)))
            rows += static_cast<std::int64_t>(execute(DistributedStatements::store(plan_, range, pattern.at(0))));
        return rows;
    }

    const apply::ApplyPlan& plan_;
};

}  // namespace

std::unique_ptr<ApplyStrategy> make_distributed_strategy(const apply::ApplyPlan& plan) {
    return std::make_unique<DistributedStrategy>(plan);
}

}  // namespace pg_pull::pg
