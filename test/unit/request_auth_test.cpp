#include "core/request/auth_config.h"

#include "core/base/encoding.h"
#include "unit/request_support.h"

namespace pg_pull {
namespace {

using nlohmann::json;
using test::Context;
using test::got;
using test::message_of;

HttpRequest request_to(const std::string& url) {
    HttpRequest request;
    request.url = url;
    request.credential_origins = {"https://api.example.com:443"};
    return request;
}

Result<HttpRequest> applied(const json& auth, HttpRequest request = request_to("https://api.example.com/x?a=1"),
                            const char* credential = "s3cr3t/+") {
    const Context context;
    auto config = parse_auth(auth);
    if (!config.ok()) return std::move(config).error();
    PG_PULL_CHECK(apply_auth(*config, Secret(credential), context.values, request));
    return request;
}

TEST(ApplyAuth, PutsTheCredentialWhereItBelongs) {
    const auto header = [](const json& auth) {
        const auto request = got(applied(auth));
        EXPECT_TRUE(request.headers.empty()) << "a credential is never among the plain headers";
        return request.credential_headers.empty()
                   ? "(none)"
                   : request.credential_headers[0].first + ": " + request.credential_headers[0].second;
    };
    EXPECT_EQ(header({{"type", "bearer"}, {"credential_ref", "R"}}), "Authorization: Bearer s3cr3t/+");
    EXPECT_EQ(header({{"type", "api_key"}, {"credential_ref", "R"}}), "X-API-Key: s3cr3t/+");
    EXPECT_EQ(header({{"type", "api_key"},
                      {"credential_ref", "R"},
                      {"name", "Authorization"},
                      {"value", "Token token=${credential}"}}),
              "Authorization: Token token=s3cr3t/+");
    EXPECT_EQ(header({{"type", "basic"}, {"credential_ref", "R"}, {"username", "${connection.subdomain}/token"}}),
              "Authorization: Basic " + base64_encode("acme/token:s3cr3t/+"));
    EXPECT_EQ(header({{"type", "basic"}, {"credential_ref", "R"}, {"username", "${credential}"}}),
              "Authorization: Basic " + base64_encode("s3cr3t/+:"));
    EXPECT_EQ(header({{"type", "none"}}), "(none)");
}

TEST(ApplyAuth, PutsAKeyIntoTheQuery) {
    const json auth = {{"type", "api_key"}, {"credential_ref", "R"}, {"in", "query"}, {"name", "a"}};
    const auto request = got(applied(auth));
    EXPECT_EQ(request.url, "https://api.example.com/x?a=s3cr3t%2F%2B");
    EXPECT_TRUE(request.credential_in_url_or_body);
}

TEST(ApplyAuth, PutsAKeyIntoTheBody) {
    const json auth = {{"type", "api_key"}, {"credential_ref", "R"}, {"in", "body"}, {"name", "k"}};
    const auto body = [&auth](const char* before, const char* type) {
        HttpRequest request = request_to("https://api.example.com/x");
        request.body = before;
        if (*type != '\0') request.headers.emplace_back("Content-Type", type);
        const auto result = applied(auth, request);
        return result.ok() ? result->body : "error: " + result.error().message;
    };
    EXPECT_EQ(body("{\"n\":1.10}", "application/json"), "{\"k\":\"s3cr3t/+\",\"n\":1.10}");
    EXPECT_EQ(body(" { } ", "application/json"), " {\"k\":\"s3cr3t/+\" } ");
    EXPECT_EQ(body("", ""), "{\"k\":\"s3cr3t/+\"}");
    EXPECT_EQ(body("a=1", "application/x-www-form-urlencoded"), "a=1&k=s3cr3t%2F%2B");
    EXPECT_EQ(body("[]", "application/json"),
              "error: the credential cannot be put into a body that is not a JSON object");
}

TEST(ApplyAuth, ReplacesAHeaderOfTheSameName) {
    HttpRequest request = request_to("https://api.example.com/");
    request.headers = {{"authorization", "x"}};
    request.credential_headers = {{"AUTHORIZATION", "y"}};
    const auto result = got(applied({{"type", "bearer"}, {"credential_ref", "R"}}, request));
    EXPECT_TRUE(result.headers.empty());
    EXPECT_EQ(result.credential_headers.size(), 1u);
}

TEST(ApplyAuth, RefusesOtherOrigins) {
    for (const char* url : {"https://evil.example/", "http://api.example.com/", "https://api.example.com:444/",
                            "https://api.example.com.evil.example/", "https://sub.api.example.com/"})
        EXPECT_EQ(test::reason_of(applied({{"type", "bearer"}, {"credential_ref", "R"}}, request_to(url))),
                  Reason::egress_denied)
            << url;
    HttpRequest custom = request_to("https://evil.example/");
    custom.credential_headers = {{"X-Mine", "1"}};
    EXPECT_EQ(test::reason_of(applied({{"type", "none"}}, custom)), Reason::egress_denied);
}

TEST(ApplyAuth, RefusesCredentialsThatCannotBeSent) {
    const json bearer = {{"type", "bearer"}, {"credential_ref", "R"}};
    const auto request = request_to("https://api.example.com/");
    EXPECT_EQ(test::reason_of(applied(bearer, request, "")), Reason::credential_unresolved);
    const auto refused = applied(bearer, request, "secret\nX-Evil: 1");
    EXPECT_EQ(test::reason_of(refused), Reason::invalid_configuration);
    EXPECT_EQ(message_of(refused).find("secret\n"), std::string::npos);
    EXPECT_FALSE(applied({{"type", "basic"}, {"credential_ref", "R"}, {"username", "a:b"}}, request).ok());
}

TEST(ParseAuth, ReadsLogin) {
    const auto auth = got(parse_auth(json::parse(R"({
        "type": "login", "credential_ref": "PW", "request": {"url": "/login", "body": {"password": "${credential}"}},
        "response": {"token": "data.token", "expires_in": "ttl"}, "use": {"in": "query", "name": "session", "value": "s-${token}"}})")));
    EXPECT_TRUE(auth.can_refresh());
    EXPECT_EQ(auth.login->response.token->text, "data.token");
    const Context context;
    HttpRequest request = request_to("https://api.example.com/x");
    ASSERT_TRUE(apply_auth(auth, Secret("tok"), context.values, request).ok());
    EXPECT_EQ(request.url, "https://api.example.com/x?session=s-tok");
}

TEST(ParseAuth, ReadsOAuth2) {
    const auto auth = got(parse_auth(json::parse(R"({
        "type": "oauth2", "client_id": "id", "credential_ref": "S", "scopes": ["a", "b"], "scope_separator": ",", "pkce": false,
        "margin": "PT5M", "default_lifetime": "PT1H", "resource": "r",
        "authorize": {"url": "https://${connection.shop}/auth", "query": {"x": "1"}, "callback": {"code": "auth_code", "keep": {"realm": "realmId"}}},
        "token": {"url": "https://a.example/token", "format": "form", "client_auth": "basic", "params": {"client_id": "app_id", "scope": null},
                  "response": {"token": "access_token", "unit": "ms", "keep": {"site": "instance_url"}}},
        "refresh": "https://a.example/refresh", "fields": {"shop": {"label": "Shop", "pattern": "^[a-z]+$"}}})")));
    EXPECT_TRUE(auth.per_connection);
    EXPECT_EQ(auth.oauth2->callback.code, "auth_code");
    EXPECT_EQ(auth.oauth2->callback.state, "state");
    EXPECT_EQ(auth.oauth2->callback.keep.at("realm"), "realmId");
    EXPECT_EQ(auth.oauth2->token->client_auth, ClientAuth::basic);
    EXPECT_EQ(auth.oauth2->token->params.at("client_id"), "app_id");
    EXPECT_FALSE(auth.oauth2->token->params.at("scope").has_value());
    EXPECT_EQ(auth.oauth2->margin, Millis(300'000));
    EXPECT_EQ(auth.fields.at(0).label, "Shop");
    EXPECT_TRUE(parse_auth({{"type", "oauth2"}, {"issuer", "https://a.example"}}).ok());
}

TEST(ParseAuth, NamesTheKeyThatIsWrong) {
    const struct {
        const char* config;
        const char* message;
    } cases[] = {
        {R"({})", "auth \"type\" is missing"},
        {R"("x")", "auth must be a JSON object"},
        {R"({"type": "digest"})", "auth \"type\" cannot be \"digest\""},
        {R"({"type": "bearer"})", "auth \"credential_ref\" is missing"},
        {R"({"type": "bearer", "credential_ref": "a b"})", "auth \"credential_ref\" is not the name of a secret"},
        {R"({"type": "bearer", "credential_ref": "R", "name": "x"})", "auth has no key \"name\""},
        {R"({"type": "api_key", "credential_ref": "R", "in": "cookie"})", "auth \"in\" cannot be \"cookie\""},
        {R"({"type": "api_key", "credential_ref": "R", "name": "a b"})", "auth \"name\" is not a header name"},
        {R"({"type": "api_key", "credential_ref": "R", "value": "${foo.x}"})",
         "auth \"value\" uses the unknown name \"foo\""},
        {R"({"type": "login", "credential_ref": "R", "response": {"token": "t"}})", "auth \"request\" is missing"},
        {R"({"type": "login", "credential_ref": "R", "request": "/x", "response": {}})",
         "auth \"response\" does not say where the \"token\" is"},
        {R"({"type": "oauth2", "client_id": "x"})", "auth \"token\" is missing"},
        {R"({"type": "oauth2", "token": "https://a/t"})", "auth \"authorize\" is missing"},
        {R"({"type": "oauth2", "grant": "password", "token": "x"})", "auth \"grant\" cannot be \"password\""},
        {R"({"type": "oauth2", "issuer": "a"})", "auth \"issuer\": the URL is not absolute"},
        {R"({"type": "none", "fields": {"a": {}}})",
         "auth \"fields\" are asked for only where \"per\" is \"connection\""},
        {R"({"type": "bearer", "per": "connection", "fields": {"a": {"default": "x", "enum": ["y"]}}})",
         "auth \"fields.a.default\" is not one of \"enum\""},
        {R"({"type": "bearer", "per": "user"})", "auth \"per\" cannot be \"user\""},
    };
    for (const auto& c : cases) EXPECT_EQ(message_of(parse_auth(json::parse(c.config))), c.message) << c.config;
    EXPECT_TRUE(parse_auth(nullptr).ok());
    EXPECT_TRUE(parse_auth({{"type", "bearer"}, {"per", "connection"}}).ok());
}

TEST(ParseAuth, RefusesLiteralCredentials) {
    for (const char* config :
         {R"({"type": "bearer", "token": "abc"})", R"({"type": "bearer", "credential": "abc"})",
          R"({"type": "basic", "username": "u", "password": "abc"})",
          R"({"type": "api_key", "credential_ref": "R", "value": "abc"})",
          R"({"type": "oauth2", "client_secret": "abc", "issuer": "https://a.example"})",
          R"({"type": "oauth2", "token": {"url": "https://a/t", "body": {"client_secret": "abc"}}})",
          R"({"type": "bearer", "per": "connection", "fields": {"api_key": {"default": "abc"}}})"}) {
        const auto auth = parse_auth(json::parse(config));
        EXPECT_EQ(test::reason_of(auth), Reason::credential_literal) << config;
        EXPECT_EQ(message_of(auth).find("abc"), std::string::npos) << "the credential must not be in the message";
    }
}

}  // namespace
}  // namespace pg_pull
