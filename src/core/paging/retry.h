#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/http.h"

namespace pg_pull {

/// `retry` of a connector.
struct RetryConfig {
    int attempts = 5;  ///< the first one included
    Millis initial{1'000};
    Millis max{300'000};  ///< of one wait, whatever the server asks for
    double multiplier = 2;
    bool jitter = true;
    std::vector<int> statuses{408, 425, 429, 500, 502, 503, 504};
    std::vector<std::string> methods{"GET", "HEAD", "OPTIONS"};  ///< upper case: what may be sent twice
};
Result<RetryConfig> parse_retry(const nlohmann::json& config);

/// `reset_header`: when the window of a rate limit ends, in a header of the connector's choice.
struct ResetHeader {
    enum class Unit : unsigned char { seconds, epoch, epoch_ms };
    std::string name;  ///< lower case
    Unit unit = Unit::seconds;
};
Result<ResetHeader> parse_reset_header(const nlohmann::json& config);

[[nodiscard]] bool is_retry_status(const RetryConfig& retry, int status) noexcept;
/// May a request of this method be sent again after it possibly arrived?
[[nodiscard]] bool may_repeat(const RetryConfig& retry, std::string_view method) noexcept;

/// The wait before attempt `attempt` (2 = the first repetition): initial * multiplier^(attempt-2), at most `max`; with jitter
/// between half of that and all of it. `random` in [0,1).
[[nodiscard]] Millis backoff(const RetryConfig& retry, int attempt, double random) noexcept;

/// `Retry-After` as seconds or as an HTTP date. A date is read against the answer's own `Date` where there is one, so that
/// clocks that differ do no harm. Never negative.
[[nodiscard]] std::optional<Millis> parse_retry_after(std::string_view value,
                                                      std::optional<std::string_view> date_header, WallTime now);

/// The reset header's value as a wait. Under `seconds`, a value that can only be an epoch (in seconds or milliseconds) is taken
/// as one, because the same header name means either with different vendors.
[[nodiscard]] std::optional<Millis> parse_reset(const ResetHeader& header, std::string_view value, WallTime now);

/// What the server asked for: the longer of Retry-After and the reset header, unclamped; nothing where it did not ask.
[[nodiscard]] std::optional<Millis> asked_wait(const HttpResponse& response, const std::optional<ResetHeader>& reset,
                                               WallTime now);

/// The wait before attempt `attempt`: what the server asked for, else the backoff; at most retry.max.
[[nodiscard]] Millis retry_wait(const RetryConfig& retry, int attempt, std::optional<Millis> asked,
                                double random) noexcept;

}  // namespace pg_pull
