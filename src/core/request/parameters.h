#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/request/template.h"

namespace pg_pull {

/// A parameter or header: name as given, its values (several only in a query). `omit`: JSON null, takes an inherited one away.
struct NamedTemplates {
    std::string name;
    std::vector<Template> values;
    bool omit = false;
};
using ParameterList = std::vector<NamedTemplates>;

/// Objects of templates: strings, numbers, booleans, null (takes away what is inherited); lists of those in a query.
/// Errors name the key. Header names must be tokens (RFC 9110 section 5.6.2), without those that the transport sets itself
/// (Host, Content-Length, Transfer-Encoding, Connection). Literal credentials are refused.
Result<ParameterList> parse_query(const nlohmann::json& config, std::string_view where);
Result<ParameterList> parse_headers(const nlohmann::json& config, std::string_view where);

/// RFC 9110 section 5.6.2.
[[nodiscard]] bool is_token(std::string_view text) noexcept;

/// May this header go to whatever origin a redirect leads to? Only well-known ones that say nothing about the caller: a header
/// that a configuration invented may well identify it.
[[nodiscard]] bool is_harmless_header(std::string_view name) noexcept;

/// `source "query"` + `since` = `source "query.since"`.
[[nodiscard]] std::string place_of(std::string_view where, std::string_view key);

}  // namespace pg_pull
