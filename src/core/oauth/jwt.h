#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/secret.h"

namespace pg_pull::oauth {

/// The claims of a signed JSON Web Token (RFC 7519); nothing where `text` is none. The signature is not checked: use it only on
/// what came from the token endpoint itself, over TLS (OpenID Connect Core section 3.1.3.7).
[[nodiscard]] std::optional<nlohmann::json> jwt_claims(std::string_view text);

/// A client assertion (RFC 7523 section 3) that lives five minutes: `private_key` in PEM, RSA (RS256) or EC on P-256 (ES256).
/// A key that cannot be read or used is invalid_configuration.
Result<Secret> client_assertion(const Secret& private_key, std::string_view client_id, std::string_view audience,
                                WallTime now, std::string_view id);

}  // namespace pg_pull::oauth
