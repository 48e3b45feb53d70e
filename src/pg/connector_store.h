#pragma once

// Writing connectors: what sync_connector_create, _alter and the installation of a package have in common. All need a transaction
// and an Spi scope, run with the rights of the extension's owner, and judge no rights themselves.

#include <cstdint>
#include <optional>
#include <string>

#include "pg/catalog.h"

namespace pg_pull::pg {

/// A superuser acts for a superuser's connector: every option of a conninfo is allowed then.
[[nodiscard]] bool is_trusted(const std::string& owner);

/// Writes a new entry; nullopt where (name, package) is taken.
std::optional<std::int64_t> insert_connector(const Extension& extension, const ConnectorRow& row);

/// What was wrong with the old definition need not be wrong with the new one: its state begins anew.
void update_connector(const Extension& extension, const ConnectorRow& before, const ConnectorRow& row);

/// Reads the row again once nobody else can change it until this transaction ends.
ConnectorRow lock_entry(const Extension& extension, const ConnectorRow& row);

}  // namespace pg_pull::pg
