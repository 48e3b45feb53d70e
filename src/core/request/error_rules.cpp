#include "core/request/error_rules.h"

#include <algorithm>
#include <array>

#include "core/base/encoding.h"
#include "core/json/config_reader.h"
#include "core/json/lookup.h"

namespace pg_pull {
namespace {

using nlohmann::json;

Result<std::vector<int>> parse_statuses(const json& value, const std::string& where) {
    std::vector<int> statuses;
    const auto add = [&statuses](const json& element) {
        if (!element.is_number_integer()) return false;
        const auto status = element.get<std::int64_t>();
        if (status < 100 || status > 599) return false;
        statuses.push_back(static_cast<int>(status));
        return true;
    };
    bool fits = true;
    if (value.is_array())
        for (const json& element : value) fits = fits && add(element);
    else
        fits = add(value);
    if (!fits || statuses.empty())
        return fail(Reason::invalid_configuration,
                    where + " must be an HTTP status from 100 to 599, or a list of them");
    return statuses;
}

Result<std::vector<std::pair<std::string, std::string>>> parse_header_test(const json& value,
                                                                           const std::string& where) {
    std::vector<std::pair<std::string, std::string>> headers;
    if (!value.is_object() || value.empty())
        return fail(Reason::invalid_configuration, where + " must be an object of header names and values");
    for (const auto& item : value.items()) {
        const auto text = scalar_text(item.value());
        if (!text)
            return fail(Reason::invalid_configuration,
                        where + " has a value for \"" + item.key() + "\" that is no text");
        headers.emplace_back(ascii_lower(item.key()), *text);
    }
    return headers;
}

Result<void> parse_when(const json& config, const std::string& where, ErrorRule& rule) {
    ConfigReader reader(config, where, {"status", "header", "body"});
    reader.value("status", rule.statuses, parse_statuses);
    reader.value("header", rule.headers, parse_header_test);
    reader.value("body", rule.body,
                 [](const json& value, const std::string& place) { return parse_predicates(value, place); });
    PG_PULL_CHECK(reader.finish());
    if (rule.statuses.empty() && rule.headers.empty() && rule.body.empty())
        return fail(Reason::invalid_configuration, where + " names no condition")
            .with_hint("Give it status, header or body.");
    return {};
}

Result<ErrorRule> parse_rule(const json& config, const std::string& where) {
    ErrorRule rule;
    ConfigReader reader(config, where, {"when", "then", "message"});
    reader.require("when");
    reader.require("then");
    reader.choice("then", rule.action,
                  {{"retry", AnswerAction::retry},
                   {"rate_limited", AnswerAction::rate_limited},
                   {"fail", AnswerAction::fail},
                   {"ignore", AnswerAction::ignore},
                   {"empty", AnswerAction::empty},
                   {"refresh_token", AnswerAction::refresh_token},
                   {"restart", AnswerAction::restart}});
    reader.path("message", rule.message);
    PG_PULL_CHECK(reader.finish());
    PG_PULL_CHECK(parse_when(config["when"], reader.place("when"), rule));
    return rule;
}

bool fits(const ErrorRule& rule, const HttpResponse& response, const json* body) {
    if (!rule.statuses.empty() &&
        std::find(rule.statuses.begin(), rule.statuses.end(), response.status) == rule.statuses.end())
        return false;
    for (const auto& wanted : rule.headers) {
        // A header may be there several times; one that fits is enough.
        const bool found = std::any_of(response.headers.begin(), response.headers.end(), [&](const auto& header) {
            return header.first == wanted.first && header.second == wanted.second;
        });
        if (!found) return false;
    }
    return rule.body.empty() || (body != nullptr && holds(rule.body, *body));
}

AnswerAction default_action(const RetryConfig& retry, int status, bool can_refresh) {
    if (status >= 200 && status <= 299) return AnswerAction::ok;
    if (status == 401 && can_refresh) return AnswerAction::refresh_token;
    if (!is_retry_status(retry, status)) return AnswerAction::fail;
    return status == 429 ? AnswerAction::rate_limited : AnswerAction::retry;
}

/// Where APIs put what they have to say, most telling first.
std::string usual_message(const json& body) {
    constexpr std::array<std::string_view, 10> places{"/error/message",
                                                      "/message",
                                                      "/error_description",
                                                      "/errors/0/message",
                                                      "/errors/0/detail",
                                                      "/detail",
                                                      "/error",
                                                      "/errors/0",
                                                      "/title",
                                                      "/0/message"};
    for (const auto place : places) {
        const auto path = parse_path(place);
        const json* const found = path.ok() ? find_value(body, *path) : nullptr;
        if (found != nullptr && found->is_string() && !found->get_ref<const std::string&>().empty())
            return found->get<std::string>();
    }
    return {};
}

}  // namespace

Result<std::vector<ErrorRule>> parse_error_rules(const json& config) {
    if (!config.is_array()) return fail(Reason::invalid_configuration, "config \"errors\" must be a list of rules");
    std::vector<ErrorRule> rules;
    for (std::size_t i = 0; i < config.size(); ++i) {
        PG_PULL_ASSIGN(auto rule, parse_rule(config[i], "config \"errors." + std::to_string(i) + "\""));
        rules.push_back(std::move(rule));
    }
    return rules;
}

Verdict judge(const std::vector<ErrorRule>& rules, const RetryConfig& retry, const HttpResponse& response,
              const json* body, bool can_refresh) {
    Verdict verdict;
    const auto rule =
        std::find_if(rules.begin(), rules.end(), [&](const ErrorRule& r) { return fits(r, response, body); });
    if (rule == rules.end()) {
        verdict.action = default_action(retry, response.status, can_refresh);
    } else {
        verdict.action = rule->action;
        verdict.rule = static_cast<int>(rule - rules.begin());
        if (rule->message && body != nullptr)
            if (const json* const found = find_value(*body, *rule->message))
                verdict.message = scalar_text(*found).value_or("");
    }
    if (verdict.message.empty() && body != nullptr && verdict.action != AnswerAction::ok)
        verdict.message = usual_message(*body);
    return verdict;
}

}  // namespace pg_pull
