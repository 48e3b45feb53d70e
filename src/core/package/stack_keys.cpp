#include "core/package/stack_keys.h"

#include <algorithm>
#include <array>

namespace pg_pull {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 13> kForeignNames = {"headers", "header",    "query",  "body", "params",
                                                            "keep",    "fields",    "input",  "spec", "equals",
                                                            "in",      "variables", "initial"};

bool holds_foreign_names(std::string_view key) {
    return std::find(kForeignNames.begin(), kForeignNames.end(), key) != kForeignNames.end();
}

/// `body` is the author's in a request and a predicate of ours in an error rule; predicates have no key of two words.
Result<json> deep(const json& value, const std::string& place) {
    if (value.is_array()) {
        json list = json::array();
        for (std::size_t i = 0; i < value.size(); ++i) {
            PG_PULL_ASSIGN(auto element, deep(value[i], place + "[" + std::to_string(i) + "]"));
            list.push_back(std::move(element));
        }
        return list;
    }
    if (!value.is_object()) return value;
    json object = json::object();
    for (const auto& item : value.items()) {
        const std::string key = snake_case(item.key());
        const std::string inner = place + "." + item.key();
        if (object.contains(key)) return fail(Reason::invalid_configuration, inner + " is given twice");
        if (holds_foreign_names(key)) {
            object[key] = item.value();
            continue;
        }
        PG_PULL_ASSIGN(auto member, deep(item.value(), inner));
        object[key] = std::move(member);
    }
    return object;
}

}  // namespace

std::string snake_case(std::string_view key) {
    std::string snake;
    for (const char c : key) {
        const bool capital = c >= 'A' && c <= 'Z';
        if (capital && !snake.empty() && snake.back() != '_') snake += '_';
        snake += capital ? static_cast<char>(c + 32) : c;
    }
    return snake;
}

Result<json> with_snake_keys(const json& object, const std::string& place,
                             std::initializer_list<std::string_view> known) {
    if (!object.is_object()) return fail(Reason::invalid_configuration, place + " must be a JSON object");
    json converted = json::object();
    for (const auto& item : object.items()) {
        const std::string snake = snake_case(item.key());
        const bool is_known = std::find(known.begin(), known.end(), snake) != known.end();
        const std::string& key = is_known ? snake : item.key();
        if (converted.contains(key))
            return fail(Reason::invalid_configuration, place + "." + item.key() + " is given twice");
        converted[key] = item.value();
    }
    return converted;
}

Result<json> with_snake_keys_deep(const json& config, const std::string& place) { return deep(config, place); }

}  // namespace pg_pull
