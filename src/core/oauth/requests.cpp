#include "core/oauth/requests.h"

#include <algorithm>

#include "core/base/encoding.h"
#include "core/oauth/call.h"

namespace pg_pull::oauth {
namespace {

using nlohmann::json;
using Grant = OAuth2Config::Grant;

Result<const OAuth2Config*> oauth2_of(const Client& client) {
    if (client.auth.oauth2) return &*client.auth.oauth2;
    return fail(Reason::invalid_configuration, "connector \"" + client.connector + "\" does not use oauth2");
}

std::string joined(const std::vector<std::string>& scopes, const std::string& separator) {
    std::string text;
    for (const auto& scope : scopes) text.append(text.empty() ? "" : separator).append(scope);
    return text;
}

RequestTemplate or_empty(const std::optional<RequestTemplate>& request) { return request.value_or(RequestTemplate{}); }

/// What a later request leaves out it takes from `token`, but not its query and body: those belong to the exchange.
RequestTemplate over_token(RequestTemplate request, const OAuth2Config& oauth) {
    const RequestTemplate token = or_empty(oauth.token);
    if (!request.url && !request.path) {
        request.url = token.url;
        request.path = token.path;
    }
    if (request.format == BodyFormat::unset) request.format = token.format;
    if (request.headers.empty()) request.headers = token.headers;
    if (request.params.empty()) request.params = token.params;
    return request;
}

ClientAuth token_auth(const OAuth2Config& oauth) { return oauth.token ? oauth.token->client_auth : ClientAuth::unset; }

Call token_call(const Client& client, const Holder& holder, RequestTemplate request) {
    Call call(client, holder, std::move(request));
    if (client.discovery) call.set_endpoint(client.discovery->token_endpoint);
    return call;
}

void add_resource(Call& call, const OAuth2Config& oauth) {
    if (!oauth.resource.empty()) call.add("resource", oauth.resource);
}

Result<HttpRequest> client_credentials_request(const Client& client, const Holder& holder, const OAuth2Config& oauth) {
    Call call = token_call(client, holder, or_empty(oauth.token));
    call.add("grant_type", "client_credentials");
    if (const std::string scope = joined(oauth.scopes, oauth.scope_separator); !scope.empty()) call.add("scope", scope);
    add_resource(call, oauth);
    PG_PULL_CHECK(call.authenticate(ClientAuth::unset));
    return call.make();
}

Result<HttpRequest> login_request(const Client& client, const Holder& holder) {
    RequestTemplate request = client.auth.login->request;
    if (request.format == BodyFormat::unset) request.format = BodyFormat::json;
    const bool has_credential = !client.secret.empty() || !holder.key.empty() || !holder.password.empty();
    if (!has_credential)
        return fail(Reason::credential_unresolved,
                    "connector \"" + client.connector + "\" has no credential to log in with");
    if (request.method.empty() && !request.body) request.method = "POST";
    Call call(client, holder, std::move(request));
    call.as_api_call();
    const ClientAuth how = client.auth.login->request.client_auth;
    if (how == ClientAuth::basic || how == ClientAuth::basic_encoded)
        call.authenticate_as(holder.username.value_or(""), !holder.password.empty() ? holder.password
                                                           : !holder.key.empty()    ? holder.key
                                                                                    : client.secret);
    return call.make();
}

/// A request that says itself what it sends of the tokens gets nothing added that it does not name.
bool speaks_for_itself(const RequestTemplate& request) { return uses(request, "token"); }

Result<HttpRequest> revoke_request(const Client& client, const Holder& holder, const OAuth2Config& oauth,
                                   const Secret& token, const char* hint) {
    RequestTemplate request = or_empty(oauth.revoke);
    Call call(client, holder, request);
    if (client.discovery) call.set_endpoint(client.discovery->revocation_endpoint);
    if (hint != nullptr) {
        call.add("token", std::string(token.reveal()), true);
        call.add("token_type_hint", hint);
    }
    if (!speaks_for_itself(request) || request.client_auth != ClientAuth::unset)
        PG_PULL_CHECK(call.authenticate(token_auth(oauth)));
    return call.make();
}

Result<std::optional<HttpRequest>> api_request(const Client& client, const Holder& holder,
                                               const std::optional<RequestTemplate>& request) {
    if (!request) return std::optional<HttpRequest>();
    RequestTemplate full = *request;
    if (full.format == BodyFormat::unset) full.format = BodyFormat::json;
    Call call(client, holder, std::move(full));
    call.as_api_call();
    PG_PULL_ASSIGN(HttpRequest made, call.make());
    const bool has_own = std::any_of(request->headers.begin(), request->headers.end(), [](const NamedTemplates& entry) {
        return equals_ignoring_case(entry.name, "authorization");
    });
    if (!has_own) PG_PULL_CHECK(apply_auth(client.auth, holder.token, call.context(), made));
    return std::optional(std::move(made));
}

bool lacks_address(const std::optional<RequestTemplate>& request, bool is_needed) {
    if (!request) return is_needed;
    return !request->url && !request->path;
}

}  // namespace

Result<std::string> authorization_url(const Client& client, const Holder& holder, std::string_view state,
                                      std::string_view verifier, std::string_view redirect_uri,
                                      const std::vector<std::string>& scopes) {
    PG_PULL_ASSIGN(const OAuth2Config* const oauth, oauth2_of(client));
    Call call(client, holder, or_empty(oauth->authorize));
    if (client.discovery) call.set_endpoint(client.discovery->authorization_endpoint);
    const std::string id = client_id_of(client, holder);
    if (id.empty())
        return fail(Reason::invalid_configuration, "connector \"" + client.connector + "\" has no client id")
            .with_hint("Write auth \"client_id\".");
    call.add("response_type", "code");
    call.add("client_id", id);
    call.add("redirect_uri", std::string(redirect_uri));
    const std::string scope = joined(scopes.empty() ? oauth->scopes : scopes, oauth->scope_separator);
    if (!scope.empty()) call.add("scope", scope);
    call.add("state", std::string(state));
    if (oauth->pkce) {
        call.add("code_challenge", challenge_of(verifier));
        call.add("code_challenge_method", "S256");
    }
    add_resource(call, *oauth);
    for (const char* const name : {"state", "redirect_uri", "code_challenge", "code_challenge_method"})
        call.keep_standard(name);
    return call.make_url();
}

Result<HttpRequest> exchange_request(const Client& client, const Holder& holder, std::string_view code,
                                     const Secret& verifier, std::string_view redirect_uri,
                                     const json& callback_params) {
    PG_PULL_ASSIGN(const OAuth2Config* const oauth, oauth2_of(client));
    Call call = token_call(client, holder, or_empty(oauth->token));
    call.context().set("callback", callback_params.is_object() ? callback_params : json::object());
    call.context().set_secret("callback", oauth->callback.code, Secret(std::string(code)));
    call.add("grant_type", "authorization_code");
    call.add("code", std::string(code), true);
    call.add("redirect_uri", std::string(redirect_uri));
    if (oauth->pkce && !verifier.empty()) call.add("code_verifier", std::string(verifier.reveal()), true);
    add_resource(call, *oauth);
    PG_PULL_CHECK(call.authenticate(ClientAuth::unset));
    return call.make();
}

Result<HttpRequest> refresh_request(const Client& client, const Holder& holder) {
    if (!client.auth.oauth2) return first_token_request(client, holder);
    const OAuth2Config& oauth = *client.auth.oauth2;
    if (oauth.grant == Grant::client_credentials && !oauth.refresh) return first_token_request(client, holder);
    RequestTemplate request = oauth.refresh ? over_token(*oauth.refresh, oauth) : or_empty(oauth.token);
    const auto left_out = request.params.find("refresh_token");
    const bool needs_none = oauth.refresh && ((left_out != request.params.end() && !left_out->second) ||
                                              (request.body && request.body->is_text()));
    if (holder.refresh_token.empty() && !needs_none)
        return fail(Reason::reconnect_required, "the connection holds no refresh token");
    Call call = token_call(client, holder, std::move(request));
    // The token request's own grant is that of the exchange.
    if (!oauth.refresh) call.keep_standard("grant_type");
    call.add("grant_type", "refresh_token");
    if (!holder.refresh_token.empty()) call.add("refresh_token", std::string(holder.refresh_token.reveal()), true);
    add_resource(call, oauth);
    PG_PULL_CHECK(call.authenticate(token_auth(oauth)));
    return call.make();
}

Result<HttpRequest> first_token_request(const Client& client, const Holder& holder) {
    if (client.auth.login) return login_request(client, holder);
    PG_PULL_ASSIGN(const OAuth2Config* const oauth, oauth2_of(client));
    if (oauth->grant != Grant::client_credentials)
        return fail(Reason::not_connected,
                    "connector \"" + client.connector + "\" gets its first token by consent only");
    return client_credentials_request(client, holder, *oauth);
}

Result<std::vector<HttpRequest>> revoke_requests(const Client& client, const Holder& holder) {
    std::vector<HttpRequest> requests;
    const bool is_known = client.discovery && !client.discovery->revocation_endpoint.empty();
    if (!client.auth.oauth2 || (!client.auth.oauth2->revoke && !is_known)) return requests;
    const OAuth2Config& oauth = *client.auth.oauth2;
    if (holder.token.empty() && holder.refresh_token.empty()) return requests;
    if (oauth.revoke && speaks_for_itself(*oauth.revoke)) {
        PG_PULL_ASSIGN(auto request, revoke_request(client, holder, oauth, Secret(), nullptr));
        requests.push_back(std::move(request));
        return requests;
    }
    const auto add = [&](const Secret& token, const char* hint) -> Result<void> {
        if (token.empty()) return {};
        PG_PULL_ASSIGN(auto request, revoke_request(client, holder, oauth, token, hint));
        requests.push_back(std::move(request));
        return {};
    };
    PG_PULL_CHECK(add(holder.refresh_token, "refresh_token"));
    PG_PULL_CHECK(add(holder.token, "access_token"));
    return requests;
}

Result<std::optional<HttpRequest>> verify_request(const Client& client, const Holder& holder) {
    return api_request(client, holder, client.auth.oauth2 ? client.auth.oauth2->verify : std::nullopt);
}

Result<std::optional<HttpRequest>> after_connect_request(const Client& client, const Holder& holder) {
    return api_request(client, holder, client.auth.oauth2 ? client.auth.oauth2->after_connect : std::nullopt);
}

Result<std::optional<HttpRequest>> introspect_request(const Client& client, const Holder& holder) {
    if (!client.auth.oauth2 || !client.auth.oauth2->introspect) return std::optional<HttpRequest>();
    const OAuth2Config& oauth = *client.auth.oauth2;
    Call call(client, holder, *oauth.introspect);
    if (client.discovery) call.set_endpoint(client.discovery->introspection_endpoint);
    const bool is_standard = !speaks_for_itself(*oauth.introspect);
    if (is_standard) {
        call.add("token", std::string(holder.token.reveal()), true);
        call.add("token_type_hint", "access_token");
    }
    if (is_standard || oauth.introspect->client_auth != ClientAuth::unset)
        PG_PULL_CHECK(call.authenticate(token_auth(oauth)));
    PG_PULL_ASSIGN(HttpRequest made, call.make());
    return std::optional(std::move(made));
}

std::optional<HttpRequest> discovery_request(const Client& client) {
    if (!client.auth.oauth2 || client.discovery) return std::nullopt;
    const OAuth2Config& oauth = *client.auth.oauth2;
    std::string url = oauth.discovery;
    if (url.empty()) {
        const bool is_code = oauth.grant == Grant::authorization_code;
        const bool is_needed = lacks_address(oauth.authorize, is_code) || lacks_address(oauth.token, true) ||
                               lacks_address(oauth.revoke, false) || lacks_address(oauth.introspect, false);
        if (oauth.issuer.empty() || !is_needed) return std::nullopt;
        url = oauth.issuer;
        while (url.ends_with('/')) url.pop_back();
        url += "/.well-known/openid-configuration";
    }
    HttpRequest request;
    request.url = std::move(url);
    request.headers = {{"Accept", "application/json"}};
    request.timeouts = client.config.timeouts;
    request.tls = client.tls;
    request.max_body_bytes = 1LL << 20;
    request.max_redirects = 0;
    request.private_addresses_allowed = client.private_addresses_allowed;
    return request;
}

}  // namespace pg_pull::oauth
