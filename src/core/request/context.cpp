#include "core/request/context.h"

#include <vector>

#include "core/base/encoding.h"

namespace pg_pull {
namespace {

std::string member_key(std::string_view root, std::string_view member) {
    return std::string(root) + "." + std::string(member);
}

/// Steps into objects by key and into arrays by index.
const nlohmann::json* descend(const nlohmann::json& value, std::span<const std::string> steps) {
    const nlohmann::json* at = &value;
    for (const std::string& step : steps) {
        if (at->is_object()) {
            const auto found = at->find(step);
            if (found == at->end()) return nullptr;
            at = &*found;
        } else if (at->is_array() && !step.empty() && step.size() < 10 &&
                   step.find_first_not_of("0123456789") == std::string::npos) {
            const std::size_t index = std::stoul(step);
            if (index >= at->size()) return nullptr;
            at = &(*at)[index];
        } else {
            return nullptr;
        }
    }
    return at->is_null() ? nullptr : at;
}

}  // namespace

void JsonContext::set(std::string root, nlohmann::json value) { values_[std::move(root)] = std::move(value); }

void JsonContext::set(std::string root, std::string member, TemplateValue value) {
    members_[member_key(root, member)] = std::move(value);
}

void JsonContext::set_secret(std::string root, Secret value) { secrets_[std::move(root)] = std::move(value); }

void JsonContext::set_secret(std::string root, std::string member, Secret value) {
    secrets_[member_key(root, member)] = std::move(value);
}

std::optional<TemplateValue> JsonContext::lookup(std::span<const std::string> path) const {
    if (path.empty()) return std::nullopt;
    const std::string key = path.size() == 1   ? path[0]
                            : path.size() == 2 ? member_key(path[0], path[1])
                                               : std::string();
    if (const auto secret = secrets_.find(key); secret != secrets_.end()) {
        if (secret->second.empty()) return std::nullopt;
        return TemplateValue::of_text(std::string(secret->second.reveal()), true);
    }
    if (const auto member = members_.find(key); member != members_.end()) return member->second;
    const auto root = values_.find(path[0]);
    if (root == values_.end()) return std::nullopt;
    // Header names have no case; whoever sets them stores them in lower case, as HttpResponse does.
    const std::vector<std::string> header{path.size() == 2 && path[0] == "headers" ? ascii_lower(path[1])
                                                                                   : std::string()};
    const nlohmann::json* const found =
        descend(root->second, header[0].empty() ? path.subspan(1) : std::span<const std::string>(header));
    if (found == nullptr) return std::nullopt;
    return TemplateValue::of(*found);
}

}  // namespace pg_pull
