#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/http.h"
#include "core/base/secret.h"
#include "core/oauth/client.h"
#include "core/oauth/pkce.h"

// The requests of a connector's authorization, made and not sent. Each carries its own origin as the only one that may get its
// credentials, follows no redirect, and asks for JSON. Templates see `connector`, `connection`, `credential`, `token`, `callback`, `now`.
// An address that begins with a value (`${connection.server}/token`) must lie at an origin that the connector's config lists, since
// otherwise whoever sets that value would get the client's secret. Addresses that auth does not name are those of `client.discovery`.
// Errors: invalid_configuration, credential_unresolved, egress_denied; none of them holds a secret.

namespace pg_pull::oauth {

/// Where a browser is sent for consent. `scopes` empty: those of auth. The request must not need a secret.
Result<std::string> authorization_url(const Client& client, const Holder& holder, std::string_view state,
                                      std::string_view verifier, std::string_view redirect_uri,
                                      const std::vector<std::string>& scopes);

/// Changes a code for tokens (RFC 6749 section 4.1.3); `redirect_uri` byte for byte as in authorization_url, `callback_params` the
/// decoded parameters of the callback.
Result<HttpRequest> exchange_request(const Client& client, const Holder& holder, std::string_view code,
                                     const Secret& verifier, std::string_view redirect_uri,
                                     const nlohmann::json& callback_params);

/// RFC 6749 section 6; what `refresh` leaves out it takes from `token`. Client credentials and logins are run again.
/// reconnect_required where there is no refresh token and `refresh` does without the standard one neither.
Result<HttpRequest> refresh_request(const Client& client, const Holder& holder);

/// The first token of client credentials (RFC 6749 section 4.4) or of a login.
Result<HttpRequest> first_token_request(const Client& client, const Holder& holder);

/// RFC 7009: the refresh token first, then the access token; one request where `revoke` says itself what it sends of them (its
/// templates use `token`; then the client identifies itself only where `client_auth` is named). Empty where nothing declares an endpoint, or there is nothing to revoke.
Result<std::vector<HttpRequest>> revoke_requests(const Client& client, const Holder& holder);

/// Nothing where auth does not declare them. `verify` and `after_connect` carry the token as calls of the connector do, unless they name an
/// `Authorization` header (or null) themselves.
Result<std::optional<HttpRequest>> verify_request(const Client& client, const Holder& holder);
Result<std::optional<HttpRequest>> after_connect_request(const Client& client, const Holder& holder);
/// RFC 7662 for the access token.
Result<std::optional<HttpRequest>> introspect_request(const Client& client, const Holder& holder);

/// Fetches the metadata: `discovery`, or `issuer` and `/.well-known/openid-configuration` where an endpoint that is needed has no
/// address. Nothing where none is needed or `client.discovery` is there. It carries no credential.
[[nodiscard]] std::optional<HttpRequest> discovery_request(const Client& client);

}  // namespace pg_pull::oauth
