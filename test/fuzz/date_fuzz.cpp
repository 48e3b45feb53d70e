#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/base/decimal.h"
#include "core/base/duration.h"
#include "core/base/timestamp.h"
#include "core/paging/watermark.h"

// Dates, durations, decimals and watermarks from any text. What was read and is written in full reads as the same again, and a
// watermark is never sent later than it is.
namespace {

using namespace pg_pull;

void check(bool holds) {
    if (!holds) std::abort();
}

void check_watermark(std::string_view text, WatermarkType type, const char* format) {
    WatermarkConfig config;
    config.format = parse_watermark_format(format).value();
    const auto value = parse_watermark_value(text, type, config.format);
    if (!value.ok()) return;
    check(compare(parse_watermark_value(store_text(*value), type, {}).value(), *value) == 0);
    const auto sent = format_watermark(*value, config, text);
    if (!sent.ok() || type == WatermarkType::integer) return;
    const auto back = parse_watermark_value(*sent, type, config.format);
    check(back.ok() && compare(*back, *value) <= 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const WallTime now{std::chrono::seconds(1'714'521'600)};
    if (const auto read = parse_timestamp(text)) {
        const auto again = parse_timestamp(format_timestamp(read->time));
        check(again && again->time == read->time);
    }
    (void)parse_http_date(text, now);
    if (const auto duration = parse_duration(text); duration.ok()) {
        check(*parse_duration(to_text(*duration)) == *duration);
        (void)add(now, *duration);
        (void)subtract(now, *duration);
        (void)make_windows(now - std::chrono::hours(24), now, *duration);
    }
    (void)parse_millis(text);
    if (const auto decimal = canonical_decimal(text)) {
        check(canonical_decimal(*decimal) == decimal);
        check(compare_decimals(*decimal, *decimal) == 0);
    }
    for (const char* format : {"iso", "iso_date", "epoch", "epoch_ms", "YYYY-MM-DD HH24:MI:SS"})
        for (const auto type :
             {WatermarkType::timestamptz, WatermarkType::timestamp, WatermarkType::date, WatermarkType::integer})
            check_watermark(text, type, format);
    if (const auto pattern = TimePattern::compile(text); pattern.ok()) (void)pattern->parse(pattern->format(now));
    return 0;
}
