#include "core/request/response_map.h"

#include <charconv>
#include <cmath>

#include "core/base/encoding.h"
#include "core/base/timestamp.h"
#include "core/json/config_reader.h"
#include "core/json/lookup.h"
#include "core/request/parameters.h"

namespace pg_pull {
namespace {

using nlohmann::json;
using Unit = ResponseMap::Unit;

/// Beyond this a lifetime is as good as endless, and sums stay within the type.
constexpr double kLongestSeconds = 1000.0 * 366 * 86'400;

Result<std::map<std::string, Path>> parse_keep(const json& value, const std::string& where) {
    if (!value.is_object()) return fail(Reason::invalid_configuration, where + " must be a JSON object");
    std::map<std::string, Path> keep;
    for (const auto& item : value.items()) {
        if (!item.value().is_string())
            return fail(Reason::invalid_configuration, place_of(where, item.key()) + " must be a path");
        auto path = parse_path(item.value().get_ref<const std::string&>());
        if (!path.ok())
            return fail(Reason::invalid_configuration, place_of(where, item.key()) + ": " + path.error().message);
        const std::string last = ascii_lower(path->steps.back());
        if (last.ends_with("token") || last.ends_with("secret") || last.ends_with("password"))
            return fail(Reason::invalid_configuration, place_of(where, item.key()) + " would keep a credential")
                .with_hint("Kept values can be read by whoever may see the connection; tokens are stored sealed.");
        keep.emplace(item.key(), std::move(path).value());
    }
    return keep;
}

const json* value_at(const json* body, const std::optional<Path>& path) {
    if (body == nullptr || !path) return nullptr;
    const json* const found = find_value(*body, *path);
    return found == nullptr || found->is_null() ? nullptr : found;
}

std::string text_at(const json* body, const std::optional<Path>& path) {
    const json* const found = value_at(body, path);
    if (found == nullptr || *found == json(false)) return {};
    return scalar_text(*found).value_or(
        found->is_structured() && !found->empty() ? found->dump(-1, ' ', false, json::error_handler_t::replace) : "");
}

std::optional<double> number_at(const json* body, const std::optional<Path>& path) {
    const std::string text = text_at(body, path);
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
        return std::nullopt;
    return number;
}

bool is_absolute(std::optional<Unit> unit) { return unit && *unit != Unit::seconds && *unit != Unit::milliseconds; }

WallTime from_seconds(double seconds) {
    const double bounded = std::min(std::max(seconds, -kLongestSeconds), kLongestSeconds);
    return WallTime(std::chrono::microseconds(std::llround(bounded * 1e6)));
}

std::optional<WallTime> moment_at(const json* body, const std::optional<Path>& path, std::optional<Unit> unit) {
    if (const auto number = number_at(body, path)) {
        // Told from the size: as seconds 1e11 is the year 5138.
        const bool millis = unit == Unit::epoch_ms || (unit != Unit::epoch && *number >= 1e11);
        return from_seconds(millis ? *number / 1e3 : *number);
    }
    if (const auto read = parse_timestamp(text_at(body, path))) return read->time;
    return std::nullopt;
}

std::optional<WallTime> expiry(const ResponseMap& map, const json* body, WallTime now) {
    if (map.expires_at)
        if (const auto at = moment_at(body, map.expires_at, is_absolute(map.unit) ? map.unit : std::nullopt)) return at;
    if (!map.expires_in) return std::nullopt;
    if (is_absolute(map.unit) && !map.expires_at) return moment_at(body, map.expires_in, map.unit);
    const auto number = number_at(body, map.expires_in);
    if (!number) return std::nullopt;
    const double seconds = std::max(0.0, map.unit == Unit::milliseconds ? *number / 1e3 : *number);
    return now + from_seconds(seconds).time_since_epoch();
}

std::optional<std::string> scope_at(const json* body, const std::optional<Path>& path) {
    const json* const found = value_at(body, path);
    if (found == nullptr) return std::nullopt;
    if (!found->is_array()) return scalar_text(*found);
    std::string scope;
    for (const json& element : *found) scope += (scope.empty() ? "" : " ") + scalar_text(element).value_or("");
    return scope;
}

/// Predicates on the answer as a whole are those whose path is `/status` or within `/headers`.
bool predicate_holds(const Predicate& predicate, const HttpResponse& response, const json* body) {
    const auto& steps = predicate.path.steps;
    const bool on_answer =
        predicate.path.pointer && !steps.empty() &&
        ((steps.size() == 1 && steps[0] == "status") || (steps.size() == 2 && steps[0] == "headers"));
    if (!on_answer) return holds({predicate}, body == nullptr ? json(nullptr) : *body);
    json answer{{"status", response.status}, {"headers", json::object()}};
    for (const auto& [name, value] : response.headers) answer["headers"][name] = value;
    return holds({predicate}, answer);
}

bool is_success(const ResponseMap& map, const HttpResponse& response, const json* body, const ResponseValues& values) {
    if (response.status < 200 || response.status > 299) return false;
    if (map.success.empty()) return values.error.empty();
    for (const Predicate& predicate : map.success)
        if (!predicate_holds(predicate, response, body)) return false;
    return true;
}

}  // namespace

Result<ResponseMap> parse_response_map(const json& config, std::string_view where) {
    ResponseMap map;
    ConfigReader reader(config, std::string(where),
                        {"success", "token", "refresh_token", "expires_in", "expires_at", "unit", "scope", "keep",
                         "error", "error_description"});
    reader.value("success", map.success,
                 [](const json& value, const std::string& place) { return parse_predicates(value, place); });
    reader.path("token", map.token);
    reader.path("refresh_token", map.refresh_token);
    reader.path("expires_in", map.expires_in);
    reader.path("expires_at", map.expires_at);
    Unit unit = Unit::seconds;
    reader.choice("unit", unit,
                  {{"s", Unit::seconds},
                   {"ms", Unit::milliseconds},
                   {"epoch", Unit::epoch},
                   {"epoch_ms", Unit::epoch_ms},
                   {"iso", Unit::iso}});
    if (reader.has("unit")) map.unit = unit;
    reader.path("scope", map.scope);
    reader.value("keep", map.keep, parse_keep);
    reader.path("error", map.error);
    reader.path("error_description", map.error_description);
    PG_PULL_CHECK(reader.finish());
    return map;
}

ResponseValues read_response(const ResponseMap& map, const HttpResponse& response, const json* body, WallTime now) {
    ResponseValues values;
    values.error = text_at(body, map.error);
    values.error_description = text_at(body, map.error_description);
    values.token = Secret(text_at(body, map.token));
    values.refresh_token = Secret(text_at(body, map.refresh_token));
    values.expires_at = expiry(map, body, now);
    values.scope = scope_at(body, map.scope);
    for (const auto& [field, path] : map.keep)
        if (const json* const found = value_at(body, path)) values.keep[field] = *found;
    values.success = is_success(map, response, body, values);
    return values;
}

}  // namespace pg_pull
