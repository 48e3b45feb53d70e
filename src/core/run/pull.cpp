#include "core/run/pull.h"

#include <utility>

namespace pg_pull {
namespace {

Result<StagedPage> decode(SourcePage page, RecordEncoder* encoder) {
    if (auto* lines = std::get_if<StagedPage>(&page.content)) {
        lines->number = page.number;
        return std::move(*lines);
    }
    if (encoder == nullptr) return Error{Reason::none, "XX000", "a page of records came without an encoder", {}, {}};
    return encoder->encode(std::move(std::get<RecordPage>(page.content)), page.number);
}

Result<void> land(SourcePage page, RecordEncoder* encoder, Target& target, RunCounters& counters) {
    const auto number = page.number;
    auto staged = decode(std::move(page), encoder);
    if (!staged.ok()) {
        Error error = std::move(staged).error();
        const std::string where = "Page " + std::to_string(number) + " of the source.";
        error.detail = error.detail.empty() ? where : where + ' ' + error.detail;
        return error;
    }
    counters.records_read += static_cast<std::int64_t>(staged->lines() + staged->rejects.size());
    if (staged->lines() > 0 || !staged->rejects.empty() || !staged->unmapped_keys.empty())
        counters.rows_rejected += target.stage(*staged);
    return {};
}

}  // namespace

Result<PullResult> run_pull(Source& source, RecordEncoder* encoder, Target& target, RunCounters& counters,
                            const PullOptions& options) {
    while (true) {
        options.fetching();
        auto page = source.next();
        if (!page.ok()) return std::move(page).error();
        if (!page->has_value()) break;
        options.staging();
        PG_PULL_CHECK(land(std::move(**page), encoder, target, counters));
    }
    options.applying();
    PullResult result;
    result.complete = source.complete();
    result.summary = target.apply({options.full, result.complete, options.allow_mass_delete});
    return result;
}

}  // namespace pg_pull
