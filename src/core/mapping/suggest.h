#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace pg_pull {

struct Suggestion {
    std::string create_table;
    nlohmann::ordered_json fields;  ///< {column: path}, in the order of the records' keys
    std::vector<std::string> key;   ///< empty where no key is in sight
    std::optional<nlohmann::json> watermark;
};

/// Proposes a table for records seen: one column a top-level key, typed by what all of its values can be (boolean, bigint,
/// numeric, uuid, date, timestamptz, else text; jsonb for objects and arrays). The key is a column `id`, `_id`, `uuid` or `key` with a
/// different value in every record; the watermark a time column whose name says that it changes with the record.
/// `table` is qualified and quoted already. Refuses an empty list, and records that are not objects (record_not_object).
Result<Suggestion> suggest(const std::vector<std::string_view>& records, const std::string& table);

/// A column name for a key: lower case, words joined by '_', at most 63 bytes (a hash keeps long ones apart), never empty.
[[nodiscard]] std::string column_name(std::string_view key);

}  // namespace pg_pull
