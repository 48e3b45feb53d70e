#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/error.h"

namespace pg_pull {

/// How a source writes its times, so that ours compare with them as texts.
struct TimestampStyle {
    enum class Zone : unsigned char { utc_letter, offset_colon, offset_plain, none };  ///< Z, +00:00, +0000, nothing
    char separator = 'T';
    int fraction_digits = -1;  ///< 0…9; -1: none for whole seconds, else six
    Zone zone = Zone::utc_letter;
    bool date_only = false;

    bool operator==(const TimestampStyle&) const = default;
};

struct Timestamp {
    WallTime time;  ///< a text without a zone counts as UTC
    bool has_zone = false;
    int offset_minutes = 0;  ///< of the zone that was read
    TimestampStyle style;    ///< of the text that was read
};

/// Reads ISO 8601 and RFC 3339 calendar texts: `2024-05-01`, `2024-05-01T10:00:00.123456Z`, a space instead of the T, offsets
/// `+02`, `+02:00`, `+0200`, seconds left out, `20240501T100000Z`. Digits after microseconds are dropped; 24:00:00 and second
/// 60 are carried over. Nothing where the text is none of these or no day of the calendar.
[[nodiscard]] std::optional<Timestamp> parse_timestamp(std::string_view text);

/// In UTC, in the given style; fractions are cut, never rounded up.
[[nodiscard]] std::string format_timestamp(WallTime time, const TimestampStyle& style = {});

/// A pattern of `YYYY MM DD HH24 MI SS MS US TZ` (US: six digits, MS: three, TZ: `Z`); text between them is kept, and text in
/// double quotes is never taken for a pattern. At least one of the words must be there.
class TimePattern {
public:
    static Result<TimePattern> compile(std::string_view pattern);
    [[nodiscard]] std::string format(WallTime time) const;
    /// TZ reads `Z`, `+hh`, `+hhmm`, `+hh:mm` and nothing else; the whole text must fit.
    [[nodiscard]] std::optional<Timestamp> parse(std::string_view text) const;
    /// The smallest step that the pattern can say, in microseconds.
    [[nodiscard]] std::int64_t unit_micros() const noexcept;
    [[nodiscard]] const std::string& text() const noexcept { return pattern_; }

private:
    explicit TimePattern(std::string pattern) : pattern_(std::move(pattern)) {}
    std::string pattern_;
};

/// RFC 9110 section 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`, and the obsolete forms of RFC 850 and asctime. `now` decides the
/// century of a year of two digits: never more than 50 years ahead.
[[nodiscard]] std::optional<WallTime> parse_http_date(std::string_view text, WallTime now);

}  // namespace pg_pull
