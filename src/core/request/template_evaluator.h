#pragma once

#include <optional>

#include "core/base/error.h"
#include "core/request/template_parser.h"

namespace pg_pull {

/// The value of an expression; nothing where it is absent. Errors (a value that is no time, a wrong format) do not show values.
Result<std::optional<TemplateValue>> evaluate(const TemplateExpression& expression, const TemplateContext& context);

}  // namespace pg_pull
