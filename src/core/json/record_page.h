#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/json/path.h"

namespace pg_pull {

enum class RecordFormat : unsigned char { json, ndjson };

/// One answer's body and where its records lie in it. Opening is quick (structure and UTF-8 are checked, values are not): a
/// source finds its next cursor here and asks for the next page before anybody decodes this one.
class RecordPage {
public:
    /// A record within the body. Offsets stay valid while the page lives.
    struct Span {
        std::uint32_t begin = 0;
        std::uint32_t size = 0;
    };

    /// `records_path` absent: an array body is the records, an object body is one record. JSON null there: no records.
    /// Errors: records_not_array (detail: what is there, and the keys that are), an absent path (reason records_not_array too;
    /// only `path_may_be_absent` makes it an empty page), and reason upstream_not_ok where the body is no JSON at all.
    /// A byte order mark is skipped. Bytes that are not UTF-8 within a record only cost that record (see is_damaged).
    static Result<RecordPage> open(std::string body, RecordFormat format, const std::optional<Path>& records_path,
                                   bool path_may_be_absent);

    [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }
    [[nodiscard]] std::string_view record(std::size_t index) const noexcept {
        return std::string_view(body_).substr(records_[index].begin, records_[index].size);
    }
    /// The record holds bytes that are not UTF-8 (or an NDJSON line that is not JSON): it can only be rejected.
    [[nodiscard]] bool is_damaged(std::size_t index) const noexcept;
    /// The body without its records (each record array is empty): cursors, totals, has-more flags. Null for NDJSON.
    [[nodiscard]] const nlohmann::json& envelope() const noexcept { return envelope_; }
    [[nodiscard]] const std::string& body() const noexcept { return body_; }
    [[nodiscard]] RecordFormat format() const noexcept { return format_; }
    /// There was nothing at `records_path`, which open() let pass.
    [[nodiscard]] bool path_was_absent() const noexcept { return path_was_absent_; }

private:
    Result<void> open_json(const std::optional<Path>& records_path, bool path_may_be_absent);
    Result<void> open_lines();

    std::string body_;
    std::vector<Span> records_;
    std::vector<std::uint32_t> damaged_;  ///< indexes, ascending
    nlohmann::json envelope_;
    RecordFormat format_ = RecordFormat::json;
    bool path_was_absent_ = false;
};

}  // namespace pg_pull
