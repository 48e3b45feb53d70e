#pragma once

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/http.h"
#include "core/request/auth_config.h"

namespace pg_pull::oauth {

/// The fields of a connection as they are to be stored: `given` ({name: string, number or boolean}) judged by `auth.fields`, with
/// defaults filled in; empty texts count as not given. A pattern must fit the whole text. Refuses unknown names (unknown_key, the
/// nearest in the hint), values that do not fit, and missing ones, all named at once (invalid_configuration).
Result<nlohmann::json> check_fields(const AuthConfig& auth, const nlohmann::json& given);

/// What `authorize.callback.keep` takes out of the decoded parameters of a callback ({name: value}). Whoever follows the consent page
/// could have written them: one that is declared in `fields` must fit there; control characters and lengths beyond 1024 bytes are
/// refused (invalid_configuration).
Result<nlohmann::json> keep_of_callback(const AuthConfig& auth, const nlohmann::json& params);

struct Kept {
    nlohmann::json account;                            ///< id, name, email … where found, else null
    nlohmann::json fields = nlohmann::json::object();  ///< by `keep` of the response map
};

/// Reads the answer of `verify` or `after_connect`. One that is no success (status, `success`, `error`) is upstream_not_ok; its
/// detail never holds a token.
Result<Kept> read_kept(const RequestTemplate& request, const HttpResponse& response);

}  // namespace pg_pull::oauth
