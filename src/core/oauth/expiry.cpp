#include "core/oauth/expiry.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "core/base/duration.h"
#include "core/base/timestamp.h"
#include "core/json/lookup.h"

namespace pg_pull::oauth {
namespace {

using nlohmann::json;
using std::chrono::hours;
using Unit = ResponseMap::Unit;

constexpr double kLongestLifetimeSeconds = 10.0 * 366 * 86'400;
/// As seconds after the epoch: 2001. As a lifetime: 31 years, which no token has.
constexpr double kSurelyEpoch = 1e9;
/// As seconds after the epoch: the year 5138.
constexpr double kSurelyEpochMillis = 1e11;

std::optional<double> finite_number(const std::string& text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
        return std::nullopt;
    return number;
}

std::optional<Millis> bounded_lifetime(double seconds) {
    if (!(seconds > 0) || seconds > kLongestLifetimeSeconds) return std::nullopt;
    const Millis lifetime(std::llround(seconds * 1e3));
    if (lifetime.count() == 0) return std::nullopt;
    return lifetime;
}

double epoch_seconds(WallTime time) { return static_cast<double>(time.time_since_epoch().count()) / 1e6; }

std::optional<Millis> lifetime_of_number(double number, std::optional<Unit> unit, bool is_moment, WallTime now) {
    const auto until = [now](double moment) { return bounded_lifetime(moment - epoch_seconds(now)); };
    if (unit == Unit::milliseconds && !is_moment) return bounded_lifetime(number / 1e3);
    if (unit == Unit::seconds && !is_moment) return bounded_lifetime(number);
    if (unit == Unit::epoch_ms) return until(number / 1e3);
    if (unit == Unit::epoch) return until(number);
    if (number >= kSurelyEpochMillis) return until(number / 1e3);
    if (is_moment || number >= kSurelyEpoch) return until(number);
    return bounded_lifetime(number);
}

/// `D:HH:MM`
std::optional<Millis> days_hours_minutes(const std::string& text) {
    const std::size_t first = text.find(':');
    const std::size_t second = first == std::string::npos ? first : text.find(':', first + 1);
    if (second == std::string::npos) return std::nullopt;
    const auto days = finite_number(text.substr(0, first));
    const auto hours_part = finite_number(text.substr(first + 1, second - first - 1));
    const auto minutes = finite_number(text.substr(second + 1));
    if (!days || !hours_part || !minutes || *days < 0 || *hours_part < 0 || *minutes < 0) return std::nullopt;
    return bounded_lifetime(*days * 86'400 + *hours_part * 3'600 + *minutes * 60);
}

std::optional<double> claim_number(const json& claims, const char* name) {
    const auto found = claims.find(name);
    if (found == claims.end()) return std::nullopt;
    return finite_number(scalar_text(*found).value_or(""));
}

}  // namespace

std::optional<Millis> read_lifetime(const json& value, std::optional<Unit> unit, bool is_moment,
                                    WallTime provider_now) {
    if (value.is_boolean()) return std::nullopt;
    const std::string text = scalar_text(value).value_or("");
    if (const auto number = finite_number(text)) return lifetime_of_number(*number, unit, is_moment, provider_now);
    if (const auto moment = parse_timestamp(text))
        return bounded_lifetime(epoch_seconds(moment->time) - epoch_seconds(provider_now));
    if (text.starts_with('P'))
        if (const auto duration = parse_millis(text); duration.ok())
            return bounded_lifetime(static_cast<double>(duration->count()) / 1e3);
    return days_hours_minutes(text);
}

std::optional<Millis> jwt_lifetime(const json& claims, WallTime provider_now) {
    const auto expires = claim_number(claims, "exp");
    if (!expires) return std::nullopt;
    return bounded_lifetime(*expires - claim_number(claims, "iat").value_or(epoch_seconds(provider_now)));
}

bool needs_refresh(WallTime now, std::optional<WallTime> expires_at, std::optional<Millis> lifetime,
                   std::optional<Millis> configured_margin) {
    if (!expires_at) return false;
    Millis margin = configured_margin.value_or(std::chrono::minutes(5));
    if (lifetime) margin = std::min(margin, *lifetime / 5);
    return now >= *expires_at - margin;
}

}  // namespace pg_pull::oauth
