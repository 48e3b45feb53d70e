#pragma once

// The rows of sync_connection_store as C++ values, and the writes to them. Which row answers is judged by
// core/connection/answer.h; the locks that a judgement needs are taken by connections.h. All functions need a transaction and an
// Spi scope, run with the rights of the extension's owner, read what is committed now, and raise.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/secret.h"
#include "core/connection/answer.h"
#include "core/seal/key_ring.h"
#include "pg/schema.h"

namespace pg_pull::pg {

struct ConnectionRow {
    std::string id;  ///< uuid
    std::string organization;
    std::optional<std::string> package;
    std::string connector;
    std::string status;  ///< connected | reconnect_required
    std::optional<std::string> status_reason;
    nlohmann::json account;  ///< null: unknown
    nlohmann::json fields;
    std::optional<std::vector<std::string>> scopes_asked;
    std::optional<std::vector<std::string>> scopes_granted;
    std::optional<WallTime> token_expires_at;
    std::optional<std::string> token_expires_text;  ///< the same as the session writes it
    std::optional<Millis> token_lifetime;
    std::int64_t generation = 1;
    std::optional<WallTime> refresh_started_at;
    std::optional<WallTime> retry_at;
    std::optional<std::string> last_error;
    std::string connected_at;
};

/// What is sealed of a connection. Empty: none.
struct ConnectionSecrets {
    Secret token;
    Secret refresh_token;
    Secret credential;  ///< of sync_connection_set: a JSON object
};

/// What a connect stores; the rest of the row follows from it.
struct ConnectionValues {
    nlohmann::json account;
    nlohmann::json fields = nlohmann::json::object();
    std::optional<std::vector<std::string>> scopes_asked;
    std::optional<std::vector<std::string>> scopes_granted;
    std::optional<WallTime> token_expires_at;
    std::optional<WallTime> refresh_expires_at;
    std::optional<Millis> token_lifetime;
    std::string connected_by;
};

/// Rows of one (organization, name), or of a name in all organizations (by organization), oldest first.
[[nodiscard]] std::vector<ConnectionRow> connections_of(const Extension& extension, const std::string& connector,
                                                        const std::string& organization);
[[nodiscard]] std::vector<ConnectionRow> connections_of_name(const Extension& extension, const std::string& connector);
[[nodiscard]] std::vector<ConnectionRow> all_connections(const Extension& extension);
[[nodiscard]] std::optional<ConnectionRow> find_connection(const Extension& extension, const std::string& id);
/// The packages that the rows name: what the rules judge.
[[nodiscard]] std::vector<RowPackage> packages_of(const std::vector<ConnectionRow>& rows);
/// Rows that lie together by organization, as those of connections_of_name do.
[[nodiscard]] std::vector<std::vector<ConnectionRow>> by_organization(std::vector<ConnectionRow> rows);

/// Raises key_unavailable, key_mismatch.
[[nodiscard]] ConnectionSecrets open_connection(const Extension& extension, const ConnectionRow& row);

/// Returns the new row's id.
std::string insert_connection(const Extension& extension, const KeyRing& ring, const std::string& organization,
                              const RowPackage& package, const std::string& connector, const ConnectionValues& values,
                              const ConnectionSecrets& secrets);
/// Puts the new grant in the row's place and stamps it; the id stays, the generation rises.
void adopt_connection(const Extension& extension, const KeyRing& ring, const ConnectionRow& row,
                      const RowPackage& package, const ConnectionValues& values, const ConnectionSecrets& secrets);
/// Gives the row to a package (or to none): what is sealed belongs to the package too, and is sealed anew in the same statement.
void restamp(const Extension& extension, const ConnectionRow& row, const RowPackage& package);
/// False where it was gone already.
bool delete_connection(const Extension& extension, const std::string& id);

/// The ring to seal a connection with. Notes, with the first one, which database the connections belong to.
[[nodiscard]] KeyRing ring_for_connections(const Extension& extension);

}  // namespace pg_pull::pg
