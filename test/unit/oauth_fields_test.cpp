#include "core/oauth/fields.h"

#include "core/oauth/discovery.h"
#include "unit/oauth_support.h"

namespace pg_pull::oauth {
namespace {

using nlohmann::json;
using test::answer;
using test::got;
using test::message_of;
using test::OAuthFixture;
using test::reason_of;

AuthConfig auth_with(const json& fields) { return got(parse_auth(OAuthFixture::normal({{"fields", fields}}))); }

TEST(OAuthFields, AreFilledFromDefaultsAndJudgedAsAWhole) {
    const AuthConfig auth = auth_with({{"shop", {{"pattern", "[a-z]+"}}},
                                       {"dc", {{"default", "com"}, {"enum", {"com", "eu"}}}},
                                       {"note", {{"optional", true}}}});
    EXPECT_EQ(got(check_fields(auth, {{"shop", "abc"}})), (json{{"shop", "abc"}, {"dc", "com"}}));
    EXPECT_EQ(got(check_fields(auth, {{"shop", "abc"}, {"dc", ""}, {"note", 5}})),
              (json{{"shop", "abc"}, {"dc", "com"}, {"note", "5"}}));
    for (const char* bad : {"abc.evil.example", "abc\n", "ABC", "abc/"})
        EXPECT_EQ(reason_of(check_fields(auth, {{"shop", bad}})), Reason::invalid_configuration) << bad;
    EXPECT_EQ(reason_of(check_fields(auth, {{"shop", "abc"}, {"dc", "org"}})), Reason::invalid_configuration);
    EXPECT_EQ(reason_of(check_fields(auth, {{"shop", json::array()}})), Reason::invalid_configuration);
    EXPECT_EQ(reason_of(check_fields(auth, {{"shop", std::string(2000, 'a')}})), Reason::invalid_configuration);
    EXPECT_EQ(reason_of(check_fields(auth, "text")), Reason::invalid_configuration);
}

TEST(OAuthFields, NameAllThatAreMissingAndTheNearestOfAnUnknownOne) {
    const AuthConfig auth = auth_with({{"shop", json::object()}, {"region", json::object()}});
    EXPECT_EQ(message_of(check_fields(auth, nullptr)), "connection fields are missing: \"region\", \"shop\"");
    const auto unknown = check_fields(auth, {{"shpo", "x"}});
    ASSERT_EQ(reason_of(unknown), Reason::unknown_key);
    EXPECT_EQ(unknown.error().hint, "Did you mean \"shop\"?");
}

TEST(OAuthFields, APatternThatIsNoExpressionIsRefusedAtCreation) {
    EXPECT_EQ(reason_of(parse_auth(OAuthFixture::normal({{"fields", {{"x", {{"pattern", "("}}}}}}))),
              Reason::invalid_configuration);
}

TEST(OAuthFields, OfACallbackAreKeptUnderTheirNamesAndJudgedLikeGivenOnes) {
    json config = OAuthFixture::normal({{"fields", {{"dc", {{"enum", {"com", "eu"}}, {"default", "com"}}}}}});
    config["authorize"] = {{"url", "https://acme.example/authorize"},
                           {"callback", {{"keep", {{"realm", "realmId"}, {"dc", "location"}}}}}};
    const AuthConfig auth = got(parse_auth(config));
    EXPECT_EQ(got(keep_of_callback(auth, {{"realmId", "r1"}, {"location", "eu"}, {"code", "c"}})),
              (json{{"realm", "r1"}, {"dc", "eu"}}));
    EXPECT_EQ(got(keep_of_callback(auth, json::object())), json::object());
    EXPECT_EQ(reason_of(keep_of_callback(auth, {{"location", "evil.example"}})), Reason::invalid_configuration);
    EXPECT_EQ(reason_of(keep_of_callback(auth, {{"realmId", "a\r\nb"}})), Reason::invalid_configuration);
    EXPECT_EQ(reason_of(keep_of_callback(auth, {{"realmId", std::string("\xFF\xFE")}})), Reason::invalid_configuration);
    EXPECT_EQ(reason_of(keep_of_callback(auth, {{"realmId", std::string(2000, 'a')}})), Reason::invalid_configuration);
}

TEST(OAuthKept, TheCallAfterConnectGivesFieldsAndTheAccount) {
    const RequestTemplate request = got(parse_request(
        {{"url", "/me"},
         {"response", {{"keep", {{"tenant", "orgs.0.id"}}}, {"success", {{"path", "ok"}, {"equals", true}}}}}},
        "auth \"verify\""));
    const Kept kept =
        got(read_kept(request, answer(R"({"ok":true,"orgs":[{"id":7}],"user":{"id":"u1","email":"a@b.example"}})")));
    EXPECT_EQ(kept.fields, (json{{"tenant", 7}}));
    EXPECT_EQ(kept.account, (json{{"id", "u1"}, {"email", "a@b.example"}}));
    EXPECT_EQ(reason_of(read_kept(request, answer(R"({"ok":false})"))), Reason::upstream_not_ok);
    const auto refused =
        read_kept(request, answer(R"({"error":{"code":"x1","message":"token eyJhbGciOiJIUzI1NiJ9 is bad"}})", 401));
    ASSERT_EQ(reason_of(refused), Reason::upstream_not_ok);
    EXPECT_EQ(refused.error().detail, "The answer has status 401. It says: x1 token *** is bad");
    EXPECT_TRUE(got(read_kept(RequestTemplate{}, answer("", 204))).account.is_null());
}

// Issuers

json metadata(const char* issuer = "https://acme.example") {
    return {{"issuer", issuer},
            {"authorization_endpoint", "https://acme.example/a"},
            {"token_endpoint", "https://acme.example/t"},
            {"authorization_response_iss_parameter_supported", true}};
}

TEST(OAuthDiscovery, AnotherIssuersMetadataIsRefused) {
    const Discovery found = got(parse_discovery(metadata(), "https://acme.example"));
    EXPECT_EQ(found.token_endpoint, "https://acme.example/t");
    EXPECT_TRUE(found.revocation_endpoint.empty());
    EXPECT_TRUE(found.iss_in_callback);
    EXPECT_EQ(reason_of(parse_discovery(metadata(), "https://acme.example/")), Reason::issuer_mismatch)
        << "byte for byte";
    EXPECT_EQ(reason_of(parse_discovery(metadata("https://evil.example"), "https://acme.example")),
              Reason::issuer_mismatch);
    EXPECT_EQ(reason_of(parse_discovery(json::object(), "https://acme.example")), Reason::issuer_mismatch);
    EXPECT_EQ(reason_of(parse_discovery("text", "")), Reason::connector_misconfigured);
}

TEST(OAuthDiscovery, EndpointsMustBeUrlsAndNeverLessSafeThanTheIssuer) {
    for (const json& bad : {json("http://acme.example/t"), json("/t"), json(5), json("https://u:p@acme.example/")}) {
        json document = metadata();
        document["token_endpoint"] = bad;
        EXPECT_EQ(reason_of(parse_discovery(document, "https://acme.example")), Reason::connector_misconfigured) << bad;
    }
}

TEST(OAuthDiscovery, TheIssuerAskedIsNamedOrFollowsFromTheAddress) {
    const auto asked = [](const json& auth) { return issuer_asked(got(parse_auth(OAuthFixture::normal(auth)))); };
    EXPECT_EQ(asked({{"issuer", "https://a.example/x/"}}), "https://a.example/x/");
    EXPECT_EQ(asked({{"discovery", "https://a.example/x/.well-known/openid-configuration"}}), "https://a.example/x");
    EXPECT_EQ(asked({{"discovery", "https://a.example/.well-known/oauth-authorization-server/x"}}),
              "https://a.example/x");
    EXPECT_EQ(asked({{"discovery", "https://a.example/meta.json"}}), "");
}

TEST(OAuthDiscovery, TheIssuerOfACallbackMustBeTheKnownOne) {
    const AuthConfig plain = got(parse_auth(OAuthFixture::normal()));
    const AuthConfig named = got(parse_auth(OAuthFixture::normal({{"issuer", "https://acme.example"}})));
    const Discovery promises = got(parse_discovery(metadata(), ""));
    using Iss = std::optional<std::string>;
    EXPECT_TRUE(check_issuer(plain, std::nullopt, Iss("https://any.example")).ok()) << "nothing to compare with";
    EXPECT_TRUE(check_issuer(named, std::nullopt, Iss("https://acme.example")).ok());
    EXPECT_TRUE(check_issuer(named, std::nullopt, Iss()).ok());
    EXPECT_EQ(reason_of(check_issuer(named, std::nullopt, Iss("https://acme.example/"))), Reason::issuer_mismatch);
    EXPECT_EQ(reason_of(check_issuer(named, std::nullopt, Iss(""))), Reason::issuer_mismatch);
    EXPECT_EQ(reason_of(check_issuer(plain, promises, Iss())), Reason::issuer_mismatch) << "its callbacks do carry it";
    EXPECT_EQ(reason_of(check_issuer(plain, promises, Iss("https://evil.example"))), Reason::issuer_mismatch);
    EXPECT_TRUE(check_issuer(plain, promises, Iss("https://acme.example")).ok());
}

}  // namespace
}  // namespace pg_pull::oauth
