#include "core/oauth/fields.h"

#include <algorithm>
#include <regex>

#include "core/json/keys.h"
#include "core/json/lookup.h"
#include "core/json/utf8.h"
#include "core/oauth/answer_body.h"

namespace pg_pull::oauth {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestField = 1024;

std::string field_place(const std::string& name) { return "connection field \"" + name + "\""; }

const ConnectionField* declared_field(const AuthConfig& auth, const std::string& name) {
    const auto found = std::find_if(auth.fields.begin(), auth.fields.end(),
                                    [&name](const ConnectionField& field) { return field.name == name; });
    return found == auth.fields.end() ? nullptr : &*found;
}

Result<void> check_text(const std::string& name, const std::string& text) {
    if (text.size() > kLongestField)
        return fail(Reason::invalid_configuration, field_place(name) + " is longer than 1024 bytes");
    std::string copy = text;
    if (!replace_bad_utf8(copy, '?').empty())
        return fail(Reason::invalid_configuration, field_place(name) + " is not UTF-8");
    if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }))
        return fail(Reason::invalid_configuration, field_place(name) + " holds a control character");
    return {};
}

/// regex_match takes the whole text, or nothing. It throws where the expression is too much for it.
bool fits_pattern(const std::string& text, const std::string& pattern) {
    try {
        return std::regex_match(text, std::regex(pattern));
    } catch (const std::regex_error&) {
        return false;
    }
}

Result<void> check_value(const ConnectionField& field, const std::string& text) {
    PG_PULL_CHECK(check_text(field.name, text));
    if (!field.allowed.empty() && std::find(field.allowed.begin(), field.allowed.end(), text) == field.allowed.end()) {
        std::string list;
        for (const auto& word : field.allowed) list.append(list.empty() ? "\"" : ", \"").append(word).append("\"");
        return fail(Reason::invalid_configuration, field_place(field.name) + " has a value that is not allowed")
            .with_hint("It is one of " + list + ".");
    }
    if (!field.pattern.empty() && !fits_pattern(text, field.pattern))
        return fail(Reason::invalid_configuration, field_place(field.name) + " does not fit its pattern")
            .with_hint("The whole value must fit \"" + field.pattern + "\".");
    return {};
}

Error unknown_field(const AuthConfig& auth, const std::string& name) {
    std::vector<std::string_view> known;
    std::string list;
    for (const auto& field : auth.fields) {
        known.emplace_back(field.name);
        list.append(list.empty() ? "\"" : ", \"").append(field.name).append("\"");
    }
    Error error = fail(Reason::unknown_key, "the connector asks for no " + field_place(name));
    const std::string near = nearest_key(name, known);
    if (!near.empty())
        error.hint = "Did you mean \"" + near + "\"?";
    else
        error.hint = list.empty() ? "It asks for none." : "It asks for " + list + ".";
    return error;
}

/// What was given for a field, else its default; empty: neither.
Result<std::string> field_text(const ConnectionField& field, const json& given) {
    const auto found = given.find(field.name);
    if (found == given.end() || found->is_null() || *found == json("")) return field.default_value.value_or("");
    const auto text = scalar_text(*found);
    if (!text)
        return fail(Reason::invalid_configuration, field_place(field.name) + " must be a string, number or boolean");
    return *text;
}

}  // namespace

Result<json> check_fields(const AuthConfig& auth, const json& given) {
    if (!given.is_null() && !given.is_object())
        return fail(Reason::invalid_configuration, "connection fields must be a JSON object");
    const json values = given.is_null() ? json::object() : given;
    for (const auto& item : values.items())
        if (declared_field(auth, item.key()) == nullptr) return unknown_field(auth, item.key());
    json result = json::object();
    std::string missing;
    for (const ConnectionField& field : auth.fields) {
        PG_PULL_ASSIGN(std::string text, field_text(field, values));
        if (text.empty()) {
            if (!field.optional) missing.append(missing.empty() ? "\"" : ", \"").append(field.name).append("\"");
            continue;
        }
        PG_PULL_CHECK(check_value(field, text));
        result[field.name] = std::move(text);
    }
    if (!missing.empty()) return fail(Reason::invalid_configuration, "connection fields are missing: " + missing);
    return result;
}

Result<json> keep_of_callback(const AuthConfig& auth, const json& params) {
    json kept = json::object();
    if (!auth.oauth2 || !params.is_object()) return kept;
    for (const auto& [field, parameter] : auth.oauth2->callback.keep) {
        const auto found = params.find(parameter);
        if (found == params.end()) continue;
        const auto text = scalar_text(*found);
        if (!text || text->empty()) continue;
        const ConnectionField* const declared = declared_field(auth, field);
        PG_PULL_CHECK(declared != nullptr ? check_value(*declared, *text) : check_text(field, *text));
        kept[field] = *text;
    }
    return kept;
}

Result<Kept> read_kept(const RequestTemplate& request, const HttpResponse& response) {
    const json body = answer_body(response);
    const ResponseMap map = request.response.value_or(ResponseMap{});
    if (!read_response(map, response, body.is_null() ? nullptr : &body, WallTime{}).success) {
        const Complaint complaint = complaint_of(body, map.error, map.error_description);
        std::string detail = "The answer has status " + std::to_string(response.status) + ".";
        if (!complaint.error.empty()) detail += " It says: " + safe_text(complaint.error + " " + complaint.description);
        return fail(Reason::upstream_not_ok, "the provider did not accept a call with the new token")
            .with_detail(std::move(detail));
    }
    Kept kept;
    kept.fields = kept_values(map.keep, body);
    kept.account = account_of(body);
    for (const char* const wrapper : {"data", "user", "account", "viewer"})
        if (kept.account.is_null() && body.is_object() && body.contains(wrapper))
            kept.account = account_of(body[wrapper]);
    return kept;
}

}  // namespace pg_pull::oauth
