#pragma once

// Authorizations under way (sync_pending_store). All functions need a transaction and an Spi scope.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/secret.h"
#include "pg/connections.h"

namespace pg_pull::pg {

struct Pending {
    std::string state_hash;  ///< raw bytes
    std::string organization;
    RowPackage package;  ///< of the instance, none included
    std::string connector;
    std::string requester;
    std::string redirect_uri;  ///< resent byte for byte
    nlohmann::json fields;
    std::vector<std::string> scopes;
    Secret verifier;  ///< empty once the state was used
    bool expired = false;
    bool used = false;
    nlohmann::json outcome;  ///< null: none yet
};

/// Returns when it expires, as the session writes times. Drops what expired a day ago.
std::string store_pending(const Extension& extension, const Pending& pending);
/// Locks the row until the transaction ends. Nothing where the state is unknown.
std::optional<Pending> find_pending(const Extension& extension, const std::string& state_hash);
/// The verifier is erased there.
void use_pending(const Extension& extension, const std::string& state_hash);
void settle_pending(const Extension& extension, const std::string& state_hash, const nlohmann::json& outcome);

}  // namespace pg_pull::pg
