#include "rest_fixture.h"

namespace pg_pull::test {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

HttpFailure broken_line(bool unsent = false) {
    return {fail(Reason::network, "connection to shop.example:443 broke off"), true, unsent};
}

/// Serves `total` records of {"id": n} by the query parameters `page` (from 1) and `per_page`.
std::function<HttpOutcome(const HttpRequest&)> paged(int total, int size) {
    return [total, size](const HttpRequest& asked) -> HttpOutcome {
        const auto at = asked.url.find("page=");
        const int page = at == std::string::npos ? 1 : std::stoi(asked.url.substr(at + 5));
        std::string body = "[";
        for (int i = (page - 1) * size; i < std::min(page * size, total); ++i)
            body += std::string(body.size() > 1 ? "," : "") + "{\"id\":" + std::to_string(i) + "}";
        HttpResponse response = json_answer(body + "]");
        response.effective_url = asked.url;
        return response;
    };
}

TEST_F(RestTest, OnePageIsReadWhole) {
    script({json_answer(R"([{"id":1},{"id":2}])")});
    EXPECT_EQ(read_all(), (Texts{R"({"id":1})", R"({"id":2})"}));
    EXPECT_TRUE(source->complete());
    EXPECT_EQ(http.requests.at(0).url, "https://shop.example/api/items");
    EXPECT_EQ(http.requests.at(0).method, "GET");
    EXPECT_EQ(counters.pages, 1);
    EXPECT_EQ(counters.requests, 1);
    EXPECT_EQ(counters.bytes_read, 19);
}

TEST_F(RestTest, RecordsAreFoundByTheirPath) {
    request.source["records_path"] = "data.items";
    script({json_answer(R"({"data":{"items":[{"id":1}]}})")});
    EXPECT_EQ(read_all(), Texts{R"({"id":1})"});
}

TEST_F(RestTest, NullAtTheRecordsPathIsAnEmptyPageAndAnAbsentPathAnError) {
    request.source["records_path"] = "users";
    script({json_answer(R"({"users":null,"next_token":null})")});
    EXPECT_EQ(read_all(), Texts{});
    EXPECT_TRUE(source->complete());
    script({json_answer(R"({"error":"x","code":7})")});
    read_all();
    EXPECT_EQ(error.reason, Reason::records_not_array);
    EXPECT_NE(error.detail.find("\"code\""), std::string::npos) << error.detail;
    EXPECT_FALSE(source->complete());
}

TEST_F(RestTest, AnAbsentPathOnALaterPageIsAnEmptyPage) {
    request.source["records_path"] = "data";
    request.pagination = {{"type", "cursor"}, {"path", "next"}, {"param", "cursor"}};
    script({json_answer(R"({"data":[{"id":1}],"next":"a"})"), json_answer(R"({})")});
    EXPECT_EQ(read_all(), Texts{R"({"id":1})"});
    EXPECT_TRUE(source->complete());
}

TEST_F(RestTest, TheNextPageIsAskedForBeforeThisOneIsHandedOut) {
    request.pagination = {{"type", "cursor"}, {"path", "next"}, {"param", "cursor"}};
    request.source["records_path"] = "data";
    script({json_answer(R"({"data":[{"id":1}],"next":"a/b"})"), json_answer(R"({"data":[{"id":2}],"next":null})")});
    source = open();
    ASSERT_TRUE(source->next().ok());
    EXPECT_EQ(http.requests.size(), 2U);
    EXPECT_EQ(http.requests[1].url, "https://shop.example/api/items?cursor=a%2Fb");
    source->pump();
    EXPECT_EQ(http.pumped, 1);
    source.reset();
    EXPECT_EQ(http.abandoned, 1U);
}

TEST_F(RestTest, APreviewReadsNothingAhead) {
    request.pagination = {{"type", "page"}, {"size", 2}};
    request.config["max_concurrency"] = 4;
    request.max_records = 2;
    http.answer = paged(10, 2);
    source = open();
    ASSERT_TRUE(source->next().ok());
    EXPECT_EQ(http.requests.size(), 1U);
    ASSERT_TRUE(source->next().ok());
    EXPECT_EQ(http.requests.size(), 2U);
}

TEST_F(RestTest, PagesWithKnownAddressesAreFetchedAtOnceAndLandInOrder) {
    request.pagination = {{"type", "page"}, {"size", 2}, {"size_param", "per_page"}};
    request.config["max_concurrency"] = 3;
    http.answer = paged(11, 2);
    const Texts records = read_all();
    ASSERT_EQ(records.size(), 11U);
    for (int i = 0; i < 11; ++i) EXPECT_EQ(records[static_cast<std::size_t>(i)], "{\"id\":" + std::to_string(i) + "}");
    EXPECT_EQ(http.most_open, 3U);
    EXPECT_TRUE(http.open.empty());
    EXPECT_EQ(numbers, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
    EXPECT_TRUE(source->complete());
}

TEST_F(RestTest, WhatWasAskedForBeyondTheEndIsNoError) {
    request.pagination = {{"type", "page"}, {"size", 2}};
    request.config["max_concurrency"] = 4;
    const auto pages = paged(3, 2);
    http.answer = [pages](const HttpRequest& asked) -> HttpOutcome {
        if (asked.url.find("page=3") != std::string::npos || asked.url.find("page=4") != std::string::npos ||
            asked.url.find("page=5") != std::string::npos)
            return json_answer("{\"message\":\"no such page\"}", 404);
        return pages(asked);
    };
    EXPECT_EQ(read_all().size(), 3U);
    EXPECT_EQ(error.reason, Reason::none) << error.message;
    EXPECT_EQ(http.abandoned, http.requests.size() - 2);
}

TEST_F(RestTest, ShorterPagesThanAskedForMakeTheGuessWorthless) {
    request.pagination = {{"type", "offset"}, {"size", 4}, {"total", "total"}};
    request.source["records_path"] = "data";
    request.config["max_concurrency"] = 3;
    http.answer = [](const HttpRequest& asked) -> HttpOutcome {  // gives two at most, whatever is asked
        const int offset = std::stoi(asked.url.substr(asked.url.find("offset=") + 7));
        json body = {{"total", 7}, {"data", json::array()}};
        for (int i = offset; i < std::min(offset + 2, 7); ++i) body["data"].push_back({{"id", i}});
        HttpResponse response = json_answer(body.dump());
        response.effective_url = asked.url;
        return response;
    };
    EXPECT_EQ(read_all().size(), 7U) << error.message;
    EXPECT_TRUE(source->complete());
}

TEST_F(RestTest, NextLinksAreFollowedUnchangedWithinTheOrigin) {
    request.pagination = {{"type", "link_header"}};
    request.source["query"] = {{"state", "all"}};
    script({json_answer("[{\"id\":1}]", 200,
                        {{"link", "<https://shop.example/api/items?page=2&sig=a%2fb>; rel=\"next\""}}),
            json_answer("[]")});
    EXPECT_EQ(read_all(), Texts{R"({"id":1})"});
    EXPECT_EQ(urls(), (Texts{"/api/items?state=all", "/api/items?page=2&sig=a%2fb"}));
}

TEST_F(RestTest, ANextLinkOnAnotherOriginIsRefusedUnlessListed) {
    request.pagination = {{"type", "next_url"}, {"path", "next"}};
    request.source["records_path"] = "data";
    const std::vector<HttpOutcome> pages = {json_answer(R"({"data":[{"id":1}],"next":"https://evil.example/x"})"),
                                            json_answer(R"({"data":[]})")};
    script(pages);
    read_all();
    EXPECT_EQ(error.reason, Reason::egress_denied);
    EXPECT_NE(error.detail.find("https://shop.example:443"), std::string::npos);
    EXPECT_NE(error.detail.find("https://evil.example:443"), std::string::npos);
    EXPECT_EQ(http.requests.size(), 1U);

    request.config["origins"] = {"https://evil.example"};
    script(pages);
    EXPECT_EQ(read_all().size(), 1U) << error.message;
}

TEST_F(RestTest, TheKeyOfTheLastRecordLeadsOn) {
    request.pagination = {{"type", "keyset"}, {"field", "id"}, {"param", "after"}, {"size", 1}};
    script({json_answer(R"([{"id":90071992547409931234}])"), json_answer("[]")});
    EXPECT_EQ(read_all().size(), 1U);
    EXPECT_EQ(urls().at(1), "/api/items?after=90071992547409931234");
}

TEST_F(RestTest, ACursorThatComesTwiceIsALoop) {
    request.pagination = {{"type", "cursor"}, {"path", "next"}, {"param", "c"}};
    request.source["records_path"] = "data";
    script({json_answer(R"({"data":[{"id":1}],"next":"same"})")});
    read_all();
    EXPECT_EQ(error.reason, Reason::pagination_loop);
}

TEST_F(RestTest, TooManyPagesAreAnErrorAndNoSilentPart) {
    request.pagination = {{"type", "page"}, {"size", 1}, {"max_pages", 3}};
    http.answer = paged(10, 1);
    read_all();
    EXPECT_EQ(error.reason, Reason::too_many_pages);
    EXPECT_FALSE(source->complete());
}

TEST_F(RestTest, CredentialsGoToTheirPlaceAndNeverIntoErrors) {
    secrets["SHOP"] = "s3cret-token";
    request.auth = {{"type", "bearer"}, {"credential_ref", "SHOP"}};
    script({json_answer(R"({"message":"token s3cret-token is not valid"})", 401)});
    read_all();
    ASSERT_EQ(http.requests.at(0).credential_headers.size(), 1U);
    EXPECT_EQ(http.requests[0].credential_headers[0].second, "Bearer s3cret-token");
    EXPECT_EQ(error.reason, Reason::upstream_not_ok);
    EXPECT_NE(error.message.find("status 401"), std::string::npos);
    EXPECT_EQ(error_text().find("s3cret"), std::string::npos) << error_text();
}

TEST_F(RestTest, AKeyInTheQueryIsNotShown) {
    secrets["SHOP"] = "k/e+y";
    request.auth = {{"type", "api_key"}, {"in", "query"}, {"name", "key"}, {"credential_ref", "SHOP"}};
    script({broken_line()});
    request.config["retry"] = {{"attempts", 1}};
    read_all();
    EXPECT_EQ(http.requests.at(0).url, "https://shop.example/api/items?key=k%2Fe%2By");
    EXPECT_TRUE(http.requests[0].credential_in_url_or_body);
    EXPECT_EQ(error.reason, Reason::network);
    EXPECT_EQ(error_text().find("key="), std::string::npos) << error_text();
    EXPECT_NE(error.detail.find("GET https://shop.example/api/items"), std::string::npos) << error.detail;
}

TEST_F(RestTest, LimitsAndTlsReachTheRequest) {
    secrets = {{"CERT", "-----BEGIN CERTIFICATE-----"}, {"KEY", "-----BEGIN PRIVATE KEY-----"}};
    request.config["timeouts"] = {{"connect", "PT2S"}, {"request", "PT5S"}, {"stall", "PT3S"}};
    request.config["max_page_bytes"] = 1000;
    request.config["tls"] = {{"client_cert_ref", "CERT"}, {"client_key_ref", "KEY"}};
    context.private_addresses_allowed = true;
    script({json_answer("[]")});
    read_all();
    const HttpRequest& asked = http.requests.at(0);
    EXPECT_EQ(asked.timeouts.connect, 2s);
    EXPECT_EQ(asked.timeouts.request, 5s);
    EXPECT_EQ(asked.timeouts.stall, 3s);
    EXPECT_EQ(asked.max_body_bytes, 1000);
    EXPECT_EQ(asked.tls.client_key.reveal(), "-----BEGIN PRIVATE KEY-----");
    EXPECT_TRUE(asked.private_addresses_allowed);
    EXPECT_EQ(asked.credential_origins, Texts{"https://shop.example:443"});
}

/// A token that is refused until it was renewed.
class ScriptedGrants final : public GrantSource {
public:
    Grant current() override { return grant(); }
    Grant renewed(std::int64_t refused) override {
        if (generation <= refused) ++generation;
        return grant();
    }
    std::int64_t generation = 1;

private:
    [[nodiscard]] Grant grant() const {
        return {Secret("token-" + std::to_string(generation)), std::nullopt, {{"shop", "north"}}, generation};
    }
};

TEST_F(RestTest, ATokenThatIsRefusedIsRenewedOnceAndThePageRepeated) {
    ScriptedGrants grants;
    context.grants = &grants;
    request.auth = {{"type", "bearer"}, {"per", "connection"}};
    request.config["errors"] = {{{"when", {{"status", 401}}}, {"then", "refresh_token"}}};
    script({json_answer("{}", 401), json_answer("[]")});
    read_all();
    ASSERT_EQ(http.requests.size(), 2U);
    EXPECT_EQ(http.requests.at(0).credential_headers.at(0).second, "Bearer token-1");
    EXPECT_EQ(http.requests.at(1).credential_headers.at(0).second, "Bearer token-2");
}

TEST_F(RestTest, TemplatesSeeConnectorConnectionAndRun) {
    ScriptedGrants grants;
    context.grants = &grants;
    request.auth = {{"type", "bearer"}, {"per", "connection"}};
    request.config["base_url"] = "https://shop.example/api/${connection.shop}";
    request.source["query"] = {{"run", "${run.id}"}, {"who", "${connector.name}"}, {"none", "${watermark}"}};
    script({json_answer("[]")});
    read_all();
    EXPECT_EQ(urls().at(0), "/api/north/items?run=42&who=shop");
}

TEST_F(RestTest, TheWatermarkGoesIntoItsParameter) {
    request.watermark = parse_watermark({{"field", "updated_at"}, {"param", "since"}, {"end_param", "until"}}).value();
    request.watermark_start = parse_watermark_value("2024-05-01 10:00:00+00", WatermarkType::timestamptz, {}).value();
    request.source["query"] = {{"since", "overridden"}, {"w", "${watermark}"}};
    script({json_answer("[]")});
    read_all();
    EXPECT_EQ(urls().at(0),
              "/api/items?since=2024-05-01T10%3A00%3A00Z&w=2024-05-01T10%3A00%3A00Z&until=2023-11-14T22%3A13%3A20Z");
}

TEST_F(RestTest, EachWindowIsAReadingOfItsOwn) {
    request.watermark =
        parse_watermark(
            {{"field", "at"}, {"param", "from"}, {"end_param", "to"}, {"window", "P1D"}, {"format", "iso_date"}})
            .value();
    request.watermark_start = parse_watermark_value("2023-11-12", WatermarkType::date, {}).value();
    request.pagination = {{"type", "page"}, {"size", 1}};
    const auto pages = paged(1, 1);
    http.answer = [pages](const HttpRequest& asked) { return pages(asked); };
    EXPECT_EQ(read_all().size(), 3U) << error.message;
    EXPECT_TRUE(source->complete());
    EXPECT_EQ(urls().at(0), "/api/items?page=1&from=2023-11-12&to=2023-11-13");
    EXPECT_EQ(urls().at(2), "/api/items?page=1&from=2023-11-13&to=2023-11-14");
    EXPECT_EQ(numbers, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
}

TEST_F(RestTest, AnOpenProblemIsToldAtOnce) {
    request.auth = {{"type", "oauth2"},
                    {"client_id", "x"},
                    {"credential_ref", "S"},
                    {"token", "https://shop.example/token"},
                    {"authorize", "https://shop.example/auth"}};
    const auto opened = rest::open_source(context, request);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().reason, Reason::not_connected);
}

TEST_F(RestTest, NothingComesAfterAnError) {
    script({json_answer("no", 500)});
    request.config["retry"] = {{"attempts", 1}};
    read_all();
    EXPECT_EQ(error.reason, Reason::upstream_not_ok);
    const auto again = source->next();
    ASSERT_TRUE(again.ok());
    EXPECT_FALSE(again->has_value());
    EXPECT_FALSE(source->complete());
}

}  // namespace
}  // namespace pg_pull::test
