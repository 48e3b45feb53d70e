#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/json/path.h"
#include "core/request/value.h"

namespace pg_pull {

enum class PaginationType : unsigned char { none, page, offset, cursor, next_url, link_header, keyset, odata, relay };

/// `pagination` of a mapping or connector. Which members mean something depends on the type (CONFIG.md).
struct PaginationConfig {
    PaginationType type = PaginationType::none;
    std::int64_t max_pages = 10'000;
    std::string param;                     ///< where page, offset, cursor or key goes in the query
    std::string send_header;               ///< cursor: or in this header
    std::optional<Path> body;              ///< cursor: or at this path of the body
    std::int64_t start = 1;                ///< page
    std::int64_t size = 0;                 ///< 0: not known
    std::string size_param;                ///< empty: not sent
    std::optional<Path> total;             ///< number of records
    std::optional<Path> total_pages;       ///< page
    std::optional<Path> path;              ///< cursor, next_url: where the next one is; relay: of the connection
    std::string header;                    ///< or in this header, lower case
    std::optional<TemplateValue> initial;  ///< cursor of the first page
    std::optional<Path> has_more;          ///< cursor
    std::string rel = "next";              ///< link_header
    std::optional<Path> field;             ///< keyset
    std::string variable = "after";        ///< relay
};

/// Checks every key and value; null is none.
Result<PaginationConfig> parse_pagination(const nlohmann::json& config);

/// Refuses what the contract knows and this release cannot do yet (SQLSTATE 0A000).
Result<void> check_supported(const PaginationConfig& config);

}  // namespace pg_pull
