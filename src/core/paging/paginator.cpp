#include "core/paging/paginator.h"

#include "core/base/encoding.h"
#include "core/paging/paginators.h"

namespace pg_pull {

bool Paginator::mark_seen(std::string_view position) { return seen_.insert(fingerprint(position)).second; }

Result<RequestOverlay> Paginator::first(const std::optional<std::string>& resume) {
    pages_ = 0;
    seen_.clear();
    PG_PULL_ASSIGN(auto overlay, begin(resume));
    if (const std::string at = position(); !at.empty()) mark_seen(at);
    return overlay;
}

Result<std::optional<RequestOverlay>> Paginator::next(const PageAnswer& answer) {
    ++pages_;
    // A quick hash: two different pages that meet in 64 bits are no danger among at most some millions.
    const bool body_repeats =
        watches_bodies() && answer.records > 0 && !seen_.insert(std::hash<std::string_view>()(answer.body)).second;
    if (body_repeats)
        return fail(Reason::pagination_loop,
                    "page " + std::to_string(pages_) + " brought the same answer as an earlier page")
            .with_hint("The source seems to ignore the parameter \"" + config_.param + "\".");
    PG_PULL_ASSIGN(auto overlay, advance(answer));
    if (!overlay) return overlay;
    if (!mark_seen(position()))
        return fail(Reason::pagination_loop,
                    "page " + std::to_string(pages_) + " leads back to a page that was already read");
    if (pages_ >= config_.max_pages)
        return fail(Reason::too_many_pages,
                    "the source has more than " + std::to_string(config_.max_pages) + " pages, which is max_pages");
    return overlay;
}

Result<std::unique_ptr<Paginator>> make_paginator(const PaginationConfig& config) {
    PG_PULL_CHECK(check_supported(config));
    using Made = std::unique_ptr<Paginator>;
    switch (config.type) {
        case PaginationType::page:
        case PaginationType::offset:
            return Made(std::make_unique<CountedPaginator>(config));
        case PaginationType::cursor:
            return Made(std::make_unique<CursorPaginator>(config));
        case PaginationType::next_url:
        case PaginationType::link_header:
            return Made(std::make_unique<UrlPaginator>(config));
        case PaginationType::keyset:
            return Made(std::make_unique<KeysetPaginator>(config));
        case PaginationType::none:
        case PaginationType::odata:
        case PaginationType::relay:
            break;
    }
    return Made(std::make_unique<SinglePage>(config));
}

}  // namespace pg_pull
