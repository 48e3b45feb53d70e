#include <gtest/gtest.h>

#include "core/base/encoding.h"
#include "core/connection/credential_document.h"

namespace pg_pull {
namespace {

using nlohmann::json;

Result<OwnCredential> parse(const json& auth, const json& document) {
    return parse_own_credential(parse_auth(auth).value(), document);
}

const json kApiKey{{"type", "api_key"}, {"per", "connection"}};
const json kBasic{{"type", "basic"}, {"per", "connection"}};

TEST(OwnCredential, HasTheKeysOfItsAuth) {
    EXPECT_EQ(parse(kApiKey, {{"key", "k"}})->secret.reveal(), "k");
    const auto basic = parse(kBasic, {{"username", "u"}, {"password", "p"}});
    ASSERT_TRUE(basic.ok());
    EXPECT_EQ(basic->username, "u");
    EXPECT_EQ(basic->secret.reveal(), "p");
    EXPECT_EQ(parse(kApiKey, {{"credential_ref", "name"}})->reference, "name");
}

TEST(OwnCredential, RefusesOtherKeysAndNeverShowsAValue) {
    const json wrong[] = {{{"token", "canary"}}, {{"key", "canary"}, {"credential_ref", "canary"}},
                          {{"key", 1}},          {{"key", ""}},
                          json::object(),        json("canary")};
    for (const json& document : wrong) {
        const auto parsed = parse(kApiKey, document);
        ASSERT_FALSE(parsed.ok()) << document;
        const Error& error = parsed.error();
        EXPECT_EQ((error.message + error.detail + error.hint).find("canary"), std::string::npos) << document;
    }
    EXPECT_FALSE(parse(kBasic, {{"password", "p"}}).ok()) << "nobody's name is known";
    EXPECT_FALSE(parse({{"type", "none"}}, {{"key", "k"}}).ok());
}

TEST(OwnCredential, IsPackedAndUnpacked) {
    OwnCredential credential;
    credential.username = "u";
    credential.secret = Secret("a \"quoted\" secret");
    const OwnCredential again = unpack_credential(pack_credential(credential));
    EXPECT_EQ(again.username, credential.username);
    EXPECT_EQ(again.secret.reveal(), credential.secret.reveal());
    EXPECT_FALSE(again.reference);
    EXPECT_TRUE(unpack_credential(Secret()).secret.empty());
}

TEST(Hex, IsDecodedOrRefused) {
    EXPECT_EQ(hex_decode("00fFa1"), std::string("\x00\xff\xa1", 3));
    EXPECT_EQ(hex_decode(""), "");
    EXPECT_FALSE(hex_decode("0"));
    EXPECT_FALSE(hex_decode("0g"));
}

}  // namespace
}  // namespace pg_pull
