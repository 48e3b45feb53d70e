#pragma once

#include "source/registry.h"
#include "source/rest/rest_action.h"

namespace pg_pull::rest {

Result<void> check_connector(const nlohmann::json& config, const nlohmann::json& auth);
Result<void> check_source(const nlohmann::json& config, const nlohmann::json& source, const nlohmann::json& pagination);
Result<std::unique_ptr<Source>> open_source(SourceContext& context, const SourceRequest& request);

inline constexpr Provider provider = {"rest", check_connector, check_source, open_source, send_action};

}  // namespace pg_pull::rest
