#include "core/paging/watermark.h"

#include <algorithm>
#include <charconv>

#include "core/base/decimal.h"
#include "core/json/config_reader.h"
#include "core/json/lookup.h"

namespace pg_pull {
namespace {

using nlohmann::json;
using std::chrono::microseconds;
using Format = WatermarkFormat::Type;

bool is_time(WatermarkType type) {
    return type == WatermarkType::timestamp || type == WatermarkType::timestamptz || type == WatermarkType::date;
}

std::int64_t micros_of(WallTime time) { return time.time_since_epoch().count(); }

WallTime floor_to(WallTime time, std::int64_t unit) {
    const std::int64_t micros = micros_of(time);
    const std::int64_t rest = micros % unit;
    return WallTime(microseconds(micros - rest - (rest < 0 ? unit : 0)));
}

constexpr std::int64_t kMilli = 1'000;
constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;

Error unsound(const std::string& message) { return fail(Reason::watermark_unsound, message); }

/// `text`, canonical, times 10^6/`per_second` as microseconds; further digits are dropped towards the past.
std::optional<WallTime> time_of_epoch(std::string_view text, bool millis) {
    const auto number = canonical_decimal(text);
    if (!number) return std::nullopt;
    const std::size_t point = std::min(number->find('.'), number->size());
    std::string fraction = point < number->size() ? number->substr(point + 1) : std::string();
    const bool dropped = fraction.size() > (millis ? 3U : 6U);
    fraction.resize(millis ? 3 : 6, '0');
    const std::string digits = number->substr(0, point) + fraction;
    std::int64_t micros = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), micros);
    // 253402300800 s is the year 10000.
    if (error != std::errc() || micros >= 253'402'300'800 * kSecond || micros < -62'135'596'800 * kSecond)
        return std::nullopt;
    return WallTime(microseconds(micros - (dropped && digits.front() == '-' ? 1 : 0)));
}

std::optional<Timestamp> read_time(std::string_view text, const WatermarkFormat& format) {
    std::optional<Timestamp> read;
    if (format.type == Format::pattern) read = format.pattern->parse(text);
    if (format.type == Format::epoch || format.type == Format::epoch_ms)
        if (const auto time = time_of_epoch(text, format.type == Format::epoch_ms)) {
            read.emplace();
            read->time = *time;
        }
    return read ? read : parse_timestamp(text);
}

std::string in_quotes(std::string_view text) { return "\"" + std::string(text.substr(0, 100)) + "\""; }

/// The smallest step of a text in this format.
std::int64_t unit_of(const WatermarkFormat& format, const TimestampStyle& style) {
    switch (format.type) {
        case Format::iso_date:
            return kDay;
        case Format::epoch:
            return kSecond;
        case Format::epoch_ms:
            return kMilli;
        case Format::pattern:
            return 1;  // its words cut by themselves, and months have no fixed length
        case Format::iso:
            break;
    }
    if (style.date_only) return kDay;
    std::int64_t unit = kSecond;
    for (int digit = 0; digit < std::min(style.fraction_digits, 6); ++digit) unit /= 10;
    return style.fraction_digits < 0 ? 1 : unit;
}

std::string write_time(WallTime time, const WatermarkFormat& format, const TimestampStyle& style) {
    TimestampStyle date;
    date.date_only = true;
    switch (format.type) {
        case Format::iso:
            return format_timestamp(time, style);
        case Format::iso_date:
            return format_timestamp(time, date);
        case Format::epoch:
            return std::to_string(micros_of(floor_to(time, kSecond)) / kSecond);
        case Format::epoch_ms:
            return std::to_string(micros_of(floor_to(time, kMilli)) / kMilli);
        case Format::pattern:
            break;
    }
    return format.pattern->format(time);
}

WallTime lowered(WallTime time, const WatermarkFormat& format, const TimestampStyle& style, const Duration& lookback) {
    if (format.type == Format::pattern && !lookback.is_zero()) {
        // Cut to what the pattern says, by writing and reading it.
        if (const auto cut = format.pattern->parse(format.pattern->format(time)); cut && cut->time <= time)
            time = cut->time;
    }
    return subtract(floor_to(time, unit_of(format, style)), lookback);
}

TimestampStyle style_for(WatermarkType type, std::optional<std::string_view> sample) {
    if (sample)
        if (const auto read = parse_timestamp(*sample)) return read->style;
    TimestampStyle style;
    style.date_only = type == WatermarkType::date;
    return style;
}

Result<std::string> write_number(const WatermarkValue& value, const WatermarkFormat& format, const Duration& lookback) {
    if (format.type == Format::iso_date || format.type == Format::pattern)
        return unsound("a number cannot be sent as a watermark of that format")
            .with_hint("Use epoch, epoch_ms, or no format.");
    if (lookback.is_zero()) return value.text;
    const bool millis = format.type == Format::epoch_ms;
    const auto time = format.type == Format::iso ? std::nullopt : time_of_epoch(value.text, millis);
    if (!time)
        return unsound("a watermark that is a number has no lookback")
            .with_hint("Give it the format epoch or epoch_ms if it is a time.");
    return write_time(subtract(*time, lookback), format, {});
}

Result<std::string> write_text(const WatermarkValue& value, const WatermarkFormat& format, const Duration& lookback) {
    if (format.type == Format::iso && lookback.is_zero()) return value.text;
    const auto read = read_time(value.text, format);
    if (!read)
        return unsound("the watermark " + in_quotes(value.text) +
                       " is not a time, so it has neither format nor lookback");
    return write_time(lowered(read->time, format, read->style, lookback), format, read->style);
}

Result<std::string> write(const WatermarkValue& value, const WatermarkConfig& config,
                          std::optional<std::string_view> sample, const Duration& lookback) {
    if (value.type == WatermarkType::text) return write_text(value, config.format, lookback);
    if (!is_time(value.type)) return write_number(value, config.format, lookback);
    const TimestampStyle style = style_for(value.type, sample);
    return write_time(lowered(value.time, config.format, style, lookback), config.format, style);
}

Result<std::optional<std::string>> parse_initial(const json& value, const std::string& where) {
    auto text = scalar_text(value);
    if (!text || text->empty() || value.is_boolean())
        return fail(Reason::invalid_configuration, where + " must be a string or number");
    return text;
}

Result<Duration> parse_lookback(const json& value, const std::string& where) {
    if (!value.is_string()) return fail(Reason::invalid_configuration, where + " must be an ISO 8601 duration");
    auto duration = parse_duration(value.get_ref<const std::string&>());
    if (!duration.ok())
        return fail(Reason::invalid_configuration, where + ": " + duration.error().message)
            .with_hint(duration.error().hint);
    if (duration->months < 0 || duration->days < 0 || duration->micros < 0)
        return fail(Reason::invalid_configuration, where + " is negative");
    return *duration;
}

}  // namespace

Result<WatermarkFormat> parse_watermark_format(std::string_view text) {
    if (text == "iso") return WatermarkFormat{Format::iso, std::nullopt};
    if (text == "iso_date") return WatermarkFormat{Format::iso_date, std::nullopt};
    if (text == "epoch") return WatermarkFormat{Format::epoch, std::nullopt};
    if (text == "epoch_ms") return WatermarkFormat{Format::epoch_ms, std::nullopt};
    PG_PULL_ASSIGN(auto pattern, TimePattern::compile(text));
    return WatermarkFormat{Format::pattern, std::move(pattern)};
}

Result<WatermarkConfig> parse_watermark(const json& config) {
    WatermarkConfig watermark;
    ConfigReader reader(config, "watermark",
                        {"field", "param", "end_param", "format", "initial", "lookback", "window", "order"});
    reader.require("field");
    std::optional<Path> field;
    reader.path("field", field);
    if (field && field->has_wildcard()) reader.refuse("field", "cannot hold \"*\"");
    reader.text("param", watermark.param);
    reader.text("end_param", watermark.end_param);
    reader.value("format", watermark.format,
                 [](const json& value, const std::string& where) -> Result<WatermarkFormat> {
                     if (!value.is_string()) return fail(Reason::invalid_configuration, where + " must be a string");
                     auto format = parse_watermark_format(value.get_ref<const std::string&>());
                     if (!format.ok())
                         return fail(Reason::invalid_configuration, where + ": " + format.error().message)
                             .with_hint(format.error().hint);
                     return format;
                 });
    reader.value("initial", watermark.initial, parse_initial);
    reader.value("lookback", watermark.lookback, parse_lookback);
    watermark.lookback_given = reader.has("lookback");
    if (reader.has("window")) {
        Duration window;
        reader.value("window", window, parse_lookback);
        if (window.is_zero()) reader.refuse("window", "must be longer than nothing");
        watermark.window = window;
    }
    reader.choice("order", watermark.order,
                  {{"asc", WatermarkConfig::Order::asc}, {"none", WatermarkConfig::Order::none}});
    PG_PULL_CHECK(reader.finish());
    watermark.field = *std::move(field);
    return watermark;
}

Result<WatermarkValue> parse_watermark_value(std::string_view text, WatermarkType type, const WatermarkFormat& format) {
    WatermarkValue value;
    value.type = type;
    if (type == WatermarkType::text) {
        value.text = text;
        return value;
    }
    if (!is_time(type)) {
        const auto number = canonical_decimal(text);
        if (!number || (type == WatermarkType::integer && number->find('.') != std::string::npos))
            return unsound("the watermark " + in_quotes(text) + " is not " +
                           (type == WatermarkType::integer ? "an integer" : "a number"));
        value.text = *number;
        return value;
    }
    const auto read = read_time(text, format);
    if (!read) return unsound("the watermark " + in_quotes(text) + " is not a time that can be read");
    if (type != WatermarkType::timestamptz && read->offset_minutes != 0)
        return unsound("the watermark " + in_quotes(text) + " has a time zone, which its column drops")
            .with_hint("Make the column timestamp with time zone.");
    value.time = type == WatermarkType::date ? floor_to(read->time, kDay) : read->time;
    return value;
}

int compare(const WatermarkValue& a, const WatermarkValue& b) {
    if (is_time(a.type)) return a.time < b.time ? -1 : a.time > b.time ? 1 : 0;
    if (a.type == WatermarkType::text) {
        const int order = a.text.compare(b.text);
        return order < 0 ? -1 : order > 0 ? 1 : 0;
    }
    return compare_decimals(a.text, b.text);
}

Result<std::string> format_watermark(const WatermarkValue& value, const WatermarkConfig& config,
                                     std::optional<std::string_view> sample) {
    return write(value, config, sample, config.lookback);
}

Result<std::string> format_border(const WatermarkValue& value, const WatermarkConfig& config,
                                  std::optional<std::string_view> sample) {
    return write(value, config, sample, Duration{});
}

std::string store_text(const WatermarkValue& value) {
    if (!is_time(value.type)) return value.text;
    TimestampStyle style;
    style.fraction_digits = 6;
    style.date_only = value.type == WatermarkType::date;
    if (value.type == WatermarkType::timestamp) style.zone = TimestampStyle::Zone::none;
    return format_timestamp(value.time, style);
}

Result<std::vector<WatermarkWindow>> make_windows(WallTime start, WallTime now, const Duration& window) {
    constexpr std::size_t kMost = 100'000;
    std::vector<WatermarkWindow> windows;
    const auto times = [&window](std::int64_t n) {
        return Duration{window.months * n, window.days * n, window.micros * n};
    };
    WallTime from = start;
    for (std::int64_t n = 1; windows.empty() || from < now; ++n) {
        if (window.micros > 0 && n > INT64_MAX / window.micros) break;
        const WallTime border = add(start, times(n));
        if (border <= from)
            return fail(Reason::invalid_configuration,
                        "the watermark's window \"" + to_text(window) + "\" does not move on");
        if (windows.size() == kMost)
            return fail(Reason::invalid_configuration, "the watermark's window \"" + to_text(window) +
                                                           "\" gives more than " + std::to_string(kMost) + " requests")
                .with_hint("Make \"window\" longer, or \"initial\" later.");
        windows.push_back({from, std::max(from, std::min(border, now))});
        from = border;
    }
    return windows;
}

}  // namespace pg_pull
