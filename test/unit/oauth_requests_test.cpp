#include "core/oauth/requests.h"

#include "core/base/encoding.h"
#include "unit/oauth_support.h"

namespace pg_pull::oauth {
namespace {

using nlohmann::json;
using test::answer;
using test::form_of;
using test::got;
using test::header_of;
using test::holder_of;
using test::message_of;
using test::OAuthFixture;
using test::Pairs;
using test::query_of;
using test::reason_of;

class OAuthRequests : public ::testing::Test, protected OAuthFixture {
protected:
    static constexpr const char* kVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

    std::string authorized(const Client& client, const Holder& holder = {},
                           const std::vector<std::string>& scopes = {}) {
        return got(authorization_url(client, holder, "st", kVerifier, "https://db.example/cb?x=1", scopes));
    }
    HttpRequest exchanged(const Client& client, const json& params = json::object(), const Holder& holder = {}) {
        return got(exchange_request(client, holder, "c0de", Secret(kVerifier), "https://db.example/cb?x=1", params));
    }
};

// 1. The core

TEST_F(OAuthRequests, ANormalProviderTakesFiveLines) {
    const Client client = oauth({{"scopes", {"a", "b"}}});
    EXPECT_EQ(query_of(authorized(client)), (Pairs{{"response_type", "code"},
                                                   {"client_id", "id1"},
                                                   {"redirect_uri", "https://db.example/cb?x=1"},
                                                   {"scope", "a b"},
                                                   {"state", "st"},
                                                   {"code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"},
                                                   {"code_challenge_method", "S256"}}));
    const HttpRequest request = exchanged(client);
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.url, "https://acme.example/token");
    EXPECT_EQ(header_of(request, "Accept"), "application/json");
    EXPECT_EQ(header_of(request, "Content-Type"), "application/x-www-form-urlencoded");
    EXPECT_EQ(form_of(request), (Pairs{{"grant_type", "authorization_code"},
                                       {"code", "c0de"},
                                       {"redirect_uri", "https://db.example/cb?x=1"},
                                       {"code_verifier", kVerifier},
                                       {"client_id", "id1"},
                                       {"client_secret", "s3cret"}}));
    EXPECT_EQ(form_of(got(refresh_request(client, holder_of()))), (Pairs{{"grant_type", "refresh_token"},
                                                                         {"refresh_token", "rt-1"},
                                                                         {"client_id", "id1"},
                                                                         {"client_secret", "s3cret"}}));
}

TEST_F(OAuthRequests, ScopesOfTheCallGoBeforeThoseOfTheConnectorAndAreJoinedByItsSeparator) {
    const Client client = oauth({{"scopes", {"a", "b"}}, {"scope_separator", ","}});
    EXPECT_EQ(query_of(authorized(client))["scope"], "a,b");
    EXPECT_EQ(query_of(authorized(client, {}, {"x", "y"}))["scope"], "x,y");
    EXPECT_EQ(query_of(authorized(oauth())).count("scope"), 0U);
}

TEST_F(OAuthRequests, ClientCredentialsGetTheirFirstTokenAndAreRunAgain) {
    const Client client = oauth({{"grant", "client_credentials"}, {"authorize", nullptr}, {"scopes", {"a", "b"}}});
    const Pairs expected{
        {"grant_type", "client_credentials"}, {"scope", "a b"}, {"client_id", "id1"}, {"client_secret", "s3cret"}};
    EXPECT_EQ(form_of(got(first_token_request(client, {}))), expected);
    EXPECT_EQ(form_of(got(refresh_request(client, holder_of()))), expected);
    EXPECT_EQ(reason_of(first_token_request(oauth(), {})), Reason::not_connected);
}

TEST_F(OAuthRequests, AConnectionsOwnClientGoesBeforeTheConnectors) {
    Holder holder;
    holder.client_id = "theirs";
    holder.client_secret = Secret("their-secret");
    const Client client = oauth({{"grant", "client_credentials"}, {"authorize", nullptr}, {"per", "connection"}});
    auto form = form_of(got(first_token_request(client, holder)));
    EXPECT_EQ(form["client_id"], "theirs");
    EXPECT_EQ(form["client_secret"], "their-secret");
}

TEST_F(OAuthRequests, RefreshWithoutARefreshTokenNeedsAReconnect) {
    EXPECT_EQ(reason_of(refresh_request(oauth(), holder_of("at", ""))), Reason::reconnect_required);
}

// 2. Injection is that of every request; a login logs in with what it was given

TEST_F(OAuthRequests, ALoginRendersItsRequestWithTheConnectionsCredential) {
    const Client client = this->client(
        {{"type", "login"},
         {"per", "connection"},
         {"request",
          {{"url", "/login"}, {"body", {{"user", "${credential.username}"}, {"pw", "${credential.password}"}}}}},
         {"response", {{"token", "session.id"}}}},
        {{"base_url", "https://api.acme.example/v1"}, {"headers", {{"X-Version", "2"}}}});
    Holder holder;
    holder.username = "joe";
    holder.password = Secret("pw\"1");
    const HttpRequest request = got(first_token_request(client, holder));
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.url, "https://api.acme.example/v1/login");
    EXPECT_EQ(json::parse(request.body), (json{{"user", "joe"}, {"pw", "pw\"1"}}));
    EXPECT_EQ(header_of(request, "Content-Type"), "application/json");
    EXPECT_EQ(header_of(request, "X-Version"), "2") << "what the connector sends with every request";
    EXPECT_TRUE(request.credential_in_url_or_body);
    EXPECT_EQ(got(refresh_request(client, holder)).body, request.body) << "a login is run again";
}

TEST_F(OAuthRequests, ALoginByBasicSendsUserAndPasswordInTheHeader) {
    const Client client = this->client({{"type", "login"},
                                        {"credential_ref", "R"},
                                        {"request", {{"url", "/login"}, {"client_auth", "basic"}}},
                                        {"response", {{"token", "t"}}}});
    Holder holder;
    holder.username = "joe";
    EXPECT_EQ(header_of(got(first_token_request(client, holder)), "Authorization"),
              "Basic " + base64_encode("joe:s3cret"));
}

TEST_F(OAuthRequests, ALoginWithoutACredentialIsAnErrorAndNoRequest) {
    Client client = this->client({{"type", "login"},
                                  {"credential_ref", "R"},
                                  {"request", {{"url", "/login"}, {"body", {{"k", "${credential}"}}}}},
                                  {"response", {{"token", "t"}}}});
    client.secret = Secret();
    EXPECT_EQ(reason_of(first_token_request(client, {})), Reason::credential_unresolved);
}

// 3. Templates in every address

TEST_F(OAuthRequests, FieldsOfTheConnectionFillEveryAddress) {
    const Client client = oauth({{"authorize", "https://${connection.shop}.acme.example/a"},
                                 {"token", "https://${connection.shop}.acme.example/t"},
                                 {"revoke", "https://${connection.shop}.acme.example/r"},
                                 {"verify", "https://${connection.shop || 'x'}.acme.example/v"}});
    Holder holder = holder_of();
    holder.fields = {{"shop", "s1"}};
    EXPECT_TRUE(authorized(client, holder).starts_with("https://s1.acme.example/a?"));
    EXPECT_EQ(exchanged(client, {}, holder).url, "https://s1.acme.example/t");
    EXPECT_EQ(got(refresh_request(client, holder)).url, "https://s1.acme.example/t");
    EXPECT_EQ(got(revoke_requests(client, holder)).at(0).url, "https://s1.acme.example/r");
    EXPECT_EQ(got(verify_request(client, holder)).value().url, "https://s1.acme.example/v");
    EXPECT_EQ(got(verify_request(client, holder_of())).value().url, "https://x.acme.example/v");
    holder.fields = {{"shop", "evil.example/"}};
    EXPECT_EQ(reason_of(refresh_request(client, holder)), Reason::invalid_configuration);
}

TEST_F(OAuthRequests, AnAddressThatBeginsWithAValueMustLeadToAListedOrigin) {
    const json auth = OAuthFixture::normal({{"token", "${connection.server}/token"}});
    const Client client =
        this->client(auth, {{"base_url", "https://api.acme.example"}, {"origins", {"https://eu.acme.example"}}});
    Holder holder = holder_of();
    holder.fields = {{"server", "https://eu.acme.example"}};
    EXPECT_EQ(got(refresh_request(client, holder)).url, "https://eu.acme.example/token");
    holder.fields = {{"server", "https://evil.example"}};
    const auto refused = refresh_request(client, holder);
    EXPECT_EQ(reason_of(refused), Reason::egress_denied);
    EXPECT_EQ(message_of(refused).find("s3cret"), std::string::npos);
}

// 4. Client authentication

TEST_F(OAuthRequests, BasicClientAuthenticationIsRawAndTheOnlyPlaceOfTheCredentials) {
    Client client = oauth({{"token", {{"url", "https://acme.example/token"}, {"client_auth", "basic"}}}});
    client.secret = Secret("a+b/c%");
    const HttpRequest request = exchanged(client);
    EXPECT_EQ(header_of(request, "Authorization"), "Basic " + base64_encode("id1:a+b/c%"));
    EXPECT_EQ(form_of(request).count("client_id"), 0U);
    EXPECT_EQ(form_of(request).count("client_secret"), 0U);
    EXPECT_TRUE(request.headers.end() == std::find_if(request.headers.begin(), request.headers.end(),
                                                      [](const auto& h) { return h.first == "Authorization"; }))
        << "bound to the origin";
}

TEST_F(OAuthRequests, BasicClientAuthenticationCanBeFormEncodedFirst) {
    Client client = oauth({{"token", {{"url", "https://acme.example/token"}, {"client_auth", "basic_encoded"}}}});
    client.secret = Secret("a+b/c%");
    EXPECT_EQ(header_of(exchanged(client), "Authorization"), "Basic " + base64_encode("id1:a%2Bb%2Fc%25"));
}

TEST_F(OAuthRequests, APublicClientSendsItsIdOnly) {
    Client client = oauth({{"credential_ref", nullptr}});
    client.secret = Secret();
    auto form = form_of(exchanged(client));
    EXPECT_EQ(form["client_id"], "id1");
    EXPECT_EQ(form.count("client_secret"), 0U);
    const Client named = oauth({{"token", {{"url", "https://acme.example/token"}, {"client_auth", "none"}}}});
    EXPECT_EQ(form_of(exchanged(named)).count("client_secret"), 0U);
}

TEST_F(OAuthRequests, AReferenceThatResolvesToNothingIsAnErrorAndNoRequest) {
    Client client = oauth();
    client.secret = Secret();
    EXPECT_EQ(reason_of(refresh_request(client, holder_of())), Reason::credential_unresolved);
}

TEST_F(OAuthRequests, ClientParametersAreRenamedOrLeftOut) {
    json auth = OAuthFixture::normal();
    auth["authorize"] = {{"url", "https://acme.example/authorize"},
                         {"params", {{"client_id", "app_id"}, {"response_type", nullptr}}}};
    auth["token"] = {
        {"url", "https://acme.example/token"},
        {"params",
         {{"client_id", "app_id"}, {"client_secret", "secret"}, {"code", "auth_code"}, {"redirect_uri", nullptr}}}};
    const Client client = this->client(auth);
    auto query = query_of(authorized(client));
    EXPECT_EQ(query["app_id"], "id1");
    EXPECT_EQ(query.count("client_id") + query.count("response_type"), 0U);
    EXPECT_EQ(form_of(exchanged(client)), (Pairs{{"app_id", "id1"},
                                                 {"secret", "s3cret"},
                                                 {"auth_code", "c0de"},
                                                 {"grant_type", "authorization_code"},
                                                 {"code_verifier", kVerifier}}));
}

TEST_F(OAuthRequests, UnknownStandardNamesAndALostStateAreRefusedAtCreation) {
    const auto with_params = [](const json& params) {
        return parse_auth(OAuthFixture::normal({{"authorize", {{"url", "https://a.example/a"}, {"params", params}}}}));
    };
    // merge_patch would drop a null, so these stand outside of it
    json auth = OAuthFixture::normal();
    auth["authorize"] = {{"url", "https://a.example/a"}, {"params", {{"state", nullptr}}}};
    EXPECT_EQ(reason_of(parse_auth(auth)), Reason::invalid_configuration);
    const auto unknown = with_params({{"clientid", "x"}});
    ASSERT_EQ(reason_of(unknown), Reason::unknown_key);
    EXPECT_NE(unknown.error().hint.find("client_id"), std::string::npos);
}

// 5, 6. Extra authorization parameters; PKCE off

TEST_F(OAuthRequests, ExtraAuthorizationParametersAreTemplatesAndReplaceStandardOnes) {
    Holder holder;
    holder.fields = {{"org", "o 1"}};
    json auth = OAuthFixture::normal();
    auth["authorize"] = {{"url", "https://acme.example/authorize?fixed=%2A"},
                         {"query",
                          {{"access_type", "offline"},
                           {"org", "${connection.org}"},
                           {"none", "${connection.none}"},
                           {"response_type", "code id_token"},
                           {"state", "fixed"}}}};
    const std::string url = authorized(client(auth), holder);
    auto query = query_of(url);
    EXPECT_NE(url.find("fixed=%2A"), std::string::npos) << "exact text stays";
    EXPECT_EQ(query["access_type"], "offline");
    EXPECT_EQ(query["org"], "o 1");
    EXPECT_EQ(query.count("none"), 0U) << "empty ones are omitted";
    EXPECT_EQ(query["response_type"], "code id_token");
    EXPECT_EQ(query["state"], "st") << "what protects the flow cannot be replaced";
}

TEST_F(OAuthRequests, PkceIsSwitchedOffByItsKnobOnly) {
    const Client client = oauth({{"pkce", false}});
    EXPECT_EQ(query_of(authorized(client)).count("code_challenge"), 0U);
    EXPECT_EQ(form_of(exchanged(client)).count("code_verifier"), 0U);
}

TEST_F(OAuthRequests, AConsentPageNeverGetsASecret) {
    json auth = OAuthFixture::normal();
    auth["authorize"] = {{"url", "https://acme.example/authorize"}, {"query", {{"secret", "${credential}"}}}};
    const auto refused = authorization_url(client(auth), {}, "st", kVerifier, "https://db.example/cb", {});
    EXPECT_EQ(reason_of(refused), Reason::invalid_configuration);
    EXPECT_EQ(message_of(refused).find("s3cret"), std::string::npos);
}

// 7. The token request

TEST_F(OAuthRequests, TheTokenRequestTakesParametersHeadersFormatAndMethod) {
    const auto with = [this](const json& token) {
        json auth = OAuthFixture::normal();
        auth["token"] = token;
        auth["token"]["url"] = "https://acme.example/token?v=1";
        return exchanged(client(auth));
    };
    const HttpRequest as_json = with({{"format", "json"},
                                      {"headers", {{"X-Client", "${connector.client_id}"}}},
                                      {"body", {{"audience", "api"}, {"n", 1}, {"client_id", nullptr}}}});
    EXPECT_EQ(header_of(as_json, "X-Client"), "id1");
    EXPECT_EQ(header_of(as_json, "Content-Type"), "application/json");
    EXPECT_EQ(json::parse(as_json.body), (json{{"grant_type", "authorization_code"},
                                               {"code", "c0de"},
                                               {"redirect_uri", "https://db.example/cb?x=1"},
                                               {"code_verifier", kVerifier},
                                               {"client_secret", "s3cret"},
                                               {"audience", "api"},
                                               {"n", 1}}));
    const HttpRequest as_query = with({{"method", "GET"}});
    EXPECT_EQ(as_query.method, "GET");
    EXPECT_TRUE(as_query.body.empty());
    EXPECT_EQ(query_of(as_query.url)["code"], "c0de");
    EXPECT_EQ(query_of(as_query.url)["v"], "1");
    EXPECT_TRUE(as_query.credential_in_url_or_body);
    EXPECT_EQ(form_of(with({{"body", {{"grant_type", "fancy"}}}}))["grant_type"], "fancy");
    EXPECT_EQ(with({{"body", "code=${callback.code}&k=v"}}).body, "code=c0de&k=v") << "a whole text is the body";
}

TEST_F(OAuthRequests, GrantsOfTheirOwnTakeUserAndPassword) {
    json auth = OAuthFixture::normal({{"grant", "client_credentials"}, {"authorize", nullptr}, {"per", "connection"}});
    auth["token"] = {
        {"url", "https://acme.example/token"},
        {"body",
         {{"grant_type", "password"}, {"username", "${credential.username}"}, {"password", "${credential.password}"}}}};
    Holder holder;
    holder.username = "joe";
    holder.password = Secret("pw");
    auto form = form_of(got(first_token_request(client(auth), holder)));
    EXPECT_EQ(form["grant_type"], "password");
    EXPECT_EQ(form["username"], "joe");
    EXPECT_EQ(form["password"], "pw");
}

TEST_F(OAuthRequests, TheResourceGoesToConsentPageAndTokenRequest) {
    const Client client = oauth({{"resource", "https://api.acme.example/"}});
    EXPECT_EQ(query_of(authorized(client))["resource"], "https://api.acme.example/");
    EXPECT_EQ(form_of(exchanged(client))["resource"], "https://api.acme.example/");
    EXPECT_EQ(form_of(got(refresh_request(client, holder_of())))["resource"], "https://api.acme.example/");
}

// 8. One call after connect

TEST_F(OAuthRequests, VerifyAndAfterConnectCarryTheTokenLikeCallsOfTheConnector) {
    json auth = OAuthFixture::normal({{"verify", "/me"}});
    auth["after_connect"] = {{"url", "https://other.example/graphql"}, {"body", {{"query", "{ viewer { id } }"}}}};
    const Client client =
        this->client(auth, {{"base_url", "https://api.acme.example/v1"}, {"headers", {{"X-Developer", "d1"}}}});
    const HttpRequest verify = got(verify_request(client, holder_of())).value();
    EXPECT_EQ(verify.method, "GET");
    EXPECT_EQ(verify.url, "https://api.acme.example/v1/me");
    EXPECT_EQ(header_of(verify, "Authorization"), "Bearer at-1");
    EXPECT_EQ(header_of(verify, "X-Developer"), "d1");
    const HttpRequest after = got(after_connect_request(client, holder_of())).value();
    EXPECT_EQ(after.method, "POST");
    EXPECT_EQ(json::parse(after.body), (json{{"query", "{ viewer { id } }"}}));
    EXPECT_EQ(header_of(after, "X-Developer"), "(none)") << "the connector's headers stay at its origins";
    EXPECT_FALSE(got(verify_request(oauth(), holder_of())).has_value());
    EXPECT_FALSE(got(after_connect_request(oauth(), holder_of())).has_value());
}

TEST_F(OAuthRequests, TheTokenGoesUnderAnotherHeaderWhereUseSaysSo) {
    json auth = OAuthFixture::normal(
        {{"use", {{"in", "header"}, {"name", "X-Acme-Token"}, {"value", "t=${token.access_token}"}}}});
    auth["verify"] = "/me";
    const HttpRequest request = got(verify_request(client(auth), holder_of())).value();
    EXPECT_EQ(header_of(request, "X-Acme-Token"), "t=at-1");
    EXPECT_EQ(header_of(request, "Authorization"), "(none)");
    auth["verify"] = {{"url", "/me"}, {"headers", {{"Authorization", "OAuth ${token.access_token}"}}}};
    EXPECT_EQ(header_of(got(verify_request(client(auth), holder_of())).value(), "Authorization"), "OAuth at-1");
}

// 9. Refresh

TEST_F(OAuthRequests, ARefreshOfItsOwnTakesTheRestFromTheTokenRequest) {
    json auth = OAuthFixture::normal();
    auth["token"] = {{"url", "https://acme.example/token"},
                     {"format", "json"},
                     {"client_auth", "basic"},
                     {"body", {{"code", "${callback.code}"}, {"only", "exchange"}}}};
    auth["refresh"] = {{"url", "https://acme.example/refresh"}, {"body", {{"extra", "1"}}}};
    const HttpRequest request = got(refresh_request(client(auth), holder_of()));
    EXPECT_EQ(request.url, "https://acme.example/refresh");
    EXPECT_EQ(header_of(request, "Authorization"), "Basic " + base64_encode("id1:s3cret"));
    EXPECT_EQ(json::parse(request.body),
              (json{{"grant_type", "refresh_token"}, {"refresh_token", "rt-1"}, {"extra", "1"}}));
    auth["refresh"] = json::object({{"body", {{"extra", "1"}}}});
    EXPECT_EQ(got(refresh_request(client(auth), holder_of())).url, "https://acme.example/token");
}

TEST_F(OAuthRequests, TheGrantOfTheExchangeDoesNotLeakIntoTheRefresh) {
    json auth = OAuthFixture::normal();
    auth["token"] = {{"url", "https://acme.example/token"}, {"body", {{"grant_type", "fancy_code"}}}};
    EXPECT_EQ(form_of(got(refresh_request(client(auth), holder_of())))["grant_type"], "refresh_token");
}

TEST_F(OAuthRequests, ARefreshByTheAccessTokenNeedsNoRefreshToken) {
    json auth = OAuthFixture::normal();
    auth["refresh"] = {{"method", "GET"},
                       {"url", "https://acme.example/refresh"},
                       {"client_auth", "none"},
                       {"params", {{"refresh_token", nullptr}, {"client_id", nullptr}}},
                       {"query", {{"grant_type", "ig_refresh_token"}, {"access_token", "${token.access_token}"}}}};
    const HttpRequest request = got(refresh_request(client(auth), holder_of("at-1", "")));
    EXPECT_EQ(query_of(request.url), (Pairs{{"grant_type", "ig_refresh_token"}, {"access_token", "at-1"}}));
    EXPECT_TRUE(request.credential_in_url_or_body);
}

// 11. Quirks of the consent page

TEST_F(OAuthRequests, AFragmentCarriesTheParametersBehindIt) {
    const Client client = oauth({{"authorize", "https://acme.example/app#/oauth"}});
    const std::string url = authorized(client);
    EXPECT_TRUE(url.starts_with("https://acme.example/app#/oauth?")) << url;
    EXPECT_NE(url.find("state=st"), std::string::npos);
}

TEST_F(OAuthRequests, ARawScopeStandsInTheAddress) {
    json auth = OAuthFixture::normal({{"scopes", {"a:b"}}});
    auth["authorize"] = {{"url", "https://acme.example/authorize?scope=a:b,c"}, {"params", {{"scope", nullptr}}}};
    EXPECT_NE(authorized(client(auth)).find("scope=a:b,c"), std::string::npos);
}

TEST_F(OAuthRequests, TheCodeIsKnownToTemplatesUnderTheNameThatTheCallbackGivesIt) {
    json auth = OAuthFixture::normal();
    auth["authorize"] = {{"url", "https://acme.example/authorize"}, {"callback", {{"code", "spapi_oauth_code"}}}};
    auth["token"] = {{"url", "https://acme.example/token"},
                     {"body", {{"again", "${callback.spapi_oauth_code}"}, {"tenant", "${callback.tenant}"}}}};
    auto form = form_of(exchanged(client(auth), {{"tenant", "t1"}}));
    EXPECT_EQ(form["again"], "c0de");
    EXPECT_EQ(form["tenant"], "t1");
}

TEST_F(OAuthRequests, TheRedirectUriIsSentBackByteForByte) {
    const Client client = oauth();
    const std::string uri = "HTTPS://DB.example:443/cb/?b=2&a=%7e";
    auto query = query_of(got(authorization_url(client, {}, "st", kVerifier, uri, {})));
    EXPECT_EQ(query["redirect_uri"], uri);
    EXPECT_EQ(form_of(got(exchange_request(client, {}, "c", Secret(kVerifier), uri, {})))["redirect_uri"], uri);
}

// 12. Revoke and introspect

TEST_F(OAuthRequests, RevokeSendsTheRefreshTokenFirstAndThenTheAccessToken) {
    const auto requests = got(revoke_requests(oauth({{"revoke", "https://acme.example/revoke"}}), holder_of()));
    ASSERT_EQ(requests.size(), 2U);
    EXPECT_EQ(form_of(requests[0]), (Pairs{{"token", "rt-1"},
                                           {"token_type_hint", "refresh_token"},
                                           {"client_id", "id1"},
                                           {"client_secret", "s3cret"}}));
    EXPECT_EQ(form_of(requests[1])["token"], "at-1");
    EXPECT_TRUE(got(revoke_requests(oauth(), holder_of())).empty()) << "not declared";
    EXPECT_TRUE(got(revoke_requests(oauth({{"revoke", "https://acme.example/revoke"}}), {})).empty());
    EXPECT_EQ(got(revoke_requests(oauth({{"revoke", "https://acme.example/revoke"}}), holder_of("at", ""))).size(), 1U);
}

TEST_F(OAuthRequests, ARevokeThatSpeaksForItselfIsOneRequestAsWritten) {
    json auth = OAuthFixture::normal();
    auth["revoke"] = {{"method", "DELETE"}, {"url", "https://acme.example/tokens/${token.refresh_token}"}};
    const auto requests = got(revoke_requests(client(auth), holder_of()));
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_EQ(requests[0].method, "DELETE");
    EXPECT_EQ(requests[0].url, "https://acme.example/tokens/rt-1");
    EXPECT_TRUE(requests[0].body.empty());
    EXPECT_TRUE(requests[0].credential_in_url_or_body);
}

TEST_F(OAuthRequests, IntrospectionAsksForTheAccessToken) {
    const Client client = oauth({{"introspect", "https://acme.example/introspect"}});
    auto form = form_of(got(introspect_request(client, holder_of())).value());
    EXPECT_EQ(form["token"], "at-1");
    EXPECT_EQ(form["client_secret"], "s3cret");
    EXPECT_FALSE(got(introspect_request(oauth(), holder_of())).has_value());
}

// 13. Template functions

TEST_F(OAuthRequests, TemplateFunctionsServeTokenRequests) {
    json auth = OAuthFixture::normal();
    auth["token"] = {{"url", "https://acme.example/token"},
                     {"headers",
                      {{"X-Correlation", "${uuid()}"},
                       {"X-Sign", "${hmac_sha256(callback.code, credential)}"},
                       {"X-Date", "${date(now, 'YYYY-MM-DD')}"}}},
                     {"body", {{"b", "${base64(connector.client_id)}"}}}};
    const HttpRequest request = exchanged(client(auth));
    const std::string uuid = header_of(request, "X-Correlation");
    EXPECT_EQ(uuid.size(), 36U);
    EXPECT_EQ(uuid[14], '4');
    EXPECT_EQ(header_of(request, "X-Sign"), hex_encode(hmac_sha256("c0de", "s3cret")));
    EXPECT_EQ(header_of(request, "X-Date"), "2024-05-01");
    EXPECT_EQ(form_of(request)["b"], base64_encode("id1"));
}

// What holds for all of them

TEST_F(OAuthRequests, EveryRequestIsBoundToItsOwnOriginAndFollowsNoRedirect) {
    const Client client = oauth({{"revoke", "https://acme.example/revoke"},
                                 {"verify", "/me"},
                                 {"introspect", "https://acme.example/introspect"}});
    std::vector<HttpRequest> requests{exchanged(client), got(refresh_request(client, holder_of())),
                                      got(verify_request(client, holder_of())).value(),
                                      got(introspect_request(client, holder_of())).value()};
    for (auto& request : got(revoke_requests(client, holder_of()))) requests.push_back(std::move(request));
    for (const auto& request : requests) {
        EXPECT_EQ(request.max_redirects, 0) << request.url;
        EXPECT_EQ(request.credential_origins, std::vector<std::string>{got(origin_of(request.url))});
        EXPECT_TRUE(request.credential_in_url_or_body || !request.credential_headers.empty()) << request.url;
        EXPECT_LE(request.max_body_bytes, 1 << 20);
        for (const auto& [name, value] : request.headers)
            EXPECT_TRUE(value.find("s3cret") == std::string::npos && value.find("at-1") == std::string::npos) << name;
    }
}

TEST_F(OAuthRequests, AddressesThatAuthDoesNotNameAreTheDiscoveredOnes) {
    json auth = {{"type", "oauth2"},
                 {"issuer", "https://acme.example/"},
                 {"client_id", "id1"},
                 {"credential_ref", "R"},
                 {"introspect", json::object()}};
    Client client = this->client(auth);
    EXPECT_EQ(discovery_request(client).value().url, "https://acme.example/.well-known/openid-configuration");
    EXPECT_EQ(reason_of(refresh_request(client, holder_of())), Reason::invalid_configuration) << "not yet discovered";
    client.discovery = Discovery{"https://acme.example/",
                                 "https://acme.example/a",
                                 "https://acme.example/t",
                                 "https://acme.example/r",
                                 "https://acme.example/i",
                                 "",
                                 false};
    EXPECT_FALSE(discovery_request(client).has_value());
    EXPECT_TRUE(authorized(client).starts_with("https://acme.example/a?"));
    EXPECT_EQ(exchanged(client).url, "https://acme.example/t");
    EXPECT_EQ(got(revoke_requests(client, holder_of())).at(0).url, "https://acme.example/r");
    EXPECT_EQ(got(introspect_request(client, holder_of())).value().url, "https://acme.example/i");
    EXPECT_FALSE(discovery_request(oauth({{"issuer", "https://acme.example"}})).has_value()) << "nothing is missing";
    EXPECT_EQ(discovery_request(oauth({{"discovery", "https://acme.example/meta"}})).value().url,
              "https://acme.example/meta");
    EXPECT_EQ(reason_of(parse_auth(OAuthFixture::normal({{"token", {{"url", nullptr}, {"format", "json"}}}}))),
              Reason::invalid_configuration)
        << "neither an address nor an issuer";
}

TEST_F(OAuthRequests, CallsOfAConnectorWithOauth2ShowTheirTokenByUse) {
    const Client client = oauth({{"use", {{"name", "X-T"}}}});
    HttpRequest request;
    request.url = "https://api.acme.example/x";
    request.credential_origins = {"https://api.acme.example:443"};
    const test::Context context;
    ASSERT_TRUE(apply_auth(client.auth, Secret("tok"), context.values, request).ok());
    EXPECT_EQ(header_of(request, "X-T"), "tok");
}

}  // namespace
}  // namespace pg_pull::oauth
