#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/http.h"
#include "core/base/redact.h"
#include "core/json/record_page.h"
#include "core/request/error_rules.h"
#include "core/request/source_config.h"

namespace pg_pull::rest {

/// How the body of a page is to be read.
struct ContentTerms {
    std::optional<Path> records_path;
    std::optional<Decoder> decoder;  ///< nothing: by content type
    bool path_may_be_absent = false;
    const std::vector<ErrorRule>* rules = nullptr;
};

/// What a body turned out to be.
struct Content {
    std::optional<RecordPage> page;  ///< nothing where the status is no success, or `problem` is set
    std::optional<Error> problem;    ///< without the facts of the answer: see answer_error
    bool cut_short = false;          ///< the problem may well be a broken line: worth another try
    nlohmann::json document;         ///< for error rules and messages; discarded() where there is none
    std::string beginning;           ///< of the body as received, for errors

    [[nodiscard]] const nlohmann::json* body() const noexcept { return has_document ? &document : nullptr; }
    bool has_document = false;
};

/// Reads the body, which is moved out of `response`. Success statuses: 204 and 205 are an empty page; an empty body is a problem;
/// so are HTML, and what is neither JSON nor lines of it.
[[nodiscard]] Content read_content(HttpResponse& response, const ContentTerms& terms);

/// `application/json` of `Application/JSON; charset=x`.
[[nodiscard]] std::string media_type(std::string_view content_type);

}  // namespace pg_pull::rest
