#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/request/template.h"

namespace pg_pull {

enum class TemplateFunction : unsigned char {
    base64,
    base64url,
    urlencode,
    json,
    lower,
    upper,
    date,
    epoch,
    epoch_ms,
    add,
    uuid,
    sha256,
    hmac_sha256,
};

/// A node of an expression.
struct TemplateExpression {
    enum class Kind : unsigned char { literal, path, call, fallback };
    Kind kind = Kind::literal;
    std::string literal;
    std::vector<std::string> path;
    TemplateFunction function = TemplateFunction::json;
    std::vector<TemplateExpression> arguments;  ///< of a call, or the terms of a fallback
};

struct Template::Program {
    /// Text as it stands, or an expression with its source for messages.
    struct Piece {
        bool is_expression = false;
        std::string text;
        TemplateExpression expression;
    };
    std::string source;
    std::string where;
    std::vector<Piece> pieces;
};

Result<Template::Program> parse_template(std::string_view text, std::string_view where);

}  // namespace pg_pull
