#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/json/path.h"

namespace pg_pull {

/// The value at `path`, the first one where the path has wildcards; nullptr where it is absent. Points into `document`.
const nlohmann::json* find_value(const nlohmann::json& document, const Path& path);

/// Calls `visit` for every value at `path`, in order, until it returns false. A wildcard stands for the elements of an array
/// and for the members of an object.
void visit_values(const nlohmann::json& document, const Path& path,
                  const std::function<bool(const nlohmann::json&)>& visit);

/// A string's content, a number's or boolean's text; nullopt for null, objects and arrays.
std::optional<std::string> scalar_text(const nlohmann::json& value);

/// The array index that a step stands for: decimal digits without leading zeros (RFC 6901 section 4); nullopt for all else.
std::optional<std::size_t> index_of_step(std::string_view step);

}  // namespace pg_pull
