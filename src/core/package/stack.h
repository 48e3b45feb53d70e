#pragma once

// A stack: the document that a package is installed from (DESIGN.md section 6.2),
// `{"manifest": {"id", "namespace", "version"}, "connectors": […], "mappings": […]}`. Keys are those of our own configuration, or
// the camelCase ones of ObjectStack (`providerConfig`, `credentialRef`, `targetObject`, `fieldMapping`, `upsertKey`,
// `connectorSource`). Read by its form alone: what a provider, a mapping or a target makes of it is judged by those who know them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace pg_pull {

struct StackConnector {
    std::string name;
    std::string provider;
    nlohmann::json config;
    nlohmann::json auth;
    std::optional<std::string> description;
};

/// The arguments of sync_mapping_create(), with its defaults.
struct StackMapping {
    std::string name;
    std::string connector;
    std::optional<std::string> connector_package;
    nlohmann::json source;
    nlohmann::json pagination;
    std::string target;  ///< as the stack writes it
    nlohmann::json fields;
    std::string mode = "insert";
    std::vector<std::string> key;
    std::optional<nlohmann::json> watermark;
    std::optional<std::vector<std::string>> scope;  ///< nullopt: the columns that receive $organization
    std::string delete_mode = "ignore";
    std::optional<nlohmann::json> deleted_when;
    std::string deleted_at = "deleted_at";
    double max_delete_fraction = 0.5;
    std::string commit = "run";
    std::string missing = "null";
    std::string on_error = "reject";
    int max_rejects = 100;
    std::optional<std::string> full_every;  ///< interval text, not judged here
    std::optional<std::string> description;
    bool enabled = true;
};

struct Stack {
    std::string id;  ///< reverse-domain, lower case: `com.acme.crm`
    std::string name_space;
    std::string version;
    std::vector<StackConnector> connectors;
    std::vector<StackMapping> mappings;
    nlohmann::json normalized;  ///< the whole stack in snake_case; two ways to write one stack give one document
    std::string hash;           ///< of `normalized`, hexadecimal
};

/// Errors: unknown_key, invalid_configuration, duplicate_name; each names the place (`connectors[2].auth`, from 0).
Result<Stack> parse_stack(const nlohmann::json& document);

/// Whether the text can be a package's id: labels of a-z, 0-9, '-' and '_', joined by dots, two at least, 200 bytes at most.
[[nodiscard]] bool is_package_id(std::string_view id) noexcept;

}  // namespace pg_pull
