#include "source/rest/answer_error.h"

#include <utility>

namespace pg_pull::rest {
namespace {

constexpr std::size_t kMessageBytes = 200;

std::string request_line(const Asked& asked) {
    std::string text = asked.method + " " + asked.address;
    if (asked.page > 1) text += ", page " + std::to_string(asked.page);
    if (asked.attempts > 1) text += ", " + std::to_string(asked.attempts) + " attempts";
    return text;
}

/// "Status 500, content type "text/html", body begins: <html>…"
std::string facts(const Connector& connector, const HttpResponse& response, const Content& content) {
    const Redactor& redactor = connector.context().redactor;
    std::string text = "Status " + std::to_string(response.status);
    const auto type = response.header("content-type");
    text += type ? ", content type \"" + excerpt(*type, redactor, 80) + "\"" : ", no content type";
    if (content.beginning.empty()) return text + ", no body.";
    return text + ", the body begins: " + excerpt(content.beginning, redactor);
}

void append_detail(Error& error, const std::string& text) {
    error.detail = error.detail.empty() ? text : error.detail + " " + text;
}

std::string hint_for(int status, Reason reason) {
    if (reason != Reason::upstream_not_ok) return {};
    if (status == 401 || status == 403) return "Check the connector's auth and what its credential is allowed to do.";
    if (status == 404)
        return "Check base_url and path; if it means no records, add an errors rule with then \"empty\".";
    if (status == 429) return "Give the connector a rate_limit.";
    return {};
}

}  // namespace

Error refused_answer(const Connector& connector, const Asked& asked, const HttpResponse& response,
                     const Content& content, const Verdict& verdict) {
    const Redactor& redactor = connector.context().redactor;
    std::string message =
        "connector \"" + connector.name() + "\" answered with status " + std::to_string(response.status);
    if (!verdict.message.empty()) message += ": " + excerpt(verdict.message, redactor, kMessageBytes);
    Error error = fail(Reason::upstream_not_ok, std::move(message));
    error.detail = "Request: " + redactor.redact(request_line(asked)) + ". " + facts(connector, response, content);
    error.hint = hint_for(response.status, error.reason);
    if (verdict.action == AnswerAction::restart) error.hint = "Pull once with full => true.";
    return error;
}

Error unusable_content(const Connector& connector, const Asked& asked, const HttpResponse& response, Content content) {
    const Redactor& redactor = connector.context().redactor;
    Error error = *std::move(content.problem);
    content.problem.reset();
    error.message = "connector \"" + connector.name() + "\": " + error.message;
    error.detail = redactor.redact(error.detail);
    append_detail(error,
                  "Request: " + redactor.redact(request_line(asked)) + ". " + facts(connector, response, content));
    return error;
}

Error line_error(const Connector& connector, const Asked& asked, Error error) {
    const Redactor& redactor = connector.context().redactor;
    error.message = redactor.redact(error.message);
    error.detail = redactor.redact(error.detail);
    append_detail(error,
                  "Connector \"" + connector.name() + "\", request: " + redactor.redact(request_line(asked)) + ".");
    return error;
}

}  // namespace pg_pull::rest
