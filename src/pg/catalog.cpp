extern "C" {
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/acl.h"
}

#include "core/json/document.h"
#include "pg/border.h"
#include "pg/catalog.h"
#include "pg/sql.h"
#include "pg/xact.h"

namespace pg_pull::pg {
namespace {

nlohmann::json document_of(const std::string& text) { return unwrap(parse_document(text)); }

std::optional<nlohmann::json> document_of(const Rows::Value& text) {
    if (!text) return std::nullopt;
    return document_of(*text);
}

/// text[] travels as JSON: a literal would have to be taken apart by hand.
std::vector<std::string> names_of(const Rows::Value& json_array) {
    return document_of(json_array.value_or("[]")).get<std::vector<std::string>>();
}

bool is_own_change(const std::string& xmin) {
    const auto xid = static_cast<TransactionId>(std::stoul(xmin));
    return TransactionIdIsNormal(xid) && call([xid] { return TransactionIdIsCurrentTransactionId(xid); });
}

void require_committed(const std::string& xmin, Visible visible, const std::string& what) {
    if (visible == Visible::own_changes || !is_own_change(xmin)) return;
    raise(fail(Reason::not_visible_yet,
               what + " was created or changed in this transaction, which has not been committed")
              .with_detail("The pull worker sees committed objects only.")
              .with_hint("Commit first."));
}

constexpr const char* kConnectorColumns =
    "c.xmin, c.connector_id, c.package_id, c.name, c.provider, c.config, c.auth, c.state, c.owner, c.description";

ConnectorRow connector_row(const std::vector<Rows::Value>& row) {
    ConnectorRow result;
    result.id = to_int(row[1]);
    result.package = row[2];
    result.name = row[3].value();
    result.provider = row[4].value();
    result.config = document_of(row[5].value());
    result.auth = document_of(row[6].value());
    result.state = row[7].value();
    result.owner = row[8].value();
    result.description = row[9];
    return result;
}

Rows connector_entries(const Extension& extension, const std::string& name) {
    return catalog_query_latest(extension,
                                std::string("SELECT ") + kConnectorColumns + " FROM " +
                                    extension.relation("sys_sync_connector") +
                                    " c WHERE c.name = $1 ORDER BY c.connector_id",
                                {text(name)});
}

NameFacts facts_of(const Extension& extension, const std::string& name, const Rows& entries) {
    NameFacts facts;
    facts.name = name;
    for (const auto& row : entries) facts.entries.push_back(row[2]);
    const Rows holders =
        catalog_query_latest(extension,
                             "SELECT p.package_id FROM " + extension.relation("sys_sync_package") +
                                 " p WHERE p.stack @> pg_catalog.jsonb_build_object('connectors', "
                                 "pg_catalog.jsonb_build_array(pg_catalog.jsonb_build_object('name', $1::text))) "
                                 "ORDER BY p.package_id",
                             {text(name)});
    for (const auto& row : holders) facts.holders.push_back(row[0].value());
    return facts;
}

MappingRow mapping_row(const std::vector<Rows::Value>& row) {
    MappingRow m;
    m.id = to_int(row[1]);
    m.package = row[2];
    m.name = row[3].value();
    m.connector = row[4].value();
    m.connector_package = row[5];
    m.source = document_of(row[6].value());
    m.pagination = document_of(row[7].value());
    m.target = row[8].value();
    m.fields = document_of(row[9].value());
    m.mode = row[10].value();
    m.key = names_of(row[11]);
    m.watermark = document_of(row[12]);
    m.scope = names_of(row[13]);
    m.delete_mode = row[14].value();
    m.deleted_when = document_of(row[15]);
    m.deleted_at = row[16].value();
    m.max_delete_fraction = std::stod(row[17].value());
    m.commit = row[18].value();
    m.missing = row[19].value();
    m.on_error = row[20].value();
    m.max_rejects = static_cast<int>(to_int(row[21]));
    m.full_every = row[22];
    m.owner = row[23].value();
    m.enabled = to_bool(row[24]);
    m.description = row[25];
    return m;
}

Rows mapping_rows(const Extension& extension, const std::string& condition, const std::vector<Param>& parameters) {
    return catalog_query(extension,
                         "SELECT m.xmin, m.mapping_id, m.package_id, m.name, m.connector, m.connector_package, "
                         "m.source, m.pagination, m.target, "
                         "m.fields, m.mode, pg_catalog.to_json(m.key), m.watermark, pg_catalog.to_json(m.scope), "
                         "m.delete_mode, m.deleted_when, "
                         "m.deleted_at, m.max_delete_fraction, m.commit, m.missing, m.on_error, m.max_rejects, "
                         "m.full_every, m.owner, m.enabled, "
                         "m.description FROM " +
                             extension.relation("sync_mapping") + " m WHERE " + condition + " ORDER BY m.mapping_id",
                         parameters);
}

}  // namespace

Rows catalog_query(const Extension& extension, const std::string& statement, const std::vector<Param>& parameters) {
    const ActAs owner(extension.owner);
    return query(statement, parameters);
}

Rows catalog_query_latest(const Extension& extension, const std::string& statement,
                          const std::vector<Param>& parameters) {
    const ActAs owner(extension.owner);
    return query_latest(statement, parameters);
}

std::uint64_t catalog_execute(const Extension& extension, const std::string& statement,
                              const std::vector<Param>& parameters) {
    return catalog_query(extension, statement, parameters).processed;
}

MappingRow find_mapping(const Extension& extension, const std::string& name, const std::optional<std::string>& package,
                        Visible visible) {
    const Rows rows = package
                          ? mapping_rows(extension, "m.name = $1 AND m.package_id = $2", {text(name), text(*package)})
                          : mapping_rows(extension, "m.name = $1", {text(name)});
    if (rows.empty())
        raise(fail(Reason::mapping_not_found, "mapping " + in_quotes(name) + " does not exist" +
                                                  (package ? " in package " + in_quotes(*package) : std::string())));
    if (rows.size() > 1)
        raise(fail(Reason::name_ambiguous, "mapping " + in_quotes(name) + " exists in more than one package")
                  .with_hint("Name the package."));
    require_committed(rows[0][0].value(), visible, "mapping " + in_quotes(name));
    return mapping_row(rows[0]);
}

MappingRow load_mapping(const Extension& extension, std::int64_t mapping_id) {
    const Rows rows = mapping_rows(extension, "m.mapping_id = $1", {int8(mapping_id)});
    if (rows.empty())
        raise(fail(Reason::mapping_not_found, "mapping with id " + std::to_string(mapping_id) + " does not exist"));
    return mapping_row(rows[0]);
}

nlohmann::json declared_pagination(const MappingRow& mapping) {
    const bool none = mapping.pagination.is_null() || mapping.pagination == nlohmann::json{{"type", "none"}};
    return none ? nlohmann::json() : mapping.pagination;
}

NameFacts name_facts(const Extension& extension, const std::string& name) {
    return facts_of(extension, name, connector_entries(extension, name));
}

AddressedEntry address_connector(const Extension& extension, const std::string& name,
                                 const std::optional<std::string>& package, Visible visible) {
    const Rows entries = connector_entries(extension, name);
    NameFacts facts = facts_of(extension, name, entries);
    const std::size_t at = unwrap(address_entry(facts, package));
    require_committed(entries[at][0].value(), visible, "connector " + in_quotes(name));
    return {connector_row(entries[at]), std::move(facts)};
}

ConnectorRow find_connector(const Extension& extension, const std::string& name,
                            const std::optional<std::string>& package, Visible visible) {
    return address_connector(extension, name, package, visible).entry;
}

ConnectorRow connector_of(const Extension& extension, const MappingRow& mapping, Visible visible) {
    if (mapping.connector_package)
        return find_connector(extension, mapping.connector, mapping.connector_package, visible);
    if (mapping.package) {
        const NameFacts facts = name_facts(extension, mapping.connector);
        if (address_entry(facts, mapping.package).ok())
            return find_connector(extension, mapping.connector, mapping.package, visible);
    }
    return find_connector(extension, mapping.connector, std::nullopt, visible);
}

ConnectorRow load_connector(const Extension& extension, std::int64_t connector_id) {
    const Rows rows = catalog_query(extension,
                                    std::string("SELECT ") + kConnectorColumns + " FROM " +
                                        extension.relation("sys_sync_connector") + " c WHERE c.connector_id = $1",
                                    {int8(connector_id)});
    if (rows.empty())
        raise(fail(Reason::connector_not_registered,
                   "connector with id " + std::to_string(connector_id) + " is not registered"));
    return connector_row(rows[0]);
}

std::optional<ConnectorRow> entry_with_stamp(const Extension& extension, const std::string& name,
                                             const std::optional<std::string>& package) {
    for (const auto& row : connector_entries(extension, name))
        if (row[2] == package) return connector_row(row);
    return std::nullopt;
}

ConnectorRow find_entry(const Extension& extension, const std::string& name,
                        const std::optional<std::string>& package) {
    if (!package) return find_connector(extension, name, package, Visible::own_changes);
    if (auto entry = entry_with_stamp(extension, name, package)) return *std::move(entry);
    raise(fail(Reason::connector_not_registered,
               "connector " + in_quotes(name) + " is not registered in package " + in_quotes(*package)));
}

std::vector<MappingRow> mappings_where(const Extension& extension, const std::string& condition,
                                       const std::vector<Param>& parameters) {
    std::vector<MappingRow> mappings;
    for (const auto& row : mapping_rows(extension, condition, parameters)) mappings.push_back(mapping_row(row));
    return mappings;
}

unsigned current_role() { return GetUserId(); }

std::string role_name(unsigned role) {
    return call([role] { return const_cast<const char*>(GetUserNameFromId(role, false)); });
}

unsigned role_oid(const std::string& role_name) {
    const char* name = role_name.c_str();
    return call([name] { return get_role_oid(name, false); });
}

bool is_superuser(unsigned role) {
    return call([role] { return superuser_arg(role); });
}

unsigned owner_oid(const std::string& role_name, const std::string& what) {
    const char* name = role_name.c_str();
    const Oid oid = call([name] { return get_role_oid(name, true); });
    if (oid == InvalidOid)
        raise(fail(Reason::owner_missing, "the owner of " + what + " does not exist")
                  .with_detail("The owner was role " + in_quotes(role_name) + "."));
    return oid;
}

void require_owner(unsigned owner, const std::string& what) {
    if (call([owner] { return has_privs_of_role(GetUserId(), owner); })) return;
    raise(Error{Reason::none, "42501", "must be owner of " + what, {}, {}});
}

void require_owner(const std::string& owner, const std::string& what) {
    if (!is_superuser(current_role())) require_owner(owner_oid(owner, what), what);
}

bool may_use_connector(const Extension& extension, const ConnectorRow& connector, unsigned role) {
    const char* owner = connector.owner.c_str();
    const bool owns = call([owner, role] {
        const Oid oid = get_role_oid(owner, true);
        return superuser_arg(role) || (OidIsValid(oid) && has_privs_of_role(role, oid));
    });
    if (owns) return true;
    const Rows granted =
        catalog_query(extension,
                      "SELECT FROM " + extension.relation("sys_sync_connector_grant") +
                          " g JOIN pg_catalog.pg_roles r ON r.rolname = g.role WHERE g.connector_id = $1 AND "
                          "pg_catalog.pg_has_role($2, r.oid, 'USAGE') LIMIT 1",
                      {int8(connector.id), oid(role)});
    return !granted.empty();
}

void require_use(const Extension& extension, const ConnectorRow& connector, unsigned role) {
    if (may_use_connector(extension, connector, role)) return;
    raise(Error{Reason::none,
                "42501",
                "permission denied for connector " + in_quotes(connector.name),
                {},
                "Its owner can grant its use with sync_connector_grant()."});
}

}  // namespace pg_pull::pg
