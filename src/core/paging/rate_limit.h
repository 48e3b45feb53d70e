#pragma once

#include <cstdint>

#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/error.h"

namespace pg_pull {

/// `rate_limit` of a connector: `requests` per `per`, at most `burst` at once after a pause.
struct RateLimit {
    double requests = 1;
    Millis per{1'000};
    double burst = 1;  ///< default: `requests`
};
Result<RateLimit> parse_rate_limit(const nlohmann::json& config);

/// A token bucket, shared by all who use a connection: plain values, so that it can lie in shared memory. `tokens` may be
/// negative: those are reservations of others who are still waiting. A state of all zeros is a bucket never used.
struct BucketState {
    double tokens = 0;
    std::int64_t updated_us = 0;  ///< microseconds since the Unix epoch; 0: never
};

struct BucketGrant {
    BucketState state;  ///< to be stored, also when there is a wait: the request is reserved
    Millis wait{0};     ///< until the request may leave
};

/// Takes one request out of the bucket. A clock that went back counts as no time passed.
[[nodiscard]] BucketGrant take(const BucketState& state, WallTime now, const RateLimit& limit) noexcept;

/// After an answer that says "not before": nothing more leaves for `wait`.
[[nodiscard]] BucketState hold_back(const BucketState& state, WallTime now, Millis wait,
                                    const RateLimit& limit) noexcept;

}  // namespace pg_pull
