#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/request/response_map.h"

namespace pg_pull::oauth {

/// What a value says of a token's end, read as a lifetime: numbers and texts of numbers (seconds, milliseconds, epoch, epoch in
/// milliseconds: by `unit`, else by size), ISO 8601 times and durations, `D:HH:MM`. Moments are compared with `provider_now`, the
/// provider's own clock where it is known, so that clocks that differ do no harm. Nothing where it is none of these, not after now, or
/// more than ten years away. `is_moment`: a number without a unit is a moment (`expires_at`).
[[nodiscard]] std::optional<Millis> read_lifetime(const nlohmann::json& value, std::optional<ResponseMap::Unit> unit,
                                                  bool is_moment, WallTime provider_now);

/// `exp` of a JSON Web Token, counted from its `iat`, or from `provider_now` where it has none.
[[nodiscard]] std::optional<Millis> jwt_lifetime(const nlohmann::json& claims, WallTime provider_now);

/// A token is due when less than min(margin, a fifth of its lifetime) is left; a margin that is not configured is five minutes. An
/// unknown expiry is never due: the first 401 tells.
[[nodiscard]] bool needs_refresh(WallTime now, std::optional<WallTime> expires_at, std::optional<Millis> lifetime,
                                 std::optional<Millis> configured_margin);

}  // namespace pg_pull::oauth
