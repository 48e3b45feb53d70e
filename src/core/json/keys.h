#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace pg_pull {

/// Refuses keys of `object` that are not among `known` (reason unknown_key, 22023), naming the nearest known key in the hint.
/// `where` names the place for the message, e.g. "connector config" or "pagination".
Result<void> check_keys(const nlohmann::json& object, std::string_view where,
                        std::initializer_list<std::string_view> known);

/// The nearest of `known` by edit distance, or empty where none is near.
std::string nearest_key(std::string_view key, std::initializer_list<std::string_view> known);
std::string nearest_key(std::string_view key, std::span<const std::string_view> known);

}  // namespace pg_pull
