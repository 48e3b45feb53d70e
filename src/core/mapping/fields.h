#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/json/path.h"

namespace pg_pull {

enum class Transform : unsigned char { none, constant, map, split, join, lookup, epoch, sql };
enum class Pseudo : unsigned char { none, record, rest, organization, run_id, pulled_at };
enum class EpochUnit : unsigned char { s, ms, us };

struct FieldSource {
    Pseudo pseudo = Pseudo::none;
    Path path;  ///< where pseudo is none
};

/// One entry of a mapping's `fields` (DESIGN.md section 4.4), checked. params are refused where the transform has none.
struct Field {
    std::vector<FieldSource> sources;  ///< one; join: several; constant, sql: none or one
    std::vector<std::string> targets;  ///< one; split: several
    Transform transform = Transform::none;
    bool compare = true;

    std::optional<std::string> constant;  ///< nullopt: SQL NULL. Scalars as their text, objects and arrays as JSON text
    nlohmann::json constant_value;        ///< the same as the configuration has it: json columns keep its type
    std::vector<std::pair<std::string, nlohmann::json>> value_map;  ///< by the source value's text
    std::string separator = " ";                                    ///< split, join
    std::string lookup_table, lookup_match, lookup_return;
    EpochUnit epoch_unit = EpochUnit::s;
    std::string expression;  ///< sql
};

/// Reads `fields`: an object {column: source}, or an array of {source, target, transform, params, compare}. Refuses unknown
/// keys, transforms and params, a target filled twice, an empty list, and `javascript` (unsupported_transform).
Result<std::vector<Field>> parse_fields(const nlohmann::json& config);

}  // namespace pg_pull
