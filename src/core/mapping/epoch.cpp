#include "core/mapping/epoch.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "core/json/scan.h"

namespace pg_pull {
namespace {

/// timestamptz's first value in microseconds since 1970-01-01 (PostgreSQL's MIN_TIMESTAMP). Its last one is a little later than
/// what 64 bits of these hold.
constexpr std::int64_t kFirst = -210866803200000000;

/// The digits of a JSON number, and how many places the point stands to the right of them.
struct Decimal {
    bool negative = false;
    std::string digits;
    std::int64_t exponent = 0;
};

std::optional<Decimal> read_decimal(std::string_view text) {
    Scanner scanner(text);
    if (!scanner.read_number() || !scanner.finished()) return std::nullopt;
    Decimal decimal;
    if (text.front() == '-') {
        decimal.negative = true;
        text.remove_prefix(1);
    }
    const std::size_t e = text.find_first_of("eE");
    const std::string_view mantissa = text.substr(0, e);
    const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    decimal.digits.append(mantissa.substr(0, point));
    if (point < mantissa.size()) decimal.digits.append(mantissa.substr(point + 1));
    decimal.digits.erase(0, decimal.digits.find_first_not_of('0'));
    decimal.exponent = -static_cast<std::int64_t>(point < mantissa.size() ? mantissa.size() - point - 1 : 0);
    if (e != std::string_view::npos) {
        std::string_view power = text.substr(e + 1);
        if (power.front() == '+') power.remove_prefix(1);
        std::int64_t shift = 0;
        const auto read = std::from_chars(power.data(), power.data() + power.size(), shift);
        if (read.ec != std::errc() || shift > 1000000 || shift < -1000000)
            shift = power.front() == '-' ? -1000000 : 1000000;
        decimal.exponent += shift;
    }
    return decimal;
}

/// digits * 10^shift, rounded; nothing where it is larger than 64 bits hold.
std::optional<std::int64_t> scaled(const Decimal& decimal, std::int64_t shift) {
    if (decimal.digits.empty()) return 0;
    const std::int64_t places = static_cast<std::int64_t>(decimal.digits.size()) + shift;  // before the point
    if (places > 19) return std::nullopt;
    if (places < 0) return 0;
    std::string whole = decimal.digits.substr(0, static_cast<std::size_t>(places));
    const bool round_up = whole.size() < decimal.digits.size() && decimal.digits[whole.size()] >= '5';
    whole.resize(static_cast<std::size_t>(places), '0');
    std::int64_t value = 0;
    if (!whole.empty() && std::from_chars(whole.data(), whole.data() + whole.size(), value).ec != std::errc())
        return std::nullopt;
    if (round_up && value == INT64_MAX) return std::nullopt;
    value += round_up ? 1 : 0;
    return decimal.negative ? -value : value;
}

}  // namespace

ValueFault append_epoch(std::string_view text, EpochUnit unit, std::string& out) {
    const auto decimal = read_decimal(text);
    if (!decimal) return ValueFault::not_epoch;
    const int unit_shift = unit == EpochUnit::s ? 6 : unit == EpochUnit::ms ? 3 : 0;
    const auto micros = scaled(*decimal, decimal->exponent + unit_shift);
    if (!micros || *micros < kFirst) return ValueFault::epoch_range;

    constexpr std::int64_t kDay = 86400000000;
    std::int64_t day = *micros / kDay;
    std::int64_t rest = *micros % kDay;
    if (rest < 0) {
        rest += kDay;
        --day;
    }
    // std::chrono's calendar ends with the year 32767; the civil calendar repeats every 400 years of 146097 days.
    constexpr std::int64_t kEraDays = 146097;
    std::int64_t era = day / kEraDays;
    if (day % kEraDays < 0) --era;
    const std::chrono::year_month_day date{
        std::chrono::sys_days(std::chrono::days(static_cast<int>(day - era * kEraDays)))};
    const std::int64_t year = static_cast<int>(date.year()) + era * 400;
    const std::int64_t second = rest / 1000000;
    char buffer[64];
    const int size = std::snprintf(
        buffer, sizeof buffer, "%04lld-%02u-%02u %02d:%02d:%02d.%06d+00%s",
        static_cast<long long>(year > 0 ? year : 1 - year), static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()), static_cast<int>(second / 3600), static_cast<int>(second / 60 % 60),
        static_cast<int>(second % 60), static_cast<int>(rest % 1000000), year > 0 ? "" : " BC");
    out.append(buffer, static_cast<std::size_t>(size));
    return ValueFault::none;
}

}  // namespace pg_pull
