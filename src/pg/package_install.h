#pragma once

// The two halves of what a package declares, written to the catalog. Everything needs a transaction, an Spi scope and a pinned
// search_path, the lock of lock_packages(), and raises; nothing is left of it then, as the caller's transaction ends with the error.

#include <string>
#include <vector>

#include "core/package/stack.h"
#include "pg/schema.h"

namespace pg_pull::pg {

/// What is declared for the package now, in rows.
struct InstallOrder {
    const Stack& stack;
    std::string owner;                 ///< of the package: the connectors and mappings belong to it
    std::vector<std::string> targets;  ///< of stack.mappings, qualified
};

/// Drops mappings of the package that the order does not declare; all with an empty `kept`. A run of one under way is 55006.
void drop_mappings_but(const Extension& extension, const std::string& package, const std::vector<std::string>& kept);
/// A NOTICE for each mapping elsewhere that uses an entry which is not `kept`. To be asked while the package still holds its names.
void tell_other_users(const Extension& extension, const std::string& package, const std::vector<std::string>& kept);
/// Drops its entries likewise.
void drop_connectors_but(const Extension& extension, const std::string& package, const std::vector<std::string>& kept);

/// Writes the declared entries, in place where they are there already. A change of an origin that a stored credential goes to
/// is refused (55000).
void write_connectors(const Extension& extension, const InstallOrder& order);
/// Writes the declared mappings, in place where they are there already, and judges each once all are written.
void write_mappings(const Extension& extension, const InstallOrder& order);

}  // namespace pg_pull::pg
