#pragma once

// Installed packages as C++ values. All functions need a transaction and an Spi scope, read what is committed now and this
// transaction's own changes, and raise.

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/package/stack.h"
#include "pg/schema.h"

namespace pg_pull::pg {

struct PackageRow {
    std::string id;
    std::string name_space;
    std::string version;
    bool enabled = true;
    nlohmann::json stack;  ///< normalized
    std::string hash;
    std::string owner;
};

/// One change of the installed packages at a time, until the transaction ends. Taken before the lock of any connector name.
void lock_packages(const Extension& extension);

[[nodiscard]] std::optional<PackageRow> find_package(const Extension& extension, const std::string& id);
/// The package, which the current user must have the privileges of. Raises 42704 where it is not installed.
[[nodiscard]] PackageRow package_to_change(const Extension& extension, const std::string& id);

/// Writes a new package or puts the stack in the old one's place. Raises namespace_taken.
void write_package(const Extension& extension, const Stack& stack, const std::string& owner);
void set_enabled(const Extension& extension, const std::string& id, bool enabled);
void delete_package(const Extension& extension, const std::string& id);

/// Refuses (package_disabled) what goes through an entry or a mapping of a disabled package. `package`: that of the instance
/// (instance_package()) or of the mapping; none, and one that is not installed, is never disabled.
void require_enabled(const Extension& extension, const std::optional<std::string>& package);

}  // namespace pg_pull::pg
