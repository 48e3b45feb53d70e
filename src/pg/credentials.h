#pragma once

#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/secret.h"
#include "pg/schema.h"

namespace pg_pull::pg {

/// Resolves a credential reference for a connector owned by `owner` (a role name): a secret of that owner, else an environment
/// variable of the server where pg_pull.credential_env allows the name and the owner is a superuser or in
/// pg_pull.credential_env_roles. Needs a transaction and an Spi scope, runs with the extension's rights.
/// Raises credential_unresolved (names the reference and what was looked at), key_unavailable, key_mismatch.
Secret resolve_credential(const Extension& extension, const std::string& owner, const std::string& reference);

}  // namespace pg_pull::pg
