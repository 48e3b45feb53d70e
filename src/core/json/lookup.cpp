#include "core/json/lookup.h"

#include <charconv>

namespace pg_pull {
namespace {

/// False: `visit` wants no more. The depth is that of the path, which a user wrote, not that of the document.
bool visit_from(const nlohmann::json& value, const Path& path, std::size_t step,
                const std::function<bool(const nlohmann::json&)>& visit) {
    if (step == path.steps.size()) return visit(value);
    const std::string& name = path.steps[step];
    if (!value.is_structured()) return true;
    if (name == "*" && !path.pointer) {
        for (const nlohmann::json& element : value)
            if (!visit_from(element, path, step + 1, visit)) return false;
        return true;
    }
    if (value.is_object()) {
        const auto member = value.find(name);
        return member == value.end() || visit_from(*member, path, step + 1, visit);
    }
    const auto index = index_of_step(name);
    return !index || *index >= value.size() || visit_from(value[*index], path, step + 1, visit);
}

}  // namespace

std::optional<std::size_t> index_of_step(std::string_view step) {
    if (step.empty() || (step.size() > 1 && step.front() == '0')) return std::nullopt;
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
    if (error != std::errc() || end != step.data() + step.size()) return std::nullopt;
    return index;
}

void visit_values(const nlohmann::json& document, const Path& path,
                  const std::function<bool(const nlohmann::json&)>& visit) {
    visit_from(document, path, 0, visit);
}

const nlohmann::json* find_value(const nlohmann::json& document, const Path& path) {
    const nlohmann::json* found = nullptr;
    visit_from(document, path, 0, [&found](const nlohmann::json& value) {
        found = &value;
        return false;
    });
    return found;
}

std::optional<std::string> scalar_text(const nlohmann::json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number() || value.is_boolean()) return value.dump();
    return std::nullopt;
}

}  // namespace pg_pull
