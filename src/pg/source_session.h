#pragma once

#include <memory>
#include <string>

#include "pg/catalog.h"
#include "pg/rate_limiter.h"
#include "pg/request.h"
#include "source/registry.h"

namespace pg_pull::pg {

class ConnectionGrants;

/// Everything that a source needs of the server for one request: HTTP client, rate limit, credentials, egress rules, redaction.
/// Made outside of any transaction; lives longer than the source that it opens.
class SourceSession {
public:
    /// `owner` is the role that reads where the source is this server itself (fdw).
    SourceSession(WorkerContext& context, ConnectorRow connector, unsigned owner, RunCounters& counters,
                  const std::optional<std::string>& organization, const std::string& run_id);
    ~SourceSession();
    SourceSession(const SourceSession&) = delete;
    SourceSession& operator=(const SourceSession&) = delete;

    /// Raises what the provider refuses; connector, provider, config and auth of `request` are filled in here.
    std::unique_ptr<Source> open(SourceRequest request);
    [[nodiscard]] SourceContext& context();
    /// Null where the connector's requests need none.
    [[nodiscard]] ConnectionGrants* grants();
    [[nodiscard]] const ConnectorRow& connector() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace pg_pull::pg
