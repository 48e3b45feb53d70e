#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/paging/paginator.h"
#include "core/request/source_config.h"
#include "core/run/source.h"
#include "source/registry.h"
#include "source/rest/call.h"
#include "source/rest/connector.h"
#include "source/rest/watermark_range.h"

namespace pg_pull::rest {

/// The records of one mapping of a `rest` connector. One sequence of pages after the other, one for each window of the
/// watermark. The next page is asked for before next() hands out the one that names it, and up to max_concurrency pages where
/// their addresses are known; they land in order, and what was asked for beyond the end is given up.
class RestStream final : public Source {
public:
    static Result<std::unique_ptr<Source>> open(SourceContext& context, const SourceRequest& request);

    Result<std::optional<SourcePage>> next() override;
    void pump() noexcept override;
    [[nodiscard]] bool complete() const override { return finished_ && ignored_ == 0; }

private:
    /// A page that will be next, or one of those behind it.
    struct Expected {
        RequestOverlay overlay;
        std::unique_ptr<Call> call;
    };

    RestStream(std::unique_ptr<Connector> connector, ::pg_pull::RestSource source, PaginationConfig pagination,
               std::vector<WatermarkRange> ranges, const SourceRequest& request);

    Result<void> begin_range();
    Result<void> end_range();
    Result<void> expect(RequestOverlay overlay);
    Result<void> expect_after(const Answer& answer, const RecordPage& page);
    Result<void> read_ahead();
    Result<void> check_link(const std::string& url, std::string_view from) const;
    Result<std::optional<SourcePage>> finish_run();
    [[nodiscard]] ContentTerms terms() const;

    std::unique_ptr<Connector> connector_;
    ::pg_pull::RestSource source_;
    PaginationConfig pagination_;
    std::vector<WatermarkRange> ranges_;
    std::string watermark_param_;
    std::string watermark_end_param_;
    bool preview_ = false;

    std::size_t range_ = 0;  ///< index of the one being read
    std::unique_ptr<Paginator> paginator_;
    std::deque<Expected> expected_;  ///< the first is the page that next() returns next
    std::int64_t pages_ = 0;         ///< handed out
    std::int64_t ignored_ = 0;       ///< calls
    std::int64_t answered_ = 0;      ///< calls that were not ignored
    bool finished_ = false;
    bool failed_ = false;
};

}  // namespace pg_pull::rest
