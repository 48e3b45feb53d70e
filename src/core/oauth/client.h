#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/http.h"
#include "core/base/secret.h"
#include "core/oauth/discovery.h"
#include "core/request/auth_config.h"
#include "core/request/connector_config.h"

namespace pg_pull::oauth {

/// 64 random bits at each call, of a source fit for secrets.
using Random = std::function<std::uint64_t()>;

/// One connector's authorization, ready to make requests.
struct Client {
    std::string connector;  ///< its name, for messages
    RestConfig config;
    AuthConfig auth;
    nlohmann::json document =
        nlohmann::json::object();        ///< `connector.…` in templates; `name` and `client_id` are added
    Secret secret;                       ///< client secret or private key (oauth2), credential (login); may be empty
    std::optional<Discovery> discovery;  ///< endpoints where auth names none
    bool private_addresses_allowed = false;
    HttpTls tls;
    const Clock* clock = nullptr;  ///< never null when requests are made; outlives the client
    Random random;
};

/// What is known of one connection, or of a connector's own token.
struct Holder {
    nlohmann::json fields = nlohmann::json::object();  ///< asked for and kept values: `connection.…`
    Secret token;                                      ///< `token.access_token`
    Secret refresh_token;                              ///< `token.refresh_token`
    // Of sync_connection_set; each goes before the connector's own.
    std::optional<std::string> client_id;
    Secret client_secret;
    std::optional<std::string> username;  ///< `credential.username`
    Secret password;                      ///< `credential.password`
    Secret key;  ///< `credential` of a login; without it the password, then the connector's secret
};

}  // namespace pg_pull::oauth
