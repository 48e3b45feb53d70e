#include "core/connection/credential_origins.h"

#include <gtest/gtest.h>

namespace pg_pull {
namespace {

using nlohmann::json;
using Origins = std::set<std::string>;

TEST(CredentialOrigins, EveryPlaceThatACredentialGoesToIsNamed) {
    const json config =
        json::parse(R"({"base_url": "https://API.example.com/v1?x=1", "origins": ["https://files.example.com:8443"]})");
    const json auth = json::parse(R"({"type": "oauth2", "token": "https://login.example.com/token",
        "refresh": {"url": "https://refresh.example.com/r"}, "revoke": {"url": "/revoke"}, "discovery": "https://id.example.com/.well-known",
        "verify": "https://me.example.com"})");
    EXPECT_EQ(credential_origins(config, auth),
              (Origins{"https://api.example.com:443", "https://files.example.com:8443", "https://login.example.com:443",
                       "https://refresh.example.com:443", "https://id.example.com:443", "https://me.example.com:443"}));
}

TEST(CredentialOrigins, PathAndQueryAreNoPartOfAnOrigin) {
    const json none = json::object();
    const auto of = [&](const char* url) { return credential_origins(json{{"base_url", url}}, none); };
    EXPECT_EQ(of("https://a.example/x"), of("https://A.example:443/y?z#f"));
    EXPECT_NE(of("https://a.example/x"), of("http://a.example/x"));
    EXPECT_NE(of("https://a.example/x"), of("https://a.example:444/x"));
}

TEST(CredentialOrigins, TemplatesInAnOriginCountAsText) {
    const json none = json::object();
    const auto of = [&](const char* url) { return credential_origins(json{{"base_url", url}}, none); };
    EXPECT_EQ(of("https://${connection.shop}.example.com/a"), of("https://${connection.shop}.example.com/b"));
    EXPECT_NE(of("https://${connection.shop}.example.com/a"), of("https://${connection.shop}.example.org/a"));
    EXPECT_NE(of("https://${connection.a || 'x/y'}.example.com"), of("https://${connection.a || 'x/z'}.example.com"));
    EXPECT_EQ(of("${connection.url}/a"), (Origins{"${connection.url}"}));
}

TEST(CredentialOrigins, AProtocolRelativeUrlIsAnOrigin) {
    EXPECT_EQ(credential_origins(json::object(), json{{"token", "//evil.example/t"}}).size(), 1U);
    EXPECT_TRUE(credential_origins(json::object(), json{{"token", "/token"}}).empty());
}

TEST(CredentialOrigins, AStoredCredentialIsFoundWhereverItIsNamed) {
    const json none = json::object();
    EXPECT_FALSE(uses_stored_credential(none, json{{"type", "none"}}));
    EXPECT_TRUE(uses_stored_credential(none, json{{"type", "bearer"}, {"credential_ref", "x"}}));
    EXPECT_TRUE(uses_stored_credential(json{{"tls", {{"client_key_ref", "x"}}}}, none));
    EXPECT_TRUE(uses_stored_credential(none, json{{"type", "api_key"}, {"per", "connection"}}));
    EXPECT_TRUE(uses_stored_credential(none, json{{"type", "oauth2"}, {"client_id", "x"}}));
    EXPECT_FALSE(uses_stored_credential(none, json{{"type", "bearer"}, {"credential_ref", nullptr}}));
}

}  // namespace
}  // namespace pg_pull
