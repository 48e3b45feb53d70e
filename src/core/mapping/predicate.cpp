#include "core/mapping/predicate.h"

#include <algorithm>
#include <optional>
#include <string>

#include "core/json/keys.h"
#include "core/json/lookup.h"

namespace pg_pull {
namespace {

using nlohmann::json;

Result<Predicate> parse_predicate(const json& config, std::string_view where) {
    PG_PULL_CHECK(check_keys(config, where, {"path", "equals", "in", "exists"}));
    const std::string place(where);
    const auto path = config.find("path");
    if (path == config.end() || !path->is_string())
        return fail(Reason::invalid_configuration, "the predicate of " + place + " needs a \"path\"");
    Predicate predicate;
    PG_PULL_ASSIGN(predicate.path, parse_path(path->get_ref<const std::string&>()));
    if (config.size() != 2)
        return fail(Reason::invalid_configuration,
                    "the predicate of " + place + " needs one of \"equals\", \"in\" and \"exists\"");
    if (const auto value = config.find("equals"); value != config.end()) {
        predicate.test = Predicate::Test::in;
        predicate.values.push_back(*value);
    } else if (const auto list = config.find("in"); list != config.end()) {
        if (!list->is_array()) return fail(Reason::invalid_configuration, "\"in\" of " + place + " must be an array");
        predicate.test = Predicate::Test::in;
        predicate.values.assign(list->begin(), list->end());
    } else {
        const json& exists = config["exists"];
        if (!exists.is_boolean())
            return fail(Reason::invalid_configuration, "\"exists\" of " + place + " must be true or false");
        predicate.test = exists.get<bool>() ? Predicate::Test::exists : Predicate::Test::missing;
    }
    return predicate;
}

}  // namespace

bool fits(const Predicate& predicate, const std::vector<nlohmann::json>& values) {
    const bool exists = std::any_of(values.begin(), values.end(), [](const json& value) { return !value.is_null(); });
    if (predicate.test == Predicate::Test::exists) return exists;
    if (predicate.test == Predicate::Test::missing) return !exists;
    const auto is_wanted = [&predicate](const json& value) {
        return std::find(predicate.values.begin(), predicate.values.end(), value) != predicate.values.end();
    };
    return values.empty() ? is_wanted(nullptr) : std::any_of(values.begin(), values.end(), is_wanted);
}

Result<std::vector<Predicate>> parse_predicates(const nlohmann::json& config, std::string_view where) {
    std::vector<Predicate> predicates;
    const json list = config.is_array() ? config : json::array({config});
    for (const json& entry : list) {
        PG_PULL_ASSIGN(Predicate predicate, parse_predicate(entry, where));
        predicates.push_back(std::move(predicate));
    }
    if (predicates.empty()) return fail(Reason::invalid_configuration, std::string(where) + " is empty");
    return predicates;
}

bool holds(const std::vector<Predicate>& predicates, const nlohmann::json& document) {
    return std::all_of(predicates.begin(), predicates.end(), [&document](const Predicate& predicate) {
        std::vector<json> values;
        visit_values(document, predicate.path, [&values](const json& value) {
            values.push_back(value);
            return true;
        });
        return fits(predicate, values);
    });
}

}  // namespace pg_pull
