#pragma once

// The catalog's rows as C++ values, and the questions asked of them. All functions need a transaction and an Spi scope, see
// what the current snapshot sees, and raise.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "pg/schema.h"

namespace pg_pull::pg {

struct ConnectorRow {
    std::int64_t id = 0;
    std::optional<std::string> package;
    std::string name;
    std::string provider;
    nlohmann::json config;
    nlohmann::json auth;
    std::string state;
    std::string owner;
};

struct MappingRow {
    std::int64_t id = 0;
    std::optional<std::string> package;
    std::string name;
    std::string connector;
    std::optional<std::string> connector_package;
    nlohmann::json source;
    nlohmann::json pagination;
    std::string target;  ///< qualified and quoted
    nlohmann::json fields;
    std::string mode;
    std::vector<std::string> key;
    std::optional<nlohmann::json> watermark;
    std::vector<std::string> scope;
    std::string delete_mode;
    std::optional<nlohmann::json> deleted_when;
    std::string deleted_at;
    double max_delete_fraction = 0.5;
    std::string commit;
    std::string missing;
    std::string on_error;
    int max_rejects = 100;
    std::optional<std::string> full_every;  ///< interval text
    std::string owner;
    bool enabled = true;
};

/// The mapping (package nullopt: not said; more than one of that name is name_ambiguous). Raises mapping_not_found, or
/// not_visible_yet where it was made or changed by the transaction that is still open in this session.
MappingRow find_mapping(const Extension& extension, const std::string& name, const std::optional<std::string>& package);
MappingRow load_mapping(const Extension& extension, std::int64_t mapping_id);  ///< mapping_not_found

/// The entry that the door addresses by this name (DESIGN.md 6.1). Raises connector_not_registered, name_ambiguous, not_visible_yet.
ConnectorRow find_connector(const Extension& extension, const std::string& name, const std::optional<std::string>& package);
/// The entry that a mapping uses: connector_package, else its own package's entry, else find_connector.
ConnectorRow connector_of(const Extension& extension, const MappingRow& mapping);

/// The role's oid; owner_missing (naming `what`, e.g. `mapping "issues"`) where it is gone.
unsigned owner_oid(const std::string& role_name, const std::string& what);
/// Raises 42501 unless the current user has the privileges of the role.
void require_owner(unsigned owner, const std::string& what);
/// May `role` use the connector: it has its owner, or was granted it (to itself or to a role it has).
bool may_use_connector(const Extension& extension, const ConnectorRow& connector, unsigned role);

}  // namespace pg_pull::pg
