#include "core/base/encoding.h"

#include <sodium.h>

#include <array>

namespace pg_pull {
namespace {

const auto* as_bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
auto* as_bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

std::string encode64(std::string_view bytes, int variant) {
    // libsodium counts the terminating NUL in.
    std::string out(sodium_base64_encoded_len(bytes.size(), variant), '\0');
    sodium_bin2base64(out.data(), out.size(), as_bytes(bytes), bytes.size(), variant);
    out.pop_back();
    return out;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

}  // namespace

std::string base64_encode(std::string_view bytes) { return encode64(bytes, sodium_base64_VARIANT_ORIGINAL); }

std::string base64url_encode(std::string_view bytes) {
    return encode64(bytes, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

std::optional<std::string> base64_decode(std::string_view text) {
    while (!text.empty() && text.back() == '=') text.remove_suffix(1);
    std::string plain(text);
    for (char& c : plain) {
        if (c == '+') c = '-';
        if (c == '/') c = '_';
    }
    std::string out(plain.size(), '\0');
    std::size_t size = 0;
    const char* end = nullptr;
    if (sodium_base642bin(as_bytes(out), out.size(), plain.data(), plain.size(), nullptr, &size, &end,
                          sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0 ||
        end != plain.data() + plain.size())
        return std::nullopt;
    out.resize(size);
    return out;
}

std::string hex_encode(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    out.reserve(bytes.size() * 2);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out.push_back(digits[byte >> 4]);
        out.push_back(digits[byte & 15]);
    }
    return out;
}

std::optional<std::string> hex_decode(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    const auto digit = [](char c) {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        if (c >= 'A' && c <= 'F') return c - 'A' + 10;
        return -1;
    };
    std::string bytes(text.size() / 2, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const int high = digit(text[2 * i]);
        const int low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        bytes[i] = static_cast<char>(high * 16 + low);
    }
    return bytes;
}

std::string sha256(std::string_view bytes) {
    std::string out(crypto_hash_sha256_BYTES, '\0');
    crypto_hash_sha256(as_bytes(out), as_bytes(bytes), bytes.size());
    return out;
}

std::string hmac_sha256(std::string_view bytes, std::string_view key) {
    crypto_auth_hmacsha256_state state;
    crypto_auth_hmacsha256_init(&state, as_bytes(key), key.size());
    crypto_auth_hmacsha256_update(&state, as_bytes(bytes), bytes.size());
    std::string out(crypto_auth_hmacsha256_BYTES, '\0');
    crypto_auth_hmacsha256_final(&state, as_bytes(out));
    sodium_memzero(&state, sizeof state);
    return out;
}

std::uint64_t fingerprint(std::string_view bytes) {
    const std::string hash = sha256(bytes);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof value; ++i) value = value << 8 | static_cast<unsigned char>(hash[i]);
    return value;
}

std::string ascii_lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = lower(c);
    return out;
}

std::string ascii_upper(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = upper(c);
    return out;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (lower(a[i]) != lower(b[i])) return false;
    return true;
}

}  // namespace pg_pull
