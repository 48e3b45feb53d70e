#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/http.h"
#include "core/base/secret.h"
#include "core/json/path.h"
#include "core/mapping/predicate.h"

namespace pg_pull {

/// How an answer is read: whether it is a success, and where the wanted values lie.
struct ResponseMap {
    enum class Unit : unsigned char { seconds, milliseconds, epoch, epoch_ms, iso };
    std::vector<Predicate> success;  ///< beside a 2xx status; on {"status", "headers": {lower case}, "body": …}
    std::optional<Path> token;
    std::optional<Path> refresh_token;
    std::optional<Path> expires_in;
    std::optional<Path> expires_at;
    std::optional<Unit> unit;  ///< default: seconds for expires_in; for expires_at told from the value
    std::optional<Path> scope;
    std::map<std::string, Path> keep;  ///< field of the connection -> path
    std::optional<Path> error;
    std::optional<Path> error_description;
};

/// Paths are within the body; `success` predicates too, and where their path begins with `/status` or `/headers/` within those.
Result<ResponseMap> parse_response_map(const nlohmann::json& config, std::string_view where);

/// What an answer brought. Values absent in the answer stay empty.
struct ResponseValues {
    bool success = false;
    std::string error;              ///< the remote's error code, where `error` found one
    std::string error_description;  ///< not redacted
    Secret token;
    Secret refresh_token;
    std::optional<WallTime> expires_at;
    std::optional<std::string> scope;  ///< a list is joined by spaces
    nlohmann::json keep = nlohmann::json::object();
};

/// `body` is null where it is no JSON (a form-encoded body may be given as an object). Without `success` predicates an answer is
/// one when its status is 2xx and nothing is at `error`. `expires_in` counts from `now`.
[[nodiscard]] ResponseValues read_response(const ResponseMap& map, const HttpResponse& response,
                                           const nlohmann::json* body, WallTime now);

}  // namespace pg_pull
