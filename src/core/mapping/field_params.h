#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/mapping/fields.h"

namespace pg_pull {

/// Reads the `params` of `field` as its transform wants them. `where` names the field in errors. Refuses unknown params, and
/// any where the transform has none.
Result<void> parse_params(const nlohmann::json& params, const std::string& where, Field& field);

}  // namespace pg_pull
