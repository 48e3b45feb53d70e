#include "pg/connector_store.h"

#include "pg/border.h"

namespace pg_pull::pg {

bool is_trusted(const std::string& owner) {
    return is_superuser(current_role()) && is_superuser(owner_oid(owner, "the connector"));
}

std::optional<std::int64_t> insert_connector(const Extension& extension, const ConnectorRow& row) {
    const Rows made =
        catalog_query(extension,
                      "INSERT INTO " + extension.relation("sys_sync_connector") +
                          " (package_id, name, provider, config, auth, state, description, owner, created_at, "
                          "updated_at) VALUES ($1, $2, $3, "
                          "$4::jsonb, $5::jsonb, 'ready', $6, $7, pg_catalog.now(), pg_catalog.now()) "
                          "ON CONFLICT (name, (coalesce(package_id, ''))) DO NOTHING RETURNING connector_id",
                      {text(row.package), text(row.name), text(row.provider), text(row.config.dump()),
                       text(row.auth.dump()), text(row.description), text(row.owner)});
    if (made.empty()) return std::nullopt;
    return to_int(made.one());
}

void update_connector(const Extension& extension, const ConnectorRow& before, const ConnectorRow& row) {
    const bool redefined = before.provider != row.provider || before.config != row.config || before.auth != row.auth;
    catalog_execute(extension,
                    "UPDATE " + extension.relation("sys_sync_connector") +
                        " SET provider = $2, config = $3::jsonb, auth = $4::jsonb, description = $5, "
                        "state = CASE WHEN $6 THEN 'ready' ELSE state END, "
                        "state_reason = CASE WHEN $6 THEN NULL ELSE state_reason END, "
                        "retry_at = CASE WHEN $6 THEN NULL ELSE retry_at END, "
                        "updated_at = pg_catalog.now() WHERE connector_id = $1",
                    {int8(row.id), text(row.provider), text(row.config.dump()), text(row.auth.dump()),
                     text(row.description), boolean(redefined)});
}

ConnectorRow lock_entry(const Extension& extension, const ConnectorRow& row) {
    const Rows locked = catalog_query(
        extension, "SELECT FROM " + extension.relation("sys_sync_connector") + " WHERE connector_id = $1 FOR UPDATE",
        {int8(row.id)});
    if (locked.empty())
        raise(fail(Reason::connector_not_registered, "connector " + in_quotes(row.name) + " was dropped meanwhile"));
    return load_connector(extension, row.id);
}

}  // namespace pg_pull::pg
