#include "core/mapping/field_params.h"

#include "core/json/keys.h"
#include "core/json/lookup.h"

namespace pg_pull {
namespace {

using nlohmann::json;

Error bad_param(const std::string& where, std::string_view name, std::string_view must) {
    return fail(Reason::invalid_configuration,
                "param \"" + std::string(name) + "\" of " + where + " must be " + std::string(must));
}

/// A text that must be there and not be empty.
Result<std::string> required_text(const json& params, std::string_view name, const std::string& where) {
    const auto found = params.find(name);
    if (found == params.end())
        return fail(Reason::invalid_configuration, where + " lacks the param \"" + std::string(name) + "\"");
    if (!found->is_string() || found->get_ref<const std::string&>().empty()) return bad_param(where, name, "a text");
    return found->get<std::string>();
}

Result<void> parse_constant(const json& params, const std::string& where, Field& field) {
    PG_PULL_CHECK(check_keys(params, "\"params\" of " + where, {"value"}));
    const auto value = params.find("value");
    if (value == params.end()) return fail(Reason::invalid_configuration, where + " lacks the param \"value\"");
    if (!field.sources.empty())
        return fail(Reason::invalid_configuration, where + " is a constant and takes no source");
    field.constant_value = *value;
    if (!value->is_null()) field.constant = value->is_structured() ? value->dump() : scalar_text(*value);
    return {};
}

Result<void> parse_map(const json& params, const std::string& where, Field& field) {
    PG_PULL_CHECK(check_keys(params, "\"params\" of " + where, {"value_map"}));
    const auto map = params.find("value_map");
    if (map == params.end()) return fail(Reason::invalid_configuration, where + " lacks the param \"value_map\"");
    if (!map->is_object()) return bad_param(where, "value_map", "an object");
    for (const auto& item : map->items()) field.value_map.emplace_back(item.key(), item.value());
    return {};
}

/// A separator of nothing could not be found (split), but can be put in between (join).
Result<void> parse_separator(const json& params, const std::string& where, Field& field) {
    PG_PULL_CHECK(check_keys(params, "\"params\" of " + where, {"separator"}));
    const auto separator = params.find("separator");
    if (separator == params.end()) return {};
    if (!separator->is_string()) return bad_param(where, "separator", "a text");
    field.separator = separator->get<std::string>();
    if (field.separator.empty() && field.transform == Transform::split)
        return bad_param(where, "separator", "a text of at least one character");
    return {};
}

Result<void> parse_lookup(const json& params, const std::string& where, Field& field) {
    PG_PULL_CHECK(check_keys(params, "\"params\" of " + where, {"table", "match", "return"}));
    PG_PULL_ASSIGN(field.lookup_table, required_text(params, "table", where));
    PG_PULL_ASSIGN(field.lookup_match, required_text(params, "match", where));
    PG_PULL_ASSIGN(field.lookup_return, required_text(params, "return", where));
    return {};
}

Result<void> parse_epoch(const json& params, const std::string& where, Field& field) {
    PG_PULL_CHECK(check_keys(params, "\"params\" of " + where, {"unit"}));
    const auto unit = params.find("unit");
    if (unit == params.end() || *unit == "s")
        field.epoch_unit = EpochUnit::s;
    else if (*unit == "ms")
        field.epoch_unit = EpochUnit::ms;
    else if (*unit == "us")
        field.epoch_unit = EpochUnit::us;
    else
        return bad_param(where, "unit", "\"s\", \"ms\" or \"us\"");
    return {};
}

Result<void> parse_sql(const json& params, const std::string& where, Field& field) {
    PG_PULL_CHECK(check_keys(params, "\"params\" of " + where, {"expression"}));
    PG_PULL_ASSIGN(field.expression, required_text(params, "expression", where));
    return {};
}

}  // namespace

Result<void> parse_params(const nlohmann::json& params, const std::string& where, Field& field) {
    switch (field.transform) {
        case Transform::none:
            return check_keys(params, "\"params\" of " + where, {});
        case Transform::constant:
            return parse_constant(params, where, field);
        case Transform::map:
            return parse_map(params, where, field);
        case Transform::split:
        case Transform::join:
            return parse_separator(params, where, field);
        case Transform::lookup:
            return parse_lookup(params, where, field);
        case Transform::epoch:
            return parse_epoch(params, where, field);
        case Transform::sql:
            return parse_sql(params, where, field);
    }
    return {};
}

}  // namespace pg_pull
