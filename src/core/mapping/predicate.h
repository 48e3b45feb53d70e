#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/json/path.h"

namespace pg_pull {

/// {"path": p, "equals": v} | {"path": p, "in": [v]} | {"path": p, "exists": true|false}. A JSON null counts as not existing;
/// "equals": null fits null and absent. Numbers compare by value, everything else by type and value.
struct Predicate {
    enum class Test : unsigned char { in, exists, missing };
    Path path;
    Test test = Test::exists;
    std::vector<nlohmann::json> values;  ///< for in; equals is a list of one
};

/// One predicate or a list of them (all must hold). `where` names the place in errors.
Result<std::vector<Predicate>> parse_predicates(const nlohmann::json& config, std::string_view where);
/// Whether `predicate` holds of the values that its path leads to: none, one, or with a wildcard several, of which one is enough.
[[nodiscard]] bool fits(const Predicate& predicate, const std::vector<nlohmann::json>& values);
[[nodiscard]] bool holds(const std::vector<Predicate>& predicates, const nlohmann::json& document);

}  // namespace pg_pull
