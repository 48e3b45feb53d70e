#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/json/path.h"
#include "core/request/template.h"

namespace pg_pull {

/// A body template: a JSON value whose strings are templates, compiled once.
class BodyTemplate {
public:
    /// Refuses literal credentials under telling keys.
    static Result<BodyTemplate> parse(const nlohmann::json& config, std::string_view where);

    /// The body is one string: sent as it is, with values encoded for their place.
    [[nodiscard]] bool is_text() const noexcept { return text_.has_value(); }
    /// Does any expression begin with this name?
    [[nodiscard]] bool uses(std::string_view root) const noexcept;
    Result<RenderedText> render_text(const TemplateContext& context, Place place) const;
    /// The value with all templates filled in; may hold raw_json() nodes. A string that is one `${…}` takes the value's type;
    /// without a value it is left out of its object or list. `secret` is set where a credential went in, and left alone elsewhere.
    Result<nlohmann::json> render(const TemplateContext& context, bool& secret) const;

private:
    Result<void> collect(const nlohmann::json& node, const nlohmann::json::json_pointer& at, std::string_view where);

    nlohmann::json shape_;
    std::optional<Template> text_;
    std::vector<std::pair<nlohmann::json::json_pointer, Template>> strings_;  ///< in the order of a walk through shape_
};

/// Sets the value at `path`, making objects where the path leads to nothing. A number as a step fits an existing list.
void set_at(nlohmann::json& body, const Path& path, nlohmann::json value);

/// A rendered body as application/x-www-form-urlencoded: members in their order, lists as repeated names, objects as JSON text,
/// null left out.
[[nodiscard]] std::string form_text(const nlohmann::json& body);

}  // namespace pg_pull
