#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/json/path.h"
#include "core/request/request.h"

namespace pg_pull {

enum class DecoderType : unsigned char { json, ndjson, csv, xml };

struct Decoder {
    DecoderType type = DecoderType::json;
    char delimiter = ',';  ///< csv
    bool header = true;    ///< csv
};

/// The parents whose rows fill `${parent.…}`; exactly one of query and mapping.
struct Foreach {
    std::string query;
    std::string mapping;
    std::vector<std::string> key;  ///< empty: all columns identify a parent
};

/// `source` of a mapping of the rest provider.
struct RestSource {
    RequestTemplate request;  ///< path, method, query, headers, body, format
    std::optional<Path> records_path;
    std::optional<Decoder> decoder;  ///< nothing: by content type
    std::string where;               ///< SQL over the staged columns
    std::optional<Foreach> foreach;
};

/// Checks every key and value of the contract.
Result<RestSource> parse_rest_source(const nlohmann::json& config);

/// Refuses what the contract knows and this release cannot do yet (SQLSTATE 0A000).
Result<void> check_supported(const RestSource& source);

}  // namespace pg_pull
