#include "core/request/body_template.h"

#include <algorithm>

#include "core/base/url.h"
#include "core/json/lookup.h"
#include "core/request/credential_literal.h"
#include "core/request/parameters.h"
#include "core/request/value.h"

namespace pg_pull {
namespace {

using nlohmann::json;

constexpr std::size_t kDeepest = 64;

std::size_t depth_of(const json& node, std::size_t depth = 0) {
    std::size_t deepest = depth;
    if (node.is_structured() && depth <= kDeepest)
        for (const json& child : node) deepest = std::max(deepest, depth_of(child, depth + 1));
    return deepest;
}

void remove_at(json& body, const json::json_pointer& at) {
    json& parent = body[at.parent_pointer()];
    if (parent.is_array())
        parent.erase(parent.begin() + std::stol(at.back()));
    else
        parent.erase(at.back());
}

std::string form_value(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    return dump_body(value);
}

void append_pair(std::string& out, const std::string& name, const json& value) {
    if (value.is_null()) return;
    if (!out.empty()) out.push_back('&');
    out.append(form_encode(name)).append("=").append(form_encode(form_value(value)));
}

}  // namespace

Result<void> BodyTemplate::collect(const json& node, const json::json_pointer& at, std::string_view where) {
    if (node.is_object()) {
        for (const auto& item : node.items())
            PG_PULL_CHECK(collect(item.value(), at / item.key(), place_of(where, item.key())));
    } else if (node.is_array()) {
        for (std::size_t i = 0; i < node.size(); ++i)
            PG_PULL_CHECK(collect(node[i], at / i, place_of(where, std::to_string(i))));
    } else if (node.is_string()) {
        PG_PULL_ASSIGN(auto compiled, Template::compile(node.get_ref<const std::string&>(), where));
        if (!at.empty()) PG_PULL_CHECK(check_no_literal(at.back(), compiled, where));
        if (!compiled.is_constant()) strings_.emplace_back(at, std::move(compiled));
    }
    return {};
}

Result<BodyTemplate> BodyTemplate::parse(const json& config, std::string_view where) {
    BodyTemplate result;
    if (config.is_string()) {
        PG_PULL_ASSIGN(result.text_, Template::compile(config.get_ref<const std::string&>(), where));
        return result;
    }
    if (!config.is_structured())
        return fail(Reason::invalid_configuration, std::string(where) + " must be a JSON object, list or string");
    if (depth_of(config) > kDeepest)
        return fail(Reason::invalid_configuration, std::string(where) + " is nested too deep");
    result.shape_ = config;
    PG_PULL_CHECK(result.collect(config, json::json_pointer(), where));
    return result;
}

bool BodyTemplate::uses(std::string_view root) const noexcept {
    if (text_ && text_->uses(root)) return true;
    return std::any_of(strings_.begin(), strings_.end(), [root](const auto& entry) { return entry.second.uses(root); });
}

Result<RenderedText> BodyTemplate::render_text(const TemplateContext& context, Place place) const {
    // A body that is one `${…}` is what the value says, not a part of something that needs an encoding.
    PG_PULL_ASSIGN(auto text, text_->render(context, text_->is_single_expression() ? Place::text : place));
    return text.value_or(RenderedText{});
}

Result<json> BodyTemplate::render(const TemplateContext& context, bool& secret) const {
    json body = shape_;
    std::vector<const json::json_pointer*> absent;
    for (const auto& [at, text] : strings_) {
        PG_PULL_ASSIGN(const auto value, text.value(context));
        if (!value) {
            absent.push_back(&at);
            continue;
        }
        secret = secret || value->secret;
        body[at] = value->to_json();
    }
    // From the back, so that the places of earlier elements of a list stay valid.
    for (auto at = absent.rbegin(); at != absent.rend(); ++at) remove_at(body, **at);
    return body;
}

void set_at(json& body, const Path& path, json value) {
    json* at = &body;
    for (const std::string& step : path.steps) {
        const auto index = index_of_step(step);
        if (at->is_array() && index && *index < at->size()) {
            at = &(*at)[*index];
            continue;
        }
        if (!at->is_object()) *at = json::object();
        at = &(*at)[step];
    }
    *at = std::move(value);
}

std::string form_text(const json& body) {
    std::string out;
    if (!body.is_object()) return out;
    for (const auto& item : body.items()) {
        if (!item.value().is_array()) {
            append_pair(out, item.key(), item.value());
            continue;
        }
        for (const json& element : item.value()) append_pair(out, item.key(), element);
    }
    return out;
}

}  // namespace pg_pull
