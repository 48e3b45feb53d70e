#include "core/seal/seal.h"

#include <sodium.h>

#include <stdexcept>

#include "core/base/encoding.h"

namespace pg_pull {
namespace {

constexpr char kVersion = 1;
constexpr std::size_t kNonceBytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kTagBytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;
constexpr std::size_t kKeyBytes = crypto_aead_xchacha20poly1305_ietf_KEYBYTES;
static_assert(kKeyBytes == 32);

constexpr std::size_t kIdBytes = 8;

void need_sodium() {
    // safe to call again; -1 only where the system has no source of randomness
    if (sodium_init() < 0) throw std::runtime_error("libsodium could not be initialised");
}

const unsigned char* bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

/// Each part with its length in front, and the format's version: whoever turns the version back changes this, too.
std::string joined(const Associated& associated) {
    std::string text = "pg_pull seal ";
    text += kVersion;
    for (const auto part : associated) {
        const auto size = static_cast<std::uint64_t>(part.size());
        for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>(size >> shift & 0xFFU);
        text += part;
    }
    return text;
}

Error mismatch() {
    return fail(Reason::key_mismatch, "a sealed value does not open with its key")
        .with_detail("The value was changed or moved, or belongs to something else.");
}

}  // namespace

SealKey key_of(Secret secret) {
    need_sodium();
    constexpr std::string_view purpose = "pg_pull key id";
    std::string id(crypto_generichash_BYTES, '\0');
    crypto_generichash(bytes(id), id.size(), bytes(purpose), purpose.size(), bytes(secret.reveal()),
                       secret.reveal().size());
    return SealKey{hex_encode(std::string_view(id).substr(0, kIdBytes)), std::move(secret)};
}

SealKey make_key() {
    need_sodium();
    std::string fresh(kKeyBytes, '\0');
    randombytes_buf(fresh.data(), fresh.size());
    SealKey key = key_of(Secret(fresh));
    sodium_memzero(fresh.data(), fresh.size());
    return key;
}

std::string seal(const SealKey& key, const Secret& value, const Associated& associated) {
    need_sodium();
    if (key.bytes.reveal().size() != kKeyBytes) throw std::logic_error("a key of the wrong size");
    const std::string data = joined(associated);
    const std::string_view text = value.reveal();
    std::string sealed(1 + kNonceBytes + text.size() + kTagBytes, kVersion);
    unsigned char* nonce = bytes(sealed) + 1;
    randombytes_buf(nonce, kNonceBytes);
    crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + kNonceBytes, nullptr, bytes(text), text.size(),
                                               bytes(std::string_view(data)), data.size(), nullptr, nonce,
                                               bytes(key.bytes.reveal()));
    return sealed;
}

Result<Secret> open_sealed(const SealKey& key, std::string_view sealed, const Associated& associated) {
    need_sodium();
    if (sealed.size() < 1 + kNonceBytes + kTagBytes || sealed[0] != kVersion || key.bytes.reveal().size() != kKeyBytes)
        return mismatch();
    const std::string data = joined(associated);
    const std::string_view nonce = sealed.substr(1, kNonceBytes);
    const std::string_view text = sealed.substr(1 + kNonceBytes);
    std::string opened(text.size() - kTagBytes, '\0');
    const int failed = crypto_aead_xchacha20poly1305_ietf_decrypt(bytes(opened), nullptr, nullptr, bytes(text),
                                                                  text.size(), bytes(std::string_view(data)),
                                                                  data.size(), bytes(nonce), bytes(key.bytes.reveal()));
    if (failed != 0) return mismatch();
    Secret secret(opened);
    sodium_memzero(opened.data(), opened.size());
    return secret;
}

}  // namespace pg_pull
