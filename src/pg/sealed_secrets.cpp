#include "pg/sealed_secrets.h"

#include "pg/border.h"
#include "pg/catalog.h"

namespace pg_pull::pg {

std::optional<SealedRow> find_sealed_secret(const Extension& extension, const std::string& owner,
                                            const std::string& name) {
    auto found =
        sealed_rows(extension, sealed_kinds::secret(), "s.owner = $1::name AND s.name = $2", {text(owner), text(name)});
    if (found.empty()) return std::nullopt;
    return std::move(found.front());
}

void store_secret(const Extension& extension, const KeyRing& ring, const std::string& owner, const std::string& name,
                  const Secret& value) {
    catalog_execute(extension,
                    "INSERT INTO " + extension.relation("sync_secret_store") +
                        " (owner, name, key_id, sealed, set_at) VALUES ($1::name, $2, $3, $4, pg_catalog.now()) "
                        "ON CONFLICT (owner, name) DO UPDATE SET key_id = EXCLUDED.key_id, sealed = EXCLUDED.sealed, "
                        "set_at = EXCLUDED.set_at",
                    {text(owner), text(name), text(ring.current().id),
                     bytea(seal_field(ring, sealed_kinds::secret(), 0, {owner, name}, value))});
}

}  // namespace pg_pull::pg
