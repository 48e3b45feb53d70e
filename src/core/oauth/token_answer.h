#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/http.h"
#include "core/base/secret.h"
#include "core/oauth/client.h"
#include "core/oauth/expiry.h"

namespace pg_pull::oauth {

/// Which call an answer answers: the refresh request may have a response map of its own.
enum class TokenCall : unsigned char { exchange, refresh, first };

/// What a token endpoint (or the request of a login) answered.
struct TokenAnswer {
    enum class Kind : unsigned char {
        granted,
        invalid_grant,  ///< this connection must be connected again; also where its own client or password is refused
        misconfigured,  ///< the connector's client is refused (invalid_client, unauthorized_client): its connections are not to blame
        transient,  ///< 408, 425, 429, 5xx, temporarily_unavailable: nothing is known of the grant
        refused,    ///< anything else, a success without a usable token included: marks nothing
    };
    Kind kind = Kind::refused;
    Secret token;
    Secret refresh_token;  ///< empty: the answer brought none, and the old one stays valid (RFC 6749 section 6)
    std::optional<WallTime> expires_at;  ///< by our clock, counted from the arrival of the answer; nothing: unknown
    std::optional<Millis> lifetime;      ///< what expires_at was made from
    std::optional<WallTime> refresh_expires_at;
    std::optional<std::vector<std::string>> scopes;  ///< as granted; nothing: as asked (RFC 6749 section 5.1)
    nlohmann::json keep = nlohmann::json::object();  ///< for the connection's fields: `keep` of the response map
    nlohmann::json account;                          ///< of the claims of `id_token`: sub, email, name …, or null
    std::string error;                               ///< for details: cut, cleaned, never a token
    std::string error_description;                   ///< likewise
    int status = 0;
    std::optional<Millis> retry_after;
};

/// Reads an answer. The lifetime is what the answer says, else the token's own claims (a JSON Web Token), else for a refresh
/// `previous_lifetime`, else `default_lifetime`, else unknown. `received_at` is our clock when the answer arrived. Secrets of `holder`
/// are kept out of the texts.
[[nodiscard]] TokenAnswer read_token_answer(const Client& client, TokenCall call, const HttpResponse& response,
                                            WallTime received_at, std::optional<Millis> previous_lifetime,
                                            const Holder& holder = {});

/// "The provider answered with status 400, error "invalid_grant": …", for a detail.
[[nodiscard]] std::string told(const TokenAnswer& answer);

/// The scopes that were asked for and not granted; empty where the answer did not name any.
[[nodiscard]] std::vector<std::string> missing_scopes(const std::vector<std::string>& asked,
                                                      const std::optional<std::vector<std::string>>& granted);

/// What an introspection endpoint says (RFC 7662 section 2.2), by our clock.
struct Introspection {
    bool active = false;
    std::optional<WallTime> expires_at;
    std::optional<Millis> lifetime;  ///< what is left of it
};
/// Errors: upstream_not_ok, where the answer is no success or says nothing.
Result<Introspection> read_introspection(const Client& client, const HttpResponse& response, WallTime received_at);

}  // namespace pg_pull::oauth
