#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/json/path.h"
#include "core/json/record_page.h"

namespace pg_pull {

/// Where the records of a body lie.
struct CollectedRecords {
    std::vector<RecordPage::Span> records;  ///< ascending, without space around them
    std::vector<RecordPage::Span> arrays;   ///< with their brackets: what the envelope leaves empty
    bool absent = false;                    ///< nothing lies at the path
};

/// Finds the records of a JSON body that begins with a bracket, with simdjson: the structure is checked, values are not.
/// `body` is UTF-8, and 64 bytes of its capacity lie unused behind it. Errors: upstream_not_ok, records_not_array.
Result<CollectedRecords> collect_records(const std::string& body, const std::optional<Path>& path);

/// Whether all of it is UTF-8.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// The room that collect_records needs behind a body.
inline constexpr std::size_t kBodyPadding = 64;

}  // namespace pg_pull
