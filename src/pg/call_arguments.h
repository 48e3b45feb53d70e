#pragma once

// Optional texts in the JSON of a call (request.h): null where there is none.

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace pg_pull::pg {

inline nlohmann::json nullable(const std::optional<std::string>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

inline std::optional<std::string> optional_text(const nlohmann::json& value) {
    if (value.is_null()) return std::nullopt;
    return value.get<std::string>();
}

/// The same of a member, which may be absent.
inline std::optional<std::string> optional_text(const nlohmann::json& document, const char* key) {
    const auto at = document.find(key);
    return at == document.end() ? std::nullopt : optional_text(*at);
}

}  // namespace pg_pull::pg
