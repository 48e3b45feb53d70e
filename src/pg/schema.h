#pragma once

#include <string>

namespace pg_pull::pg {

/// The installed extension as the current transaction sees it. Every internal reference is qualified by its schema.
struct Extension {
    unsigned oid = 0;
    unsigned owner = 0;
    unsigned schema_oid = 0;
    std::string version;
    std::string schema;  ///< quoted where needed

    /// `relation("sync_mapping")` is schema.sync_mapping, ready for a statement.
    [[nodiscard]] std::string relation(const char* name) const { return schema + "." + name; }

    /// Needs a transaction. Raises where the extension is missing, or is of another version than this library
    /// (extension_changed, with the remedy: reconnect).
    static Extension current();
};

}  // namespace pg_pull::pg
