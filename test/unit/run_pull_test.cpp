#include "core/run/pull.h"

#include <deque>

#include <gtest/gtest.h>

namespace pg_pull {
namespace {

/// A source that gives the pages it was made with, then the end or an error.
class FixedSource final : public Source {
public:
    explicit FixedSource(std::deque<SourcePage> pages, std::optional<Error> last = {}, bool complete = true)
        : pages_(std::move(pages)), last_(std::move(last)), complete_(complete) {}
    Result<std::optional<SourcePage>> next() override {
        if (pages_.empty()) {
            if (last_) return *last_;
            return std::optional<SourcePage>{};
        }
        std::optional<SourcePage> page(std::move(pages_.front()));
        pages_.pop_front();
        return page;
    }
    [[nodiscard]] bool complete() const override { return complete_; }

private:
    std::deque<SourcePage> pages_;
    std::optional<Error> last_;
    bool complete_;
};

class MemoryTarget final : public Target {
public:
    std::int64_t stage(const StagedPage& page) override {
        lines += page.lines();
        return static_cast<std::int64_t>(page.rejects.size());
    }
    ApplySummary apply(const ApplyOrder& order) override {
        applied = order;
        ApplySummary summary;
        summary.inserted = static_cast<std::int64_t>(lines);
        return summary;
    }
    std::size_t lines = 0;
    std::optional<ApplyOrder> applied;
};

SourcePage lines_page(std::int64_t number, int lines, int rejects = 0) {
    StagedPage page;
    page.line_ends.resize(static_cast<std::size_t>(lines));
    page.rejects.resize(static_cast<std::size_t>(rejects));
    return {number, std::move(page)};
}

SourcePage record_page(std::int64_t number, const std::string& body) {
    auto page = RecordPage::open(body, RecordFormat::json, std::nullopt, false);
    return {number, std::move(page).value()};
}

template <class... Page>
std::deque<SourcePage> pages(Page... page) {
    std::deque<SourcePage> all;
    (all.push_back(std::move(page)), ...);
    return all;
}

TEST(RunPull, LandsEveryPageAndAppliesOnce) {
    FixedSource source(pages(lines_page(1, 3, 1), lines_page(2, 2)));
    MemoryTarget target;
    RunCounters counters;
    const auto result = run_pull(source, nullptr, target, counters, {});
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(target.lines, 5U);
    EXPECT_EQ(counters.records_read, 6);
    EXPECT_EQ(counters.rows_rejected, 1);
    EXPECT_EQ(result->summary.inserted, 5);
    EXPECT_TRUE(target.applied->complete);
}

TEST(RunPull, ErrorOfTheSourceAppliesNothing) {
    FixedSource source(pages(lines_page(1, 3)), fail(Reason::network, "gone"));
    MemoryTarget target;
    RunCounters counters;
    const auto result = run_pull(source, nullptr, target, counters, {});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().reason, Reason::network);
    EXPECT_FALSE(target.applied.has_value());
}

TEST(RunPull, IncompleteReadIsSaidToTheApply) {
    FixedSource source(pages(lines_page(1, 1)), std::nullopt, false);
    MemoryTarget target;
    RunCounters counters;
    PullOptions options;
    options.full = true;
    ASSERT_TRUE(run_pull(source, nullptr, target, counters, options).ok());
    EXPECT_TRUE(target.applied->full);
    EXPECT_FALSE(target.applied->complete);
}

TEST(RunPull, ErrorOfDecodingNamesThePage) {
    FixedSource source(pages(record_page(7, R"([{"a": 1}, 2])")));
    MemoryTarget target;
    RunCounters counters;
    auto fields = parse_fields(nlohmann::json{{"a", "a"}});
    ASSERT_TRUE(fields.ok());
    StagePlan plan;
    plan.columns.push_back({"a", {}});
    auto encoder = RecordEncoder::create(*fields, plan, {});
    ASSERT_TRUE(encoder.ok());
    const auto result = run_pull(source, &*encoder, target, counters, {});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().reason, Reason::record_not_object);
    EXPECT_NE(result.error().detail.find("Page 7"), std::string::npos);
    EXPECT_EQ(target.lines, 0U);
}

}  // namespace
}  // namespace pg_pull
