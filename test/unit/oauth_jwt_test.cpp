#include "core/oauth/jwt.h"

#include <set>

#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "core/base/encoding.h"
#include "core/oauth/pkce.h"
#include "unit/oauth_support.h"

namespace pg_pull::oauth {
namespace {

using nlohmann::json;
using test::form_of;
using test::got;
using test::holder_of;
using test::message_of;
using test::OAuthFixture;
using test::reason_of;

std::string pem_of(EVP_PKEY* key) {
    BIO* memory = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(memory, key, nullptr, nullptr, 0, nullptr, nullptr);
    char* text = nullptr;
    const long size = BIO_get_mem_data(memory, &text);
    std::string pem(text, static_cast<std::size_t>(size));
    BIO_free(memory);
    return pem;
}

std::vector<std::string> parts_of(std::string_view jwt) {
    std::vector<std::string> parts(1);
    for (const char c : jwt)
        if (c == '.')
            parts.emplace_back();
        else
            parts.back().push_back(c);
    return parts;
}

/// The signature as OpenSSL checks it: DER for an EC key.
std::string der_of(const std::string& raw, int type) {
    if (type != EVP_PKEY_EC) return raw;
    const auto* bytes = reinterpret_cast<const unsigned char*>(raw.data());
    ECDSA_SIG* signature = ECDSA_SIG_new();
    ECDSA_SIG_set0(signature, BN_bin2bn(bytes, 32, nullptr), BN_bin2bn(bytes + 32, 32, nullptr));
    unsigned char* der = nullptr;
    const int size = i2d_ECDSA_SIG(signature, &der);
    std::string result(reinterpret_cast<char*>(der), static_cast<std::size_t>(size));
    OPENSSL_free(der);
    ECDSA_SIG_free(signature);
    return result;
}

bool verifies(std::string_view jwt, EVP_PKEY* key) {
    const auto parts = parts_of(jwt);
    const std::string text = parts.at(0) + "." + parts.at(1);
    const std::string signature = der_of(base64_decode(parts.at(2)).value(), EVP_PKEY_base_id(key));
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, key);
    const int result =
        EVP_DigestVerify(context, reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                         reinterpret_cast<const unsigned char*>(text.data()), text.size());
    EVP_MD_CTX_free(context);
    return result == 1;
}

class OAuthAssertion : public ::testing::TestWithParam<const char*>, protected OAuthFixture {};

TEST_P(OAuthAssertion, IsSignedByTheClientsKeyForTheTokenEndpoint) {
    const bool is_rsa = std::string(GetParam()) == "RS256";
    EVP_PKEY* key = is_rsa ? EVP_RSA_gen(2048) : EVP_EC_gen("P-256");
    Client client = oauth({{"token", {{"url", "https://acme.example/token?v=1"}, {"client_auth", "private_key_jwt"}}}});
    client.secret = Secret(pem_of(key));
    auto form = form_of(got(refresh_request(client, holder_of())));
    EXPECT_EQ(form["client_assertion_type"], "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    EXPECT_EQ(form.count("client_secret"), 0U) << "the key itself never leaves";
    const std::string& assertion = form["client_assertion"];
    EXPECT_TRUE(verifies(assertion, key));
    const json claims = jwt_claims(assertion).value();
    EXPECT_EQ(claims["iss"], "id1");
    EXPECT_EQ(claims["sub"], "id1");
    EXPECT_EQ(claims["aud"], "https://acme.example/token");
    EXPECT_EQ(claims["exp"].get<long>() - claims["iat"].get<long>(), 300);
    EXPECT_EQ(claims["iat"], 1'714'558'830);
    EXPECT_EQ(json::parse(base64_decode(parts_of(assertion)[0]).value())["alg"], GetParam());
    auto again = form_of(got(refresh_request(client, holder_of())));
    EXPECT_NE(jwt_claims(again["client_assertion"]).value()["jti"], claims["jti"]);
    EVP_PKEY_free(key);
}

INSTANTIATE_TEST_SUITE_P(Keys, OAuthAssertion, ::testing::Values("RS256", "ES256"));

TEST(OAuthAssertionKey, OneThatCannotBeUsedIsRefusedWithoutShowingIt) {
    EVP_PKEY* wrong_curve = EVP_EC_gen("P-384");
    EVP_PKEY* no_signer = EVP_PKEY_Q_keygen(nullptr, nullptr, "X25519");
    for (const std::string& key : {std::string("s3cret"), std::string(), pem_of(wrong_curve), pem_of(no_signer)}) {
        const auto refused = client_assertion(Secret(key), "id", "https://a.example", WallTime{}, "j");
        ASSERT_EQ(reason_of(refused), Reason::invalid_configuration);
        EXPECT_EQ(message_of(refused).find("s3cret"), std::string::npos);
    }
    EVP_PKEY_free(wrong_curve);
    EVP_PKEY_free(no_signer);
}

TEST(OAuthJwt, OnlyThreePartsWithTwoObjectsAreOne) {
    const std::string object = base64url_encode("{}");
    EXPECT_TRUE(jwt_claims(object + "." + object + ".").has_value());
    for (const std::string& text :
         {std::string(), std::string(".."), object + "." + object, object + ".x.y.z",
          base64url_encode("[]") + "." + object + ".s", object + "." + base64url_encode("1") + ".s", object + ".%%%.s"})
        EXPECT_FALSE(jwt_claims(text).has_value()) << text;
}

TEST(OAuthState, IsRandomAndStoredHashed) {
    std::uint64_t counter = 0;
    const auto random = [&counter] { return ++counter * 0x9E3779B97F4A7C15ULL; };
    std::set<std::string> seen;
    for (int i = 0; i < 100; ++i) seen.insert(make_state(random));
    EXPECT_EQ(seen.size(), 100U);
    EXPECT_EQ(counter, 400U) << "256 bits each";
    EXPECT_EQ(seen.begin()->find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
              std::string::npos);
    EXPECT_EQ(hash_state("abc").size(), 32U);
    EXPECT_EQ(hex_encode(hash_state("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(OAuthPkce, TheVerifierHas43CharactersAndItsChallengeIsS256) {
    const std::string verifier = make_verifier([] { return 0xFFFFFFFFFFFFFFFFULL; });
    EXPECT_EQ(verifier.size(), 43U);
    // RFC 7636 appendix B
    EXPECT_EQ(challenge_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
              "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}

}  // namespace
}  // namespace pg_pull::oauth
