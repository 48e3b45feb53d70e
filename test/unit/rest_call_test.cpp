#include "rest_fixture.h"

// What happens between a request and its answer: repeats, rate limits, error rules.

namespace pg_pull::test {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

HttpFailure line_failure(bool may_retry, bool unsent) { return {fail(Reason::network, "no line"), may_retry, unsent}; }
HttpResponse status(int code, Headers headers = {}) {
    return json_answer("{\"message\":\"sorry\"}", code, std::move(headers));
}

TEST_F(RestTest, PassingFaultsAreTriedAgain) {
    script({line_failure(true, false), status(503), status(500), json_answer("[{\"id\":1}]")});
    EXPECT_EQ(read_all().size(), 1U) << error.message;
    EXPECT_EQ(counters.requests, 4);
    EXPECT_EQ(counters.retries, 3);
    EXPECT_EQ(waiter.times(WaitReason::retry), 3);
    EXPECT_EQ(waiter.times(WaitReason::none), 3);
    // 1 s, 2 s, 4 s, each with jitter between half and all of it
    EXPECT_GE(clock.passed, 3500ms);
    EXPECT_LE(clock.passed, 7010ms);
    EXPECT_EQ(counters.throttled_ms, 0);
}

TEST_F(RestTest, AfterTheLastAttemptTheErrorSaysHowOften) {
    request.config["retry"] = {{"attempts", 3}};
    script({status(503)});
    read_all();
    EXPECT_EQ(counters.requests, 3);
    EXPECT_EQ(error.reason, Reason::upstream_not_ok);
    EXPECT_EQ(error.message, "connector \"shop\" answered with status 503: sorry");
    EXPECT_NE(error.detail.find("3 attempts"), std::string::npos) << error.detail;
    EXPECT_NE(error.detail.find("content type \"application/json\""), std::string::npos);
    EXPECT_NE(error.detail.find("{\"message\":\"sorry\"}"), std::string::npos);
}

TEST_F(RestTest, TheErrorNamesThePage) {
    request.pagination = {{"type", "page"}, {"size", 1}};
    script({json_answer("[{\"id\":1}]"), status(400)});
    read_all();
    EXPECT_NE(error.detail.find("GET https://shop.example/api/items, page 2"), std::string::npos) << error.detail;
}

TEST_F(RestTest, WhatWillNotPassIsNotTriedAgain) {
    for (const int code : {400, 401, 403, 404, 422, 501}) {
        http.requests.clear();
        script({status(code)});
        read_all();
        EXPECT_EQ(http.requests.size(), 1U) << code;
        EXPECT_EQ(error.reason, Reason::upstream_not_ok);
    }
    http.requests.clear();
    script({line_failure(false, false)});
    read_all();
    EXPECT_EQ(http.requests.size(), 1U);
}

TEST_F(RestTest, OnlyIdempotentRequestsAreRepeatedUnlessToldOrSurelyUnsent) {
    request.source["method"] = "POST";
    script({status(503)});
    read_all();
    EXPECT_EQ(http.requests.size(), 1U);

    http.requests.clear();
    script({line_failure(true, false)});
    read_all();
    EXPECT_EQ(http.requests.size(), 1U);

    http.requests.clear();
    script({line_failure(true, true), json_answer("[]")});
    read_all();
    EXPECT_EQ(http.requests.size(), 2U);

    http.requests.clear();
    request.config["retry"] = {{"methods", {"GET", "POST"}}};
    script({status(503), json_answer("[]")});
    read_all();
    EXPECT_EQ(http.requests.size(), 2U);

    http.requests.clear();
    request.config = {{"base_url", "https://shop.example"},
                      {"errors", json::parse(R"([{"when":{"status":503},"then":"retry"}])")}};
    script({status(503), json_answer("[]")});
    read_all();
    EXPECT_EQ(http.requests.size(), 2U);
}

TEST_F(RestTest, RetryAfterIsHonouredInBothForms) {
    script({status(503, {{"retry-after", "7"}}), json_answer("[]")});
    read_all();
    EXPECT_GE(clock.passed, 7s);
    EXPECT_LT(clock.passed, 8s);

    clock.passed = {};
    script({status(503, {{"retry-after", "Tue, 14 Nov 2023 22:13:50 GMT"}}), json_answer("[]")});
    read_all();
    EXPECT_GE(clock.passed, 30s);
    EXPECT_LT(clock.passed, 31s);
}

TEST_F(RestTest, NoWaitIsLongerThanItsLimit) {
    request.config["retry"] = {{"max", "PT20S"}};
    script({status(429, {{"retry-after", "86400"}}), json_answer("[]")});
    read_all();
    EXPECT_GE(clock.passed, 20s);
    EXPECT_LT(clock.passed, 21s);
}

TEST_F(RestTest, ResetHeadersAreHonoured) {
    request.config["reset_header"] = {{"name", "X-RateLimit-Reset"}, {"unit", "epoch"}};
    script({status(429, {{"x-ratelimit-reset", "1700000012"}}), json_answer("[]")});
    read_all();
    EXPECT_GE(clock.passed, 12s);
    EXPECT_LT(clock.passed, 13s);
}

TEST_F(RestTest, ThrottlingIsVisibleAndHoldsEverybodyBack) {
    request.config["rate_limit"] = {{"requests", 10}, {"per", "PT1S"}};
    script({status(429, {{"retry-after", "5"}}), json_answer("[]")});
    read_all();
    EXPECT_EQ(waiter.times(WaitReason::rate_limit), 1);
    EXPECT_EQ(counters.throttled_ms, 5000);
    ASSERT_EQ(rate.blocked.size(), 1U);
    EXPECT_EQ(rate.blocked[0], WallTime(1'700'000'005s));
    EXPECT_EQ(rate.reserved, 2);
}

TEST_F(RestTest, ARequestWaitsForItsPlaceInTheRateLimit) {
    request.config["rate_limit"] = {{"requests", 1}, {"per", "PT1S"}};
    rate.wait = 1500ms;
    script({json_answer("[]")});
    read_all();
    EXPECT_EQ(waiter.times(WaitReason::rate_limit), 1);
    EXPECT_EQ(counters.throttled_ms, 1500);
    EXPECT_GE(clock.passed, 1500ms);
    EXPECT_EQ(rate.reserved, 1);
    EXPECT_EQ(counters.retries, 0);
}

TEST_F(RestTest, ErrorsRulesDecideBeforeTheDefaults) {
    request.config["errors"] = json::parse(R"([
        {"when": {"status": 404}, "then": "empty"},
        {"when": {"body": {"path": "ok", "equals": false}}, "then": "fail", "message": "why"}])");
    script({status(404)});
    EXPECT_EQ(read_all(), Texts{});
    EXPECT_EQ(error.reason, Reason::none);
    EXPECT_TRUE(source->complete());

    script({json_answer(R"({"ok":false,"why":"closed for today"})")});
    read_all();
    EXPECT_EQ(error.reason, Reason::upstream_not_ok);
    EXPECT_NE(error.message.find("closed for today"), std::string::npos) << error.message;
}

TEST_F(RestTest, BodyRulesSeeTheEnvelopeAlsoWhenRecordsAreThere) {
    request.source["records_path"] = "data";
    request.config["errors"] =
        json::parse(R"([{"when": {"body": {"path": "errors.0", "exists": true}}, "then": "fail"}])");
    script({json_answer(R"({"data":[{"id":1}]})")});
    EXPECT_EQ(read_all().size(), 1U) << error.message;
    script({json_answer(R"({"data":[{"id":1}],"errors":[{"message":"half of it failed"}]})")});
    read_all();
    EXPECT_NE(error.message.find("half of it failed"), std::string::npos) << error.message;
    script({json_answer(R"({"errors":[{"message":"no data at all"}]})")});
    read_all();
    EXPECT_NE(error.message.find("no data at all"), std::string::npos) << error.message;
}

TEST_F(RestTest, BodyRulesSeeRecordsToo) {
    request.config["errors"] = json::parse(
        R"([{"when": {"body": {"path": "0.error", "exists": true}}, "then": "fail", "message": "0.error"}])");
    script({json_answer(R"([{"error":"not today"}])")});
    read_all();
    EXPECT_NE(error.message.find("not today"), std::string::npos) << error.message;
}

TEST_F(RestTest, AnIgnoredCallEndsItsReadingAndMakesTheRunIncomplete) {
    request.config["errors"] = json::parse(R"([{"when": {"status": 403}, "then": "ignore"}])");
    request.pagination = {{"type", "page"}, {"size", 1}};
    script({json_answer("[{\"id\":1}]"), status(403)});
    EXPECT_EQ(read_all().size(), 1U);
    EXPECT_EQ(error.reason, Reason::none);
    EXPECT_FALSE(source->complete());
    EXPECT_EQ(counters.requests_ignored, 1);
}

TEST_F(RestTest, ARunOfIgnoredCallsOnlyHasFailed) {
    request.config["errors"] = json::parse(R"([{"when": {"status": [400, 403]}, "then": "ignore"}])");
    script({status(403)});
    read_all();
    EXPECT_EQ(error.reason, Reason::all_calls_ignored);
    EXPECT_EQ(counters.requests_ignored, 1);
}

TEST_F(RestTest, EmptyIsACompletePageInTheMiddle) {
    request.config["errors"] = json::parse(R"([{"when": {"status": 404}, "then": "empty"}])");
    request.pagination = {{"type", "page"}, {"size", 1}};
    script({json_answer("[{\"id\":1}]"), status(404)});
    EXPECT_EQ(read_all().size(), 1U);
    EXPECT_TRUE(source->complete());
}

TEST_F(RestTest, HtmlIsAnErrorThatShowsWhatCame) {
    secrets["SHOP"] = "s3cret-token";
    request.auth = {{"type", "bearer"}, {"credential_ref", "SHOP"}};
    script({json_answer("<!DOCTYPE html><html>Please log in, s3cret-token " + std::string(400, 'x'), 200,
                        {{"content-type", "text/html; charset=utf-8"}})});
    read_all();
    EXPECT_EQ(error.reason, Reason::upstream_not_ok);
    EXPECT_NE(error.detail.find("Status 200"), std::string::npos) << error.detail;
    EXPECT_NE(error.detail.find("text/html"), std::string::npos);
    EXPECT_NE(error.detail.find("<!DOCTYPE html>"), std::string::npos);
    EXPECT_EQ(error_text().find("s3cret"), std::string::npos);
    EXPECT_LT(error.detail.size(), 500U);
    EXPECT_EQ(http.requests.size(), 1U);
}

TEST_F(RestTest, WhatIsNoJsonIsAnError) {
    for (const char* body : {"oops", "[{\"id\":1},", "[1,2]{", ""}) {
        script({json_answer(body)});
        const Texts records = read_all();
        EXPECT_TRUE(records.empty()) << body;
        EXPECT_NE(error.reason, Reason::none) << body;
        EXPECT_FALSE(source->complete());
    }
}

TEST_F(RestTest, ABodyThatBreaksOffUnnoticedIsAskedForAgain) {
    HttpResponse cut = json_answer("[{\"id\":1},{\"i", 200, {{"content-encoding", "gzip"}});
    script({cut, json_answer("[{\"id\":1}]")});
    EXPECT_EQ(read_all().size(), 1U) << error.message;
    EXPECT_EQ(counters.retries, 1);
    script({cut});
    read_all();
    EXPECT_EQ(error.reason, Reason::upstream_not_ok);
    EXPECT_EQ(counters.retries, 5);
}

TEST_F(RestTest, NoContentIsAnEmptyPage) {
    script({json_answer("", 204)});
    EXPECT_EQ(read_all(), Texts{});
    EXPECT_EQ(error.reason, Reason::none);
    EXPECT_TRUE(source->complete());
}

TEST_F(RestTest, LinesOfJsonAreRead) {
    script({json_answer("{\"id\":1}\n{\"id\":2}\n", 200, {{"content-type", "application/x-ndjson"}})});
    EXPECT_EQ(read_all(), (Texts{"{\"id\":1}", "{\"id\":2}"}));
    request.source["decoder"] = "ndjson";
    script({json_answer("{\"id\":3}\n\n{\"id\":4}", 200, {{"content-type", "text/plain"}})});
    EXPECT_EQ(read_all(), (Texts{"{\"id\":3}", "{\"id\":4}"}));
    script({json_answer("", 200)});
    EXPECT_EQ(read_all(), Texts{});
    EXPECT_EQ(error.reason, Reason::none);
}

TEST_F(RestTest, OtherCharsetsAreConverted) {
    script(
        {json_answer("[{\"n\":\"Z\xFCrich\"}]", 200, {{"content-type", "application/json; charset=\"ISO-8859-1\""}})});
    EXPECT_EQ(read_all(), Texts{"{\"n\":\"Zürich\"}"});
    script({json_answer("[{\"n\":\"\x80\"}]", 200, {{"content-type", "application/json;charset=windows-1252"}})});
    EXPECT_EQ(read_all(), Texts{"{\"n\":\"€\"}"});
    script({json_answer(std::string("\xFF\xFE[\0{\0}\0]\0", 10))});
    EXPECT_EQ(read_all(), Texts{"{}"});
    // begins with a zero byte, which is no sign of an empty answer
    script(
        {json_answer(std::string("\0[\0{\0}\0]", 8), 200, {{"content-type", "application/json; charset=utf-16be"}})});
    EXPECT_EQ(read_all(), Texts{"{}"});
    script({json_answer("[]", 200, {{"content-type", "application/json; charset=ISO-2022-CN-EXT"}})});
    read_all();
    EXPECT_EQ(error.reason, Reason::upstream_not_ok);
    EXPECT_NE(error.message.find("iso-2022-cn-ext"), std::string::npos);
}

}  // namespace
}  // namespace pg_pull::test
