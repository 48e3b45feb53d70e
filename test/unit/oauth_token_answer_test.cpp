#include "core/oauth/token_answer.h"

#include "core/base/encoding.h"
#include "unit/oauth_support.h"

namespace pg_pull::oauth {
namespace {

using nlohmann::json;
using std::chrono::hours;
using std::chrono::seconds;
using test::answer;
using test::at;
using test::got;
using test::holder_of;
using test::OAuthFixture;
using test::reason_of;
using Kind = TokenAnswer::Kind;

const std::string kNow = "2024-05-01T10:20:30Z";

std::string jwt(const json& claims) {
    return base64url_encode(R"({"alg":"none"})") + "." + base64url_encode(claims.dump()) + ".sig";
}

class OAuthTokenAnswer : public ::testing::Test, protected OAuthFixture {
protected:
    TokenAnswer read(const HttpResponse& response, const json& auth = json::object(),
                     TokenCall call = TokenCall::exchange, std::optional<Millis> previous = {}) {
        return read_token_answer(oauth(auth), call, response, at(kNow.c_str()), previous, holder_of());
    }
    static json with_response(const json& map) {
        return {{"token", {{"url", "https://acme.example/token"}, {"response", map}}}};
    }
    std::optional<Millis> lifetime(const json& value, const json& map = json::object()) {
        return read(answer(json{{"access_token", "t"}, {"expires_in", value}}.dump()), with_response(map)).lifetime;
    }
};

TEST_F(OAuthTokenAnswer, AGrantIsRead) {
    const auto got = read(answer(R"({"access_token":"a1","refresh_token":"r1","expires_in":3600,"token_type":"bearer",
                                     "scope":"x y","refresh_token_expires_in":86400})"));
    EXPECT_EQ(got.kind, Kind::granted);
    EXPECT_EQ(got.token.reveal(), "a1");
    EXPECT_EQ(got.refresh_token.reveal(), "r1");
    EXPECT_EQ(got.lifetime, seconds(3600));
    EXPECT_EQ(got.expires_at, at("2024-05-01T11:20:30Z"));
    EXPECT_EQ(got.refresh_expires_at, at("2024-05-02T10:20:30Z"));
    EXPECT_EQ(got.scopes, (std::vector<std::string>{"x", "y"}));
}

TEST_F(OAuthTokenAnswer, AnAnswerWithoutARefreshTokenLeavesTheOldOneToTheCaller) {
    const auto got = read(answer(R"({"access_token":"a1"})"), {}, TokenCall::refresh);
    EXPECT_EQ(got.kind, Kind::granted);
    EXPECT_TRUE(got.refresh_token.empty());
}

TEST_F(OAuthTokenAnswer, AMissingLifetimeIsThePreviousThenTheDefaultThenUnknown) {
    const HttpResponse bare = answer(R"({"access_token":"a1"})");
    EXPECT_EQ(read(bare, {{"default_lifetime", "PT1H"}}, TokenCall::refresh, Millis(7'000)).lifetime, seconds(7));
    EXPECT_EQ(read(bare, {{"default_lifetime", "PT1H"}}, TokenCall::exchange, Millis(7'000)).lifetime, hours(1))
        << "a lifetime of another grant says nothing";
    EXPECT_EQ(read(bare, {{"default_lifetime", "PT1H"}}, TokenCall::refresh).lifetime, hours(1));
    const auto unknown = read(bare, {}, TokenCall::refresh);
    EXPECT_FALSE(unknown.lifetime || unknown.expires_at);
    EXPECT_FALSE(needs_refresh(at("2099-01-01"), unknown.expires_at, unknown.lifetime, {})) << "the first 401 tells";
}

TEST_F(OAuthTokenAnswer, EveryWayToWriteAnExpiryIsRead) {
    EXPECT_EQ(lifetime("3600"), seconds(3600)) << "text";
    EXPECT_EQ(lifetime(3599.5), Millis(3'599'500)) << "fraction";
    EXPECT_EQ(lifetime(3'600'000, {{"unit", "ms"}}), seconds(3600));
    EXPECT_EQ(lifetime(1'714'562'430), seconds(3600)) << "epoch by its size";
    EXPECT_EQ(lifetime(1'714'562'430'000), seconds(3600)) << "epoch in milliseconds by its size";
    EXPECT_EQ(lifetime(1'714'562'430, {{"unit", "epoch"}}), seconds(3600));
    EXPECT_EQ(lifetime("1714562430000", {{"unit", "epoch_ms"}}), seconds(3600));
    EXPECT_EQ(lifetime("2024-05-01T13:20:30+02:00"), seconds(3600)) << "ISO time";
    EXPECT_EQ(lifetime("PT1H"), seconds(3600)) << "ISO duration";
    EXPECT_EQ(lifetime("1:02:03"), hours(26) + seconds(180)) << "D:HH:MM";
    const auto moment = [this](const json& value) {
        return read(answer(json{{"access_token", "t"}, {"x", value}}.dump()), with_response({{"expires_at", "x"}}))
            .lifetime;
    };
    EXPECT_EQ(moment(1'714'562'430), seconds(3600));
    EXPECT_EQ(moment("2024-05-01T11:20:30Z"), seconds(3600));
}

TEST_F(OAuthTokenAnswer, AnExpiryBeyondReasonIsUnknown) {
    for (const json& value :
         {json(0), json(-1), json("0"), json(1e300), json("soon"), json(true), json(nullptr), json(400'000'000),
          json("2020-01-01T00:00:00Z"), json("2999-01-01T00:00:00Z"), json(json::array({1})), json("1e999")})
        EXPECT_FALSE(lifetime(value).has_value()) << value;
}

TEST_F(OAuthTokenAnswer, AJsonWebTokenSaysItsOwnLifetime) {
    const std::string body = json{{"access_token", jwt({{"iat", 1'000}, {"exp", 1'900}})}}.dump();
    EXPECT_EQ(read(answer(body)).lifetime, seconds(900)) << "from iat to exp, whatever the provider's clock says";
    EXPECT_EQ(read(answer(json{{"access_token", jwt({{"exp", 1'714'562'430}})}}.dump())).lifetime, seconds(3600));
}

TEST_F(OAuthTokenAnswer, LifetimesCountFromTheArrivalByTheLocalClock) {
    HttpResponse response = answer(R"({"access_token":"t","expires_in":"2024-05-01T12:00:00Z"})");
    response.headers.emplace_back("date", "Wed, 01 May 2024 11:00:00 GMT");
    const auto got = read(response);
    EXPECT_EQ(got.lifetime, hours(1)) << "a moment is compared with the clock of whoever named it";
    EXPECT_EQ(got.expires_at, at("2024-05-01T11:20:30Z"));
}

TEST_F(OAuthTokenAnswer, TheMarginIsAtMostAFifthOfTheLifetime) {
    const WallTime end = at("2024-05-01T11:00:00Z");
    const auto due = [end](const char* now, Millis lifetime, std::optional<Millis> margin) {
        return needs_refresh(at(now), end, lifetime, margin);
    };
    EXPECT_FALSE(due("2024-05-01T10:54:59Z", hours(1), {})) << "five minutes by default";
    EXPECT_TRUE(due("2024-05-01T10:55:00Z", hours(1), {}));
    EXPECT_FALSE(due("2024-05-01T10:47:59Z", hours(1), hours(2)));
    EXPECT_TRUE(due("2024-05-01T10:48:00Z", hours(1), hours(2)))
        << "a margin beyond the lifetime would refresh each call";
    EXPECT_FALSE(due("2024-05-01T10:59:47Z", seconds(60), {}));
    EXPECT_TRUE(due("2024-05-01T10:59:48Z", seconds(60), {}));
    EXPECT_TRUE(due("2024-05-01T11:00:00Z", hours(1), Millis(0)));
}

TEST_F(OAuthTokenAnswer, FailuresAreToldApartByWhoIsToBlame) {
    const auto kind = [this](int status, const char* body, const char* type = "application/json") {
        return read(answer(body, status, type), {}, TokenCall::refresh).kind;
    };
    EXPECT_EQ(kind(400, R"({"error":"invalid_grant"})"), Kind::invalid_grant);
    EXPECT_EQ(kind(200, R"({"error":"bad_refresh_token"})"), Kind::invalid_grant);
    EXPECT_EQ(kind(400, R"({"status":"BAD_REFRESH_TOKEN","message":"no"})"), Kind::invalid_grant);
    EXPECT_EQ(kind(401, R"({"error":"invalid_client"})"), Kind::misconfigured);
    EXPECT_EQ(kind(400, R"({"error":"unauthorized_client"})"), Kind::misconfigured);
    EXPECT_EQ(kind(401, "", "text/html"), Kind::misconfigured);
    EXPECT_EQ(kind(429, R"({"error":"invalid_grant"})"), Kind::transient);
    EXPECT_EQ(kind(500, R"({"error":"invalid_client"})"), Kind::transient);
    EXPECT_EQ(kind(503, "<html>", "text/html"), Kind::transient);
    EXPECT_EQ(kind(408, ""), Kind::transient);
    EXPECT_EQ(kind(400, R"({"error":"temporarily_unavailable"})"), Kind::transient);
    EXPECT_EQ(kind(400, R"({"error":"invalid_scope"})"), Kind::refused);
    EXPECT_EQ(kind(403, "<html>", "text/html"), Kind::refused);
    EXPECT_EQ(kind(302, ""), Kind::refused) << "redirects are not followed";
}

TEST_F(OAuthTokenAnswer, AClientThatTheConnectionBroughtBlamesTheConnection) {
    const Client client = oauth({{"grant", "client_credentials"}, {"authorize", nullptr}, {"per", "connection"}});
    const HttpResponse refused = answer(R"({"error":"invalid_client"})", 401);
    Holder own;
    own.client_id = "theirs";
    EXPECT_EQ(read_token_answer(client, TokenCall::first, refused, at(kNow.c_str()), {}, own).kind,
              Kind::invalid_grant);
    EXPECT_EQ(read_token_answer(client, TokenCall::first, refused, at(kNow.c_str()), {}).kind, Kind::misconfigured);
}

TEST_F(OAuthTokenAnswer, AWaitThatTheProviderAsksForIsPassedOn) {
    HttpResponse response = answer("", 429);
    response.headers.emplace_back("retry-after", "17");
    EXPECT_EQ(read(response).retry_after, seconds(17));
}

TEST_F(OAuthTokenAnswer, AnErrorWithStatus200IsNoSuccessAndNeitherIsAMissingToken) {
    EXPECT_EQ(read(answer(R"({"ok":false,"access_token":"t"})"),
                   with_response({{"success", {{"path", "ok"}, {"equals", true}}}}))
                  .kind,
              Kind::refused);
    EXPECT_EQ(read(answer(R"({"ok":true,"access_token":"t"})"),
                   with_response({{"success", {{"path", "ok"}, {"equals", true}}}}))
                  .kind,
              Kind::granted);
    EXPECT_EQ(read(answer(R"({"error":"bad_verification_code","access_token":"t"})")).kind, Kind::refused);
    for (const char* body :
         {"{}", R"({"access_token":""})", R"({"access_token":null})", R"({"access_token":{"a":1}})", "[]", "",
          R"({"access_token":"a b"})", R"({"access_token":"a\nb"})", R"({"access_token":"<html>"})"}) {
        const auto got = read(answer(body));
        EXPECT_EQ(got.kind, Kind::refused) << body;
        EXPECT_TRUE(got.token.empty()) << body;
        EXPECT_FALSE(got.error_description.empty()) << body;
    }
}

TEST_F(OAuthTokenAnswer, AFormIsReadByItsTypeAndAPageNever) {
    const auto form = read(answer("access_token=a%2B1&scope=repo%2Cgist&expires_in=60", 200,
                                  "application/x-www-form-urlencoded; charset=utf-8"));
    EXPECT_EQ(form.token.reveal(), "a+1");
    EXPECT_EQ(form.scopes, (std::vector<std::string>{"repo", "gist"}));
    EXPECT_EQ(form.lifetime, seconds(60));
    EXPECT_EQ(read(answer("access_token=a1", 200, "text/plain")).token.reveal(), "a1");
    EXPECT_EQ(read(answer(R"({"access_token":"a1"})", 200, "text/html")).token.reveal(), "a1")
        << "JSON under a wrong name";
    EXPECT_EQ(read(answer("<p>access_token=a1</p>", 200, "text/html")).kind, Kind::refused);
    EXPECT_EQ(read(answer("access_token=a1", 200, "text/html")).kind, Kind::refused);
    EXPECT_EQ(read(answer("{\"access_token\":", 200)).kind, Kind::refused) << "cut short";
    EXPECT_EQ(read(answer(std::string(100'000, '['), 200)).kind, Kind::refused) << "nested too deep";
}

TEST_F(OAuthTokenAnswer, TokensLieWhereTheResponseMapSays) {
    const json map{{"token", "data.tok"},
                   {"refresh_token", "data.ref"},
                   {"expires_in", "data.ttl"},
                   {"unit", "ms"},
                   {"scope", "data.scopes"}};
    const auto got =
        read(answer(R"({"data":{"tok":"a","ref":"r","ttl":60000,"scopes":["x","y"],"refresh_token_expires_in":120}})"),
             with_response(map));
    EXPECT_EQ(got.token.reveal(), "a");
    EXPECT_EQ(got.refresh_token.reveal(), "r");
    EXPECT_EQ(got.lifetime, seconds(60));
    EXPECT_EQ(got.scopes, (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(got.refresh_expires_at, at("2024-05-01T10:22:30Z"));
}

TEST_F(OAuthTokenAnswer, TheRefreshMayAnswerInItsOwnShape) {
    json auth = with_response({{"token", "data.tok"}});
    auth["refresh"] = {{"response", {{"token", "tok"}}}};
    EXPECT_EQ(read(answer(R"({"tok":"a"})"), auth, TokenCall::refresh).token.reveal(), "a");
    EXPECT_EQ(read(answer(R"({"tok":"a"})"), auth, TokenCall::exchange).kind, Kind::refused);
}

TEST_F(OAuthTokenAnswer, ALoginIsReadByItsMap) {
    const Client client = this->client({{"type", "login"},
                                        {"credential_ref", "R"},
                                        {"request", "/login"},
                                        {"response", {{"token", "session.id"}, {"expires_in", "session.ttl"}}}});
    const auto read_login = [&](const HttpResponse& response) {
        return read_token_answer(client, TokenCall::first, response, at(kNow.c_str()), {});
    };
    const auto got = read_login(answer(R"({"session":{"id":77,"ttl":"900"}})"));
    EXPECT_EQ(got.token.reveal(), "77");
    EXPECT_EQ(got.lifetime, seconds(900));
    EXPECT_EQ(read_login(answer("", 403)).kind, Kind::misconfigured);
}

TEST_F(OAuthTokenAnswer, GrantedScopesAreKeptAndTheDifferenceIsTold) {
    EXPECT_FALSE(read(answer(R"({"access_token":"t"})")).scopes.has_value()) << "missing means as asked";
    EXPECT_FALSE(read(answer(R"({"access_token":"t","scope":""})")).scopes.has_value());
    const auto got = read(answer(R"({"access_token":"t","scope":"a;b"})"), {{"scope_separator", ";"}});
    EXPECT_EQ(got.scopes, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(missing_scopes({"a", "c"}, got.scopes), std::vector<std::string>{"c"});
    EXPECT_TRUE(missing_scopes({"a", "c"}, std::nullopt).empty());
}

TEST_F(OAuthTokenAnswer, TokenTypesHaveNoCaseAndBoundOnesAreRefused) {
    for (const char* type : {"Bearer", "bearer", "BEARER", "bot"})
        EXPECT_EQ(read(answer(json{{"access_token", "t"}, {"token_type", type}}.dump())).kind, Kind::granted) << type;
    for (const char* type : {"DPoP", "mac", "PoP"})
        EXPECT_EQ(read(answer(json{{"access_token", "t"}, {"token_type", type}}.dump())).kind, Kind::refused) << type;
}

TEST_F(OAuthTokenAnswer, ValuesAreKeptFromTheAnswerAndFromItsClaims) {
    const std::string body =
        json{{"access_token", "t"},
             {"instance_url", "https://eu1.example"},
             {"id_token", jwt({{"sub", "u1"}, {"tid", "t-9"}, {"email", "a@b.example"}, {"nonce", "x"}})},
             {"team", {{"id", "T1"}, {"bot_token", "xoxb"}, {"name", std::string("a\0b", 3)}}}}
            .dump();
    const auto got = read(
        answer(body),
        with_response(
            {{"keep", {{"server", "instance_url"}, {"tenant", "id_token.tid"}, {"team", "team"}, {"none", "a.b"}}}}));
    EXPECT_EQ(got.keep,
              (json{{"server", "https://eu1.example"}, {"tenant", "t-9"}, {"team", {{"id", "T1"}, {"name", "ab"}}}}))
        << "without tokens and without NUL";
    EXPECT_EQ(got.account, (json{{"sub", "u1"}, {"email", "a@b.example"}}));
    EXPECT_TRUE(read(answer(R"({"access_token":"t","id_token":"no.jwt.here"})")).account.is_null());
    EXPECT_EQ(
        reason_of(parse_auth(OAuthFixture::normal(with_response({{"keep", {{"x", "authed_user.access_token"}}}})))),
        Reason::invalid_configuration)
        << "tokens are not for fields";
}

TEST_F(OAuthTokenAnswer, TextsOfTheProviderAreSafeToShow) {
    const auto got =
        read(answer(json{{"error", "invalid_grant"},
                         {"error_description",
                          "bad\r\ntoken rt-1, s3cret or eyJhbGciOi9.eyJzdWIiOiIx.abc_DEF " + std::string(2000, 'x')}}
                        .dump(),
                    400));
    EXPECT_EQ(got.error, "invalid_grant");
    for (const char* part : {"rt-1", "s3cret", "eyJ", "\r", "\n"})
        EXPECT_EQ(got.error_description.find(part), std::string::npos) << got.error_description;
    EXPECT_LT(got.error_description.size(), 400U);
    EXPECT_NE(got.error_description.find("bad"), std::string::npos);
}

TEST_F(OAuthTokenAnswer, AnIntrospectionTellsWhetherAndHowLongATokenLives) {
    const Client client = oauth({{"introspect", "https://acme.example/i"}});
    const auto introspected = [&](const char* body, int status = 200) {
        return read_introspection(client, answer(body, status), at(kNow.c_str()));
    };
    const auto live = got(introspected(R"({"active":true,"exp":1714562430})"));
    EXPECT_TRUE(live.active);
    EXPECT_EQ(live.expires_at, at("2024-05-01T11:20:30Z"));
    EXPECT_FALSE(got(introspected(R"({"active":false})")).active);
    EXPECT_EQ(reason_of(introspected("{}")), Reason::upstream_not_ok);
    EXPECT_EQ(reason_of(introspected(R"({"active":true})", 500)), Reason::upstream_not_ok);
}

}  // namespace
}  // namespace pg_pull::oauth
