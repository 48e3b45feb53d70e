#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/secret.h"
#include "core/request/auth_config.h"

namespace pg_pull {

/// What an organization brings by sync_connection_set: the secret itself, or the name of one.
struct OwnCredential {
    std::optional<std::string> reference;  ///< credential_ref: of the connector's owner; stands for the secret below
    std::optional<std::string> username;   ///< basic, login
    std::optional<std::string> client_id;  ///< oauth2 with client_credentials
    Secret secret;                         ///< token, key, password or client_secret
};

/// Checks the keys by the connector's auth:
///   bearer {"token"}, api_key {"key"}, basic and login {"username", "password"} (login also {"key"} or {"token"}),
///   oauth2 with client_credentials {"client_id", "client_secret"}; each secret may be {"credential_ref": name} instead.
/// No value of the document is ever in an error.
Result<OwnCredential> parse_own_credential(const AuthConfig& auth, const nlohmann::json& document);

/// As it is sealed, and back.
[[nodiscard]] Secret pack_credential(const OwnCredential& credential);
[[nodiscard]] OwnCredential unpack_credential(const Secret& packed);

}  // namespace pg_pull
