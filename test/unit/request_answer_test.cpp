#include "core/request/error_rules.h"
#include "core/request/response_map.h"
#include "unit/request_support.h"

namespace pg_pull {
namespace {

using nlohmann::json;
using test::at;
using test::got;

HttpResponse answer(int status, Headers headers = {}) {
    HttpResponse response;
    response.status = status;
    response.headers = std::move(headers);
    return response;
}

TEST(Judge, HasDefaults) {
    const RetryConfig retry;
    const struct {
        int status;
        bool can_refresh;
        AnswerAction wanted;
    } cases[] = {
        {200, false, AnswerAction::ok},           {204, false, AnswerAction::ok},
        {301, false, AnswerAction::fail},         {304, false, AnswerAction::fail},
        {400, false, AnswerAction::fail},         {401, false, AnswerAction::fail},
        {401, true, AnswerAction::refresh_token}, {403, true, AnswerAction::fail},
        {404, false, AnswerAction::fail},         {408, false, AnswerAction::retry},
        {425, false, AnswerAction::retry},        {429, false, AnswerAction::rate_limited},
        {500, false, AnswerAction::retry},        {501, false, AnswerAction::fail},
        {503, false, AnswerAction::retry},
    };
    for (const auto& c : cases)
        EXPECT_EQ(judge({}, retry, answer(c.status), nullptr, c.can_refresh).action, c.wanted) << c.status;
}

TEST(Judge, TakesTheFirstRuleThatFits) {
    const auto rules = got(parse_error_rules(json::parse(R"([
        {"when": {"status": 200, "body": {"path": "ok", "equals": false}}, "then": "fail", "message": "error"},
        {"when": {"status": [403, 404], "header": {"X-Reason": "quota"}}, "then": "rate_limited"},
        {"when": {"status": 404}, "then": "empty"},
        {"when": {"body": [{"path": "error.code", "in": [5, 6]}, {"path": "error.fatal", "exists": false}]}, "then": "retry"},
        {"when": {"status": 401}, "then": "ignore"}])")));
    const RetryConfig retry;
    const auto verdict = [&](int status, const char* body, Headers headers = {}) {
        const json document = body == nullptr ? json() : json::parse(body);
        return judge(rules, retry, answer(status, std::move(headers)), body == nullptr ? nullptr : &document, true);
    };
    EXPECT_EQ(verdict(200, R"({"ok": true})").action, AnswerAction::ok);
    EXPECT_EQ(verdict(200, R"({"ok": false, "error": "not_authed"})").action, AnswerAction::fail);
    EXPECT_EQ(verdict(200, R"({"ok": false, "error": "not_authed"})").message, "not_authed");
    EXPECT_EQ(verdict(404, nullptr).action, AnswerAction::empty);
    EXPECT_EQ(verdict(404, nullptr).rule, 2);
    EXPECT_EQ(verdict(404, nullptr, {{"x-reason", "quota"}}).action, AnswerAction::rate_limited);
    EXPECT_EQ(verdict(404, nullptr, {{"x-reason", "other"}}).action, AnswerAction::empty);
    EXPECT_EQ(verdict(400, R"({"error": {"code": 5}})").action, AnswerAction::retry);
    EXPECT_EQ(verdict(400, R"({"error": {"code": 5, "fatal": true}})").action, AnswerAction::fail);
    EXPECT_EQ(verdict(401, nullptr).action, AnswerAction::ignore);
    EXPECT_EQ(verdict(200, nullptr).action, AnswerAction::ok) << "no body predicate holds on what is no JSON";
}

TEST(Judge, FindsTheMessageInTheUsualPlaces) {
    const RetryConfig retry;
    const struct {
        const char* body;
        const char* wanted;
    } cases[] = {{R"({"message": "m"})", "m"},
                 {R"({"error": {"message": "m", "code": 1}})", "m"},
                 {R"({"error": "invalid", "error_description": "m"})", "m"},
                 {R"({"errors": [{"detail": "m"}]})", "m"},
                 {R"({"errors": ["m"]})", "m"},
                 {R"([{"message": "m"}])", "m"},
                 {R"({"message": 5})", ""},
                 {R"([])", ""}};
    for (const auto& c : cases) {
        const json body = json::parse(c.body);
        EXPECT_EQ(judge({}, retry, answer(400), &body).message, c.wanted) << c.body;
    }
}

TEST(ResponseMap, ReadsTokensAndExpiry) {
    const WallTime now = at("2024-05-01T00:00:00Z");
    const auto read = [&](const char* map, const char* body, int status = 200) {
        const json document = json::parse(body);
        return read_response(got(parse_response_map(json::parse(map), "response")), answer(status), &document, now);
    };
    const auto values = read(
        R"({"token": "access_token", "refresh_token": "r", "expires_in": "expires_in", "scope": "scope", "keep": {"site": "a.b", "no": "x"}})",
        R"({"access_token": "T", "r": "R", "expires_in": 3600, "scope": ["a", "b"], "a": {"b": "s"}})");
    EXPECT_TRUE(values.success);
    EXPECT_EQ(values.token.reveal(), "T");
    EXPECT_EQ(values.refresh_token.reveal(), "R");
    EXPECT_EQ(values.expires_at, at("2024-05-01T01:00:00Z"));
    EXPECT_EQ(values.scope, "a b");
    EXPECT_EQ(values.keep, (json{{"site", "s"}}));
    const struct {
        const char* map;
        const char* body;
        const char* wanted;
    } expiries[] = {
        {R"({"expires_in": "e"})", R"({"e": "60"})", "2024-05-01T00:01:00Z"},
        {R"({"expires_in": "e", "unit": "ms"})", R"({"e": 60000})", "2024-05-01T00:01:00Z"},
        {R"({"expires_in": "e", "unit": "epoch"})", R"({"e": 1714525200})", "2024-05-01T01:00:00Z"},
        {R"({"expires_at": "e"})", R"({"e": 1714525200})", "2024-05-01T01:00:00Z"},
        {R"({"expires_at": "e"})", R"({"e": 1714525200000})", "2024-05-01T01:00:00Z"},
        {R"({"expires_at": "e", "unit": "iso"})", R"({"e": "2024-05-01T03:00:00+02:00"})", "2024-05-01T01:00:00Z"},
        {R"({"expires_in": "e"})", R"({"e": -5})", "2024-05-01T00:00:00Z"},
    };
    for (const auto& c : expiries) EXPECT_EQ(read(c.map, c.body).expires_at, at(c.wanted)) << c.map << c.body;
    for (const char* body : {R"({"e": "soon"})", R"({"e": null})", R"({})", R"({"e": {}})"})
        EXPECT_FALSE(read(R"({"expires_in": "e"})", body).expires_at) << body;
    EXPECT_TRUE(read(R"({"expires_in": "e"})", R"({"e": 1e300})").expires_at);
}

TEST(ResponseMap, TellsSuccess) {
    const auto success = [](const char* map, int status, const char* body) {
        const json document = json::parse(body);
        return read_response(got(parse_response_map(json::parse(map), "response")), answer(status, {{"x-ok", "1"}}),
                             &document, {})
            .success;
    };
    EXPECT_TRUE(success("{}", 200, "{}"));
    EXPECT_FALSE(success("{}", 400, "{}"));
    EXPECT_FALSE(success(R"({"error": "error"})", 200, R"({"error": "x"})"));
    EXPECT_TRUE(success(R"({"error": "error"})", 200, R"({"error": false})"));
    EXPECT_TRUE(success(R"({"success": {"path": "ok", "equals": true}})", 200, R"({"ok": true})"));
    EXPECT_FALSE(success(R"({"success": {"path": "ok", "equals": true}})", 200, R"({"ok": false})"));
    EXPECT_TRUE(
        success(R"({"success": [{"path": "/status", "in": [200, 201]}, {"path": "/headers/x-ok", "equals": "1"}]})",
                201, "{}"));
    EXPECT_FALSE(success(R"({"success": {"path": "/status", "equals": 200}})", 201, "{}"));
    EXPECT_FALSE(parse_response_map({{"tokn", "x"}}, "response").ok());
}

}  // namespace
}  // namespace pg_pull
