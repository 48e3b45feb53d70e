#include "source/fdw/check.h"

#include "core/json/config_reader.h"
#include "source/postgres/database_source.h"

namespace pg_pull::fdw {

Result<void> check_connector(const nlohmann::json& config, const nlohmann::json& auth) {
    const nlohmann::json nothing = nlohmann::json::object();
    PG_PULL_CHECK(ConfigReader(config.is_null() ? nothing : config, "config", {}).finish());
    std::string type = "none";
    ConfigReader reader(auth.is_null() ? nothing : auth, "auth", {"type"});
    reader.text("type", type);
    if (type != "none")
        reader.refuse("type", "cannot be \"" + type + "\" for the provider fdw",
                      "Credentials stand in the user mapping of the foreign server.");
    return reader.finish();
}

Result<void> check_source(const nlohmann::json&, const nlohmann::json& source, const nlohmann::json& pagination) {
    return postgres::check_database_source(source, pagination);
}

}  // namespace pg_pull::fdw
