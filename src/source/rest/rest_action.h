#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "source/registry.h"

namespace pg_pull::rest {

/// One call without a mapping (sync_connector_call): the action `request` with {method, path, headers, query, body}, or null for
/// the connector's base address itself. The answer is a JSON text {"ok", "status", "headers", "body"}: numbers of the body keep
/// their digits, a body that is no JSON is a string. A status of 400 or more is an answer, no error; a 401 is answered by
/// one try with a newer token where there is one.
Result<ActionAnswer> send_action(SourceContext& context, const std::string& connector, const nlohmann::json& config,
                                 const nlohmann::json& auth, const nlohmann::json& input);

}  // namespace pg_pull::rest
