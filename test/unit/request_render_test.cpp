#include "core/request/request.h"

#include "unit/request_support.h"

namespace pg_pull {
namespace {

using nlohmann::json;
using test::Context;
using test::got;

/// A request rendered on https://api.example.com/v1, with the given template and inherited parts.
struct Fixture {
    Context context;
    ParameterList query;
    ParameterList headers;
    RequestBase base;

    Fixture() {
        base.base_url = "https://api.example.com/v1/?key0=b";
        base.credential_origins = {"https://api.example.com:443"};
    }
    Result<HttpRequest> render(const json& config) {
        auto request = parse_request(config, "request");
        if (!request.ok()) return std::move(request).error();
        base.query = {&query};
        base.headers = {&headers};
        return render_request(*request, context.values, base);
    }
    std::string url(const json& config) {
        const auto request = render(config);
        return request.ok() ? request->url : "error: " + request.error().message;
    }
};

std::string header(const Headers& headers, const std::string& name) {
    for (const auto& [key, value] : headers)
        if (key == name) return value;
    return "(none)";
}

TEST(RenderRequest, JoinsPathsAndMergesQueries) {
    Fixture f;
    f.query = got(parse_query({{"a", "inherited"}, {"b", "inherited"}}, "config \"query\""));
    EXPECT_EQ(f.url("/items"), "https://api.example.com/v1/items?key0=b&a=inherited&b=inherited");
    EXPECT_EQ(f.url("/items?b=own&v=x%2by"), "https://api.example.com/v1/items?key0=b&a=inherited&b=own&v=x%2by");
    EXPECT_EQ(f.url({{"url", "/items?b=own"}, {"query", {{"b", "last"}, {"a", nullptr}, {"ids", {1, 2}}}}}),
              "https://api.example.com/v1/items?key0=b&b=last&ids=1&ids=2");
    f.base.overlay.query = {{"b", "page 2"}};
    EXPECT_EQ(f.url({{"url", "/items"}, {"query", {{"b", "last"}}}}),
              "https://api.example.com/v1/items?key0=b&a=inherited&b=page%202");
}

TEST(RenderRequest, OmitsWhatHasNoValue) {
    Fixture f;
    f.base.base_url = "https://api.example.com";
    EXPECT_EQ(f.url({{"url", "/x"}, {"query", {{"a", "${connection.absent}"}, {"b", "${connection.count}"}}}}),
              "https://api.example.com/x?b=42");
    EXPECT_EQ(f.url({{"url", "/x"}, {"query", {{"a", "v${connection.absent}"}}}}),
              "error: request \"query.a\" has no value for \"${connection.absent}\"");
    EXPECT_EQ(f.url({{"url", "/${connection.absent}"}}),
              "error: request \"url\" has no value for \"${connection.absent}\"");
}

TEST(RenderRequest, KeepsUrlStructureWhateverTheValues) {
    Fixture f;
    EXPECT_EQ(f.url("/a/${connection.name}"), "https://api.example.com/v1/a/a%20b%26c%3Dd%2F%C3%A9?key0=b");
    EXPECT_EQ(f.url("/a/${connection.dots}/secrets"), "error: request would hold \".\" or \"..\" as a path segment");
}

TEST(RenderRequest, NeverTakesAPathForAHost) {
    Fixture f;
    f.base.base_url = "https://api.example.com/";
    EXPECT_EQ(f.url("/${connection.empty}/evil.example/x"), "https://api.example.com//evil.example/x");
    EXPECT_EQ(f.url("//evil.example/x"), "https://api.example.com//evil.example/x");
    EXPECT_EQ(f.url("/"), "https://api.example.com/");
    EXPECT_EQ(f.url("/?a=1"), "https://api.example.com/?a=1");
}

TEST(RenderRequest, TracksCredentials) {
    Fixture f;
    auto request = got(
        f.render({{"url", "/x"}, {"headers", {{"X-Auth", "${credential}"}, {"Accept", "text/csv"}, {"X-Mine", "1"}}}}));
    EXPECT_EQ(header(request.credential_headers, "X-Auth"), "s3cr3t/+");
    EXPECT_EQ(header(request.credential_headers, "X-Mine"), "1")
        << "a header of the configuration's own may identify it";
    EXPECT_EQ(header(request.headers, "Accept"), "text/csv");
    EXPECT_FALSE(request.credential_in_url_or_body);
    EXPECT_EQ(request.credential_origins, f.base.credential_origins);
    EXPECT_TRUE(got(f.render({{"url", "/x"}, {"query", {{"k", "${credential}"}}}})).credential_in_url_or_body);
    EXPECT_TRUE(got(f.render("/x/${credential}")).credential_in_url_or_body);
    EXPECT_TRUE(got(f.render({{"url", "/x"}, {"body", {{"a", {{"k", "${credential}"}}}}}})).credential_in_url_or_body);
    EXPECT_FALSE(got(f.render({{"url", "/x"}, {"body", {{"a", 1}}}})).credential_in_url_or_body);
    f.base.base_url_secret = true;
    EXPECT_TRUE(got(f.render("/x")).credential_in_url_or_body);
}

TEST(RenderRequest, RefusesToSendACredentialElsewhere) {
    Fixture f;
    const auto refused = f.render({{"url", "https://evil.example/x"}, {"headers", {{"X-Auth", "${credential}"}}}});
    EXPECT_EQ(test::reason_of(refused), Reason::egress_denied);
    EXPECT_EQ(test::message_of(refused), "the connector's credentials may not be sent to \"https://evil.example:443\"");
    EXPECT_TRUE(f.render({{"url", "https://evil.example/x"}}).ok());
    EXPECT_FALSE(f.render({{"url", "https://evil.example/${credential}"}}).ok());
    f.base.overlay.url = "https://api.example.com:8443/next";
    EXPECT_FALSE(f.render({{"url", "/x"}, {"headers", {{"X-Auth", "${credential}"}}}}).ok())
        << "another port is another origin";
}

TEST(RenderRequest, FollowsALinkUnchanged) {
    Fixture f;
    f.query = got(parse_query({{"a", "1"}}, "config \"query\""));
    f.base.overlay.url = "https://api.example.com/next?cursor=a%2bb";
    const auto request = got(f.render({{"url", "/x"}, {"query", {{"b", "2"}}}, {"headers", {{"Accept", "x/y"}}}}));
    EXPECT_EQ(request.url, "https://api.example.com/next?cursor=a%2bb");
    EXPECT_EQ(header(request.headers, "Accept"), "x/y");
}

TEST(RenderRequest, LetsLaterHeadersWinWithoutCase) {
    Fixture f;
    f.headers = got(parse_headers({{"Accept", "a/b"}, {"X-Version", "1"}, {"User-Agent", "u"}}, "config \"headers\""));
    f.base.overlay.headers = {{"x-cursor", "c1"}};
    const auto request = got(f.render({{"url", "/x"}, {"headers", {{"accept", "c/d"}, {"user-agent", nullptr}}}}));
    EXPECT_EQ(header(request.headers, "accept"), "c/d");
    EXPECT_EQ(request.headers.size(), 1u);
    EXPECT_EQ(header(request.credential_headers, "X-Version"), "1");
    EXPECT_EQ(header(request.credential_headers, "x-cursor"), "c1");
    f.base.overlay.headers = {{"x-cursor", "c1\r\nHost: evil"}};
    EXPECT_FALSE(f.render("/x").ok());
}

TEST(RenderRequest, MakesJsonBodiesWithTypedValues) {
    Fixture f;
    const json body = {{"n", "${connection.count}"},
                       {"t", "n=${connection.count}"},
                       {"gone", "${connection.absent}"},
                       {"list", {"${connection.absent}", "x", "${connection.nothing}", "${connection.flag}"}},
                       {"deep", {{"q", "\"${connection.line}\""}}},
                       {"k", 1.5}};
    const auto request = got(f.render({{"url", "/x"}, {"body", body}}));
    EXPECT_EQ(
        request.body,
        "{\"deep\":{\"q\":\"\\\"a\\r\\nX-Evil: 1\\\"\"},\"k\":1.5,\"list\":[\"x\",true],\"n\":42,\"t\":\"n=42\"}");
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(header(request.headers, "Content-Type"), "application/json");
}

TEST(RenderRequest, PutsTheCursorIntoTheBody) {
    Fixture f;
    f.base.overlay.body = {{got(parse_path("variables.after")), TemplateValue::number("12345678901234567890123.10")}};
    EXPECT_EQ(got(f.render({{"url", "/graphql"}, {"body", {{"query", "q"}, {"variables", {{"first", 10}}}}}})).body,
              "{\"query\":\"q\",\"variables\":{\"after\":12345678901234567890123.10,\"first\":10}}");
    EXPECT_EQ(got(f.render("/x")).body, "{\"variables\":{\"after\":12345678901234567890123.10}}");
}

TEST(RenderRequest, MakesFormBodies) {
    Fixture f;
    const auto request = got(f.render(
        {{"url", "/token"},
         {"format", "form"},
         {"body", {{"a", "${connection.name}"}, {"b", {1, 2}}, {"c", "${connection.absent}"}, {"d", nullptr}}}}));
    EXPECT_EQ(request.body, "a=a+b%26c%3Dd%2F%C3%A9&b=1&b=2");
    EXPECT_EQ(header(request.headers, "Content-Type"), "application/x-www-form-urlencoded");
    EXPECT_EQ(got(f.render({{"url", "/t"}, {"format", "form"}, {"body", "x=${connection.name}"}})).body,
              "x=a+b%26c%3Dd%2F%C3%A9");
    EXPECT_EQ(got(f.render({{"url", "/t"}, {"body", "{\"x\": \"${connection.line}\"}"}})).body,
              "{\"x\": \"a\\r\\nX-Evil: 1\"}");
}

TEST(ParseRequest, RefusesWrongConfigurations) {
    const struct {
        json config;
        const char* message;
    } cases[] = {
        {{{"urll", "/x"}}, "request has no key \"urll\""},
        {{{"url", ""}}, "request \"url\" must be a string that is not empty"},
        {{{"url", "/x"}, {"method", "GET /"}}, "request \"method\" is not an HTTP method"},
        {{{"url", "/x"}, {"method", "connect"}}, "request \"method\" cannot be \"CONNECT\""},
        {{{"url", "/x"}, {"format", "xml"}}, "request \"format\" cannot be \"xml\""},
        {{{"url", "/x"}, {"headers", {{"a b", "x"}}}}, "request \"headers.a b\" is not a header name"},
        {{{"url", "/x"}, {"headers", {{"Host", "x"}}}}, "request \"headers.Host\" cannot be set"},
        {{{"url", "/x"}, {"headers", {{"X-A", {1}}}}}, "request \"headers.X-A\" must be a string, number or boolean"},
        {{{"url", "/x"}, {"query", {{"a", json::object()}}}},
         "request \"query.a\" must be a string, number or boolean"},
        {{{"url", "/x"}, {"body", 5}}, "request \"body\" must be a JSON object, list or string"},
        {{{"url", "/x"}, {"body", {{"a", "${foo}"}}}}, "request \"body.a\" uses the unknown name \"foo\""},
        {{{"url", "/x"}, {"params", {{"code", 1}}}}, "request \"params.code\" must be a name or null"},
        {5, "request must be a JSON object"},
    };
    for (const auto& c : cases) EXPECT_EQ(test::message_of(parse_request(c.config, "request")), c.message) << c.config;
}

TEST(ParseRequest, RefusesLiteralCredentials) {
    const json cases[] = {
        {{"url", "/x"}, {"headers", {{"Authorization", "Bearer abc"}}}},
        {{"url", "/x"}, {"headers", {{"x-api-key", "abc"}}}},
        {{"url", "/x"}, {"headers", {{"X_Auth_Token", "abc"}}}},
        {{"url", "/x"}, {"headers", {{"Cookie", "session=1"}}}},
        {{"url", "/x"}, {"query", {{"access_token", "abc"}}}},
        {{"url", "/x"}, {"query", {{"apikey", {"abc"}}}}},
        {{"url", "/x"}, {"body", {{"a", {{"client_secret", "abc"}}}}}},
        {{"url", "/x"}, {"body", {{"password", "abc${now}"}}}},
        {{"url", "/x?api_key=abc"}},
        {{"url", "https://user:pw@a.example/"}},
        {{"url", "https://${connection.subdomain}:pw@a.example/"}},
    };
    for (const json& config : cases)
        EXPECT_EQ(test::reason_of(parse_request(config, "request")), Reason::credential_literal) << config;
    const json allowed[] = {
        {{"url", "/x"}, {"headers", {{"Authorization", "Token token=${credential}"}}}},
        {{"url", "/x?api_key=${credential}"}},
        {{"url", "/x"},
         {"query", {{"page_token", "abc"}, {"next_token", "x"}, {"sort_key", "id"}, {"token_type", "x"}}}},
        {{"url", "/x"}, {"body", {{"grant_type", "password"}, {"client_secret", "${credential}"}, {"password", ""}}}},
        {{"url", "https://${connection.subdomain}.example/@me"}},
    };
    for (const json& config : allowed) EXPECT_TRUE(parse_request(config, "request").ok()) << config;
}

}  // namespace
}  // namespace pg_pull
