#pragma once

// Telling providers that a connection is over (RFC 7009). The row is deleted and the ready request queued in one transaction; what
// the provider says comes after, and changes nothing here.

#include <optional>
#include <string>
#include <vector>

#include "core/oauth/client.h"
#include "pg/connections.h"
#include "pg/request.h"

namespace pg_pull::pg {

struct RevokedRow {
    std::string connection_id;
    RowPackage package;
    std::optional<std::int64_t> queued;  ///< the revocation's id; nothing where the connector declares none
    bool failed = false;                 ///< its tokens could not be opened, so the provider cannot be told
};

/// Deletes the rows and queues what their provider is told. `client` null: its provider is not told. Needs a transaction and an Spi
/// scope, and the locks of lock_connection for each row.
std::vector<RevokedRow> revoke_rows(const Extension& extension, const oauth::Client* client,
                                    const std::vector<ConnectionRow>& rows);

/// The same for a declaration that goes (uninstall, drop): the queue is sent once this transaction has committed.
void revoke_rows(const Extension& extension, const ConnectorRow& entry, const std::vector<ConnectionRow>& rows);

/// A worker of its own sends the queue after the commit of this transaction.
void send_queue_after_commit();

/// May the provider of this connector be told of a revocation at all?
[[nodiscard]] bool declares_revocation(const AuthConfig& auth);

}  // namespace pg_pull::pg
