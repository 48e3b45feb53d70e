#include "core/paging/rate_limit.h"

#include <algorithm>
#include <cmath>

#include "core/json/config_reader.h"

namespace pg_pull {
namespace {

/// Tokens per microsecond.
double rate_of(const RateLimit& limit) { return limit.requests / (static_cast<double>(limit.per.count()) * 1e3); }

/// The bucket as it is at `now`.
BucketState refilled(const BucketState& state, std::int64_t now_us, const RateLimit& limit) {
    if (state.updated_us == 0) return {limit.burst, now_us};
    const double elapsed = static_cast<double>(std::max<std::int64_t>(now_us - state.updated_us, 0));
    // A clock that went back must not pay for the same time twice, so the later moment stays.
    return {std::min(limit.burst, state.tokens + elapsed * rate_of(limit)), std::max(now_us, state.updated_us)};
}

}  // namespace

Result<RateLimit> parse_rate_limit(const nlohmann::json& config) {
    RateLimit limit;
    ConfigReader reader(config, "config \"rate_limit\"", {"requests", "per", "burst"});
    reader.require("requests");
    reader.require("per");
    reader.number("requests", limit.requests, 0.001, 1e6);
    reader.duration("per", limit.per, Millis(1), Millis(std::chrono::hours(24 * 31)));
    limit.burst = std::max(limit.requests, 1.0);
    reader.number("burst", limit.burst, 1, 1e6);
    PG_PULL_CHECK(reader.finish());
    return limit;
}

BucketGrant take(const BucketState& state, WallTime now, const RateLimit& limit) noexcept {
    const std::int64_t now_us = now.time_since_epoch().count();
    BucketGrant grant{refilled(state, now_us, limit), Millis(0)};
    grant.state.tokens -= 1;
    if (grant.state.tokens >= 0) return grant;
    const double missing_us = -grant.state.tokens / rate_of(limit);
    // The bucket may be dated ahead of `now` (see refilled): that time has to pass too.
    const double ahead_us = static_cast<double>(grant.state.updated_us - now_us);
    grant.wait = Millis(std::llround(std::ceil((missing_us + ahead_us) / 1e3)));
    return grant;
}

BucketState hold_back(const BucketState& state, WallTime now, Millis wait, const RateLimit& limit) noexcept {
    BucketState held = refilled(state, now.time_since_epoch().count(), limit);
    // So empty that it holds one token again just when the wait is over; never fuller than it was.
    const double tokens = 1 - static_cast<double>(wait.count()) * 1e3 * rate_of(limit);
    held.tokens = std::min(held.tokens, tokens);
    return held;
}

}  // namespace pg_pull
