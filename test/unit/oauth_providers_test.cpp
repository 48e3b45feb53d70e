#include <fstream>
#include <sstream>

#include "core/oauth/fields.h"
#include "unit/oauth_support.h"

namespace pg_pull::oauth {
namespace {

using nlohmann::json;
using test::answer;
using test::form_of;
using test::got;
using test::header_of;
using test::holder_of;
using test::OAuthFixture;
using test::query_of;

/// The JSON blocks of the how-to page by the heading they stand under.
std::map<std::string, json> blocks_of_the_page() {
    std::ifstream file(PG_PULL_SOURCE_DIR "/docs/how-to/oauth-providers.md");
    std::map<std::string, json> blocks;
    std::string line;
    std::string heading;
    std::optional<std::string> block;
    while (std::getline(file, line)) {
        if (line.starts_with("#")) heading = line.substr(line.find_first_not_of("# "));
        if (line == "```json") {
            block.emplace();
        } else if (line == "```" && block) {
            blocks[heading] = json::parse(*block);
            block.reset();
        } else if (block) {
            *block += line + "\n";
        }
    }
    return blocks;
}

struct Expected {
    const char* provider;
    json fields;
    const char* authorize;
    const char* token;
    const char* scope;
    bool pkce;
    bool basic;
    json extra;            ///< parameters of the consent page
    const char* answered;  ///< what the token endpoint answers
    json kept;
    std::size_t revocations;
};

const std::vector<Expected>& expectations() {
    static const std::vector<Expected> list{
        {"Once: register, declare",
         {},
         "https://acme.example/oauth/authorize",
         "https://acme.example/oauth/token",
         "records.read",
         true,
         false,
         {},
         R"({"access_token":"t","expires_in":60})",
         json::object(),
         0},
        {"GitHub",
         {},
         "https://github.com/login/oauth/authorize",
         "https://github.com/login/oauth/access_token",
         "repo read:org",
         true,
         false,
         {},
         R"({"access_token":"t","scope":"repo,read:org","token_type":"bearer"})",
         json::object(),
         1},
        {"Google",
         {},
         "https://accounts.google.com/o/oauth2/v2/auth",
         "https://oauth2.googleapis.com/token",
         "openid email https://www.googleapis.com/auth/drive.readonly",
         true,
         false,
         {{"access_type", "offline"}, {"prompt", "consent"}},
         R"({"access_token":"t","expires_in":3599})",
         json::object(),
         2},
        {"Slack",
         {},
         "https://slack.com/oauth/v2/authorize",
         "https://slack.com/api/oauth.v2.access",
         "channels:read,users:read",
         false,
         false,
         {},
         R"({"ok":true,"access_token":"t","team":{"id":"T1","name":"Acme"}})",
         {{"team_id", "T1"}, {"team_name", "Acme"}},
         1},
        {"Salesforce",
         {{"login_host", "login.salesforce.com"}},
         "https://login.salesforce.com/services/oauth2/authorize",
         "https://login.salesforce.com/services/oauth2/token",
         "api refresh_token",
         true,
         false,
         {},
         R"({"access_token":"t","instance_url":"https://eu1.salesforce.com"})",
         {{"instance_url", "https://eu1.salesforce.com"}},
         2},
        {"HubSpot",
         {},
         "https://app.hubspot.com/oauth/authorize",
         "https://api.hubapi.com/oauth/v1/token",
         "oauth crm.objects.contacts.read",
         false,
         false,
         {},
         R"({"access_token":"t","expires_in":1800})",
         json::object(),
         0},
        {"Xero",
         {},
         "https://login.xero.com/identity/connect/authorize",
         "https://identity.xero.com/connect/token",
         "offline_access accounting.transactions.read",
         true,
         true,
         {},
         R"({"access_token":"t","expires_in":1800})",
         json::object(),
         2},
        {"Shopify",
         {{"shop", "s1"}},
         "https://s1.myshopify.com/admin/oauth/authorize",
         "https://s1.myshopify.com/admin/oauth/access_token",
         "read_orders,read_products",
         false,
         false,
         {},
         R"({"access_token":"t","scope":"read_orders,read_products"})",
         json::object(),
         0},
        {"Zoho",
         {{"dc", "eu"}},
         "https://accounts.zoho.eu/oauth/v2/auth",
         "https://accounts.zoho.eu/oauth/v2/token",
         "ZohoCRM.modules.ALL",
         true,
         false,
         {{"access_type", "offline"}, {"prompt", "consent"}},
         R"({"access_token":"t","api_domain":"https://www.zohoapis.eu","expires_in":3600})",
         {{"api_domain", "https://www.zohoapis.eu"}},
         2},
    };
    return list;
}

class OAuthProviders : public ::testing::Test, protected OAuthFixture {
protected:
    Client provider(const std::string& name) {
        const json block = blocks_of_the_page().at(name);
        return client(block.at("auth"), block.at("config"));
    }
    static Holder holder_with(const json& fields) {
        Holder holder = holder_of();
        holder.fields = fields.is_null() ? json::object() : fields;
        return holder;
    }
};

TEST_F(OAuthProviders, ThePageShowsEachOfThem) {
    const auto blocks = blocks_of_the_page();
    ASSERT_EQ(blocks.size(), expectations().size());
    for (const auto& expected : expectations()) EXPECT_EQ(blocks.count(expected.provider), 1U) << expected.provider;
}

TEST_F(OAuthProviders, ConsentPagesAreAskedAsDocumented) {
    for (const auto& expected : expectations()) {
        SCOPED_TRACE(expected.provider);
        const Client client = provider(expected.provider);
        const Holder holder = holder_with(got(check_fields(client.auth, expected.fields)));
        const std::string url = got(authorization_url(client, holder, "st", "v", "https://db.example/cb", {}));
        EXPECT_EQ(url.substr(0, url.find('?')), expected.authorize);
        auto query = query_of(url);
        EXPECT_EQ(query["scope"], expected.scope);
        EXPECT_EQ(query["state"], "st");
        EXPECT_EQ(query["response_type"], "code");
        EXPECT_EQ(query["client_id"], client.auth.oauth2->client_id);
        EXPECT_EQ(query.count("code_challenge") == 1, expected.pkce);
        for (const auto& item : expected.extra.items()) EXPECT_EQ(query[item.key()], item.value());
    }
}

TEST_F(OAuthProviders, CodesAndRefreshTokensAreChangedAsDocumented) {
    for (const auto& expected : expectations()) {
        SCOPED_TRACE(expected.provider);
        const Client client = provider(expected.provider);
        const Holder holder = holder_with(expected.fields);
        const HttpRequest exchange =
            got(exchange_request(client, holder, "c", Secret("v"), "https://db.example/cb", {}));
        const HttpRequest refresh = got(refresh_request(client, holder));
        for (const HttpRequest* const request : {&exchange, &refresh}) {
            EXPECT_EQ(request->method, "POST");
            EXPECT_EQ(request->url, expected.token);
            auto form = form_of(*request);
            EXPECT_EQ(form.count("client_secret") == 1, !expected.basic);
            EXPECT_EQ(header_of(*request, "Authorization") != "(none)", expected.basic);
        }
        EXPECT_EQ(form_of(exchange)["code"], "c");
        EXPECT_EQ(form_of(exchange).count("code_verifier") == 1, expected.pkce);
        EXPECT_EQ(form_of(refresh)["grant_type"], "refresh_token");
        EXPECT_EQ(form_of(refresh)["refresh_token"], "rt-1");
        EXPECT_EQ(got(revoke_requests(client, holder)).size(), expected.revocations);
    }
}

TEST_F(OAuthProviders, AnswersAreReadAsDocumented) {
    for (const auto& expected : expectations()) {
        SCOPED_TRACE(expected.provider);
        const Client client = provider(expected.provider);
        const auto read = read_token_answer(client, TokenCall::exchange, answer(expected.answered), clock.now(), {});
        EXPECT_EQ(read.kind, TokenAnswer::Kind::granted);
        EXPECT_EQ(read.token.reveal(), "t");
        EXPECT_EQ(read.keep, expected.kept);
        EXPECT_TRUE(missing_scopes(client.auth.oauth2->scopes, read.scopes).empty());
    }
}

TEST_F(OAuthProviders, GithubRevokesByItsOwnRequest) {
    const HttpRequest request = got(revoke_requests(provider("GitHub"), holder_of())).at(0);
    EXPECT_EQ(request.method, "DELETE");
    EXPECT_EQ(request.url, "https://api.github.com/applications/github-client-id/token");
    EXPECT_EQ(json::parse(request.body), (json{{"access_token", "at-1"}}));
    EXPECT_TRUE(header_of(request, "Authorization").starts_with("Basic "));
}

TEST_F(OAuthProviders, SlackRefusesWithStatus200) {
    const Client client = provider("Slack");
    const auto read = [&](const char* body) {
        return read_token_answer(client, TokenCall::refresh, answer(body), clock.now(), {}).kind;
    };
    EXPECT_EQ(read(R"({"ok":false,"error":"invalid_refresh_token"})"), TokenAnswer::Kind::invalid_grant);
    EXPECT_EQ(read(R"({"ok":false,"error":"bad_client_secret"})"), TokenAnswer::Kind::misconfigured);
}

TEST_F(OAuthProviders, SalesforceIsAskedByIntrospectionAndSendsItsSecretToNobodyElse) {
    const Client client = provider("Salesforce");
    EXPECT_EQ(got(introspect_request(client, holder_with({{"login_host", "test.salesforce.com"}}))).value().url,
              "https://test.salesforce.com/services/oauth2/introspect");
    for (const char* host : {"evil.example", "evil.example/.salesforce.com", "salesforce.com.evil.example"})
        EXPECT_FALSE(check_fields(client.auth, {{"login_host", host}}).ok()) << host;
}

TEST_F(OAuthProviders, XeroFindsItsTenantAfterConsent) {
    const Client client = provider("Xero");
    const HttpRequest request = got(after_connect_request(client, holder_of())).value();
    EXPECT_EQ(request.url, "https://api.xero.com/connections");
    EXPECT_EQ(header_of(request, "Authorization"), "Bearer at-1");
    EXPECT_EQ(header_of(request, "Xero-Tenant-Id"), "(none)") << "not known yet";
    const Kept kept = got(read_kept(*client.auth.oauth2->after_connect,
                                    answer(R"([{"tenantId":"t-1","tenantName":"Acme"},{"tenantId":"t-2"}])")));
    EXPECT_EQ(kept.fields, (json{{"tenant_id", "t-1"}, {"tenant_name", "Acme"}}));
}

TEST_F(OAuthProviders, HubspotSaysWhoseTheTokenIs) {
    const Client client = provider("HubSpot");
    EXPECT_EQ(got(after_connect_request(client, holder_of())).value().url,
              "https://api.hubapi.com/oauth/v1/access-tokens/at-1");
}

TEST_F(OAuthProviders, ShopifyAndZohoTakeTheTokenTheirOwnWay) {
    const auto applied = [this](const char* name, const char* header) {
        const Client client = provider(name);
        HttpRequest request;
        request.url = "https://api.example.com/x";
        request.credential_origins = {"https://api.example.com:443"};
        const test::Context context;
        EXPECT_TRUE(apply_auth(client.auth, Secret("tok"), context.values, request).ok());
        EXPECT_EQ(request.credential_headers.size(), 1U);
        return header_of(request, header);
    };
    EXPECT_EQ(applied("Shopify", "X-Shopify-Access-Token"), "tok");
    EXPECT_EQ(applied("Zoho", "Authorization"), "Zoho-oauthtoken tok");
}

}  // namespace
}  // namespace pg_pull::oauth
