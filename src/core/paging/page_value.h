#pragma once

#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/json/path.h"
#include "core/request/value.h"

namespace pg_pull {

/// The value at `path` in `document`, as it goes into the next request: nothing where it is absent, null, "", false, or an
/// empty object or list. A number that is no integer is read again from `text`, the JSON text that `document` stands for, since
/// a double has lost its digits (`1.10`). `text` may be empty, and may hold more than `document`.
[[nodiscard]] std::optional<TemplateValue> cursor_value(const nlohmann::json& document, const Path& path,
                                                        std::string_view text);

/// The number at `path` in JSON `text`, digit by digit as it stands there; nothing where there is none. No wildcards.
[[nodiscard]] std::optional<std::string> exact_number(std::string_view text, const Path& path);

/// A count (records, pages): a whole number, or text that is one.
[[nodiscard]] std::optional<std::int64_t> count_value(const nlohmann::json* document, const std::optional<Path>& path);

/// A flag at `path`: false, 0, "false", "0", "no", "" and null are no; nothing where it is absent.
[[nodiscard]] std::optional<bool> flag_value(const nlohmann::json* document, const std::optional<Path>& path);

}  // namespace pg_pull
