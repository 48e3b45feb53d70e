#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace pg_pull {

/// `recordsPath` is `records_path`. Text without a capital stays as it is.
[[nodiscard]] std::string snake_case(std::string_view key);

/// The object with those of its keys in snake_case that are then `known`. The others stay, for the one who refuses them by the name that
/// the author wrote. Values are not looked into. Refuses a key that is there in both forms.
Result<nlohmann::json> with_snake_keys(const nlohmann::json& object, const std::string& place,
                                       std::initializer_list<std::string_view> known);

/// A configuration with all its keys in snake_case, but for the names that belong to the remote system or to the author: below
/// `headers`, `query`, `body`, `params`, `keep`, `fields` and their like everything stays as written.
Result<nlohmann::json> with_snake_keys_deep(const nlohmann::json& config, const std::string& place);

}  // namespace pg_pull
