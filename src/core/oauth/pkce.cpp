#include "core/oauth/pkce.h"

#include <array>

#include "core/base/encoding.h"

namespace pg_pull::oauth {
namespace {

template <std::size_t words>
std::string random_bytes(const Random& random) {
    std::string bytes;
    for (std::size_t i = 0; i < words; ++i) {
        const std::uint64_t word = random();
        for (unsigned shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<char>((word >> shift) & 0xFF));
    }
    return bytes;
}

}  // namespace

std::string make_state(const Random& random) { return base64url_encode(random_bytes<4>(random)); }

std::string hash_state(std::string_view state) { return sha256(state); }

std::string make_verifier(const Random& random) { return base64url_encode(random_bytes<4>(random)); }

std::string challenge_of(std::string_view verifier) { return base64url_encode(sha256(verifier)); }

std::string make_uuid(const Random& random) {
    std::string bytes = random_bytes<2>(random);
    bytes[6] = static_cast<char>((static_cast<unsigned char>(bytes[6]) & 0x0F) | 0x40);
    bytes[8] = static_cast<char>((static_cast<unsigned char>(bytes[8]) & 0x3F) | 0x80);
    std::string text = hex_encode(bytes);
    for (const std::size_t at : {20U, 16U, 12U, 8U}) text.insert(at, 1, '-');
    return text;
}

}  // namespace pg_pull::oauth
