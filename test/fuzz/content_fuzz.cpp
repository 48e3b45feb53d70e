// What a remote answers: the first line is the Content-Type, the second byte after it chooses the status and how it is read, the
// rest is the body. A success is a page or a problem, never both or neither; what came in another charset is UTF-8 afterwards.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/json/utf8.h"
#include "source/rest/charset.h"
#include "source/rest/content.h"

namespace {

using namespace pg_pull;
using namespace pg_pull::rest;

void check(bool holds) {
    if (!holds) std::abort();
}

bool is_declared_otherwise(const std::string& charset) {
    return !charset.empty() && charset != "utf-8" && charset != "utf8" && charset != "us-ascii" && charset != "ascii";
}

void convert(const std::string& body, const std::string& type) {
    const std::string charset = declared_charset(type);
    auto text = to_utf8(body, type);
    if (!text.ok()) {
        check(text.error().reason == Reason::upstream_not_ok && !text.error().message.empty());
        return;
    }
    if (is_declared_otherwise(charset)) {
        std::string copy = text.value();
        check(replace_bad_utf8(copy, kBadByteMark).empty());
    }
}

void read(const std::string& body, const std::string& type, std::uint8_t how) {
    static const std::vector<ErrorRule> rules =
        parse_error_rules(
            nlohmann::json::parse(R"([{"when": {"body": {"path": "error.code", "exists": true}}, "then": "fail"}])"))
            .value();
    HttpResponse response;
    response.status = (how & 1U) != 0 ? 200 : (how & 2U) != 0 ? 204 : 404;
    response.headers = {{"content-type", type}};
    if ((how & 4U) != 0) response.headers.emplace_back("content-length", std::to_string(body.size()));
    response.body = body;
    ContentTerms terms;
    if ((how & 8U) != 0) terms.records_path = parse_path("data").value();
    if ((how & 16U) != 0) terms.rules = &rules;
    terms.path_may_be_absent = (how & 32U) != 0;
    const int status = response.status;
    const Content content = read_content(response, terms);
    if (status == 404)
        check(!content.page && !content.problem);
    else
        check(content.page.has_value() != content.problem.has_value());
    check(!content.problem || !content.problem->message.empty());
    check(!content.cut_short || content.problem);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string input(reinterpret_cast<const char*>(data), size);
    const auto line = input.find('\n');
    if (line == std::string::npos || line + 1 >= input.size()) return 0;
    const std::string type = input.substr(0, line);
    const auto how = static_cast<std::uint8_t>(input[line + 1]);
    const std::string body = input.substr(line + 2);
    (void)media_type(type);
    convert(body, type);
    read(body, type, how);
    return 0;
}
