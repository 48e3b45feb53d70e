#include "source/rest/content.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/encoding.h"
#include "core/json/document.h"
#include "source/rest/charset.h"

namespace pg_pull::rest {
namespace {

/// Enough for the excerpt of an error, and for a secret at its edge to be recognised.
constexpr std::size_t kBeginning = 4096;
/// An error's own body is read for its message up to here.
constexpr std::size_t kMaxErrorBody = 4 << 20;
constexpr std::array<std::string_view, 6> kLineTypes{"application/x-ndjson",   "application/ndjson",
                                                     "application/jsonl",      "application/x-jsonl",
                                                     "application/json-lines", "application/jsonlines"};

bool is_success(int status) { return status >= 200 && status <= 299; }

RecordFormat format_of(const ContentTerms& terms, std::string_view type) {
    if (terms.decoder) return terms.decoder->type == DecoderType::ndjson ? RecordFormat::ndjson : RecordFormat::json;
    const bool lines = std::find(kLineTypes.begin(), kLineTypes.end(), type) != kLineTypes.end();
    return lines ? RecordFormat::ndjson : RecordFormat::json;
}

/// What is left once a byte order mark and blanks are skipped.
std::string_view without_blanks(std::string_view body) {
    if (body.starts_with("\xEF\xBB\xBF")) body.remove_prefix(3);
    const auto at = body.find_first_not_of(" \t\r\n");
    return at == std::string_view::npos ? std::string_view() : body.substr(at);
}

char first_character(std::string_view body) {
    body = without_blanks(body);
    return body.empty() ? '\0' : body.front();
}

/// The transport has told where the body ends, and nothing was unpacked on the way: what arrived is all there was. (A compressed
/// body is checked by libcurl only as far as it goes, not for its end.)
bool is_vouched_for(const HttpResponse& response) {
    return (response.header("content-length") || response.header("transfer-encoding")) &&
           !response.header("content-encoding");
}

void keep_document(Content& content, std::string_view body) {
    auto parsed = parse_document(body);
    if (!parsed.ok()) return;
    content.document = std::move(parsed).value();
    content.has_document = true;
}

/// Does a predicate look at the records, which the envelope lacks? Without records_path, an array body is nothing but records.
bool looks_into_records(const std::vector<ErrorRule>& rules, int status, const ContentTerms& terms, char first) {
    for (const ErrorRule& rule : rules) {
        const auto& wanted = rule.statuses;
        if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), status) == wanted.end()) continue;
        for (const Predicate& predicate : rule.body) {
            if (!terms.records_path) return true;
            const auto& records = terms.records_path->steps;
            const auto& path = predicate.path.steps;
            const auto same = std::mismatch(records.begin(), records.end(), path.begin(), path.end());
            const bool wild = predicate.path.has_wildcard() || terms.records_path->has_wildcard();
            if (wild || first != '{' || same.first == records.end()) return true;
        }
    }
    return false;
}

bool has_body_rules(const ContentTerms& terms) {
    return terms.rules != nullptr && std::any_of(terms.rules->begin(), terms.rules->end(),
                                                 [](const ErrorRule& rule) { return !rule.body.empty(); });
}

/// Lines whose last one is no JSON and has no end.
bool ends_in_a_broken_line(const RecordPage& page) {
    return page.size() > 0 && page.is_damaged(page.size() - 1) && !page.body().ends_with('\n');
}

Error not_records(std::string what, std::string hint = {}) {
    return fail(Reason::upstream_not_ok, std::move(what)).with_hint(std::move(hint));
}

void open_page(Content& content, std::string body, RecordFormat format, const ContentTerms& terms, bool vouched) {
    const char first = first_character(body);
    if (first == '<' && format == RecordFormat::json) {
        content.problem =
            not_records("answer is HTML or XML instead of JSON", "Check the path, and whether a login page answers.");
        return;
    }
    auto page = RecordPage::open(std::move(body), format, terms.records_path, terms.path_may_be_absent);
    if (!page.ok()) {
        content.cut_short =
            page.error().reason == Reason::upstream_not_ok && (first == '{' || first == '[') && !vouched;
        content.problem = std::move(page).error();
        return;
    }
    if (format == RecordFormat::ndjson && !vouched && ends_in_a_broken_line(*page)) {
        content.problem = not_records("answer ends in the middle of a record");
        content.cut_short = true;
        return;
    }
    content.page = std::move(page).value();
}

void read_success(Content& content, HttpResponse& response, const ContentTerms& terms) {
    const std::string type = media_type(response.header("content-type").value_or(""));
    const bool vouched = is_vouched_for(response);
    auto text = to_utf8(std::move(response.body), response.header("content-type").value_or(""));
    if (!text.ok()) {
        content.problem = std::move(text).error();
        return;
    }
    std::string body = std::move(text).value();
    const RecordFormat format = format_of(terms, type);
    const bool rules = has_body_rules(terms);
    if (rules && looks_into_records(*terms.rules, response.status, terms, first_character(body)))
        keep_document(content, body);
    // A body that holds no records may still be what a rule waits for; then its envelope cannot be had.
    std::string kept;
    if (rules && !content.has_document) kept = body;
    open_page(content, std::move(body), format, terms, vouched);
    if (content.has_document || !rules) return;
    if (content.page && format == RecordFormat::json) {
        content.document = content.page->envelope();
        content.has_document = true;
    } else if (!content.page) {
        keep_document(content, kept);
    }
}

}  // namespace

std::string media_type(std::string_view content_type) {
    std::string type = ascii_lower(content_type.substr(0, content_type.find(';')));
    while (type.ends_with(' ') || type.ends_with('\t')) type.pop_back();
    return type;
}

Content read_content(HttpResponse& response, const ContentTerms& terms) {
    Content content;
    content.beginning = response.body.substr(0, kBeginning);
    if (!is_success(response.status)) {
        if (response.body.size() <= kMaxErrorBody) keep_document(content, response.body);
        response.body.clear();
        return content;
    }
    if (response.status == 204 || response.status == 205) {
        auto none = RecordPage::open("[]", RecordFormat::json, std::nullopt, true);
        content.page = std::move(none).value();
        return content;
    }
    if (without_blanks(response.body).empty() &&
        format_of(terms, media_type(response.header("content-type").value_or(""))) == RecordFormat::json) {
        content.problem =
            not_records("answer is empty", "If that means no records, add an errors rule with then \"empty\".");
        return content;
    }
    read_success(content, response, terms);
    return content;
}

}  // namespace pg_pull::rest
