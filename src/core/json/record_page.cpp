#include "core/json/record_page.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/json/document.h"
#include "core/json/raw.h"
#include "core/json/record_collector.h"
#include "core/json/utf8.h"

namespace pg_pull {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kSpace = " \t\r\n";
/// How much of what is there an error lists.
constexpr std::size_t kListedKeys = 20, kListedBytes = 60;

/// The keys of `object`, quoted, for an error's detail.
std::string list_keys(std::string_view object) {
    std::vector<std::string> keys;
    for_each_member(object, [&keys](std::string_view inside, std::string_view) {
        std::string key;
        append_decoded_leniently(inside, key);
        if (std::find(keys.begin(), keys.end(), key) == keys.end() && keys.size() <= kListedKeys) keys.push_back(key);
    });
    if (keys.empty()) return "has no keys";
    std::string list;
    for (std::size_t i = 0; i < std::min(keys.size(), kListedKeys); ++i) {
        list += i == 0 ? "has the keys \"" : "\", \"";
        list += keys[i].substr(0, utf8_cut(keys[i], kListedBytes));
    }
    return list + (keys.size() > kListedKeys ? "\" and more" : "\"");
}

/// Follows `path` as far as it goes and says what is there. A wildcard is followed into its first element.
std::string describe_absence(std::string_view raw, const Path& path) {
    std::string place;
    for (const std::string& step : path.steps) {
        std::string_view child;
        if (step == "*" && !path.pointer) {
            Path first;
            first.steps = {"*"};
            visit_raw(raw, first, 0, [&child](std::string_view value) {
                if (child.empty()) child = value;
            });
        } else {
            child = raw_child(raw, step);
        }
        if (child.empty()) {
            const std::string where = place.empty() ? "The answer" : "What is at \"" + place + "\"";
            if (raw_type(raw) == RawType::object) return where + " has no \"" + step + "\"; it " + list_keys(raw) + ".";
            return where + " is " + std::string(raw_type_name(raw)) + ", which has no \"" + step + "\".";
        }
        place += place.empty() ? step : (path.pointer ? "/" : ".") + step;
        raw = child;
    }
    return {};
}

/// The body with an empty array in place of each array of records.
Result<nlohmann::json> read_envelope(const std::string& body, const std::vector<RecordPage::Span>& arrays) {
    std::string text;
    std::size_t behind = 0;
    for (const RecordPage::Span& array : arrays) {
        text.append(body, behind, array.begin - behind).append("[]");
        behind = array.begin + array.size;
    }
    text.append(body, behind);
    auto envelope = parse_document(text);
    if (envelope.ok()) return envelope;
    Scanner whole(body);  // for the offset in the body instead of that in the envelope
    if (whole.skip_document() || whole.problem() != Scanner::Problem::syntax) return envelope;
    return not_json(whole.finished() ? "the text ends too early" : "the text is no JSON", whole.offset());
}

/// The records that hold one of `positions`; nothing where one of these lies outside all of them. Both lists ascend.
std::optional<std::vector<std::uint32_t>> damaged_records(const std::vector<RecordPage::Span>& records,
                                                          const std::vector<std::uint32_t>& positions) {
    std::vector<std::uint32_t> damaged;
    std::size_t index = 0;
    for (const std::uint32_t position : positions) {
        while (index < records.size() && records[index].begin + records[index].size <= position) ++index;
        if (index == records.size() || records[index].begin > position) return std::nullopt;
        if (damaged.empty() || damaged.back() != index) damaged.push_back(static_cast<std::uint32_t>(index));
    }
    return damaged;
}

}  // namespace

Result<RecordPage> RecordPage::open(std::string body, RecordFormat format, const std::optional<Path>& records_path,
                                    bool path_may_be_absent) {
    if (body.compare(0, kByteOrderMark.size(), kByteOrderMark) == 0) body.erase(0, kByteOrderMark.size());
    if (body.size() > std::numeric_limits<std::uint32_t>::max() - kBodyPadding)
        return fail(Reason::upstream_not_ok, "the answer is larger than 4 GB");
    RecordPage page;
    page.body_ = std::move(body);
    page.format_ = format;
    if (format == RecordFormat::ndjson) {
        if (records_path)
            return fail(Reason::invalid_configuration, "a records path cannot be used with newline-delimited JSON");
        PG_PULL_CHECK(page.open_lines());
    } else {
        PG_PULL_CHECK(page.open_json(records_path, path_may_be_absent));
    }
    return page;
}

bool RecordPage::is_damaged(std::size_t index) const noexcept {
    return std::binary_search(damaged_.begin(), damaged_.end(), static_cast<std::uint32_t>(index));
}

Result<void> RecordPage::open_json(const std::optional<Path>& records_path, bool path_may_be_absent) {
    const std::size_t first = body_.find_first_not_of(kSpace);
    if (first == std::string::npos) return not_json("the text ends without a value", body_.size());
    const bool structured = body_[first] == '{' || body_[first] == '[';
    std::string mended;
    std::vector<std::uint32_t> bad_bytes;
    const std::string* text = &body_;
    if (!is_utf8(body_)) {
        mended.reserve(body_.size() + kBodyPadding);
        mended = body_;
        bad_bytes = replace_bad_utf8(mended, kBadByteMark);
        text = &mended;
    } else {
        body_.reserve(body_.size() + kBodyPadding);
    }
    CollectedRecords found;
    if (structured) {
        PG_PULL_ASSIGN(found, collect_records(*text, records_path));
    } else {
        found.absent = records_path.has_value();
    }
    auto damaged = damaged_records(found.records, bad_bytes);
    if (!damaged) return not_json("the text is not UTF-8", bad_bytes.front());
    PG_PULL_ASSIGN(envelope_, read_envelope(*text, found.arrays));
    if (!structured && !records_path && !envelope_.is_null())
        return fail(Reason::records_not_array, "the answer holds no list of records")
            .with_detail("The answer is " + std::string(raw_type_name(std::string_view(*text).substr(first))) + ".");
    if (found.absent && !path_may_be_absent)
        return fail(Reason::records_not_array, "the answer holds no list of records at \"" + records_path->text + "\"")
            .with_detail(describe_absence(std::string_view(*text).substr(first), *records_path));
    path_was_absent_ = found.absent;
    records_ = std::move(found.records);
    damaged_ = *std::move(damaged);
    return {};
}

Result<void> RecordPage::open_lines() {
    const bool all_utf8 = is_utf8(body_);
    std::string_view rest = body_;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const std::size_t first = line.find_first_not_of(kSpace);
        if (first == std::string_view::npos) continue;
        line = line.substr(first, line.find_last_not_of(kSpace) + 1 - first);
        Scanner scanner(line);
        const bool sound = scanner.skip_document() || scanner.problem() == Scanner::Problem::too_deep;
        if (!sound || (!all_utf8 && !is_utf8(line))) damaged_.push_back(static_cast<std::uint32_t>(records_.size()));
        records_.push_back(
            {static_cast<std::uint32_t>(line.data() - body_.data()), static_cast<std::uint32_t>(line.size())});
    }
    return {};
}

}  // namespace pg_pull
