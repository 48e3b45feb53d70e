#include "core/request/request.h"

#include <algorithm>

#include "core/base/encoding.h"
#include "core/json/keys.h"
#include "core/request/credential_literal.h"

namespace pg_pull {
namespace {

using nlohmann::json;

Result<std::string> parse_method(const json& value, const std::string& where) {
    if (!value.is_string() || !is_token(value.get_ref<const std::string&>()))
        return fail(Reason::invalid_configuration, where + " is not an HTTP method");
    const std::string method = ascii_upper(value.get_ref<const std::string&>());
    if (method == "CONNECT" || method == "TRACE")
        return fail(Reason::invalid_configuration, where + " cannot be \"" + method + "\"");
    return method;
}

Result<std::optional<Template>> parse_url_template(const json& value, const std::string& where) {
    if (!value.is_string() || value.get_ref<const std::string&>().empty())
        return fail(Reason::invalid_configuration, where + " must be a string that is not empty");
    PG_PULL_ASSIGN(auto url, Template::compile(value.get_ref<const std::string&>(), where));
    PG_PULL_CHECK(check_no_literal_in_url(url, where));
    return std::optional(std::move(url));
}

/// {standard name: their name, or null to leave the parameter out}.
Result<std::map<std::string, std::optional<std::string>>> parse_params(const json& value, const std::string& where) {
    PG_PULL_CHECK(
        check_keys(value, where,
                   {"response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge",
                    "code_challenge_method", "resource", "grant_type", "code", "client_secret", "code_verifier",
                    "refresh_token", "client_assertion", "client_assertion_type", "token", "token_type_hint"}));
    std::map<std::string, std::optional<std::string>> result;
    for (const auto& item : value.items()) {
        if (item.value().is_null())
            result[item.key()] = std::nullopt;
        else if (item.value().is_string() && !item.value().get_ref<const std::string&>().empty())
            result[item.key()] = item.value().get<std::string>();
        else
            return fail(Reason::invalid_configuration, place_of(where, item.key()) + " must be a name or null");
    }
    return result;
}

void store_url(std::optional<Template> url, RequestTemplate& request) {
    if (!url) return;
    (url->source().starts_with('/') ? request.path : request.url) = std::move(url);
}

}  // namespace

bool uses(const RequestTemplate& request, std::string_view root) {
    const auto in_list = [root](const ParameterList& list) {
        return std::any_of(list.begin(), list.end(), [root](const NamedTemplates& entry) {
            return std::any_of(entry.values.begin(), entry.values.end(),
                               [root](const Template& value) { return value.uses(root); });
        });
    };
    return (request.url && request.url->uses(root)) || (request.path && request.path->uses(root)) ||
           in_list(request.query) || in_list(request.headers) || (request.body && request.body->uses(root));
}

void read_request_members(ConfigReader& reader, RequestTemplate& request) {
    reader.value("method", request.method, parse_method);
    reader.value("query", request.query, parse_query);
    reader.value("headers", request.headers, parse_headers);
    reader.value("body", request.body,
                 [](const json& value, const std::string& where) -> Result<std::optional<BodyTemplate>> {
                     PG_PULL_ASSIGN(auto body, BodyTemplate::parse(value, where));
                     return std::optional(std::move(body));
                 });
    reader.choice("format", request.format, {{"json", BodyFormat::json}, {"form", BodyFormat::form}});
    if (request.body && (request.method == "GET" || request.method == "HEAD") && request.format == BodyFormat::form)
        reader.refuse("format", "cannot be \"form\" for a " + request.method + " request");
}

Result<RequestTemplate> parse_request(const json& config, std::string_view where) {
    RequestTemplate request;
    if (config.is_string()) {
        PG_PULL_ASSIGN(auto url, parse_url_template(config, std::string(where)));
        store_url(std::move(url), request);
        return request;
    }
    ConfigReader reader(config, std::string(where),
                        {"method", "url", "query", "headers", "body", "format", "client_auth", "params", "response"});
    std::optional<Template> url;
    reader.value("url", url, parse_url_template);
    read_request_members(reader, request);
    reader.choice("client_auth", request.client_auth,
                  {{"basic", ClientAuth::basic},
                   {"basic_encoded", ClientAuth::basic_encoded},
                   {"body", ClientAuth::body},
                   {"none", ClientAuth::none},
                   {"private_key_jwt", ClientAuth::private_key_jwt}});
    reader.value("params", request.params, parse_params);
    reader.value("response", request.response,
                 [](const json& value, const std::string& place) -> Result<std::optional<ResponseMap>> {
                     PG_PULL_ASSIGN(auto map, parse_response_map(value, place));
                     return std::optional(std::move(map));
                 });
    PG_PULL_CHECK(reader.finish());
    store_url(std::move(url), request);
    return request;
}

}  // namespace pg_pull
