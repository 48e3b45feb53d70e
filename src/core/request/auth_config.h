#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/duration.h"
#include "core/base/error.h"
#include "core/base/http.h"
#include "core/base/secret.h"
#include "core/request/request.h"
#include "core/request/template.h"

namespace pg_pull {

enum class AuthType : unsigned char { none, bearer, api_key, basic, login, oauth2 };

/// Where a credential or token goes: api_key itself, and `use` of a login.
struct CredentialUse {
    enum class In : unsigned char { header, query, body };
    In in = In::header;
    std::string name;
    Template value;  ///< takes `${credential}` (a `use`: `${token}` as well)
};

struct LoginConfig {
    RequestTemplate request;
    ResponseMap response;
    CredentialUse use;  ///< default: `Authorization: Bearer ${credential}`
};

/// `authorize` beside its request: where the callback carries what.
struct CallbackConfig {
    std::string code = "code";
    std::string state = "state";
    std::map<std::string, std::string> keep;  ///< field of the connection -> query parameter
};

struct OAuth2Config {
    enum class Grant : unsigned char { authorization_code, client_credentials };
    Grant grant = Grant::authorization_code;
    std::string client_id;
    std::vector<std::string> scopes;
    std::string scope_separator = " ";
    std::string issuer;
    std::string discovery;  ///< URL
    std::string resource;
    std::string redirect_uri;
    bool pkce = true;
    std::optional<Millis> margin;            ///< refreshed this long before it expires
    std::optional<Millis> default_lifetime;  ///< where the answer names none
    std::optional<RequestTemplate> authorize, token, refresh, revoke, introspect, verify, after_connect;
    CallbackConfig callback;
    std::optional<CredentialUse> use;  ///< absent: `Authorization: Bearer` and the token
};

/// A field asked for at connect (`per: connection`).
struct ConnectionField {
    std::string name;
    std::string label;
    std::string pattern;  ///< regular expression; empty: any text
    std::optional<std::string> default_value;
    bool optional = false;
    std::vector<std::string> allowed;  ///< `enum`; empty: any
};

/// `auth` of a connector.
struct AuthConfig {
    AuthType type = AuthType::none;
    bool per_connection = false;  ///< default: of the connector, but for oauth2 with authorization_code
    std::string credential_ref;
    std::optional<CredentialUse> api_key;
    std::optional<Template> username;  ///< basic
    std::optional<LoginConfig> login;
    std::optional<OAuth2Config> oauth2;
    std::vector<ConnectionField> fields;

    /// Requests are made with a grant (a stored connection, or a token of the connector's own), not with the credential itself.
    [[nodiscard]] bool needs_grant() const noexcept { return per_connection || can_refresh(); }
    /// A 401 may be answered by getting a new token.
    [[nodiscard]] bool can_refresh() const noexcept { return type == AuthType::oauth2 || type == AuthType::login; }
};

/// Checks every key and value. null: none.
Result<AuthConfig> parse_auth(const nlohmann::json& config);

/// Puts the credential where it belongs: bearer and oauth2 as `Authorization: Bearer` (oauth2 otherwise by its `use`), api_key and login by
/// their `in`, basic as user:password (a username that is made of the credential leaves the password empty). Templates see `credential` beside
/// `context` (in a `use` also as `token`). Uses request.credential_origins, set before by render_request, and refuses
/// (egress_denied) when the request's own origin is not among them. An empty credential where one is needed is
/// credential_unresolved; one with a line break in it is invalid_configuration.
Result<void> apply_auth(const AuthConfig& auth, const Secret& credential, const TemplateContext& context,
                        HttpRequest& request);

}  // namespace pg_pull
