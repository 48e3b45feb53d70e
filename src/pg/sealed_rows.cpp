#include "pg/sealed_rows.h"

#include <array>

#include "core/base/encoding.h"
#include "pg/border.h"
#include "pg/catalog.h"

namespace pg_pull::pg {

namespace sealed_kinds {

const SealedKind& secret() {
    static const SealedKind kind{"sync_secret_store",
                                 "pg_catalog.format('secret \"%s\" of role \"%s\"', s.name, s.owner)",
                                 {"s.owner::text", "s.name"},
                                 {{"sealed", "secret"}}};
    return kind;
}

const SealedKind& connection() {
    static const SealedKind kind{
        "sync_connection_store",
        "pg_catalog.format('connection of organization \"%s\" to connector \"%s\"', s.organization_id, s.connector)",
        {"s.connection_id::text", "s.organization_id", "coalesce(s.package_id, '')", "s.connector"},
        {{"sealed_token", "token"}, {"sealed_refresh_token", "refresh_token"}, {"sealed_credential", "credential"}}};
    return kind;
}

const SealedKind& connector_token() {
    static const SealedKind kind{"sync_connector_token_store",
                                 "pg_catalog.format('token of connector with id %s', s.connector_id)",
                                 {"s.connector_id::text"},
                                 {{"sealed_token", "token"}, {"sealed_refresh_token", "refresh_token"}}};
    return kind;
}

const SealedKind& pending() {
    static const SealedKind kind{
        "sync_pending_store",
        "pg_catalog.format('authorization begun for organization \"%s\" at connector \"%s\"', s.organization_id, "
        "s.connector)",
        {"pg_catalog.encode(s.state_hash, 'hex')", "s.organization_id", "coalesce(s.package_id, '')", "s.connector"},
        {{"sealed_verifier", "verifier"}}};
    return kind;
}

const SealedKind& revocation() {
    static const SealedKind kind{"sync_revocation_store",
                                 "pg_catalog.format('revocation waiting for connector \"%s\"', s.connector)",
                                 {"s.connection_id::text", "s.connector"},
                                 {{"sealed_request", "request"}}};
    return kind;
}

}  // namespace sealed_kinds

namespace {

std::array<const SealedKind*, 5> all_kinds() {
    return {&sealed_kinds::secret(), &sealed_kinds::connection(), &sealed_kinds::connector_token(),
            &sealed_kinds::pending(), &sealed_kinds::revocation()};
}

Associated parts(const std::vector<std::string>& associated, const char* field) {
    Associated all(associated.begin(), associated.end());
    all.emplace_back(field);
    return all;
}

std::string any_sealed(const SealedKind& kind) {
    std::string condition;
    for (const auto& field : kind.fields)
        condition.append(condition.empty() ? "" : " OR ").append("s.").append(field.column).append(" IS NOT NULL");
    return "(" + condition + ")";
}

std::string columns_of(const SealedKind& kind) {
    std::string columns = std::string("s.ctid::text, coalesce(s.key_id, ''), ") + kind.what;
    for (const char* part : kind.associated) columns.append(", ").append(part);
    for (const auto& field : kind.fields)
        columns.append(", pg_catalog.encode(s.").append(field.column).append(", 'hex')");
    return columns;
}

SealedRow sealed_row(const SealedKind& kind, const std::vector<Rows::Value>& row) {
    SealedRow result;
    result.kind = &kind;
    result.ctid = row[0].value();
    result.key_id = row[1].value();
    result.what = row[2].value();
    std::size_t at = 3;
    for (std::size_t i = 0; i < kind.associated.size(); ++i) result.associated.push_back(row[at++].value());
    for (std::size_t i = 0; i < kind.fields.size(); ++i, ++at)
        result.sealed.push_back(row[at] ? hex_decode(*row[at]) : std::nullopt);
    return result;
}

}  // namespace

bool holds_sealed_values(const Extension& extension) {
    for (const SealedKind* kind : all_kinds()) {
        const Rows rows = catalog_query(extension, "SELECT EXISTS (SELECT FROM " + extension.relation(kind->relation) +
                                                       " s WHERE " + any_sealed(*kind) + ")");
        if (to_bool(rows.one())) return true;
    }
    return false;
}

std::vector<SealedRow> sealed_rows(const Extension& extension, const SealedKind& kind, const std::string& condition,
                                   const std::vector<Param>& parameters) {
    std::vector<SealedRow> found;
    const Rows rows = catalog_query(extension,
                                    "SELECT " + columns_of(kind) + " FROM " + extension.relation(kind.relation) +
                                        " s WHERE " + any_sealed(kind) + " AND (" + condition + ")",
                                    parameters);
    for (const auto& row : rows) found.push_back(sealed_row(kind, row));
    return found;
}

std::vector<SealedRow> all_sealed_rows(const Extension& extension) {
    std::vector<SealedRow> all;
    for (const SealedKind* kind : all_kinds())
        for (auto& row : sealed_rows(extension, *kind, "true", {})) all.push_back(std::move(row));
    return all;
}

Result<Opened> try_open(const KeyRing& ring, const SealedRow& row) {
    Opened opened;
    for (std::size_t i = 0; i < row.sealed.size(); ++i) {
        opened.emplace_back();
        if (!row.sealed[i]) continue;
        auto value = open_sealed(ring, row.key_id, *row.sealed[i], parts(row.associated, row.kind->fields[i].name));
        if (!value.ok()) {
            Error error = std::move(value).error();
            error.message = row.what + " cannot be opened: " + error.message;
            return error;
        }
        opened.back() = std::move(value).value();
    }
    return opened;
}

Opened open(const KeyRing& ring, const SealedRow& row) { return unwrap(try_open(ring, row)); }

std::string seal_field(const KeyRing& ring, const SealedKind& kind, std::size_t field,
                       const std::vector<std::string>& associated, const Secret& value) {
    return seal(ring.current(), value, parts(associated, kind.fields[field].name));
}

void seal_again(const Extension& extension, const KeyRing& ring, const SealedRow& row, const Opened& values) {
    std::string assignments = "key_id = $2";
    std::vector<Param> parameters{text(row.ctid), text(ring.current().id)};
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!values[i]) continue;
        parameters.push_back(bytea(seal_field(ring, *row.kind, i, row.associated, *values[i])));
        assignments.append(", ")
            .append(row.kind->fields[i].column)
            .append(" = $")
            .append(std::to_string(parameters.size()));
    }
    catalog_execute(
        extension, "UPDATE " + extension.relation(row.kind->relation) + " SET " + assignments + " WHERE ctid = $1::tid",
        parameters);
}

void lock_sealed_tables(const Extension& extension) {
    for (const SealedKind* kind : all_kinds())
        catalog_execute(extension, "LOCK TABLE " + extension.relation(kind->relation) + " IN SHARE ROW EXCLUSIVE MODE");
}

}  // namespace pg_pull::pg
