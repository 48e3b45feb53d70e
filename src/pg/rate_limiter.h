#pragma once

#include <cstdint>
#include <string>

#include "core/base/clock.h"
#include "pg/request.h"
#include "source/source_context.h"

namespace pg_pull::pg {

/// The token bucket of one (connector, connection) in sys_sync_rate, shared by the workers of all sessions. Each step is a
/// short transaction of its own, so that nothing is locked while a request waits. The table is unlogged: a crash forgets the
/// budget, which then starts full.
class TableRateLimiter final : public RateLimiter {
public:
    /// `connection_id` is empty where the credential is the connector's own.
    TableRateLimiter(WorkerContext& context, const Clock& clock, std::int64_t connector_id, std::string connection_id)
        : context_(context), clock_(clock), connector_id_(connector_id), connection_id_(std::move(connection_id)) {}
    Millis reserve(const RateLimit& limit) override;
    void blocked_until(WallTime when) override;

private:
    WorkerContext& context_;
    const Clock& clock_;
    std::int64_t connector_id_;
    std::string connection_id_;
};

}  // namespace pg_pull::pg
