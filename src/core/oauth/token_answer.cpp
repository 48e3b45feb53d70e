#include "core/oauth/token_answer.h"

#include <algorithm>
#include <array>

#include "core/base/encoding.h"
#include "core/base/timestamp.h"
#include "core/json/lookup.h"
#include "core/oauth/answer_body.h"
#include "core/oauth/jwt.h"
#include "core/paging/retry.h"

namespace pg_pull::oauth {
namespace {

using nlohmann::json;
using Kind = TokenAnswer::Kind;

constexpr std::size_t kLongestToken = 64UL << 10;

/// RFC 6749 section 5.2, and what GitHub, Slack, HubSpot and Zoho say for the same.
constexpr std::array<std::string_view, 8> kGrantErrors{
    "invalid_grant",         "bad_refresh_token", "invalid_refresh_token", "refresh_token_expired",
    "expired_refresh_token", "token_revoked",     "token_expired",         "invalid_code"};
constexpr std::array<std::string_view, 6> kClientErrors{"invalid_client",    "unauthorized_client",
                                                        "bad_client_secret", "incorrect_client_credentials",
                                                        "invalid_client_id", "bad_client_id"};
constexpr std::array<std::string_view, 4> kPassingErrors{"temporarily_unavailable", "server_error", "slow_down",
                                                         "rate_limited"};
constexpr std::array<std::string_view, 3> kBoundTokenTypes{"mac", "dpop", "pop"};

template <std::size_t n>
bool is_listed(std::string_view word, const std::array<std::string_view, n>& list) {
    return std::any_of(list.begin(), list.end(),
                       [word](std::string_view known) { return equals_ignoring_case(word, known); });
}

Path simple_path(const char* name) { return Path{{name}, false, name}; }

/// The response map of a call, the standard's names where it names none.
ResponseMap map_for(const AuthConfig& auth, TokenCall call) {
    ResponseMap map;
    if (auth.login) map = auth.login->response;
    if (auth.oauth2) {
        const OAuth2Config& oauth = *auth.oauth2;
        if (oauth.token && oauth.token->response) map = *oauth.token->response;
        if (call == TokenCall::refresh && oauth.refresh && oauth.refresh->response) map = *oauth.refresh->response;
    }
    const auto standard = [](std::optional<Path>& path, const char* name) {
        if (!path) path = simple_path(name);
    };
    standard(map.token, "access_token");
    standard(map.refresh_token, "refresh_token");
    if (!map.expires_at) standard(map.expires_in, "expires_in");
    standard(map.scope, "scope");
    standard(map.error, "error");
    standard(map.error_description, "error_description");
    return map;
}

/// RFC 6750 section 2.1 is stricter, but providers are not: any visible ASCII, and no beginning of a page.
bool is_usable_token(std::string_view token) {
    return !token.empty() && token.size() <= kLongestToken && token.front() != '<' && token.front() != '{' &&
           std::all_of(token.begin(), token.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

Secret token_at(const json& body, const std::optional<Path>& path) {
    const auto found = path ? find_in_answer(body, *path) : std::nullopt;
    if (!found || !(found->is_string() || found->is_number())) return Secret();
    std::string text = scalar_text(*found).value_or("");
    return is_usable_token(text) ? Secret(std::move(text)) : Secret();
}

/// Beside the path itself, since providers that wrap the token wrap all of it.
const json* beside(const json& body, const Path& path, const char* name) {
    Path sibling = path;
    sibling.steps.back() = name;
    if (const json* const found = find_value(body, sibling)) return found;
    return find_value(body, simple_path(name));
}

/// The provider's own time, as far as the answer tells.
WallTime provider_time(const HttpResponse& response, WallTime received_at) {
    if (const auto date = response.header("date"))
        if (const auto time = parse_http_date(*date, received_at)) return *time;
    return received_at;
}

std::optional<Millis> stated_lifetime(const ResponseMap& map, const json& body, WallTime provider_now) {
    const auto read = [&](const std::optional<Path>& path, bool is_moment) -> std::optional<Millis> {
        if (!path) return std::nullopt;
        const auto found = find_in_answer(body, *path);
        return found ? read_lifetime(*found, map.unit, is_moment, provider_now) : std::nullopt;
    };
    if (const auto lifetime = read(map.expires_at, true)) return lifetime;
    return read(map.expires_in, false);
}

void read_lifetimes(const Client& client, TokenCall call, const ResponseMap& map, const json& body,
                    WallTime received_at, WallTime provider_now, std::optional<Millis> previous, TokenAnswer& answer) {
    answer.lifetime = stated_lifetime(map, body, provider_now);
    if (!answer.lifetime)
        if (const auto claims = jwt_claims(answer.token.reveal()))
            answer.lifetime = jwt_lifetime(*claims, provider_now);
    if (!answer.lifetime && call == TokenCall::refresh) answer.lifetime = previous;
    if (!answer.lifetime && client.auth.oauth2) answer.lifetime = client.auth.oauth2->default_lifetime;
    if (answer.lifetime) answer.expires_at = received_at + *answer.lifetime;
    // RFC 6749 has no name for it; these are TikTok's and many others', Keycloak's, QuickBooks', GitHub's the first.
    for (const char* const name : {"refresh_token_expires_in", "refresh_expires_in", "x_refresh_token_expires_in"})
        if (const json* const found = beside(body, *map.token, name); found != nullptr && !answer.refresh_expires_at)
            if (const auto lifetime = read_lifetime(*found, std::nullopt, false, provider_now))
                answer.refresh_expires_at = received_at + *lifetime;
}

std::optional<std::vector<std::string>> granted_scopes(const Client& client, const json& body,
                                                       const std::optional<Path>& path) {
    const auto found = find_in_answer(body, *path);
    if (!found) return std::nullopt;
    std::vector<std::string> scopes;
    if (found->is_array()) {
        for (const json& element : *found)
            if (auto text = scalar_text(element)) scopes.push_back(std::move(*text));
        return scopes;
    }
    if (!found->is_string()) return std::nullopt;
    // GitHub is asked with spaces and answers with commas.
    const std::string separators = " ,\t" + (client.auth.oauth2 ? client.auth.oauth2->scope_separator : std::string());
    const std::string& text = found->get_ref<const std::string&>();
    for (std::size_t at = text.find_first_not_of(separators); at != std::string::npos;) {
        const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
        scopes.push_back(text.substr(at, end - at));
        at = text.find_first_not_of(separators, end);
    }
    if (scopes.empty()) return std::nullopt;
    return scopes;
}

/// The client or password is the connection's own, so that a refusal is about it and not about the connector.
bool client_is_connections(const Client& client, const Holder& holder) {
    return client.auth.per_connection && (client.auth.login || holder.client_id || !holder.client_secret.empty() ||
                                          !holder.key.empty() || !holder.password.empty());
}

Kind kind_of_failure(const Client& client, const Holder& holder, int status, std::string_view error) {
    if (status == 408 || status == 425 || status == 429 || status >= 500 || is_listed(error, kPassingErrors))
        return Kind::transient;
    if (is_listed(error, kGrantErrors)) return Kind::invalid_grant;
    const bool login_refused = client.auth.login && (status == 401 || status == 403);
    // 401 is what RFC 6749 section 5.2 gives to a client that could not say who it is.
    if (is_listed(error, kClientErrors) || login_refused || (status == 401 && error.empty()))
        return client_is_connections(client, holder) ? Kind::invalid_grant : Kind::misconfigured;
    return Kind::refused;
}

Redactor redactor_of(const Client& client, const Holder& holder) {
    Redactor redactor;
    for (const Secret* const secret :
         {&client.secret, &holder.token, &holder.refresh_token, &holder.client_secret, &holder.password, &holder.key})
        redactor.add(*secret);
    return redactor;
}

/// What to say of an answer that calls itself a success and is none; nothing where it is one.
std::string flaw_of(const json& body, const HttpResponse& response, const TokenAnswer& answer) {
    if (response.status >= 300 && response.status < 400) return "the answer is a redirect, which is not followed";
    if (body.is_null()) return "the answer is neither JSON nor a form";
    if (body.is_object())
        if (const auto type = body.find("token_type");
            type != body.end() && type->is_string() && is_listed(type->get_ref<const std::string&>(), kBoundTokenTypes))
            return "the token is of the type \"" + type->get<std::string>() + "\", which cannot be used";
    if (answer.token.empty()) return "the answer holds no usable token";
    return {};
}

}  // namespace

TokenAnswer read_token_answer(const Client& client, TokenCall call, const HttpResponse& response, WallTime received_at,
                              std::optional<Millis> previous_lifetime, const Holder& holder) {
    TokenAnswer answer;
    answer.status = response.status;
    answer.retry_after = asked_wait(response, client.config.reset_header, received_at);
    const json body = answer_body(response);
    const ResponseMap map = map_for(client.auth, call);
    answer.token = token_at(body, map.token);
    const bool accepted = read_response(map, response, body.is_null() ? nullptr : &body, received_at).success;
    const std::string flaw = accepted || response.status / 100 == 3 ? flaw_of(body, response, answer) : std::string();
    if (!accepted || !flaw.empty()) {
        const Complaint complaint = complaint_of(body, map.error, map.error_description);
        const Redactor redactor = redactor_of(client, holder);
        answer.kind = kind_of_failure(client, holder, response.status, complaint.error);
        answer.error = safe_text(complaint.error, redactor);
        answer.error_description = safe_text(flaw.empty() ? complaint.description : flaw, redactor);
        answer.token = Secret();
        return answer;
    }
    answer.kind = Kind::granted;
    answer.refresh_token = token_at(body, map.refresh_token);
    read_lifetimes(client, call, map, body, received_at, provider_time(response, received_at), previous_lifetime,
                   answer);
    answer.scopes = granted_scopes(client, body, map.scope);
    answer.keep = kept_values(map.keep, body);
    if (body.is_object())
        if (const json* const id_token = beside(body, *map.token, "id_token");
            id_token != nullptr && id_token->is_string())
            if (const auto claims = jwt_claims(id_token->get_ref<const std::string&>()))
                answer.account = account_of(*claims);
    return answer;
}

std::string told(const TokenAnswer& answer) {
    std::string text = "The provider answered with status " + std::to_string(answer.status);
    if (!answer.error.empty()) text += ", error \"" + answer.error + "\"";
    if (!answer.error_description.empty()) text += ": " + answer.error_description;
    return text;
}

std::vector<std::string> missing_scopes(const std::vector<std::string>& asked,
                                        const std::optional<std::vector<std::string>>& granted) {
    std::vector<std::string> missing;
    if (!granted) return missing;
    for (const auto& scope : asked)
        if (std::find(granted->begin(), granted->end(), scope) == granted->end()) missing.push_back(scope);
    return missing;
}

Result<Introspection> read_introspection(const Client& client, const HttpResponse& response, WallTime received_at) {
    const json body = answer_body(response);
    ResponseMap map;
    if (client.auth.oauth2 && client.auth.oauth2->introspect && client.auth.oauth2->introspect->response)
        map = *client.auth.oauth2->introspect->response;
    const bool accepted = read_response(map, response, body.is_null() ? nullptr : &body, received_at).success;
    const auto active = body.is_object() ? body.find("active") : body.end();
    if (!accepted || !body.is_object() || active == body.end() || !active->is_boolean())
        return fail(Reason::upstream_not_ok, "the provider's introspection endpoint gave no answer")
            .with_detail("The answer has status " + std::to_string(response.status) + ".");
    Introspection result;
    result.active = active->get<bool>();
    if (!result.active) return result;
    const WallTime provider_now = provider_time(response, received_at);
    if (!map.expires_at && !map.expires_in) map.expires_at = simple_path("exp");
    result.lifetime = stated_lifetime(map, body, provider_now);
    if (result.lifetime) result.expires_at = received_at + *result.lifetime;
    return result;
}

}  // namespace pg_pull::oauth
