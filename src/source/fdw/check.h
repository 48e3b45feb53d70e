#pragma once

#include <nlohmann/json.hpp>

#include "source/registry.h"

namespace pg_pull::fdw {

/// `config` and `auth` are empty: the server that reads is this one, as the mapping's owner.
Result<void> check_connector(const nlohmann::json& config, const nlohmann::json& auth);
Result<void> check_source(const nlohmann::json& config, const nlohmann::json& source, const nlohmann::json& pagination);

/// Opened by the server layer.
inline constexpr Provider provider = {"fdw", check_connector, check_source, nullptr, nullptr};

}  // namespace pg_pull::fdw
