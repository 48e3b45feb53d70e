#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/run/page.h"
#include "core/run/source.h"
#include "core/run/stage_plan.h"

namespace pg_pull::postgres {

/// A page is handed on when it has this much.
constexpr std::size_t page_bytes = std::size_t{1} << 20;
constexpr std::size_t page_rows = 10'000;

/// Makes pages of the lines that COPY … TO STDOUT sends for a ReadStatement whose `lines` is true: they pass as they are, only
/// the sequence number (and presence, where the plan has it) is put in.
class LinePages {
public:
    explicit LinePages(const StagePlan& plan);
    /// `row` ends with '\n'.
    void add(std::string_view row);
    [[nodiscard]] bool full() const noexcept { return page_.copy.size() >= page_bytes || page_.lines() >= page_rows; }
    [[nodiscard]] bool empty() const noexcept { return page_.lines() == 0; }
    /// The page so far; the next one begins.
    StagedPage take(std::int64_t number);

private:
    std::vector<std::string> names_;  ///< of the staged columns
    bool has_record_;
    std::size_t after_seq_;  ///< columns that the remote sends and that stand behind the sequence number
    std::string presence_;   ///< what stands between record and watermark, with a tab before it
    bool has_watermark_;
    std::int64_t sequence_ = 0;
    StagedPage page_;
};

/// Makes pages of records of rows that are JSON objects. The body is one array, so that line breaks within a value of type
/// json stay as they are.
class RecordPages {
public:
    /// `row` is one JSON object.
    void add(std::string_view row);
    /// The same as COPY sends it: escaped, with '\n' behind it.
    void add_copied(std::string_view row);
    [[nodiscard]] bool full() const noexcept { return body_.size() >= page_bytes || rows_ >= page_rows; }
    [[nodiscard]] bool empty() const noexcept { return rows_ == 0; }
    /// The body so far; the next one begins.
    std::string take();

private:
    std::string body_;
    std::size_t rows_ = 0;
};

}  // namespace pg_pull::postgres
