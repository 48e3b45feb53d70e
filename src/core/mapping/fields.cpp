#include "core/mapping/fields.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/json/keys.h"
#include "core/json/lookup.h"
#include "core/mapping/field_params.h"

namespace pg_pull {
namespace {

using nlohmann::json;

struct TransformName {
    std::string_view name;
    Transform transform;
};
constexpr std::array kTransforms = {
    TransformName{"none", Transform::none},   TransformName{"constant", Transform::constant},
    TransformName{"map", Transform::map},     TransformName{"split", Transform::split},
    TransformName{"join", Transform::join},   TransformName{"lookup", Transform::lookup},
    TransformName{"epoch", Transform::epoch}, TransformName{"sql", Transform::sql},
};

struct PseudoName {
    std::string_view name;
    Pseudo pseudo;
};
constexpr std::array kPseudos = {
    PseudoName{"$record", Pseudo::record},
    PseudoName{"$rest", Pseudo::rest},
    PseudoName{"$organization", Pseudo::organization},
    PseudoName{"$run_id", Pseudo::run_id},
    PseudoName{"$pulled_at", Pseudo::pulled_at},
};

Result<FieldSource> parse_source(const json& value, const std::string& where) {
    if (!value.is_string()) return fail(Reason::invalid_configuration, "the source of " + where + " must be a string");
    const std::string& text = value.get_ref<const std::string&>();
    FieldSource source;
    if (!text.empty() && text.front() == '$') {
        for (const PseudoName& known : kPseudos)
            if (text == known.name) source.pseudo = known.pseudo;
        if (source.pseudo != Pseudo::none) return source;
        const std::string near = nearest_key(text, {"$record", "$rest", "$organization", "$run_id", "$pulled_at"});
        Error error = fail(Reason::invalid_configuration, "the source \"" + text + "\" of " + where + " is not known");
        error.hint = near.empty() ? "A key that begins with \"$\" is reached by a pointer: \"/" + text + "\"."
                                  : "Did you mean \"" + near + "\"?";
        return error;
    }
    auto path = parse_path(text);
    if (!path.ok()) return std::move(path).error().with_detail("It is the source of " + where + ".");
    source.path = *std::move(path);
    return source;
}

Result<Transform> parse_transform(const json& entry, const std::string& where) {
    const auto found = entry.find("transform");
    if (found == entry.end()) return Transform::none;
    if (!found->is_string())
        return fail(Reason::invalid_configuration, "the transform of " + where + " must be a string");
    const std::string& name = found->get_ref<const std::string&>();
    for (const TransformName& known : kTransforms)
        if (name == known.name) return known.transform;
    if (name == "javascript")
        return fail(Reason::unsupported_transform, "the transform \"javascript\" of " + where + " is not supported")
            .with_hint("Use the transform \"sql\".");
    const std::string near = nearest_key(name, {"none", "constant", "map", "split", "join", "lookup", "epoch", "sql"});
    Error error = fail(Reason::invalid_configuration, "the transform \"" + name + "\" of " + where + " is not known");
    error.hint = near.empty() ? "Transforms are none, constant, map, split, join, lookup, epoch and sql."
                              : "Did you mean \"" + near + "\"?";
    return error;
}

Result<std::vector<std::string>> parse_targets(const json& entry, const std::string& where) {
    const auto found = entry.find("target");
    if (found == entry.end()) return fail(Reason::invalid_configuration, where + " has no target");
    std::vector<std::string> targets;
    const json list = found->is_array() ? *found : json::array({*found});
    for (const json& target : list) {
        if (!target.is_string() || target.get_ref<const std::string&>().empty())
            return fail(Reason::invalid_configuration, "the target of " + where + " must be the name of a column");
        targets.push_back(target.get<std::string>());
    }
    return targets;
}

Result<std::vector<FieldSource>> parse_sources(const json& entry, const std::string& where) {
    std::vector<FieldSource> sources;
    const auto found = entry.find("source");
    if (found == entry.end() || found->is_null()) return sources;
    const json list = found->is_array() ? *found : json::array({*found});
    for (const json& source : list) {
        PG_PULL_ASSIGN(FieldSource parsed, parse_source(source, where));
        sources.push_back(std::move(parsed));
    }
    return sources;
}

/// How many sources and targets the transform takes.
Result<void> check_arity(const Field& field, const std::string& where) {
    const bool needs_none = field.transform == Transform::constant || field.transform == Transform::sql;
    if (field.sources.empty() && !needs_none) return fail(Reason::invalid_configuration, where + " has no source");
    if (field.sources.size() > 1 && field.transform != Transform::join)
        return fail(Reason::invalid_configuration, where + " has several sources")
            .with_hint("Only the transform \"join\" takes a list of sources.");
    if (field.targets.empty()) return fail(Reason::invalid_configuration, where + " has no target");
    if (field.targets.size() > 1 && field.transform != Transform::split)
        return fail(Reason::invalid_configuration, where + " has several targets")
            .with_hint("Only the transform \"split\" takes a list of targets.");
    return {};
}

Result<Field> parse_entry(const json& entry, std::size_t number) {
    std::string where = "entry " + std::to_string(number) + " of \"fields\"";
    PG_PULL_CHECK(check_keys(entry, where, {"source", "target", "transform", "params", "compare"}));
    Field field;
    PG_PULL_ASSIGN(field.targets, parse_targets(entry, where));
    if (!field.targets.empty()) where = "the field for column \"" + field.targets.front() + "\"";
    PG_PULL_ASSIGN(field.transform, parse_transform(entry, where));
    PG_PULL_ASSIGN(field.sources, parse_sources(entry, where));
    if (const auto compare = entry.find("compare"); compare != entry.end()) {
        if (!compare->is_boolean())
            return fail(Reason::invalid_configuration, "\"compare\" of " + where + " must be true or false");
        field.compare = compare->get<bool>();
    }
    PG_PULL_CHECK(check_arity(field, where));
    const auto params = entry.find("params");
    PG_PULL_CHECK(parse_params(params == entry.end() ? json::object() : *params, where, field));
    return field;
}

Result<std::vector<Field>> parse_object(const json& config) {
    std::vector<Field> fields;
    for (const auto& item : config.items()) {
        if (item.key().empty())
            return fail(Reason::invalid_configuration, "\"fields\" has a column with an empty name");
        PG_PULL_ASSIGN(FieldSource source, parse_source(item.value(), "column \"" + item.key() + "\""));
        Field field;
        field.sources.push_back(std::move(source));
        field.targets.push_back(item.key());
        fields.push_back(std::move(field));
    }
    return fields;
}

Result<std::vector<Field>> parse_array(const json& config) {
    std::vector<Field> fields;
    for (const json& entry : config) {
        PG_PULL_ASSIGN(Field field, parse_entry(entry, fields.size() + 1));
        fields.push_back(std::move(field));
    }
    return fields;
}

}  // namespace

Result<std::vector<Field>> parse_fields(const nlohmann::json& config) {
    if (!config.is_object() && !config.is_array())
        return fail(Reason::invalid_configuration, "\"fields\" must be an object or an array");
    PG_PULL_ASSIGN(std::vector<Field> fields, config.is_object() ? parse_object(config) : parse_array(config));
    if (fields.empty()) return fail(Reason::invalid_configuration, "\"fields\" is empty");
    std::vector<std::string_view> seen;
    for (const Field& field : fields) {
        for (const std::string& target : field.targets) {
            if (std::find(seen.begin(), seen.end(), target) != seen.end())
                return fail(Reason::invalid_configuration, "column \"" + target + "\" is filled by two fields");
            seen.push_back(target);
        }
    }
    return fields;
}

}  // namespace pg_pull
