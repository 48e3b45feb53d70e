#include "pg/pending.h"

#include "core/base/encoding.h"
#include "core/json/document.h"
#include "pg/border.h"
#include "pg/key_ring.h"
#include "pg/sealed_rows.h"

namespace pg_pull::pg {

std::string store_pending(const Extension& extension, const Pending& pending) {
    const std::string table = extension.relation("sync_pending_store");
    catalog_execute(extension, "DELETE FROM " + table + " WHERE expires_at < pg_catalog.now() - interval '1 day'");
    const KeyRing ring = ring_for_connections(extension);
    const std::vector<std::string> identity{hex_encode(pending.state_hash), pending.organization,
                                            pending.package.value_or(""), pending.connector};
    return catalog_query(
               extension,
               "INSERT INTO " + table +
                   " (state_hash, organization_id, package_id, connector, requester, redirect_uri, fields, "
                   "scopes_asked, "
                   "key_id, sealed_verifier, created_at, expires_at) VALUES ($1, $2, $3, $4, $5::name, $6, $7::jsonb, "
                   "$8, "
                   "$9, $10, pg_catalog.clock_timestamp(), pg_catalog.clock_timestamp() + interval '10 minutes') "
                   "RETURNING expires_at",
               {bytea(pending.state_hash), text(pending.organization), text(pending.package), text(pending.connector),
                text(pending.requester), text(pending.redirect_uri), text(pending.fields.dump()),
                text_array(pending.scopes), text(ring.current().id),
                bytea(seal_field(ring, sealed_kinds::pending(), 0, identity, pending.verifier))})
        .one()
        .value();
}

std::optional<Pending> find_pending(const Extension& extension, const std::string& state_hash) {
    const Rows rows = catalog_query(
        extension,
        "SELECT p.organization_id, p.package_id, p.connector, p.requester, p.redirect_uri, p.fields, "
        "pg_catalog.to_json(p.scopes_asked), p.expires_at <= pg_catalog.clock_timestamp(), p.used_at IS NOT NULL, "
        "p.outcome FROM " +
            extension.relation("sync_pending_store") + " p WHERE p.state_hash = $1 FOR UPDATE",
        {bytea(state_hash)});
    if (rows.empty()) return std::nullopt;
    const auto& row = rows[0];
    Pending pending;
    pending.state_hash = state_hash;
    pending.organization = row[0].value();
    pending.package = row[1];
    pending.connector = row[2].value();
    pending.requester = row[3].value();
    pending.redirect_uri = row[4].value();
    pending.fields = unwrap(parse_document(row[5].value()));
    pending.scopes = unwrap(parse_document(row[6].value())).get<std::vector<std::string>>();
    pending.expired = to_bool(row[7]);
    pending.used = to_bool(row[8]);
    if (row[9]) pending.outcome = unwrap(parse_document(*row[9]));
    const auto sealed = sealed_rows(extension, sealed_kinds::pending(), "s.state_hash = $1", {bytea(state_hash)});
    if (!sealed.empty()) pending.verifier = open(require_key_ring(), sealed.front()).front().value();
    return pending;
}

void use_pending(const Extension& extension, const std::string& state_hash) {
    catalog_execute(extension,
                    "UPDATE " + extension.relation("sync_pending_store") +
                        " SET used_at = pg_catalog.clock_timestamp(), sealed_verifier = NULL, key_id = NULL "
                        "WHERE state_hash = $1 AND used_at IS NULL",
                    {bytea(state_hash)});
}

void settle_pending(const Extension& extension, const std::string& state_hash, const nlohmann::json& outcome) {
    catalog_execute(
        extension,
        "UPDATE " + extension.relation("sync_pending_store") + " SET outcome = $2::jsonb WHERE state_hash = $1",
        {bytea(state_hash), text(outcome.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))});
}

}  // namespace pg_pull::pg
