extern "C" {
#include "postgres.h"

#include "miscadmin.h"
}

#include "pg/connection_store.h"

#include "core/json/document.h"
#include "pg/border.h"
#include "pg/catalog.h"
#include "pg/key_ring.h"
#include "pg/sealed_rows.h"
#include "pg/sql_time.h"

namespace pg_pull::pg {

namespace {

std::optional<std::vector<std::string>> list_of(const Rows::Value& json_array) {
    if (!json_array) return std::nullopt;
    return unwrap(parse_document(*json_array)).get<std::vector<std::string>>();
}

Param list_value(const std::optional<std::vector<std::string>>& list) {
    if (list) return text_array(*list);
    Param none = text_array({});
    none.null = true;
    return none;
}

ConnectionRow connection_row(const std::vector<Rows::Value>& row) {
    ConnectionRow c;
    c.id = row[0].value();
    c.organization = row[1].value();
    c.package = row[2];
    c.connector = row[3].value();
    c.status = row[4].value();
    c.status_reason = row[5];
    if (row[6]) c.account = unwrap(parse_document(*row[6]));
    c.fields = unwrap(parse_document(row[7].value()));
    c.scopes_asked = list_of(row[8]);
    c.scopes_granted = list_of(row[9]);
    c.token_expires_at = time_of(row[10]);
    c.token_expires_text = row[11];
    c.token_lifetime = millis_of(row[12]);
    c.generation = to_int(row[13]);
    c.refresh_started_at = time_of(row[14]);
    c.retry_at = time_of(row[15]);
    c.last_error = row[16];
    c.connected_at = row[17].value();
    return c;
}

std::vector<ConnectionRow> connections_where(const Extension& extension, const std::string& condition,
                                             const std::vector<Param>& parameters) {
    const std::string columns =
        "c.connection_id, c.organization_id, c.package_id, c.connector, c.status, c.status_reason, c.account, "
        "c.fields, "
        "pg_catalog.to_json(c.scopes_asked), pg_catalog.to_json(c.scopes_granted), " +
        micros_of("c.token_expires_at") + ", c.token_expires_at, " + interval_millis("c.token_lifetime") +
        ", c.generation, " + micros_of("c.refresh_started_at") + ", " + micros_of("c.retry_at") +
        ", c.last_error, c.connected_at";
    std::vector<ConnectionRow> found;
    const Rows rows = catalog_query_latest(
        extension,
        "SELECT " + columns + " FROM " + extension.relation("sync_connection_store") + " c WHERE " + condition +
            " ORDER BY c.organization_id COLLATE \"C\", c.connected_at, c.connection_id",
        parameters);
    for (const auto& row : rows) found.push_back(connection_row(row));
    return found;
}

std::vector<std::string> identity(const std::string& id, const std::string& organization, const RowPackage& package,
                                  const std::string& connector) {
    return {id, organization, package.value_or(""), connector};
}

/// Sealed for the row's identity, in the order of the kind's fields; null where there is no secret.
std::vector<Param> sealed_parameters(const KeyRing& ring, const std::vector<std::string>& identity,
                                     const ConnectionSecrets& secrets) {
    std::vector<Param> parameters;
    std::size_t field = 0;
    for (const Secret* secret : {&secrets.token, &secrets.refresh_token, &secrets.credential}) {
        parameters.push_back(secret->empty()
                                 ? bytea(std::optional<std::string>())
                                 : bytea(seal_field(ring, sealed_kinds::connection(), field, identity, *secret)));
        ++field;
    }
    return parameters;
}

/// $2 to $12, in the order of kValueColumns.
void add_values(std::vector<Param>& parameters, const ConnectionValues& values, const KeyRing& ring,
                const std::vector<std::string>& identity, const ConnectionSecrets& secrets) {
    parameters.push_back(values.account.is_null() ? text(std::optional<std::string>()) : text(values.account.dump()));
    parameters.push_back(text(values.fields.dump()));
    parameters.push_back(list_value(values.scopes_asked));
    parameters.push_back(list_value(values.scopes_granted));
    parameters.push_back(time_param(values.token_expires_at));
    parameters.push_back(time_param(values.refresh_expires_at));
    parameters.push_back(millis_param(values.token_lifetime));
    parameters.push_back(text(values.connected_by));
    parameters.push_back(text(ring.current().id));
    for (auto& sealed : sealed_parameters(ring, identity, secrets)) parameters.push_back(sealed);
}

constexpr const char* kValueColumns =
    "account, fields, scopes_asked, scopes_granted, token_expires_at, refresh_expires_at, token_lifetime, "
    "connected_by, "
    "key_id, sealed_token, sealed_refresh_token, sealed_credential";

/// The expressions for kValueColumns from parameter `first` on.
std::string value_expressions(int first) {
    const auto p = [first](int offset) { return "$" + std::to_string(first + offset); };
    return p(0) + "::jsonb, " + p(1) + "::jsonb, " + p(2) + ", " + p(3) + ", " + time_parameter(first + 4) + ", " +
           time_parameter(first + 5) + ", " + interval_parameter(first + 6) + ", " + p(7) + "::name, " + p(8) + ", " +
           p(9) + ", " + p(10) + ", " + p(11);
}

}  // namespace

std::vector<ConnectionRow> connections_of(const Extension& extension, const std::string& connector,
                                          const std::string& organization) {
    return connections_where(extension, "c.connector = $1 AND c.organization_id = $2",
                             {text(connector), text(organization)});
}

std::vector<ConnectionRow> connections_of_name(const Extension& extension, const std::string& connector) {
    return connections_where(extension, "c.connector = $1", {text(connector)});
}

std::vector<ConnectionRow> all_connections(const Extension& extension) {
    return connections_where(extension, "true", {});
}

std::optional<ConnectionRow> find_connection(const Extension& extension, const std::string& id) {
    auto found = connections_where(extension, "c.connection_id = $1::uuid", {text(id)});
    if (found.empty()) return std::nullopt;
    return std::move(found.front());
}

std::vector<RowPackage> packages_of(const std::vector<ConnectionRow>& rows) {
    std::vector<RowPackage> packages;
    for (const auto& row : rows) packages.push_back(row.package);
    return packages;
}

std::vector<std::vector<ConnectionRow>> by_organization(std::vector<ConnectionRow> rows) {
    std::vector<std::vector<ConnectionRow>> groups;
    for (auto& row : rows) {
        if (groups.empty() || groups.back().front().organization != row.organization) groups.emplace_back();
        groups.back().push_back(std::move(row));
    }
    return groups;
}

ConnectionSecrets open_connection(const Extension& extension, const ConnectionRow& row) {
    ConnectionSecrets secrets;
    const auto rows = sealed_rows(extension, sealed_kinds::connection(), "s.connection_id = $1::uuid", {text(row.id)});
    if (rows.empty()) return secrets;
    Opened opened = open(require_key_ring(), rows.front());
    if (opened[0]) secrets.token = std::move(*opened[0]);
    if (opened[1]) secrets.refresh_token = std::move(*opened[1]);
    if (opened[2]) secrets.credential = std::move(*opened[2]);
    return secrets;
}

std::string insert_connection(const Extension& extension, const KeyRing& ring, const std::string& organization,
                              const RowPackage& package, const std::string& connector, const ConnectionValues& values,
                              const ConnectionSecrets& secrets) {
    const std::string id = catalog_query(extension, "SELECT pg_catalog.gen_random_uuid()").one().value();
    std::vector<Param> parameters{text(id), text(organization), text(package), text(connector)};
    add_values(parameters, values, ring, identity(id, organization, package, connector), secrets);
    catalog_execute(extension,
                    "INSERT INTO " + extension.relation("sync_connection_store") +
                        " (connection_id, organization_id, package_id, connector, " + kValueColumns +
                        ") VALUES ($1::uuid, $2, $3, $4, " + value_expressions(5) + ")",
                    parameters);
    return id;
}

void adopt_connection(const Extension& extension, const KeyRing& ring, const ConnectionRow& row,
                      const RowPackage& package, const ConnectionValues& values, const ConnectionSecrets& secrets) {
    std::vector<Param> parameters{text(row.id), text(package)};
    add_values(parameters, values, ring, identity(row.id, row.organization, package, row.connector), secrets);
    catalog_execute(extension,
                    "UPDATE " + extension.relation("sync_connection_store") + " SET package_id = $2, (" +
                        kValueColumns + ") = ROW(" + value_expressions(3) +
                        "), status = 'connected', status_reason = NULL, last_error = NULL, refresh_started_at = NULL, "
                        "retry_at = NULL, generation = generation + 1, connected_at = pg_catalog.now(), "
                        "updated_at = pg_catalog.now() WHERE connection_id = $1::uuid",
                    parameters);
}

void restamp(const Extension& extension, const ConnectionRow& row, const RowPackage& package) {
    const ConnectionSecrets secrets = open_connection(extension, row);
    const bool sealed = !secrets.token.empty() || !secrets.refresh_token.empty() || !secrets.credential.empty();
    std::vector<Param> parameters{text(row.id), text(package)};
    std::string assignments = "package_id = $2";
    if (sealed) {
        const KeyRing ring = require_key_ring();
        parameters.push_back(text(ring.current().id));
        for (auto& value : sealed_parameters(ring, identity(row.id, row.organization, package, row.connector), secrets))
            parameters.push_back(value);
        assignments += ", key_id = $3, sealed_token = $4, sealed_refresh_token = $5, sealed_credential = $6";
    }
    catalog_execute(extension,
                    "UPDATE " + extension.relation("sync_connection_store") + " SET " + assignments +
                        ", updated_at = pg_catalog.now() WHERE connection_id = $1::uuid",
                    parameters);
}

bool delete_connection(const Extension& extension, const std::string& id) {
    return catalog_execute(
               extension,
               "DELETE FROM " + extension.relation("sync_connection_store") + " WHERE connection_id = $1::uuid",
               {text(id)}) > 0;
}

KeyRing ring_for_connections(const Extension& extension) {
    KeyRing ring = obtain_key_ring(extension, holds_sealed_values(extension));
    catalog_execute(extension,
                    "INSERT INTO " + extension.relation("sync_identity_store") +
                        " (database_oid) VALUES ($1) ON CONFLICT DO NOTHING",
                    {oid(MyDatabaseId)});
    return ring;
}

}  // namespace pg_pull::pg
