#include "core/request/auth_config.h"

#include <algorithm>
#include <regex>

#include "core/base/url.h"
#include "core/json/config_reader.h"
#include "core/request/credential_literal.h"

namespace pg_pull {
namespace {

using nlohmann::json;
using std::chrono::hours;

/// A reference is a name; what is longer or has blanks is rather the secret itself.
void read_reference(ConfigReader& reader, std::string& out) {
    reader.text("credential_ref", out);
    const bool is_name = out.size() <= 128 && std::all_of(out.begin(), out.end(), [](char c) {
                             return static_cast<unsigned char>(c) > 0x20 && c != 0x7F;
                         });
    if (!is_name)
        reader.refuse("credential_ref", "is not the name of a secret",
                      "Store the secret with sync_secret_set, and give its name here.");
}

/// Keys under which people write the credential itself: refused as that, not as unknown.
Result<void> check_no_literal_keys(const json& config, bool oauth) {
    const std::initializer_list<std::string_view> always{"client_secret", "secret", "password", "credential",
                                                         "private_key"};
    const std::initializer_list<std::string_view> simple{"token", "key", "api_key", "access_token", "bearer"};
    const auto check = [&config](std::initializer_list<std::string_view> names) -> Result<void> {
        for (const auto name : names)
            if (const auto found = config.find(std::string(name));
                found != config.end() && found->is_primitive() && !found->is_null())
                return credential_literal("auth \"" + std::string(name) + "\"");
        return {};
    };
    PG_PULL_CHECK(check(always));
    if (!oauth) PG_PULL_CHECK(check(simple));
    return {};
}

Result<CredentialUse> read_use(ConfigReader& reader, CredentialUse use) {
    reader.choice("in", use.in,
                  {{"header", CredentialUse::In::header},
                   {"query", CredentialUse::In::query},
                   {"body", CredentialUse::In::body}});
    reader.text("name", use.name);
    if (use.in == CredentialUse::In::header && !is_token(use.name)) reader.refuse("name", "is not a header name");
    std::string value;
    reader.text("value", value);
    PG_PULL_CHECK(reader.finish());
    if (!value.empty()) {
        PG_PULL_ASSIGN(use.value, Template::compile(value, reader.place("value")));
        if (!use.value.takes_values()) return credential_literal(reader.place("value"));
    }
    return use;
}

Result<CredentialUse> default_use(std::string name, std::string_view value) {
    CredentialUse use;
    use.name = std::move(name);
    PG_PULL_ASSIGN(use.value, Template::compile(value, "auth \"value\""));
    return use;
}

/// Makes one ConfigReader a type, since the known keys differ.
ConfigReader reader_for(const json& config, AuthType type) {
    switch (type) {
        case AuthType::none:
            return {config, "auth", {"type", "per", "fields"}};
        case AuthType::bearer:
            return {config, "auth", {"type", "per", "fields", "credential_ref"}};
        case AuthType::api_key:
            return {config, "auth", {"type", "per", "fields", "credential_ref", "in", "name", "value"}};
        case AuthType::basic:
            return {config, "auth", {"type", "per", "fields", "credential_ref", "username"}};
        case AuthType::login:
            return {config, "auth", {"type", "per", "fields", "credential_ref", "request", "response", "use"}};
        case AuthType::oauth2:
            break;
    }
    return {config,
            "auth",
            {"type",
             "per",
             "fields",
             "credential_ref",
             "grant",
             "client_id",
             "scopes",
             "scope_separator",
             "issuer",
             "discovery",
             "resource",
             "redirect_uri",
             "pkce",
             "margin",
             "default_lifetime",
             "authorize",
             "token",
             "refresh",
             "revoke",
             "introspect",
             "verify",
             "after_connect",
             "use"}};
}

Result<AuthType> parse_type(const json& config) {
    if (!config.is_object()) return fail(Reason::invalid_configuration, "auth must be a JSON object");
    constexpr std::pair<std::string_view, AuthType> types[] = {
        {"none", AuthType::none},   {"bearer", AuthType::bearer}, {"api_key", AuthType::api_key},
        {"basic", AuthType::basic}, {"login", AuthType::login},   {"oauth2", AuthType::oauth2}};
    const auto found = config.find("type");
    if (found == config.end() || found->is_null())
        return fail(Reason::invalid_configuration, "auth \"type\" is missing");
    for (const auto& [name, type] : types)
        if (*found == name) return type;
    return fail(Reason::invalid_configuration,
                "auth \"type\" cannot be " + found->dump(-1, ' ', false, json::error_handler_t::replace))
        .with_hint("It is one of \"none\", \"bearer\", \"api_key\", \"basic\", \"login\", \"oauth2\".");
}

bool is_expression(const std::string& pattern) {
    try {
        static_cast<void>(std::regex(pattern));
        return true;
    } catch (const std::regex_error&) {
        return false;
    }
}

Result<ConnectionField> parse_field(const std::string& name, const json& value, const std::string& where) {
    ConnectionField field;
    field.name = name;
    ConfigReader reader(value, where, {"label", "pattern", "default", "optional", "enum"});
    reader.text("label", field.label);
    reader.text("pattern", field.pattern);
    if (!reader.failed() && !is_expression(field.pattern)) reader.refuse("pattern", "is not a regular expression");
    reader.text("default", field.default_value);
    reader.flag("optional", field.optional);
    reader.texts("enum", field.allowed);
    if (field.default_value && !field.default_value->empty() && is_credential_name(name))
        reader.refuse(credential_literal(reader.place("default")));
    if (field.default_value && !field.allowed.empty() &&
        std::find(field.allowed.begin(), field.allowed.end(), *field.default_value) == field.allowed.end())
        reader.refuse("default", "is not one of \"enum\"");
    PG_PULL_CHECK(reader.finish());
    return field;
}

Result<std::vector<ConnectionField>> parse_fields(const json& value, const std::string& where) {
    if (!value.is_object()) return fail(Reason::invalid_configuration, where + " must be a JSON object");
    std::vector<ConnectionField> fields;
    for (const auto& item : value.items()) {
        if (item.key().empty() || item.key().find_first_of(". ") != std::string::npos)
            return fail(Reason::invalid_configuration, place_of(where, item.key()) + " is not a field name");
        PG_PULL_ASSIGN(auto field, parse_field(item.key(), item.value(), place_of(where, item.key())));
        fields.push_back(std::move(field));
    }
    return fields;
}

Result<CredentialUse> parse_use(const json& value, const std::string& where) {
    ConfigReader reader(value, where, {"in", "name", "value"});
    reader.require("name");
    CredentialUse use;
    PG_PULL_ASSIGN(use.value, Template::compile("${credential}", where));
    return read_use(reader, std::move(use));
}

Result<std::optional<LoginConfig>> read_login(ConfigReader& reader) {
    LoginConfig login;
    reader.require("request");
    reader.require("response");
    reader.value("request", login.request, parse_request);
    reader.value("response", login.response, parse_response_map);
    PG_PULL_ASSIGN(login.use, default_use("Authorization", "Bearer ${credential}"));
    reader.value("use", login.use, parse_use);
    PG_PULL_CHECK(reader.finish());
    if (!login.response.token)
        return fail(Reason::invalid_configuration, reader.place("response") + " does not say where the \"token\" is");
    return std::optional(std::move(login));
}

void read_request(ConfigReader& reader, std::string_view key, std::optional<RequestTemplate>& out) {
    reader.value(key, out, [](const json& value, const std::string& where) -> Result<std::optional<RequestTemplate>> {
        PG_PULL_ASSIGN(auto request, parse_request(value, where));
        return std::optional(std::move(request));
    });
}

Result<CallbackConfig> parse_callback(const json& value, const std::string& where) {
    CallbackConfig callback;
    ConfigReader reader(value, where, {"code", "state", "keep"});
    reader.text("code", callback.code);
    reader.text("state", callback.state);
    reader.value("keep", callback.keep,
                 [](const json& keep, const std::string& place) -> Result<std::map<std::string, std::string>> {
                     std::map<std::string, std::string> result;
                     if (!keep.is_object())
                         return fail(Reason::invalid_configuration, place + " must be a JSON object");
                     for (const auto& item : keep.items()) {
                         if (!item.value().is_string())
                             return fail(Reason::invalid_configuration,
                                         place_of(place, item.key()) + " must be the name of a query parameter");
                         result[item.key()] = item.value().get<std::string>();
                     }
                     return result;
                 });
    PG_PULL_CHECK(reader.finish());
    return callback;
}

/// `authorize` is a request template with `callback` beside it.
void read_authorize(ConfigReader& reader, OAuth2Config& oauth) {
    if (reader.failed() || !reader.has("authorize")) return;
    json request = reader.at("authorize");
    const std::string where = reader.place("authorize");
    if (request.is_object() && request.contains("callback")) {
        auto callback = parse_callback(request["callback"], place_of(where, "callback"));
        if (!callback.ok()) return reader.refuse(std::move(callback).error());
        oauth.callback = std::move(callback).value();
        request.erase("callback");
    }
    auto parsed = parse_request(request, where);
    if (!parsed.ok()) return reader.refuse(std::move(parsed).error());
    oauth.authorize = std::move(parsed).value();
    // Without it nobody could tell whose callback arrives.
    if (const auto state = oauth.authorize->params.find("state");
        state != oauth.authorize->params.end() && !state->second)
        reader.refuse("authorize", "leaves out \"state\", which a callback cannot do without");
}

void check_url(ConfigReader& reader, std::string_view key, const std::string& text) {
    if (reader.failed() || text.empty()) return;
    if (const auto url = parse_url(text); !url.ok())
        reader.refuse(fail(Reason::invalid_configuration, reader.place(key) + ": " + url.error().message));
}

void require_url(ConfigReader& reader, std::string_view key, const std::optional<RequestTemplate>& request) {
    if (request && !request->url && !request->path)
        reader.refuse(key, "has no \"url\"", "Or name the \"issuer\", whose metadata tells it.");
}

Result<std::optional<OAuth2Config>> read_oauth2(ConfigReader& reader) {
    OAuth2Config oauth;
    reader.choice("grant", oauth.grant,
                  {{"authorization_code", OAuth2Config::Grant::authorization_code},
                   {"client_credentials", OAuth2Config::Grant::client_credentials}});
    reader.text("client_id", oauth.client_id);
    if (reader.has("scopes") && reader.at("scopes").is_string())
        oauth.scopes = {reader.at("scopes").get<std::string>()};
    else
        reader.texts("scopes", oauth.scopes);
    reader.text("scope_separator", oauth.scope_separator);
    reader.text("issuer", oauth.issuer);
    reader.text("discovery", oauth.discovery);
    reader.text("resource", oauth.resource);
    reader.text("redirect_uri", oauth.redirect_uri);
    check_url(reader, "issuer", oauth.issuer);
    check_url(reader, "discovery", oauth.discovery);
    reader.flag("pkce", oauth.pkce);
    reader.duration("margin", oauth.margin, Millis(0), Millis(hours(24 * 30)));
    reader.duration("default_lifetime", oauth.default_lifetime, Millis(1000), Millis(hours(24 * 3660)));
    read_authorize(reader, oauth);
    read_request(reader, "token", oauth.token);
    read_request(reader, "refresh", oauth.refresh);
    read_request(reader, "revoke", oauth.revoke);
    read_request(reader, "introspect", oauth.introspect);
    read_request(reader, "verify", oauth.verify);
    read_request(reader, "after_connect", oauth.after_connect);
    reader.value("use", oauth.use,
                 [](const json& value, const std::string& where) -> Result<std::optional<CredentialUse>> {
                     PG_PULL_ASSIGN(auto use, parse_use(value, where));
                     return std::optional(std::move(use));
                 });
    // Otherwise both addresses are discovered (RFC 8414).
    if (oauth.issuer.empty() && oauth.discovery.empty()) {
        reader.require("token");
        require_url(reader, "token", oauth.token);
        if (oauth.grant == OAuth2Config::Grant::authorization_code) {
            reader.require("authorize");
            require_url(reader, "authorize", oauth.authorize);
        }
    }
    PG_PULL_CHECK(reader.finish());
    return std::optional(std::move(oauth));
}

Result<void> read_type(ConfigReader& reader, AuthConfig& auth) {
    switch (auth.type) {
        case AuthType::none:
        case AuthType::bearer:
            break;
        case AuthType::api_key: {
            PG_PULL_ASSIGN(auto use, default_use("X-API-Key", "${credential}"));
            PG_PULL_ASSIGN(auth.api_key, read_use(reader, std::move(use)));
            break;
        }
        case AuthType::basic:
            reader.value("username", auth.username,
                         [](const json& value, const std::string& where) -> Result<std::optional<Template>> {
                             if (!value.is_string())
                                 return fail(Reason::invalid_configuration, where + " must be a string");
                             PG_PULL_ASSIGN(auto name, Template::compile(value.get_ref<const std::string&>(), where));
                             return std::optional(std::move(name));
                         });
            break;
        case AuthType::login: {
            PG_PULL_ASSIGN(auth.login, read_login(reader));
            break;
        }
        case AuthType::oauth2: {
            PG_PULL_ASSIGN(auth.oauth2, read_oauth2(reader));
            break;
        }
    }
    return {};
}

}  // namespace

Result<AuthConfig> parse_auth(const json& config) {
    AuthConfig auth;
    if (config.is_null()) return auth;
    PG_PULL_ASSIGN(auth.type, parse_type(config));
    PG_PULL_CHECK(check_no_literal_keys(config, auth.type == AuthType::oauth2));
    ConfigReader reader = reader_for(config, auth.type);
    read_reference(reader, auth.credential_ref);
    PG_PULL_CHECK(reader.finish());
    PG_PULL_CHECK(read_type(reader, auth));
    auth.per_connection = auth.oauth2 && auth.oauth2->grant == OAuth2Config::Grant::authorization_code;
    reader.choice("per", auth.per_connection, {{"connector", false}, {"connection", true}});
    reader.value("fields", auth.fields, parse_fields);
    if (!auth.fields.empty() && !auth.per_connection)
        reader.refuse("fields", "are asked for only where \"per\" is \"connection\"");
    const bool needs_reference = !auth.per_connection && auth.type != AuthType::none && auth.type != AuthType::oauth2;
    if (needs_reference) reader.require("credential_ref");
    PG_PULL_CHECK(reader.finish());
    return auth;
}

}  // namespace pg_pull
