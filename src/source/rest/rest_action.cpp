#include "source/rest/rest_action.h"

#include <map>

#include "core/json/keys.h"
#include "source/rest/answer_error.h"
#include "source/rest/charset.h"
#include "source/rest/connector.h"

namespace pg_pull::rest {
namespace {

using nlohmann::json;

/// Input is taken word for word: it is data of the caller, not configuration, and no template.
std::string literal(const std::string& text) {
    std::string escaped;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '$' && i + 1 < text.size() && text[i + 1] == '{')
            escaped += "${'$'}";
        else
            escaped += text[i];
    }
    return escaped;
}

json literal(const json& value) {
    if (value.is_string()) return literal(value.get_ref<const std::string&>());
    json copy = value;
    if (value.is_structured())
        for (auto& item : copy) item = literal(item);
    return copy;
}

Result<std::string> scalar_text(const json& value, const std::string& where) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number() || value.is_boolean()) return value.dump();
    return fail(Reason::invalid_configuration, "input \"" + where + "\" must be a string, number or boolean");
}

Result<std::vector<std::pair<std::string, std::string>>> pairs_of(const json& input, const char* key) {
    std::vector<std::pair<std::string, std::string>> pairs;
    const auto at = input.find(key);
    if (at == input.end() || at->is_null()) return pairs;
    if (!at->is_object())
        return fail(Reason::invalid_configuration, std::string("input \"") + key + "\" must be an object");
    for (const auto& [name, value] : at->items()) {
        if (value.is_null()) continue;
        PG_PULL_ASSIGN(auto text, scalar_text(value, std::string(key) + "." + name));
        pairs.emplace_back(name, std::move(text));
    }
    return pairs;
}

struct Action {
    RequestTemplate request;
    RequestOverlay overlay;
};

Result<Action> parse_action(const json& input) {
    PG_PULL_CHECK(check_keys(input, "input", {"method", "path", "headers", "query", "body"}));
    json definition = json::object();
    const auto path = input.find("path");
    if (path == input.end() || !path->is_string())
        return fail(Reason::invalid_configuration, "input \"path\" must be a string")
            .with_hint("It begins with a slash and is joined to the connector's base_url.");
    std::string text = path->get<std::string>();
    if (text.empty() || text[0] != '/') text.insert(text.begin(), '/');
    definition["url"] = literal(text);
    if (const auto method = input.find("method"); method != input.end() && !method->is_null())
        definition["method"] = *method;
    if (const auto body = input.find("body"); body != input.end() && !body->is_null())
        definition["body"] = literal(*body);
    Action action;
    PG_PULL_ASSIGN(action.request, parse_request(definition, "input"));
    PG_PULL_ASSIGN(action.overlay.query, pairs_of(input, "query"));
    PG_PULL_ASSIGN(action.overlay.headers, pairs_of(input, "headers"));
    return action;
}

/// jsonb cannot hold U+0000; the answer shows the replacement character instead.
std::string without_nul_escapes(const std::string& text) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            result += text[i];
        } else if (text.compare(i, 6, "\\u0000") == 0) {
            result += "\\ufffd";
            i += 5;
        } else {
            result += text[i];
            result += text[++i];
        }
    }
    return result;
}

Result<std::string> body_text(HttpResponse& response) {
    const std::string type(response.header("content-type").value_or(""));
    auto converted = to_utf8(std::move(response.body), type);
    if (!converted.ok()) return std::move(converted).error();
    const std::string& body = converted.value();
    if (body.find_first_not_of(" \t\r\n") == std::string::npos) return std::string("null");
    if (json::accept(body)) return without_nul_escapes(body);
    return without_nul_escapes(json(body).dump(-1, ' ', false, json::error_handler_t::replace));
}

Result<ActionAnswer> answer_of(HttpResponse response) {
    std::map<std::string, std::string> headers;
    for (const auto& [name, value] : response.headers) {
        std::string& all = headers[name];
        all += (all.empty() ? "" : ", ") + value;
    }
    ActionAnswer answer;
    answer.status = response.status;
    answer.ok = response.status < 400;
    PG_PULL_ASSIGN(const std::string body, body_text(response));
    answer.text =
        "{\"ok\":" + std::string(answer.ok ? "true" : "false") + ",\"status\":" + std::to_string(response.status) +
        ",\"headers\":" + without_nul_escapes(json(headers).dump(-1, ' ', false, json::error_handler_t::replace)) +
        ",\"body\":" + body + "}";
    return answer;
}

Result<HttpResponse> send_once(SourceContext& context, Connector& connector, const Action& action) {
    PG_PULL_ASSIGN(HttpRequest request, connector.make_request(action.request, action.overlay));
    const Asked asked{request.method, shown_address(request.url), 1, 1};
    if (const auto& limit = connector.config().rate_limit) {
        const Millis pause = context.rate.reserve(*limit);
        if (pause > Millis(0)) context.waiter.sleep(context.clock, pause);
    }
    ++context.counters.requests;
    HttpOutcome outcome = context.http.send(std::move(request));
    if (auto* failure = std::get_if<HttpFailure>(&outcome))
        return line_error(connector, asked, std::move(failure->error));
    return std::get<HttpResponse>(std::move(outcome));
}

}  // namespace

Result<ActionAnswer> send_action(SourceContext& context, const std::string& connector_name, const json& config,
                                 const json& auth, const json& input) {
    Action action;
    if (!input.is_null()) {
        PG_PULL_ASSIGN(action, parse_action(input));
    }
    PG_PULL_ASSIGN(const auto connector, Connector::open(context, connector_name, config, auth));
    PG_PULL_ASSIGN(HttpResponse response, send_once(context, *connector, action));
    if (response.status == 401 && context.grants != nullptr && connector->auth().can_refresh()) {
        PG_PULL_CHECK(connector->renew(connector->generation()));
        PG_PULL_ASSIGN(response, send_once(context, *connector, action));
    }
    return answer_of(std::move(response));
}

}  // namespace pg_pull::rest
