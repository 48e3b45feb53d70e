#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"

namespace pg_pull::rest {

/// The value of `charset` in a Content-Type, lower case; empty where there is none.
[[nodiscard]] std::string declared_charset(std::string_view content_type);

/// `body` in UTF-8. JSON is UTF-8 (RFC 8259 section 8.1) and is let pass as it is; what is declared otherwise, or begins with a
/// byte order mark of UTF-16, is converted. invalid_configuration never; upstream_not_ok for a charset that is not known here,
/// and for bytes that are none of its characters.
Result<std::string> to_utf8(std::string body, std::string_view content_type);

}  // namespace pg_pull::rest
