#include "core/apply/copy_line.h"

#include <nlohmann/json.hpp>

namespace pg_pull::apply {
namespace {

char unescaped(char c) {
    switch (c) {
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        case 'v':
            return '\v';
        default:
            return c;
    }
}

}  // namespace

std::optional<std::string> copy_field(std::string_view line, std::size_t column) {
    if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
    for (; column > 0; --column) {
        const auto tab = line.find('\t');
        if (tab == std::string_view::npos) return std::nullopt;
        line.remove_prefix(tab + 1);
    }
    const std::string_view field = line.substr(0, line.find('\t'));
    if (field == "\\N") return std::nullopt;
    std::string value;
    value.reserve(field.size());
    for (std::size_t i = 0; i < field.size(); ++i) {
        if (field[i] == '\\' && i + 1 < field.size())
            value += unescaped(field[++i]);
        else
            value += field[i];
    }
    return value;
}

std::optional<std::string> key_text(const std::vector<std::optional<std::string>>& parts) {
    auto list = nlohmann::json::array();
    for (const auto& part : parts) {
        if (!part) return std::nullopt;
        list.push_back(*part);
    }
    if (list.empty()) return std::nullopt;
    if (list.size() == 1) return parts.front();
    return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<std::vector<std::string>> key_parts(const std::string& text, std::size_t count) {
    if (count == 1) return std::vector<std::string>{text};
    const auto list = nlohmann::json::parse(text, nullptr, false);
    if (!list.is_array() || list.size() != count) return std::nullopt;
    std::vector<std::string> parts;
    for (const auto& part : list) {
        if (!part.is_string()) return std::nullopt;
        parts.push_back(part.get<std::string>());
    }
    return parts;
}

}  // namespace pg_pull::apply
