#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/secret.h"

namespace pg_pull {

/// What a stored connection, or the connector's own login, gives for one request.
struct Grant {
    Secret credential;                    ///< access token, key or password
    std::optional<std::string> username;  ///< of an organization that brings its own (basic)
    nlohmann::json fields;                ///< of the connection: `connection.…` in templates
    std::int64_t generation = 0;          ///< rises with each new token
};

/// Where a source gets its grant. Asked before each request, so that a token that is refreshed, revoked or replaced meanwhile is
/// noticed. Waits and raises by exception; needs no transaction of the caller. Implemented in the server layer.
class GrantSource {
public:
    virtual ~GrantSource() = default;
    /// A grant that has not expired: refreshed first where it is due.
    virtual Grant current() = 0;
    /// After the remote refused the token of that generation (401): a newer one. Refreshes once for a generation, whoever asks.
    virtual Grant renewed(std::int64_t generation) = 0;
};

}  // namespace pg_pull
