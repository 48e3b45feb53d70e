#include "core/apply/statement.h"

#include <utility>

namespace pg_pull::apply {

std::string Statement::add(std::optional<std::string> value, std::string_view type) {
    parameters.push_back(std::move(value));
    return "CAST($" + std::to_string(parameters.size()) + " AS " + std::string(type) + ")";
}

std::string quote_name(std::string_view name) {
    std::string out = "\"";
    for (const char c : name) {
        if (c == '"') out += '"';
        out += c;
    }
    return out += '"';
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
    std::string out;
    for (const auto& part : parts) {
        if (part.empty()) continue;
        if (!out.empty()) out += separator;
        out += part;
    }
    return out;
}

std::string all_of(const std::vector<std::string>& conditions) {
    std::string out = joined(conditions, " AND ");
    return out.empty() ? "true" : out;
}

}  // namespace pg_pull::apply
