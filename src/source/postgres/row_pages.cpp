#include "source/postgres/row_pages.h"

#include <array>
#include <charconv>
#include <memory>
#include <utility>

#include "core/json/text.h"

namespace pg_pull::postgres {
namespace {

/// The part of a line that belongs to its `index`th column.
std::string_view column_at(std::string_view line, std::size_t index) {
    for (; index > 0; --index) line.remove_prefix(line.find('\t') + 1);
    return line.substr(0, line.find_first_of("\t\n"));
}

/// What the raw records of a page are made from, kept apart from the page, which may move.
struct RawLines {
    std::string copy;
    std::vector<std::uint32_t> ends;
    std::vector<std::string> names;
    bool has_record = false;

    [[nodiscard]] std::string_view line(std::size_t index) const {
        const std::size_t begin = index == 0 ? 0 : ends[index - 1];
        return std::string_view(copy).substr(begin, ends[index] - begin);
    }

    /// The record column where there is one; else the line as an object of its texts.
    [[nodiscard]] RawRecord record(std::size_t index) const {
        RawRecord raw;
        const std::string_view text = line(index);
        if (has_record) {
            raw.json = from_copy(column_at(text, names.size() + 1));
            return raw;
        }
        raw.json = "{";
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (i > 0) *raw.json += ',';
            append_json_string(names[i], *raw.json);
            *raw.json += ':';
            const std::string_view value = column_at(text, i);
            if (value == "\\N")
                *raw.json += "null";
            else
                append_json_string(from_copy(value), *raw.json);
        }
        *raw.json += '}';
        return raw;
    }
};

/// Where the last `count` columns of a line begin (at the tab before them).
std::size_t tail_begin(std::string_view line, std::size_t count) {
    std::size_t at = line.size();
    for (; count > 0; --count) at = line.rfind('\t', at - 1);
    return at;
}

}  // namespace

LinePages::LinePages(const StagePlan& plan)
    : has_record_(plan.record),
      after_seq_((plan.record ? 1U : 0U) + (plan.watermark ? 1U : 0U)),
      has_watermark_(plan.watermark) {
    for (const Column& column : plan.columns) names_.push_back(column.name);
    if (plan.presence) presence_ = "\t" + std::string(names_.size(), '1');
}

void LinePages::add(std::string_view row) {
    row.remove_suffix(1);
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), ++sequence_).ptr;
    const std::size_t seq_at = tail_begin(row, after_seq_);
    const std::size_t presence_at = has_watermark_ ? tail_begin(row, 1) : row.size();
    page_.copy.append(row.substr(0, seq_at));
    page_.copy.push_back('\t');
    page_.copy.append(digits.data(), end);
    page_.copy.append(row.substr(seq_at, presence_at - seq_at));
    page_.copy.append(presence_);
    page_.copy.append(row.substr(presence_at));
    page_.copy.push_back('\n');
    page_.line_ends.push_back(static_cast<std::uint32_t>(page_.copy.size()));
    page_.ordinals.push_back(static_cast<std::uint32_t>(page_.line_ends.size()));
}

StagedPage LinePages::take(std::int64_t number) {
    StagedPage page = std::exchange(page_, StagedPage{});
    page_.copy.reserve(page.copy.size());
    page.number = number;
    auto raw = std::make_shared<RawLines>(RawLines{page.copy, page.line_ends, names_, has_record_});
    page.raw = [raw = std::move(raw)](std::size_t index) { return raw->record(index); };
    return page;
}

void RecordPages::add(std::string_view row) {
    body_ += rows_++ == 0 ? '[' : ',';
    body_ += row;
}

void RecordPages::add_copied(std::string_view row) {
    row.remove_suffix(1);
    if (row.find('\\') == std::string_view::npos)
        add(row);
    else
        add(from_copy(row));
}

std::string RecordPages::take() {
    std::string body = std::exchange(body_, {});
    body_.reserve(body.size());
    rows_ = 0;
    return body += ']';
}

}  // namespace pg_pull::postgres
