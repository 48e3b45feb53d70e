#pragma once

#include <cstdint>
#include <string>

#include "core/base/error.h"
#include "core/base/http.h"
#include "core/request/error_rules.h"
#include "source/rest/connector.h"
#include "source/rest/content.h"

namespace pg_pull::rest {

/// What was asked, and how often: for messages.
struct Asked {
    std::string method;
    std::string address;    ///< shown_address()
    std::int64_t page = 0;  ///< of its reading, from 1
    int attempts = 1;
};

/// An answer that is an error by its status or by a rule. The detail shows status, content type and the beginning of the body,
/// everything redacted.
[[nodiscard]] Error refused_answer(const Connector& connector, const Asked& asked, const HttpResponse& response,
                                   const Content& content, const Verdict& verdict);

/// content.problem with the facts of the answer behind it.
[[nodiscard]] Error unusable_content(const Connector& connector, const Asked& asked, const HttpResponse& response,
                                     Content content);

/// A failure of the line, redacted, saying what was asked.
[[nodiscard]] Error line_error(const Connector& connector, const Asked& asked, Error error);

}  // namespace pg_pull::rest
