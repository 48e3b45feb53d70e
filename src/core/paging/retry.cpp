#include "core/paging/retry.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/encoding.h"
#include "core/base/timestamp.h"
#include "core/json/config_reader.h"

namespace pg_pull {
namespace {

using nlohmann::json;
using std::chrono::hours;
using std::chrono::microseconds;

/// Longer requests of a server mean nothing; the caller's own limit is far below.
constexpr double kLongestSeconds = 366.0 * 86'400;
/// From here on a number of seconds can only be an epoch: the first is in 2001, as a wait it is 31 years.
constexpr double kFirstEpoch = 1e9;
constexpr double kFirstEpochMillis = 1e11;

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

/// Digits, perhaps with a fraction (some servers send `1.5`).
std::optional<double> parse_seconds(std::string_view text) {
    if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
    return number;
}

/// Rounded up: coming a moment too early is answered with another refusal.
Millis to_millis(double seconds) {
    return Millis(static_cast<std::int64_t>(std::ceil(std::min(std::max(seconds, 0.0), kLongestSeconds) * 1e3)));
}

double seconds_of(WallTime time) { return static_cast<double>(time.time_since_epoch().count()) / 1e6; }

Result<std::vector<std::string>> parse_methods(const json& value, const std::string& where) {
    std::vector<std::string> methods;
    if (!value.is_array()) return fail(Reason::invalid_configuration, where + " must be a list of HTTP methods");
    for (const json& element : value) {
        if (!element.is_string() || element.get_ref<const std::string&>().empty())
            return fail(Reason::invalid_configuration, where + " must be a list of HTTP methods");
        methods.push_back(ascii_upper(element.get_ref<const std::string&>()));
    }
    return methods;
}

Result<std::vector<int>> parse_statuses(const json& value, const std::string& where) {
    std::vector<int> statuses;
    if (!value.is_array()) return fail(Reason::invalid_configuration, where + " must be a list of HTTP statuses");
    for (const json& element : value) {
        if (!element.is_number_integer() || element.get<std::int64_t>() < 300 || element.get<std::int64_t>() > 599)
            return fail(Reason::invalid_configuration, where + " must be a list of HTTP statuses from 300 to 599");
        statuses.push_back(element.get<int>());
    }
    return statuses;
}

}  // namespace

Result<RetryConfig> parse_retry(const json& config) {
    RetryConfig retry;
    ConfigReader reader(config, "config \"retry\"",
                        {"attempts", "initial", "max", "multiplier", "jitter", "statuses", "methods"});
    reader.integer("attempts", retry.attempts, 1, 100);
    reader.duration("initial", retry.initial, Millis(1), Millis(hours(1)));
    reader.duration("max", retry.max, Millis(1), Millis(hours(24)));
    reader.number("multiplier", retry.multiplier, 1, 100);
    reader.flag("jitter", retry.jitter);
    reader.value("statuses", retry.statuses, parse_statuses);
    reader.value("methods", retry.methods, parse_methods);
    PG_PULL_CHECK(reader.finish());
    return retry;
}

Result<ResetHeader> parse_reset_header(const json& config) {
    ResetHeader header;
    ConfigReader reader(config, "config \"reset_header\"", {"name", "unit"});
    reader.require("name");
    reader.text("name", header.name);
    reader.choice("unit", header.unit,
                  {{"seconds", ResetHeader::Unit::seconds},
                   {"epoch", ResetHeader::Unit::epoch},
                   {"epoch_ms", ResetHeader::Unit::epoch_ms}});
    PG_PULL_CHECK(reader.finish());
    header.name = ascii_lower(header.name);
    return header;
}

bool is_retry_status(const RetryConfig& retry, int status) noexcept {
    return std::find(retry.statuses.begin(), retry.statuses.end(), status) != retry.statuses.end();
}

bool may_repeat(const RetryConfig& retry, std::string_view method) noexcept {
    return std::any_of(retry.methods.begin(), retry.methods.end(),
                       [method](const std::string& known) { return equals_ignoring_case(known, method); });
}

Millis backoff(const RetryConfig& retry, int attempt, double random) noexcept {
    const double most = static_cast<double>(retry.max.count());
    const double grown =
        static_cast<double>(retry.initial.count()) * std::pow(retry.multiplier, std::max(attempt - 2, 0));
    const double wait = std::isfinite(grown) ? std::min(grown, most) : most;
    return Millis(std::llround(retry.jitter ? wait * (0.5 + 0.5 * std::clamp(random, 0.0, 1.0)) : wait));
}

std::optional<Millis> parse_retry_after(std::string_view value, std::optional<std::string_view> date_header,
                                        WallTime now) {
    value = trimmed(value);
    if (const auto seconds = parse_seconds(value)) {
        // Some put the moment of the reset here, against RFC 9110.
        if (*seconds >= kFirstEpoch) return parse_reset({"", ResetHeader::Unit::seconds}, value, now);
        return to_millis(*seconds);
    }
    const auto until = parse_http_date(value, now);
    if (!until) return std::nullopt;
    const auto sent = date_header ? parse_http_date(trimmed(*date_header), now) : std::nullopt;
    return to_millis(seconds_of(*until) - seconds_of(sent.value_or(now)));
}

std::optional<Millis> parse_reset(const ResetHeader& header, std::string_view value, WallTime now) {
    const auto number = parse_seconds(trimmed(value));
    if (!number) {
        // Reset headers with a date in them exist too.
        const auto read = parse_timestamp(trimmed(value));
        const auto until = read ? std::optional(read->time) : parse_http_date(trimmed(value), now);
        if (!until) return std::nullopt;
        return to_millis(seconds_of(*until) - seconds_of(now));
    }
    const bool is_wait = header.unit == ResetHeader::Unit::seconds && *number < kFirstEpoch;
    if (is_wait) return to_millis(*number);
    const bool millis = header.unit == ResetHeader::Unit::epoch_ms || *number >= kFirstEpochMillis;
    return to_millis((millis ? *number / 1e3 : *number) - seconds_of(now));
}

std::optional<Millis> asked_wait(const HttpResponse& response, const std::optional<ResetHeader>& reset, WallTime now) {
    std::optional<Millis> asked;
    if (const auto value = response.header("retry-after"))
        asked = parse_retry_after(*value, response.header("date"), now);
    const auto value = reset ? response.header(reset->name) : std::nullopt;
    if (!value) return asked;
    const auto until = parse_reset(*reset, *value, now);
    return until && (!asked || *until > *asked) ? until : asked;
}

Millis retry_wait(const RetryConfig& retry, int attempt, std::optional<Millis> asked, double random) noexcept {
    // A server that asks for nothing ("Retry-After: 0") is still not asked again at once for ever.
    const Millis own = backoff(retry, attempt, random);
    if (!asked || asked->count() <= 0) return own;
    return std::min(*asked, retry.max);
}

}  // namespace pg_pull
