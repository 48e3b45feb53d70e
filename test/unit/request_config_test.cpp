#include "core/request/connector_config.h"
#include "core/request/source_config.h"
#include "unit/request_support.h"

namespace pg_pull {
namespace {

using nlohmann::json;
using test::got;
using test::message_of;

TEST(RestConfig, HasTheContractsDefaults) {
    const auto config = got(parse_rest_config({{"base_url", "https://a.example"}}));
    EXPECT_EQ(config.timeouts.connect, Millis(10'000));
    EXPECT_EQ(config.timeouts.request, Millis(30'000));
    EXPECT_EQ(config.timeouts.stall, Millis(30'000));
    EXPECT_EQ(config.retry.attempts, 5);
    EXPECT_EQ(config.retry.max, Millis(300'000));
    EXPECT_EQ(config.max_concurrency, 1);
    EXPECT_EQ(config.max_page_bytes, 256LL << 20);
    EXPECT_FALSE(config.rate_limit);
    EXPECT_TRUE(config.pagination.is_null());
}

TEST(RestConfig, ReadsEveryKey) {
    const auto config = got(parse_rest_config(json::parse(R"({
        "base_url": "https://${connection.subdomain}.example.com/api", "origins": ["HTTPS://Login.example.com"],
        "headers": {"Accept": "x"}, "query": {"v": 2},
        "timeouts": {"connect": "PT1S", "request": "PT2M", "stall": "PT0.5S"},
        "retry": {"attempts": 1, "initial": "PT2S", "max": "PT1M", "multiplier": 1.5, "jitter": false, "statuses": [500], "methods": ["post"]},
        "rate_limit": {"requests": 10, "per": "PT1S", "burst": 3}, "max_concurrency": 4, "max_page_bytes": 1000,
        "tls": {"ca": "-----BEGIN CERTIFICATE-----", "client_cert_ref": "c", "client_key_ref": "k"},
        "errors": [{"when": {"status": 404}, "then": "empty"}],
        "reset_header": {"name": "X-RateLimit-Reset", "unit": "epoch"}, "pagination": {"type": "link_header"}})")));
    EXPECT_EQ(config.origins, std::vector<std::string>{"https://login.example.com:443"});
    EXPECT_EQ(config.timeouts.stall, Millis(500));
    EXPECT_EQ(config.retry.methods, std::vector<std::string>{"POST"});
    EXPECT_EQ(config.rate_limit->burst, 3);
    EXPECT_EQ(config.tls_client_key_ref, "k");
    EXPECT_EQ(config.errors.size(), 1u);
    EXPECT_EQ(config.reset_header->name, "x-ratelimit-reset");
    const test::Context context;
    const auto base = got(render_base_url(config, context.values));
    EXPECT_EQ(base.text, "https://acme.example.com/api");
    EXPECT_EQ(got(allowed_origins(config, base.text)),
              (std::vector<std::string>{"https://acme.example.com:443", "https://login.example.com:443"}));
}

TEST(RestConfig, NamesTheKeyThatIsWrong) {
    const struct {
        const char* config;
        const char* message;
    } cases[] = {
        {R"({})", "config \"base_url\" is missing"},
        {R"([])", "config must be a JSON object"},
        {R"({"base_url": 5})", "config \"base_url\" must be a URL"},
        {R"({"base_url": "a.example"})", "config \"base_url\": the URL is not absolute"},
        {R"({"base_url": "ftp://${connection.x}"})", "config \"base_url\" must begin with https:// or http://"},
        {R"({"base_url": "https://a", "base_uri": 1})", "config has no key \"base_uri\""},
        {R"({"base_url": "https://a", "spec": {}})", "config has no key \"spec\""},
        {R"({"base_url": "https://a", "origins": ["https://b/x"]})",
         "config \"origins\" has \"https://b:443\" with a path behind it"},
        {R"({"base_url": "https://a", "timeouts": {"request": "30"}})",
         "config \"timeouts.request\": \"30\" is not an ISO 8601 duration"},
        {R"({"base_url": "https://a", "timeouts": {"request": "P2D"}})",
         "config \"timeouts.request\" must be from PT0.001S to PT24H"},
        {R"({"base_url": "https://a", "timeouts": {"connect": "P1M"}})",
         "config \"timeouts.connect\": \"P1M\" has no fixed length"},
        {R"({"base_url": "https://a", "retry": {"attempts": 0}})",
         "config \"retry.attempts\" must be an integer from 1 to 100"},
        {R"({"base_url": "https://a", "retry": {"attempts": "5"}})",
         "config \"retry.attempts\" must be an integer from 1 to 100"},
        {R"({"base_url": "https://a", "retry": {"statuses": [200]}})",
         "config \"retry.statuses\" must be a list of HTTP statuses from 300 to 599"},
        {R"({"base_url": "https://a", "rate_limit": {"requests": 1}})", "config \"rate_limit.per\" is missing"},
        {R"({"base_url": "https://a", "max_concurrency": 0})",
         "config \"max_concurrency\" must be an integer from 1 to 64"},
        {R"({"base_url": "https://a", "tls": {"ca": "x"}})", "config \"tls.ca\" is no certificate in PEM form"},
        {R"({"base_url": "https://a", "tls": {"client_key_ref": "x"}})",
         "config \"tls\" needs both client_cert_ref and client_key_ref, or neither"},
        {R"({"base_url": "https://a", "errors": {}})", "config \"errors\" must be a list of rules"},
        {R"({"base_url": "https://a", "errors": [{"when": {}, "then": "fail"}]})",
         "config \"errors.0.when\" names no condition"},
        {R"({"base_url": "https://a", "errors": [{"when": {"status": 4}, "then": "fail"}]})",
         "config \"errors.0.when.status\" must be an HTTP status from 100 to 599, or a list of them"},
        {R"({"base_url": "https://a", "errors": [{"when": {"status": 400}, "then": "explode"}]})",
         "config \"errors.0.then\" cannot be \"explode\""},
        {R"({"base_url": "https://a", "reset_header": {"unit": "epoch"}})", "config \"reset_header.name\" is missing"},
        {R"({"base_url": "https://a", "pagination": {"type": "pages"}})", "pagination \"type\" cannot be \"pages\""},
    };
    for (const auto& c : cases) EXPECT_EQ(message_of(parse_rest_config(json::parse(c.config))), c.message) << c.config;
}

TEST(RestConfig, RefusesLiteralCredentials) {
    for (const char* config :
         {R"({"base_url": "https://u:p@a.example"})", R"({"base_url": "https://a.example/?api_key=1"})",
          R"({"base_url": "https://a", "headers": {"Authorization": "Bearer x"}})",
          R"({"base_url": "https://a", "query": {"token": "x"}})",
          R"({"base_url": "https://a", "tls": {"ca": "-----BEGIN PRIVATE KEY-----"}})"})
        EXPECT_EQ(test::reason_of(parse_rest_config(json::parse(config))), Reason::credential_literal) << config;
}

TEST(RestConfig, KnowsTheKeysOfEachProvider) {
    EXPECT_TRUE(parse_rest_config({{"spec", "https://a.example/openapi.json"}}, HttpProvider::openapi).ok());
    EXPECT_EQ(message_of(parse_rest_config(json::object(), HttpProvider::openapi)), "config \"spec\" is missing");
    EXPECT_TRUE(parse_rest_config({{"url", "https://a.example/mcp"}, {"include", {"t"}}}, HttpProvider::mcp).ok());
    EXPECT_EQ(message_of(parse_rest_config({{"base_url", "https://a"}}, HttpProvider::mcp)),
              "config \"url\" is missing");
}

TEST(RestSource, ReadsEveryKey) {
    const auto source = got(parse_rest_source(json::parse(R"({
        "path": "/x/${connection.subdomain}", "method": "post", "query": {"a": 1}, "headers": {"Accept": "x"}, "body": {"q": 1},
        "format": "json", "records_path": "data.items", "decoder": {"type": "csv", "delimiter": ";", "header": false},
        "where": "a > 1", "foreach": {"query": "SELECT 1 AS id", "key": ["id"]}})")));
    EXPECT_EQ(source.request.method, "POST");
    EXPECT_EQ(source.records_path->text, "data.items");
    EXPECT_EQ(source.decoder->delimiter, ';');
    EXPECT_FALSE(source.decoder->header);
    EXPECT_EQ(source.foreach->key, std::vector<std::string>{"id"});
    EXPECT_EQ(got(parse_rest_source({{"path", "/x"}, {"body", {{"a", 1}}}})).request.method, "GET");
}

TEST(RestSource, NamesTheKeyThatIsWrong) {
    const struct {
        const char* config;
        const char* message;
    } cases[] = {
        {R"({})", "source \"path\" is missing"},
        {R"({"path": "https://a.example/x"})", "source \"path\" must be a path below the connector's base_url"},
        {R"({"path": "//a.example/x"})", "source \"path\" must be a path below the connector's base_url"},
        {R"({"path": "/x#y"})", "source \"path\" holds a \"#\" or backslash"},
        {R"({"path": "/x", "url": "y"})", "source has no key \"url\""},
        {R"({"path": "/x", "decoder": "yaml"})", "source \"decoder.type\" cannot be \"yaml\""},
        {R"({"path": "/x", "decoder": {"type": "json", "header": true}})", "source \"decoder\" has no key \"header\""},
        {R"({"path": "/x", "foreach": {}})", "source \"foreach\" needs one of \"query\", \"mapping\""},
        {R"({"path": "/x", "foreach": {"query": "a", "mapping": "b"}})",
         "source \"foreach\" can have only one of \"query\", \"mapping\""},
    };
    for (const auto& c : cases) {
        EXPECT_EQ(message_of(parse_rest_source(json::parse(c.config))), c.message) << c.config;
    }
    EXPECT_FALSE(parse_rest_source({{"path", "/x"}, {"records_path", "a..b"}}).ok());
    EXPECT_TRUE(parse_rest_source({{"path", "/search?u=https://x"}}).ok());
}

TEST(RestSource, SaysWhatIsNotSupportedYet) {
    EXPECT_TRUE(check_supported(got(parse_rest_source({{"path", "/x"}, {"decoder", "ndjson"}}))).ok());
    for (const json& config : {json{{"path", "/x"}, {"decoder", "csv"}}, json{{"path", "/x"}, {"decoder", "xml"}},
                               json{{"path", "/x"}, {"foreach", {{"mapping", "m"}}}}}) {
        const auto checked = check_supported(got(parse_rest_source(config)));
        ASSERT_FALSE(checked.ok()) << config;
        EXPECT_EQ(checked.error().code(), "0A000");
    }
}

}  // namespace
}  // namespace pg_pull
