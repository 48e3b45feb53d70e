#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "pg/catalog.h"
#include "source/registry.h"

namespace pg_pull::pg {

/// The provider of that name. Raises 22023 for an unknown one, 0A000 for one that only a later release has.
const Provider& provider_named(const std::string& name);

/// Refuses a definition that its provider does not accept, literal credentials included. `trusted`: a superuser acts for a
/// superuser's connector, so that every option of a conninfo is allowed.
void check_connector(const std::string& provider, const nlohmann::json& config, const nlohmann::json& auth,
                     bool trusted);

/// Refuses (55000) a change that would send a credential stored for `before` to an origin that it did not go to.
void check_origin_change(const ConnectorRow& before, const ConnectorRow& after, bool confirmed,
                         const std::string& hint);

}  // namespace pg_pull::pg
