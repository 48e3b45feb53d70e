#include "core/request/parameters.h"

#include <algorithm>
#include <array>

#include "core/base/encoding.h"
#include "core/request/credential_literal.h"

namespace pg_pull {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 6> kTransportHeaders{"host",       "content-length", "transfer-encoding",
                                                            "connection", "upgrade",        "te"};
constexpr std::array<std::string_view, 11> kHarmlessHeaders{
    "accept",           "accept-charset", "accept-language",   "cache-control",
    "content-language", "content-type",   "if-modified-since", "if-none-match",
    "pragma",           "prefer",         "user-agent"};

bool is_one_of(std::string_view name, std::span<const std::string_view> list) {
    return std::any_of(list.begin(), list.end(),
                       [name](std::string_view known) { return equals_ignoring_case(name, known); });
}

Result<Template> scalar_template(const json& value, std::string_view where) {
    if (value.is_string()) return Template::compile(value.get_ref<const std::string&>(), where);
    if (value.is_number() || value.is_boolean()) return Template::compile(value.dump(), where);
    return fail(Reason::invalid_configuration, std::string(where) + " must be a string, number or boolean");
}

Result<void> add_value(NamedTemplates& entry, const json& value, const std::string& where) {
    PG_PULL_ASSIGN(auto compiled, scalar_template(value, where));
    PG_PULL_CHECK(check_no_literal(entry.name, compiled, where));
    entry.values.push_back(std::move(compiled));
    return {};
}

Result<ParameterList> parse(const json& config, std::string_view where, bool lists) {
    if (!config.is_object()) return fail(Reason::invalid_configuration, std::string(where) + " must be a JSON object");
    ParameterList result;
    for (const auto& item : config.items()) {
        const std::string place = place_of(where, item.key());
        if (item.key().empty()) return fail(Reason::invalid_configuration, std::string(where) + " has an empty name");
        NamedTemplates entry{item.key(), {}, item.value().is_null()};
        if (lists && item.value().is_array()) {
            for (const json& element : item.value()) PG_PULL_CHECK(add_value(entry, element, place));
        } else if (!entry.omit) {
            PG_PULL_CHECK(add_value(entry, item.value(), place));
        }
        result.push_back(std::move(entry));
    }
    return result;
}

}  // namespace

std::string place_of(std::string_view where, std::string_view key) {
    if (where.ends_with('"')) return std::string(where.substr(0, where.size() - 1)) + "." + std::string(key) + "\"";
    return std::string(where) + " \"" + std::string(key) + "\"";
}

bool is_token(std::string_view text) noexcept {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    });
}

bool is_harmless_header(std::string_view name) noexcept { return is_one_of(name, kHarmlessHeaders); }

Result<ParameterList> parse_query(const json& config, std::string_view where) { return parse(config, where, true); }

Result<ParameterList> parse_headers(const json& config, std::string_view where) {
    PG_PULL_ASSIGN(auto result, parse(config, where, false));
    for (const auto& entry : result) {
        if (!is_token(entry.name))
            return fail(Reason::invalid_configuration, place_of(where, entry.name) + " is not a header name");
        if (is_one_of(entry.name, kTransportHeaders))
            return fail(Reason::invalid_configuration, place_of(where, entry.name) + " cannot be set");
        for (const auto& other : result)
            if (&other != &entry && equals_ignoring_case(other.name, entry.name))
                return fail(Reason::invalid_configuration, place_of(where, entry.name) + " is there twice");
    }
    return result;
}

}  // namespace pg_pull
