#include "core/paging/paginators.h"

#include <charconv>

#include "core/base/url.h"
#include "core/json/document.h"
#include "core/paging/link_header.h"
#include "core/paging/page_value.h"

namespace pg_pull {
namespace {

using Next = std::optional<RequestOverlay>;

Error resume_refused(std::string_view token) {
    return fail(Reason::invalid_configuration,
                "the stored page \"" + std::string(token.substr(0, 100)) + "\" does not fit the pagination")
        .with_hint("Pull once with full => true.");
}

std::optional<std::string> header_value(const PageAnswer& answer, const std::string& name) {
    if (answer.headers == nullptr) return std::nullopt;
    for (const auto& [key, value] : *answer.headers)
        if (key == name && !value.empty()) return value;
    return std::nullopt;
}

}  // namespace

// ---- page, offset

RequestOverlay CountedPaginator::overlay_at(std::int64_t at) const {
    RequestOverlay overlay;
    overlay.query.emplace_back(config().param, std::to_string(at));
    if (!config().size_param.empty()) overlay.query.emplace_back(config().size_param, std::to_string(config().size));
    return overlay;
}

Result<RequestOverlay> CountedPaginator::begin(const std::optional<std::string>& resume) {
    const std::int64_t start = is_page() ? config().start : 0;
    at_ = start;
    if (resume) {
        const auto [end, error] = std::from_chars(resume->data(), resume->data() + resume->size(), at_);
        if (error != std::errc() || end != resume->data() + resume->size() || at_ < start)
            return resume_refused(*resume);
    }
    // Without a known size the records before a resumed page cannot be told; then only total_pages and short pages end it.
    records_ = is_page() ? (at_ - start) * config().size : at_;
    total_.reset();
    total_pages_.reset();
    return overlay_at(at_);
}

std::optional<bool> CountedPaginator::is_beyond_total(std::int64_t at, std::int64_t records_before) const {
    if (total_pages_ && is_page()) return at - config().start >= *total_pages_;
    if (total_) return records_before >= *total_;
    return std::nullopt;
}

Result<Next> CountedPaginator::advance(const PageAnswer& answer) {
    const auto records = static_cast<std::int64_t>(answer.records);
    if (const auto total = count_value(answer.envelope, config().total)) total_ = total;
    if (const auto pages = count_value(answer.envelope, config().total_pages)) total_pages_ = pages;
    if (records == 0) return Next();
    records_ += records;
    at_ += is_page() ? 1 : records;
    const auto beyond = is_beyond_total(at_, records_);
    const bool is_short = config().size > 0 && records < config().size;
    if (beyond.value_or(is_short)) return Next();
    return Next(overlay_at(at_));
}

std::optional<RequestOverlay> CountedPaginator::ahead(std::int64_t distance) const {
    if (distance < 1 || pages() + 1 + distance > config().max_pages) return std::nullopt;
    const std::int64_t at = at_ + (is_page() ? distance : distance * config().size);
    // A total of records says nothing about pages of unknown size.
    if ((total_pages_ || config().size > 0) && is_beyond_total(at, records_ + distance * config().size).value_or(false))
        return std::nullopt;
    return overlay_at(at);
}

// ---- cursor

Result<RequestOverlay> CursorPaginator::begin(const std::optional<std::string>& resume) {
    cursor_ = config().initial;
    if (resume) {
        if (resume->size() < 2 || (*resume)[1] != ':') return resume_refused(*resume);
        const std::string text = resume->substr(2);
        switch (resume->front()) {
            case 'n':
                cursor_ = TemplateValue::number(text);
                break;
            case 'j':
                cursor_ = TemplateValue{TemplateValue::Kind::json, text, false};
                break;
            case 't':
                cursor_ = TemplateValue::of_text(text);
                break;
            default:
                return resume_refused(*resume);
        }
    }
    return overlay();
}

/// The cursor with a letter for its kind.
std::optional<std::string> CursorPaginator::resume_token() const {
    if (!cursor_) return std::nullopt;
    switch (cursor_->kind) {
        case TemplateValue::Kind::number:
            return "n:" + cursor_->text;
        case TemplateValue::Kind::json:
            return "j:" + cursor_->text;
        default:
            return "t:" + cursor_->text;
    }
}

RequestOverlay CursorPaginator::overlay() const {
    RequestOverlay overlay;
    if (!cursor_) return overlay;
    if (config().body)
        overlay.body.emplace_back(*config().body, *cursor_);
    else if (!config().send_header.empty())
        overlay.headers.emplace_back(config().send_header, cursor_->to_text());
    else
        overlay.query.emplace_back(config().param, cursor_->to_text());
    return overlay;
}

Result<Next> CursorPaginator::advance(const PageAnswer& answer) {
    if (!flag_value(answer.envelope, config().has_more).value_or(true)) return Next();
    std::optional<TemplateValue> cursor;
    if (config().path) {
        if (answer.envelope != nullptr) cursor = cursor_value(*answer.envelope, *config().path, answer.body);
    } else if (auto value = header_value(answer, config().header)) {
        cursor = TemplateValue::of_text(*std::move(value));
    }
    if (!cursor) return Next();
    cursor_ = std::move(cursor);
    return Next(overlay());
}

// ---- next_url, link_header

Result<RequestOverlay> UrlPaginator::begin(const std::optional<std::string>& resume) {
    RequestOverlay overlay;
    url_.clear();
    if (!resume) return overlay;
    const auto url = parse_url(*resume);
    if (!url.ok()) return resume_refused(*resume);
    url_ = url->to_string();
    overlay.url = url_;
    return overlay;
}

std::optional<std::string> UrlPaginator::resume_token() const {
    return url_.empty() ? std::nullopt : std::optional(url_);
}

/// As sent; empty at the end.
Result<std::string> UrlPaginator::find_address(const PageAnswer& answer) const {
    if (config().type == PaginationType::link_header) {
        if (answer.headers == nullptr) return std::string();
        return find_link(*answer.headers, config().rel).value_or("");
    }
    if (!config().path) return header_value(answer, config().header).value_or("");
    if (answer.envelope == nullptr) return std::string();
    const auto value = cursor_value(*answer.envelope, *config().path, {});
    if (!value) return std::string();
    if (value->kind != TemplateValue::Kind::text)
        return fail(Reason::upstream_not_ok,
                    "the address of the next page at \"" + config().path->text + "\" is not a string");
    return value->text;
}

Result<Next> UrlPaginator::advance(const PageAnswer& answer) {
    PG_PULL_ASSIGN(const std::string address, find_address(answer));
    if (address.empty()) return Next();
    const auto base = parse_url(answer.effective_url);
    if (!base.ok()) return base.error();
    const auto url = resolve(*base, address);
    if (!url.ok())
        return fail(Reason::upstream_not_ok, "the address of the next page cannot be used")
            .with_detail(url.error().message + ".");
    // The page just read has an address too, which begin() could not know.
    if (url_.empty()) mark_seen(base->to_string());
    url_ = url->to_string();
    RequestOverlay overlay;
    overlay.url = url_;
    return Next(std::move(overlay));
}

// ---- keyset

Result<RequestOverlay> KeysetPaginator::begin(const std::optional<std::string>& resume) {
    key_ = resume;
    return overlay();
}

std::optional<std::string> KeysetPaginator::resume_token() const { return key_; }

RequestOverlay KeysetPaginator::overlay() const {
    RequestOverlay overlay;
    if (key_) overlay.query.emplace_back(config().param, *key_);
    if (!config().size_param.empty()) overlay.query.emplace_back(config().size_param, std::to_string(config().size));
    return overlay;
}

Result<Next> KeysetPaginator::advance(const PageAnswer& answer) {
    const auto records = static_cast<std::int64_t>(answer.records);
    if (records == 0 || (config().size > 0 && records < config().size)) return Next();
    const auto record = parse_document(answer.last_record);
    const auto key = record.ok() ? cursor_value(*record, *config().field, answer.last_record) : std::nullopt;
    if (!key || key->kind == TemplateValue::Kind::json)
        return fail(Reason::invalid_configuration, "the last record of page " + std::to_string(pages()) +
                                                       " has no value at \"" + config().field->text +
                                                       "\" to go on from")
            .with_hint("Correct \"field\" of the pagination.");
    key_ = key->to_text();
    return Next(overlay());
}

}  // namespace pg_pull
