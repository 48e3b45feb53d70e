#pragma once

#include <set>
#include <string>

#include <nlohmann/json.hpp>

namespace pg_pull {

/// The origins (scheme://host[:port]) that a connector of an HTTP provider sends a stored credential to: base_url, url, origins, and
/// the requests of `auth` with discovery and issuer. Templates in an origin are kept as text, a relative URL goes to base_url's
/// and adds none. Used to tell whether a change sends a credential elsewhere, so it may name too much, never too little.
[[nodiscard]] std::set<std::string> credential_origins(const nlohmann::json& config, const nlohmann::json& auth);

/// The definition refers to a credential that is stored somewhere: a secret, a variable, or each organization's own.
[[nodiscard]] bool uses_stored_credential(const nlohmann::json& config, const nlohmann::json& auth);

}  // namespace pg_pull
