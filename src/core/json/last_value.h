#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/json/path.h"

namespace pg_pull {

/// The scalar at `path` in one record's exact text, with all its digits: a string's content, a number's or boolean's text.
/// nullopt where it is absent, null, an object or an array, a string that is no text (\u0000, half of a surrogate pair), or
/// where the record is not valid JSON.
std::optional<std::string> record_value(std::string_view record_json, const Path& path);

}  // namespace pg_pull
