#pragma once

// What sync_pull, sync_run and sync_retry_rejects ask of their worker.

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace pg_pull::pg {

struct PullArguments {
    std::int64_t mapping_id = 0;
    std::optional<std::string> organization;
    std::string trigger;  ///< call | cron | retry | procedure
    bool full = false;
    bool allow_mass_delete = false;
    bool skip_if_running = false;  ///< records a skipped run where another one is under way
    bool only_recover = false;     ///< runs nothing: ends the rows that a worker who died left behind
    bool wait = true;              ///< false: the row is published as soon as it is committed
    int max_run_time_ms = 0;       ///< the caller's pg_pull.max_run_time; 0: none
};

inline nlohmann::json to_document(const PullArguments& arguments) {
    nlohmann::json document;
    document["mapping_id"] = arguments.mapping_id;
    if (arguments.organization) document["organization"] = *arguments.organization;
    document["trigger"] = arguments.trigger;
    document["full"] = arguments.full;
    document["allow_mass_delete"] = arguments.allow_mass_delete;
    document["skip_if_running"] = arguments.skip_if_running;
    document["only_recover"] = arguments.only_recover;
    document["wait"] = arguments.wait;
    document["max_run_time_ms"] = arguments.max_run_time_ms;
    return document;
}

inline PullArguments pull_arguments(const nlohmann::json& document) {
    PullArguments arguments;
    arguments.mapping_id = document.at("mapping_id");
    if (document.contains("organization")) arguments.organization = document.at("organization").get<std::string>();
    arguments.trigger = document.at("trigger");
    arguments.full = document.at("full");
    arguments.allow_mass_delete = document.at("allow_mass_delete");
    arguments.skip_if_running = document.at("skip_if_running");
    arguments.only_recover = document.at("only_recover");
    arguments.wait = document.at("wait");
    arguments.max_run_time_ms = document.at("max_run_time_ms");
    return arguments;
}

}  // namespace pg_pull::pg
