#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/error.h"

namespace pg_pull {

/// An ISO 8601 duration. The three parts do not convert into each other: a month has no fixed length, and a day is kept apart
/// so that the text can be given back as it was meant. All parts have the same sign.
struct Duration {
    std::int64_t months = 0;
    std::int64_t days = 0;
    std::int64_t micros = 0;

    [[nodiscard]] bool is_zero() const noexcept { return months == 0 && days == 0 && micros == 0; }
    bool operator==(const Duration&) const = default;
};

/// Reads `PT30S`, `P1D`, `P1Y2M`, `P2W`, `PT1.5S` (a fraction in the seconds only, cut after microseconds), and a sign in
/// front (`-P1D`). Refuses an empty duration (`P`, `PT`), a wrong order, and anything longer than 10,000 years
/// (invalid_configuration).
Result<Duration> parse_duration(std::string_view text);

/// A duration of fixed length for timeouts and waits: months and years and a minus are refused, a day is 24 hours. Fractions
/// below a millisecond are rounded up, so that a small wait never becomes none.
Result<Millis> parse_millis(std::string_view text);

/// Moves `time` by `duration`, or by its opposite, on the calendar of UTC: months first (the day of the month is cut to the
/// month's last one), then days, then the rest. Stays within the years 0001 to 9999.
[[nodiscard]] WallTime add(WallTime time, const Duration& duration);
[[nodiscard]] WallTime subtract(WallTime time, const Duration& duration);

/// The shortest ISO 8601 form, `PT0S` for none.
[[nodiscard]] std::string to_text(const Duration& duration);

}  // namespace pg_pull
