#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/http.h"
#include "core/base/redact.h"
#include "core/base/secret.h"
#include "core/base/waiter.h"
#include "core/paging/rate_limit.h"
#include "core/run/source.h"
#include "source/grant.h"

namespace pg_pull {

namespace http {
class AllowedHosts;
}

/// The budget of one connection at a connector, shared by all workers of the server. Implemented in the server layer.
class RateLimiter {
public:
    virtual ~RateLimiter() = default;
    /// Takes the next place for one request. Returns how long the caller has to wait before it sends (zero: at once); the
    /// place is taken whether he sends or not.
    virtual Millis reserve(const RateLimit& limit) = 0;
    /// The remote asked for silence until then (429, Retry-After, a reset header): reserve() of every worker respects it.
    virtual void blocked_until(WallTime when) = 0;
};

/// What a source gets from the run. References and functions outlive the source; all is used from one thread.
struct SourceContext {
    const Clock& clock;
    Waiter& waiter;
    HttpClient& http;
    RateLimiter& rate;
    Redactor& redactor;     ///< a source adds each credential that it resolves, before it is used
    RunCounters& counters;  ///< kept current while next() waits
    /// 64 unpredictable bits: jitter, uuid().
    std::function<std::uint64_t()> random;
    /// Resolves a credential reference for the connector's owner. Raises by exception where it resolves to nothing.
    std::function<Secret(const std::string& reference)> credential;
    std::string run_id;  ///< decimal; empty for a preview or a test
    std::optional<std::string> organization;
    /// For a connector that is used by a grant (auth per connection, oauth2, login); null for all others.
    GrantSource* grants = nullptr;
    /// The connector's owner is a superuser: its origins may lie on loopback and private addresses (DESIGN.md section 7).
    bool private_addresses_allowed = false;
    /// pg_pull.allowed_hosts, for a source that connects without `http`; null: every public address.
    const http::AllowedHosts* allowed_hosts = nullptr;
};

}  // namespace pg_pull
