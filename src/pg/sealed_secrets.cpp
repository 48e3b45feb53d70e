#include "pg/sealed_secrets.h"

#include "pg/border.h"
#include "pg/catalog.h"

namespace pg_pull::pg {
namespace {

/// What a secret is sealed to: a row copied over another one does not open.
Associated associated(const std::string& owner, const std::string& name) { return {owner, name, "secret"}; }

int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

/// Of encode(…, 'hex'): lower case, two digits a byte.
std::string from_hex(const std::string& text) {
    std::string bytes(text.size() / 2, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<char>(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
    return bytes;
}

std::vector<SealedSecret> secrets_where(const Extension& extension, const std::string& condition,
                                        const std::vector<Param>& parameters) {
    std::vector<SealedSecret> secrets;
    const Rows rows =
        catalog_query(extension,
                      "SELECT s.owner, s.name, s.key_id, pg_catalog.encode(s.sealed, 'hex') FROM " +
                          extension.relation("sync_secret_store") + " s" + condition + " ORDER BY s.owner, s.name",
                      parameters);
    for (const auto& row : rows)
        secrets.push_back({row[0].value(), row[1].value(), row[2].value(), from_hex(row[3].value())});
    return secrets;
}

}  // namespace

bool holds_sealed_values(const Extension& extension) {
    return to_bool(
        catalog_query(extension, "SELECT EXISTS (SELECT FROM " + extension.relation("sync_secret_store") + ")").one());
}

std::vector<SealedSecret> sealed_secrets(const Extension& extension) { return secrets_where(extension, "", {}); }

std::optional<SealedSecret> find_sealed_secret(const Extension& extension, const std::string& owner,
                                               const std::string& name) {
    auto found = secrets_where(extension, " WHERE s.owner = $1::name AND s.name = $2", {text(owner), text(name)});
    if (found.empty()) return std::nullopt;
    return std::move(found.front());
}

Result<Secret> try_open_secret(const KeyRing& ring, const SealedSecret& secret) {
    auto opened = open_sealed(ring, secret.key_id, secret.sealed, associated(secret.owner, secret.name));
    if (opened.ok()) return opened;
    Error error = std::move(opened).error();
    error.message = "secret " + in_quotes(secret.name) + " of role " + in_quotes(secret.owner) +
                    " cannot be opened: " + error.message;
    return error;
}

Secret open_secret(const KeyRing& ring, const SealedSecret& secret) { return unwrap(try_open_secret(ring, secret)); }

void store_secret(const Extension& extension, const KeyRing& ring, const std::string& owner, const std::string& name,
                  const Secret& value) {
    const SealKey& key = ring.current();
    catalog_execute(extension,
                    "INSERT INTO " + extension.relation("sync_secret_store") +
                        " (owner, name, key_id, sealed, set_at) VALUES ($1::name, $2, $3, $4, pg_catalog.now()) "
                        "ON CONFLICT (owner, name) DO UPDATE SET key_id = EXCLUDED.key_id, sealed = EXCLUDED.sealed, "
                        "set_at = EXCLUDED.set_at",
                    {text(owner), text(name), text(key.id), bytea(seal(key, value, associated(owner, name)))});
}

void seal_again(const Extension& extension, const KeyRing& ring, const SealedSecret& secret, const Secret& value) {
    const SealKey& key = ring.current();
    catalog_execute(extension,
                    "UPDATE " + extension.relation("sync_secret_store") +
                        " SET key_id = $3, sealed = $4 WHERE owner = $1::name AND name = $2",
                    {text(secret.owner), text(secret.name), text(key.id),
                     bytea(seal(key, value, associated(secret.owner, secret.name)))});
}

}  // namespace pg_pull::pg
