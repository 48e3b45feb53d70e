#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/duration.h"
#include "core/base/error.h"
#include "core/base/timestamp.h"
#include "core/json/path.h"

namespace pg_pull {

/// How a watermark is written for the source.
struct WatermarkFormat {
    enum class Type : unsigned char { iso, iso_date, epoch, epoch_ms, pattern };
    Type type = Type::iso;
    std::optional<TimePattern> pattern;
};
Result<WatermarkFormat> parse_watermark_format(std::string_view text);

/// `watermark` of a mapping.
struct WatermarkConfig {
    enum class Order : unsigned char { none, asc };
    Path field;
    std::string param;      ///< empty: not sent, filtered on our side (`param: null`), or used by templates only
    std::string end_param;  ///< empty: none
    WatermarkFormat format;
    std::optional<std::string> initial;
    Duration lookback;
    bool lookback_given = false;
    std::optional<Duration> window;
    Order order = Order::none;
};
Result<WatermarkConfig> parse_watermark(const nlohmann::json& config);

/// What the watermark's column is; decides how two values compare.
enum class WatermarkType : unsigned char {
    timestamp,  ///< without time zone: values are as written
    timestamptz,
    date,
    integer,
    numeric,
    text,  ///< compared byte by byte (collation "C")
};

/// A watermark, typed. `time` for the first three, otherwise `text` (numbers as canonical decimal text of any size).
struct WatermarkValue {
    WatermarkType type = WatermarkType::text;
    WallTime time{};
    std::string text;
    bool operator==(const WatermarkValue&) const = default;
};

/// Reads a value of the source, of `initial`, or of the target (its output text under DateStyle ISO, UTC): ISO with or without zone
/// and date only; for times also seconds or milliseconds since the epoch where `format` says so, or what its pattern reads.
/// watermark_unsound: the text is none of these; or it has an offset other than zero, and the column (timestamp, date) drops it.
Result<WatermarkValue> parse_watermark_value(std::string_view text, WatermarkType type, const WatermarkFormat& format);

/// <0, 0, >0. Both must be of one type.
[[nodiscard]] int compare(const WatermarkValue& a, const WatermarkValue& b);

/// `value` rounded down to what the format can say, then lowered by `lookback`. Numbers and texts pass unchanged, except: a number
/// under epoch or epoch_ms is a time and has a lookback; a text that is an ISO time is one too. `sample`: a text of the source,
/// whose style is kept under `iso`. Refuses (watermark_unsound) a format or lookback that the value cannot have.
Result<std::string> format_watermark(const WatermarkValue& value, const WatermarkConfig& config,
                                     std::optional<std::string_view> sample);
/// For end_param and window borders: no lookback. Cut to the unit like every other value; see make_windows.
Result<std::string> format_border(const WatermarkValue& value, const WatermarkConfig& config,
                                  std::optional<std::string_view> sample);

/// Canonical text for sys_sync_cursor, read again by parse_watermark_value(…, iso): a time in UTC with six digits.
[[nodiscard]] std::string store_text(const WatermarkValue& value);

struct WatermarkWindow {
    WallTime start;
    WallTime end;  ///< exclusive by intention; the next one starts here
};

/// [start, now) cut into steps of `window`; the n-th border is start + n * window on the calendar, so P1M stays on its day of the
/// month. Every border but the last is a whole unit of the format, as far as `start` is one. At least one window; refuses more
/// than 100,000, and a window that does not move (invalid_configuration).
Result<std::vector<WatermarkWindow>> make_windows(WallTime start, WallTime now, const Duration& window);

}  // namespace pg_pull
