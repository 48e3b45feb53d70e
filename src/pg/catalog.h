#pragma once

// The catalog's rows as C++ values, and the questions asked of them. All functions need a transaction and an Spi scope, see
// what the current snapshot sees, and raise.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/connection/resolution.h"
#include "pg/schema.h"
#include "pg/sql.h"

namespace pg_pull::pg {

/// A name as messages show it.
inline std::string in_quotes(std::string_view name) { return '"' + std::string(name) + '"'; }

struct ConnectorRow {
    std::int64_t id = 0;
    std::optional<std::string> package;
    std::string name;
    std::string provider;
    nlohmann::json config;
    nlohmann::json auth;
    std::string state;
    std::string owner;
    std::optional<std::string> description;
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
    std::optional<std::string> description;
};

/// Whether what the transaction that is still open in this session made or changed counts. A worker cannot see it: whoever
/// goes on to start one asks for `committed` and gets not_visible_yet, which says what to do, instead of a puzzling "not found".
enum class Visible : unsigned char { committed, own_changes };

/// The mapping (package nullopt: not said; more than one of that name is name_ambiguous). Raises mapping_not_found.
MappingRow find_mapping(const Extension& extension, const std::string& name, const std::optional<std::string>& package,
                        Visible visible = Visible::committed);
MappingRow load_mapping(const Extension& extension, std::int64_t mapping_id);  ///< mapping_not_found; own changes count

/// The mapping's pagination; null where it declares none, so that the connector's default counts.
nlohmann::json declared_pagination(const MappingRow& mapping);

/// Who holds a connector name and which entries it has, read anew (DESIGN.md 6.1).
NameFacts name_facts(const Extension& extension, const std::string& name);
/// The entry that the door addresses by this name (DESIGN.md 6.1). Raises connector_not_registered, name_ambiguous.
ConnectorRow find_connector(const Extension& extension, const std::string& name,
                            const std::optional<std::string>& package, Visible visible = Visible::committed);
/// The same with the facts that it was judged by, for whoever judges on.
struct AddressedEntry {
    ConnectorRow entry;
    NameFacts facts;
};
AddressedEntry address_connector(const Extension& extension, const std::string& name,
                                 const std::optional<std::string>& package, Visible visible);
/// All mappings of this condition on `m`, an SQL text with parameters; own changes count.
std::vector<MappingRow> mappings_where(const Extension& extension, const std::string& condition,
                                       const std::vector<Param>& parameters);

/// The entry that a mapping uses: connector_package, else its own package's entry, else find_connector.
ConnectorRow connector_of(const Extension& extension, const MappingRow& mapping, Visible visible = Visible::committed);
ConnectorRow load_connector(const Extension& extension, std::int64_t connector_id);  ///< own changes count
/// The entry with exactly this stamp (nullopt: the environment's), if there is one.
std::optional<ConnectorRow> entry_with_stamp(const Extension& extension, const std::string& name,
                                             const std::optional<std::string>& package);
/// For whoever changes a declaration: the entry with exactly this stamp, the one of the door where no package is said.
/// Own changes count.
ConnectorRow find_entry(const Extension& extension, const std::string& name, const std::optional<std::string>& package);

/// One statement on the catalog with the rights of the extension's owner: nobody else may write there, nor read all of it.
/// Rights of the caller must have been judged before.
Rows catalog_query(const Extension& extension, const std::string& statement, const std::vector<Param>& parameters = {});
/// A SELECT that sees what is committed now (query_latest).
Rows catalog_query_latest(const Extension& extension, const std::string& statement,
                          const std::vector<Param>& parameters = {});
std::uint64_t catalog_execute(const Extension& extension, const std::string& statement,
                              const std::vector<Param>& parameters = {});

/// current_user.
unsigned current_role();
std::string role_name(unsigned role);
/// The role's oid, which must exist (42704 undefined_object where it does not).
unsigned role_oid(const std::string& role_name);
bool is_superuser(unsigned role);
/// The role's oid; owner_missing (naming `what`, e.g. `mapping "issues"`) where it is gone.
unsigned owner_oid(const std::string& role_name, const std::string& what);
/// Raises 42501 unless the current user has the privileges of the role.
void require_owner(unsigned owner, const std::string& what);
/// The same for an object whose owner is known by name; a superuser may also change or drop what nobody owns any more.
void require_owner(const std::string& owner, const std::string& what);
/// May `role` use the connector: it has its owner, or was granted it (to itself or to a role it has).
bool may_use_connector(const Extension& extension, const ConnectorRow& connector, unsigned role);
/// Raises 42501 where it may not.
void require_use(const Extension& extension, const ConnectorRow& connector, unsigned role);

}  // namespace pg_pull::pg
