#include "core/oauth/jwt.h"

#include <memory>

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "core/base/encoding.h"

namespace pg_pull::oauth {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestJwt = 64UL << 10;
constexpr std::size_t kES256Half = 32;

template <auto free>
struct Freed {
    template <class T>
    void operator()(T* object) const noexcept {
        free(object);
    }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;

Error bad_key(const char* why) {
    ERR_clear_error();
    return fail(Reason::invalid_configuration, std::string("the client's private key ") + why)
        .with_hint("It is an RSA key, or an EC key on P-256, in PEM form and without a passphrase.");
}

/// Never asks at a terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

Result<Key> read_key(const Secret& pem) {
    const std::string_view text = pem.reveal();
    const std::unique_ptr<BIO, Freed<BIO_free>> memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
    if (!memory) return bad_key("cannot be read");
    Key key(PEM_read_bio_PrivateKey(memory.get(), nullptr, no_passphrase, nullptr));
    if (!key) return bad_key("cannot be read");
    const int type = EVP_PKEY_base_id(key.get());
    if (type != EVP_PKEY_RSA && type != EVP_PKEY_EC) return bad_key("is neither RSA nor EC");
    if (type == EVP_PKEY_EC && EVP_PKEY_bits(key.get()) != 256) return bad_key("is not on the curve P-256");
    return key;
}

/// JWS wants the two numbers side by side (RFC 7518 section 3.4), OpenSSL gives them in DER.
std::optional<std::string> raw_ecdsa(const std::string& der) {
    const auto* at = reinterpret_cast<const unsigned char*>(der.data());
    const std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>> parts(
        d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
    if (!parts) return std::nullopt;
    std::string raw(2 * kES256Half, '\0');
    auto* out = reinterpret_cast<unsigned char*>(raw.data());
    const int half = static_cast<int>(kES256Half);
    if (BN_bn2binpad(ECDSA_SIG_get0_r(parts.get()), out, half) != half ||
        BN_bn2binpad(ECDSA_SIG_get0_s(parts.get()), out + half, half) != half)
        return std::nullopt;
    return raw;
}

std::optional<std::string> sign(EVP_PKEY* key, std::string_view text) {
    const std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>> context(EVP_MD_CTX_new());
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    std::size_t size = 0;
    if (!context || EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key) != 1 ||
        EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) != 1)
        return std::nullopt;
    std::string signature(size, '\0');
    if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes, text.size()) !=
        1)
        return std::nullopt;
    signature.resize(size);
    return EVP_PKEY_base_id(key) == EVP_PKEY_EC ? raw_ecdsa(signature) : signature;
}

std::optional<json> jwt_part(std::string_view text) {
    const auto bytes = base64_decode(text);
    if (!bytes) return std::nullopt;
    json part = json::parse(*bytes, nullptr, false);
    if (!part.is_object()) return std::nullopt;
    return part;
}

}  // namespace

std::optional<json> jwt_claims(std::string_view text) {
    if (text.size() > kLongestJwt) return std::nullopt;
    const std::size_t first = text.find('.');
    if (first == std::string_view::npos) return std::nullopt;
    const std::size_t second = text.find('.', first + 1);
    if (second == std::string_view::npos || text.find('.', second + 1) != std::string_view::npos) return std::nullopt;
    if (!jwt_part(text.substr(0, first))) return std::nullopt;
    return jwt_part(text.substr(first + 1, second - first - 1));
}

Result<Secret> client_assertion(const Secret& private_key, std::string_view client_id, std::string_view audience,
                                WallTime now, std::string_view id) {
    PG_PULL_ASSIGN(const Key key, read_key(private_key));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
    const bool is_rsa = EVP_PKEY_base_id(key.get()) == EVP_PKEY_RSA;
    const json header{{"alg", is_rsa ? "RS256" : "ES256"}, {"typ", "JWT"}};
    const json claims{{"iss", client_id}, {"sub", client_id}, {"aud", audience},
                      {"jti", id},        {"iat", seconds},   {"exp", seconds + 5 * 60}};
    const auto part = [](const json& value) {
        return base64url_encode(value.dump(-1, ' ', false, json::error_handler_t::replace));
    };
    const std::string text = part(header) + "." + part(claims);
    const auto signature = sign(key.get(), text);
    if (!signature) return bad_key("cannot sign");
    return Secret(text + "." + base64url_encode(*signature));
}

}  // namespace pg_pull::oauth
