#include "source/rest/rest_stream.h"

#include <algorithm>
#include <utility>

#include "core/base/url.h"

namespace pg_pull::rest {
namespace {

RecordPage empty_page() { return RecordPage::open("[]", RecordFormat::json, std::nullopt, true).value(); }

void add_unless_there(RequestOverlay& overlay, const std::string& key, const std::optional<std::string>& value) {
    if (key.empty() || !value) return;
    const bool there =
        std::any_of(overlay.query.begin(), overlay.query.end(), [&](const auto& pair) { return pair.first == key; });
    if (!there) overlay.query.emplace_back(key, *value);
}

TemplateValue text_value(const std::string& text) { return TemplateValue::of_text(text); }

}  // namespace

RestStream::RestStream(std::unique_ptr<Connector> connector, ::pg_pull::RestSource source, PaginationConfig pagination,
                       std::vector<WatermarkRange> ranges, const SourceRequest& request)
    : connector_(std::move(connector)),
      source_(std::move(source)),
      pagination_(std::move(pagination)),
      ranges_(std::move(ranges)),
      preview_(request.max_records > 0) {
    if (!request.watermark) return;
    watermark_param_ = request.watermark->param;
    watermark_end_param_ = request.watermark->end_param;
}

Result<std::unique_ptr<Source>> RestStream::open(SourceContext& context, const SourceRequest& request) {
    PG_PULL_ASSIGN(auto source, parse_rest_source(request.source));
    PG_PULL_CHECK(check_supported(source));
    PG_PULL_ASSIGN(auto connector, Connector::open(context, request.connector, request.config, request.auth));
    const bool own = !request.pagination.is_null();
    PG_PULL_ASSIGN(auto pagination, parse_pagination(own ? request.pagination : connector->config().pagination));
    PG_PULL_CHECK(check_supported(pagination));
    PG_PULL_ASSIGN(auto ranges, watermark_ranges(request));
    return std::unique_ptr<Source>(
        new RestStream(std::move(connector), std::move(source), std::move(pagination), std::move(ranges), request));
}

ContentTerms RestStream::terms() const {
    return {.records_path = source_.records_path,
            .decoder = source_.decoder,
            .path_may_be_absent = answered_ > 0,
            .rules = &connector_->config().errors};
}

void RestStream::pump() noexcept { connector_->context().http.pump(); }

/// The first page of the range is asked for.
Result<void> RestStream::begin_range() {
    const WatermarkRange& range = ranges_[range_];
    JsonContext& values = connector_->values();
    if (range.start) {
        values.set("watermark", nlohmann::json(*range.start));
        values.set("window", "start", text_value(*range.start));
    }
    if (range.end) values.set("window", "end", text_value(*range.end));
    PG_PULL_ASSIGN(paginator_, make_paginator(pagination_));
    PG_PULL_ASSIGN(auto overlay, paginator_->first());
    return expect(std::move(overlay));
}

Result<void> RestStream::end_range() {
    expected_.clear();
    paginator_.reset();
    ++range_;
    if (range_ == ranges_.size() || preview_) return {};
    return begin_range();
}

Result<void> RestStream::expect(RequestOverlay overlay) {
    RequestOverlay full = overlay;
    if (!full.url) {
        add_unless_there(full, watermark_param_, ranges_[range_].start);
        add_unless_there(full, watermark_end_param_, ranges_[range_].end);
    }
    const std::int64_t number = paginator_->pages() + static_cast<std::int64_t>(expected_.size()) + 1;
    auto make = [this, number, full = std::move(full)] {
        connector_->values().set("page", "number", TemplateValue::number(std::to_string(number)));
        return connector_->make_request(source_.request, full);
    };
    PG_PULL_ASSIGN(auto call, Call::make(*connector_, std::move(make), number));
    if (!preview_) call->begin();
    expected_.push_back({std::move(overlay), std::move(call)});
    return {};
}

Result<void> RestStream::read_ahead() {
    if (preview_ || !paginator_->can_prefetch_ahead()) return {};
    while (expected_.size() < static_cast<std::size_t>(connector_->config().max_concurrency)) {
        auto overlay = paginator_->ahead(static_cast<std::int64_t>(expected_.size()));
        if (!overlay) return {};
        PG_PULL_CHECK(expect(*std::move(overlay)));
    }
    return {};
}

Result<void> RestStream::check_link(const std::string& url, std::string_view from) const {
    const auto origin = origin_of(url);
    if (!origin.ok()) return origin.error();
    const auto& origins = connector_->origins();
    if (std::find(origins.begin(), origins.end(), origin.value()) != origins.end()) return {};
    const auto own = origin_of(from);
    return fail(Reason::egress_denied, "next page of connector \"" + connector_->name() + "\" lies on another origin")
        .with_detail("Page " + std::to_string(pages_) + " of " + (own.ok() ? own.value() : origins.front()) +
                     " leads to " + origin.value() + ".")
        .with_hint("If that address is right, add it to \"origins\" of the connector's config.");
}

Result<void> RestStream::expect_after(const Answer& answer, const RecordPage& page) {
    const std::size_t records = page.size();
    PageAnswer seen;
    seen.envelope = &page.envelope();
    seen.body = page.body();
    seen.records = records;
    if (records > 0) seen.last_record = page.record(records - 1);
    seen.headers = &answer.response.headers;
    seen.effective_url = answer.response.effective_url;
    PG_PULL_ASSIGN(auto overlay, paginator_->next(seen));
    if (!overlay) return end_range();
    if (overlay->url) PG_PULL_CHECK(check_link(*overlay->url, answer.response.effective_url));
    // Read ahead on a guess of where the pages lie: wrong as soon as the source sends another number of records than asked.
    if (!expected_.empty() && !(expected_.front().overlay == *overlay)) expected_.clear();
    if (expected_.empty()) PG_PULL_CHECK(expect(*std::move(overlay)));
    return read_ahead();
}

Result<std::optional<SourcePage>> RestStream::finish_run() {
    finished_ = true;
    if (answered_ == 0 && ignored_ > 0)
        return fail(Reason::all_calls_ignored,
                    "every call of connector \"" + connector_->name() + "\" was ignored by an error rule")
            .with_detail(std::to_string(ignored_) + (ignored_ == 1 ? " call was ignored." : " calls were ignored."));
    return std::optional<SourcePage>();
}

Result<std::optional<SourcePage>> RestStream::next() {
    if (finished_ || failed_) return std::optional<SourcePage>();
    failed_ = true;  // until proved otherwise: an error, or an interrupt, ends the stream
    while (range_ < ranges_.size()) {
        if (!paginator_) PG_PULL_CHECK(begin_range());
        const std::unique_ptr<Call> call = std::move(expected_.front().call);
        expected_.pop_front();
        PG_PULL_ASSIGN(Answer answer, call->finish(terms()));
        if (answer.action == AnswerAction::ignore) {
            ++ignored_;
            ++connector_->context().counters.requests_ignored;
            PG_PULL_CHECK(end_range());
            continue;
        }
        ++answered_;
        ++pages_;
        ++connector_->context().counters.pages;
        RecordPage page = answer.page ? *std::move(answer.page) : empty_page();
        PG_PULL_CHECK(expect_after(answer, page));
        failed_ = false;
        return std::optional(SourcePage{pages_, std::move(page)});
    }
    failed_ = false;
    return finish_run();
}

}  // namespace pg_pull::rest
