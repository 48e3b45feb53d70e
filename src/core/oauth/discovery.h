#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/request/auth_config.h"

namespace pg_pull::oauth {

/// What an authorization server says of itself (RFC 8414 section 2). Endpoints that it does not name are empty.
struct Discovery {
    std::string issuer;
    std::string authorization_endpoint;
    std::string token_endpoint;
    std::string revocation_endpoint;
    std::string introspection_endpoint;
    std::string userinfo_endpoint;
    bool iss_in_callback = false;  ///< its callbacks carry `iss` (RFC 9207 section 3)
};

/// Reads a metadata document. Its issuer must be exactly `issuer_asked` (RFC 8414 section 3.3), else issuer_mismatch. Endpoints
/// must be URLs, and https ones where the issuer is https (connector_misconfigured).
Result<Discovery> parse_discovery(const nlohmann::json& document, std::string_view issuer_asked);

/// The issuer that a metadata document must name: `issuer`, else what `discovery` was made from by leaving out its
/// `/.well-known/…` (RFC 8414 section 3.1 and OpenID Connect Discovery); empty where neither tells.
[[nodiscard]] std::string issuer_asked(const AuthConfig& auth);

/// RFC 9207 section 2.4: the `iss` of a callback must be exactly the issuer that is known, and may be absent only where the
/// server does not promise it. Without a known issuer there is nothing to compare with. Errors: issuer_mismatch.
Result<void> check_issuer(const AuthConfig& auth, const std::optional<Discovery>& discovery,
                          const std::optional<std::string>& iss);

}  // namespace pg_pull::oauth
