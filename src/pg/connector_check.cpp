#include "pg/connector_check.h"

#include <algorithm>
#include <set>

#include "core/connection/credential_origins.h"
#include "core/json/keys.h"
#include "pg/border.h"
#include "source/postgres/conninfo.h"

namespace pg_pull::pg {
namespace {

using nlohmann::json;

/// Where a database connector's password goes: every host with its port, as the options pair them.
std::set<std::string> conninfo_origins(const json& config) {
    std::set<std::string> origins;
    const auto at = config.find("conninfo");
    if (at == config.end() || !at->is_string()) return origins;
    const auto options = postgres::parse_conninfo(at->get<std::string>());
    if (!options.ok()) return origins;
    std::string target;
    for (const char* name : {"host", "hostaddr", "port", "service"}) target += postgres::option(*options, name) + '\n';
    origins.insert(target);
    return origins;
}

std::set<std::string> origins_of(const ConnectorRow& connector) {
    if (connector.provider == "postgres") return conninfo_origins(connector.config);
    return credential_origins(connector.config, connector.auth);
}

}  // namespace

const Provider& provider_named(const std::string& name) {
    if (const Provider* provider = find_provider(name)) return *provider;
    if (name == "openapi" || name == "mcp")
        raise(fail(Reason::invalid_configuration, "provider " + in_quotes(name) + " is not supported yet")
                  .with_code("0A000")
                  .with_hint("Use provider \"rest\" where the API's paths are known."));
    const std::string near = nearest_key(name, {"rest", "postgres", "fdw"});
    raise(fail(Reason::invalid_configuration, "provider " + in_quotes(name) + " does not exist")
              .with_hint(near.empty() ? "Known providers are \"rest\", \"postgres\", \"fdw\"."
                                      : "Did you mean " + in_quotes(near) + "?"));
}

void check_connector(const std::string& provider, const json& config, const json& auth, bool trusted) {
    unwrap(provider_named(provider).check_connector(config, auth));
    if (provider == "postgres") unwrap(postgres::check_conninfo(config.at("conninfo").get<std::string>(), trusted));
}

void check_origin_change(const ConnectorRow& before, const ConnectorRow& after, bool confirmed,
                         const std::string& hint) {
    if (confirmed || !uses_stored_credential(before.config, before.auth)) return;
    if (!uses_stored_credential(after.config, after.auth)) return;
    const std::set<std::string> old_origins = origins_of(before);
    for (const auto& origin : origins_of(after)) {
        if (old_origins.count(origin) != 0) continue;
        const std::string where = after.provider == "postgres" ? "another server" : in_quotes(origin);
        raise(Error{Reason::none, "55000",
                    "the change would send the credential of connector " + in_quotes(after.name) + " to " + where,
                    "The stored credential has not gone there so far.", hint});
    }
}

}  // namespace pg_pull::pg
