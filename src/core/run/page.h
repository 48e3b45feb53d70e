#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pg_pull {

/// A record as the source sent it: for sys_sync_reject. Exactly one of the two is set.
struct RawRecord {
    std::optional<std::string> json;   ///< exact text
    std::optional<std::string> bytes;  ///< where it is not JSON or not UTF-8
};

/// A record that could not be stored.
struct Reject {
    RawRecord raw;
    std::optional<std::string> key;  ///< the key as text (several columns: a JSON array of texts); nullopt: unreadable
    std::int64_t page = 0;           ///< from 1
    std::int64_t ordinal = 0;        ///< within the page, from 1
    std::string column;              ///< target column, empty where no single one is to blame
    std::string code;                ///< SQLSTATE
    std::string message;
};

/// What one page brought, ready for COPY (text format, UTF-8) into staging. A line holds the staged columns in the order of
/// the StagePlan, then the plan's own columns; each ends with '\n'.
struct StagedPage {
    std::int64_t number = 0;  ///< of the page, from 1
    std::string copy;
    std::vector<std::uint32_t> line_ends;       ///< offset behind the '\n' of each line
    std::vector<std::uint32_t> ordinals;        ///< of each line, within the page, from 1
    std::vector<Reject> rejects;                ///< records that never became a line
    std::function<RawRecord(std::size_t)> raw;  ///< the record behind a line; valid while the page lives
    std::vector<std::string>
        unmapped_keys;  ///< top-level keys that nothing stores, seen for the first time in this run

    [[nodiscard]] std::size_t lines() const noexcept { return line_ends.size(); }
};

}  // namespace pg_pull
