#include "pg/rate_limiter.h"

#include <algorithm>

#include "pg/sql.h"
#include "pg/xact.h"

namespace pg_pull::pg {
namespace {

/// Microseconds since the Unix epoch of a timestamptz column; 0 where it is null.
std::string micros_of(const char* column) {
    return std::string("coalesce((extract(epoch FROM ") + column + ") * 1000000)::bigint, 0)";
}

struct StoredBucket {
    BucketState state;
    std::int64_t blocked_us = 0;
};

/// The row, locked, made where there is none. A connector that was dropped meanwhile has no budget left to keep.
StoredBucket lock_bucket(const Extension& extension, std::int64_t connector_id, const std::string& connection_id) {
    const std::string table = extension.relation("sys_sync_rate");
    execute("INSERT INTO " + table +
                " (connector_id, connection_id, tokens, updated_at)"
                " SELECT c.connector_id, $2, 0, 'epoch'::timestamptz FROM " +
                extension.relation("sys_sync_connector") + " c WHERE c.connector_id = $1 ON CONFLICT DO NOTHING",
            {int8(connector_id), text(connection_id)});
    const Rows rows = query("SELECT tokens, " + micros_of("updated_at") + ", " + micros_of("blocked_until") + " FROM " +
                                table + " WHERE connector_id = $1 AND connection_id = $2 FOR UPDATE",
                            {int8(connector_id), text(connection_id)});
    if (rows.empty()) return {};
    return {{std::stod(*rows[0][0]), to_int(rows[0][1])}, to_int(rows[0][2])};
}

std::int64_t micros(WallTime time) { return time.time_since_epoch().count(); }

}  // namespace

Millis TableRateLimiter::reserve(const RateLimit& limit) {
    Transaction transaction;
    const Extension extension = context_.checked_extension();
    const std::string table = extension.relation("sys_sync_rate");
    const StoredBucket bucket = lock_bucket(extension, connector_id_, connection_id_);
    const WallTime now = clock_.now();
    const BucketGrant grant = take(bucket.state, now, limit);
    execute("UPDATE " + table +
                " SET tokens = $3, updated_at = 'epoch'::timestamptz + $4 * interval '1 microsecond'"
                " WHERE connector_id = $1 AND connection_id = $2",
            {int8(connector_id_), text(connection_id_), float8(grant.state.tokens), int8(grant.state.updated_us)});
    transaction.commit();
    const Millis silence((std::max<std::int64_t>(bucket.blocked_us - micros(now), 0) + 999) / 1000);
    return std::max(grant.wait, silence);
}

void TableRateLimiter::blocked_until(WallTime when) {
    Transaction transaction;
    const Extension extension = context_.checked_extension();
    const std::string table = extension.relation("sys_sync_rate");
    lock_bucket(extension, connector_id_, connection_id_);
    execute("UPDATE " + table +
                " SET blocked_until = greatest(blocked_until,"
                " 'epoch'::timestamptz + $3 * interval '1 microsecond') WHERE connector_id = $1 AND connection_id = $2",
            {int8(connector_id_), text(connection_id_), int8(micros(when))});
    transaction.commit();
}

}  // namespace pg_pull::pg
