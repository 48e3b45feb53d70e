#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace pg_pull::postgres {

/// `source` of a mapping whose provider reads a database: `postgres` and `fdw`.
struct DatabaseSource {
    std::string table;  ///< quoted for a statement; empty: `query` is there instead
    std::string query;  ///< without a semicolon at its end
    std::string where;  ///< part of the query sent; empty: none
};

/// Checks keys and values: exactly one of `table` and `query`.
Result<DatabaseSource> parse_database_source(const nlohmann::json& config);

/// What a mapping of such a provider may say about its source and its pages (none). `pagination` null: nothing said.
Result<void> check_database_source(const nlohmann::json& source, const nlohmann::json& pagination);

/// `Orders`, `shop.orders` or `"My Shop"."Orders"` as the statement's text: names folded and quoted as SQL does it.
Result<std::string> parse_table_name(std::string_view text);

/// Always with quotes, those inside doubled.
[[nodiscard]] std::string quote_name(std::string_view name);
/// A string constant that reads the same whatever standard_conforming_strings is.
[[nodiscard]] std::string quote_text(std::string_view text);

}  // namespace pg_pull::postgres
