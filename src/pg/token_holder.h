#pragma once

// Whoever holds an access token: a stored connection, or a connector that logs in for itself. What the single-flight refresh
// (token_refresh.h) reads and writes, each in a transaction of the worker's own; every write is a compare-and-set on the
// generation and says whether it found the row as it was read.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/connection/credential_document.h"
#include "core/oauth/client.h"
#include "core/oauth/token_answer.h"
#include "pg/connections.h"

namespace pg_pull::pg {

struct TokenRecord {
    Secret token;
    Secret refresh_token;
    OwnCredential own;  ///< of an organization that brings its own
    nlohmann::json fields = nlohmann::json::object();
    std::optional<WallTime> expires_at;
    std::optional<Millis> lifetime;
    std::optional<WallTime> retry_at;  ///< no refresh before: the provider was out of order
    std::int64_t generation = 0;
    bool in_doubt = false;  ///< a refresh was sent and nobody knows what came of it
    std::optional<std::string> last_error;

    [[nodiscard]] oauth::Holder holder() const;
};

/// Why a refresh brought no token, as it is written down.
enum class RefreshFailure : unsigned char {
    passing,             ///< the provider is out of order: nothing is marked, and nobody asks before retry_at
    unknown_outcome,     ///< the request may have arrived: the intent stays, the next one is in doubt
    reconnect_required,  ///< the grant is gone
};

class TokenHolder {
public:
    virtual ~TokenHolder() = default;
    [[nodiscard]] virtual std::string lock_key() const = 0;
    /// What messages call it: `connection of organization "a" to connector "b"`.
    [[nodiscard]] virtual std::string what() const = 0;
    /// Nothing where it is gone.
    [[nodiscard]] virtual std::optional<TokenRecord> read(const Extension& extension) = 0;
    /// The intent, committed before the request is sent.
    virtual bool intend(const Extension& extension, std::int64_t generation) = 0;
    virtual bool store(const Extension& extension, const TokenRecord& before, const oauth::TokenAnswer& answer) = 0;
    /// `reason` and `error` hold no secret. `retry_at` for passing failures.
    virtual bool fail(const Extension& extension, std::int64_t generation, RefreshFailure failure,
                      const std::string& reason, const std::string& error, std::optional<WallTime> retry_at) = 0;
};

[[nodiscard]] std::unique_ptr<TokenHolder> connection_holder(const ConnectionRow& row);
[[nodiscard]] std::unique_ptr<TokenHolder> connector_holder(const ConnectorRow& connector);

}  // namespace pg_pull::pg
