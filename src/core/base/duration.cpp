#include "core/base/duration.h"

#include <algorithm>
#include <chrono>

namespace pg_pull {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;
constexpr std::int64_t kMostMonths = 10'000 * 12;
constexpr std::int64_t kMostDays = 10'000 * 366;
constexpr std::int64_t kMostMicros = kMostDays / 2 * kDay;  ///< far from the end of the type, for sums

Error not_a_duration(std::string_view text) {
    return fail(Reason::invalid_configuration,
                "\"" + std::string(text.substr(0, 100)) + "\" is not an ISO 8601 duration")
        .with_hint("Write it like PT30S, PT5M, P1D or P1M.");
}

/// One number with its letter: `1.5S`.
struct Part {
    std::int64_t number = 0;
    std::int64_t fraction_micros = 0;
    bool has_fraction = false;
    char unit = 0;
};

class DurationReader {
public:
    explicit DurationReader(std::string_view text) : rest_(text) {}

    std::optional<Duration> read() {
        const bool negative = take('-');
        if (!negative) take('+');
        if (!take('P')) return std::nullopt;
        if (!read_parts("YMWD", false)) return std::nullopt;
        if (take('T') && (rest_.empty() || !read_parts("HMS", true))) return std::nullopt;
        if (!rest_.empty() || !any_) return std::nullopt;
        if (negative) result_ = {-result_.months, -result_.days, -result_.micros};
        return result_;
    }

private:
    bool take(char c) {
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }

    bool read_part(Part& part) {
        std::size_t i = 0;
        for (; i < rest_.size() && rest_[i] >= '0' && rest_[i] <= '9'; ++i) {
            part.number = part.number * 10 + (rest_[i] - '0');
            if (part.number > kMostMicros) return false;
        }
        if (i == 0) return false;
        if (i < rest_.size() && (rest_[i] == '.' || rest_[i] == ',')) {
            part.has_fraction = true;
            const std::size_t first = ++i;
            for (std::int64_t scale = kSecond / 10; i < rest_.size() && rest_[i] >= '0' && rest_[i] <= '9';
                 ++i, scale /= 10)
                part.fraction_micros += (rest_[i] - '0') * scale;
            if (i == first) return false;
        }
        if (i == rest_.size()) return false;
        part.unit = rest_[i];
        rest_.remove_prefix(i + 1);
        return true;
    }

    /// The letters of `units` in their order, each at most once.
    bool read_parts(std::string_view units, bool time) {
        while (!rest_.empty() && rest_.front() != 'T') {
            Part part;
            if (!read_part(part)) return false;
            const auto at = units.find(part.unit);
            if (at == std::string_view::npos || (part.has_fraction && part.unit != 'S')) return false;
            units.remove_prefix(at + 1);
            if (!store(part, time)) return false;
            any_ = true;
        }
        return true;
    }

    /// False where the part alone is longer than any duration may be.
    bool store(const Part& part, bool time) {
        const auto add = [&part](std::int64_t& sum, std::int64_t factor, std::int64_t most) {
            if (part.number > most / factor) return false;
            sum += part.number * factor + part.fraction_micros;
            return sum <= most;
        };
        switch (part.unit) {
            case 'Y':
                return add(result_.months, 12, kMostMonths);
            case 'W':
                return add(result_.days, 7, kMostDays);
            case 'D':
                return add(result_.days, 1, kMostDays);
            case 'H':
                return add(result_.micros, 3600 * kSecond, kMostMicros);
            case 'S':
                return add(result_.micros, kSecond, kMostMicros);
            default:
                return time ? add(result_.micros, 60 * kSecond, kMostMicros) : add(result_.months, 1, kMostMonths);
        }
    }

    std::string_view rest_;
    Duration result_;
    bool any_ = false;
};

WallTime clamp(WallTime time) {
    using namespace std::chrono;
    constexpr WallTime first{sys_days{year{1} / 1 / 1}};
    constexpr WallTime last = WallTime{sys_days{year{10'000} / 1 / 1}} - microseconds{1};
    return std::clamp(time, first, last);
}

WallTime moved(WallTime time, const Duration& by, std::int64_t sign) {
    using namespace std::chrono;
    time = clamp(time);
    const auto midnight = floor<days>(time);
    const auto within = time - midnight;
    const year_month_day date{midnight};
    const std::int64_t month_index = static_cast<int>(date.year()) * std::int64_t{12} +
                                     static_cast<unsigned>(date.month()) - 1 +
                                     sign * std::clamp(by.months, -kMostMonths, kMostMonths);
    // Beyond the calendar's end is as good as the end.
    const std::int64_t bounded = std::clamp<std::int64_t>(month_index, 12, 9'999 * 12 + 11);
    const year_month target{year{static_cast<int>(bounded / 12)}, month{static_cast<unsigned>(bounded % 12 + 1)}};
    const day last = (target / std::chrono::last).day();
    const sys_days day_reached{target / std::min(date.day(), last)};
    // A duration from parse_duration is within these limits; others are cut, so that nothing overflows.
    const auto shifted = day_reached + days{static_cast<int>(std::clamp(sign * by.days, -kMostDays, kMostDays))};
    const WallTime on_day = clamp(WallTime{shifted} + within);
    return clamp(on_day + microseconds{std::clamp(sign * by.micros, -kMostMicros, kMostMicros)});
}

void append_part(std::string& out, std::int64_t number, char unit) {
    if (number != 0) out.append(std::to_string(number)).push_back(unit);
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
    if (const auto duration = DurationReader(text).read()) return *duration;
    return not_a_duration(text);
}

Result<Millis> parse_millis(std::string_view text) {
    PG_PULL_ASSIGN(const Duration duration, parse_duration(text));
    if (duration.months != 0)
        return fail(Reason::invalid_configuration, "\"" + std::string(text) + "\" has no fixed length")
            .with_hint("Use days, hours, minutes or seconds.");
    if (duration.days < 0 || duration.micros < 0)
        return fail(Reason::invalid_configuration, "\"" + std::string(text) + "\" is negative");
    return Millis(duration.days * (kDay / 1000) + (duration.micros + 999) / 1000);
}

WallTime add(WallTime time, const Duration& duration) { return moved(time, duration, 1); }

WallTime subtract(WallTime time, const Duration& duration) { return moved(time, duration, -1); }

std::string to_text(const Duration& duration) {
    if (duration.is_zero()) return "PT0S";
    if (duration.months < 0 || duration.days < 0 || duration.micros < 0)
        return "-" + to_text({-duration.months, -duration.days, -duration.micros});
    std::string out = "P";
    append_part(out, duration.months / 12, 'Y');
    append_part(out, duration.months % 12, 'M');
    append_part(out, duration.days, 'D');
    if (duration.micros == 0) return out;
    out.push_back('T');
    append_part(out, duration.micros / (3600 * kSecond), 'H');
    append_part(out, duration.micros / (60 * kSecond) % 60, 'M');
    const std::int64_t seconds = duration.micros / kSecond % 60;
    const std::int64_t fraction = duration.micros % kSecond;
    if (fraction == 0) {
        append_part(out, seconds, 'S');
        return out;
    }
    std::string digits = std::to_string(kSecond + fraction).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    return out + std::to_string(seconds) + "." + digits + "S";
}

}  // namespace pg_pull
