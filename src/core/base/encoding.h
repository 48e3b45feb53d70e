#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pg_pull {

/// RFC 4648 section 4, with padding.
[[nodiscard]] std::string base64_encode(std::string_view bytes);
/// RFC 4648 section 5, without padding.
[[nodiscard]] std::string base64url_encode(std::string_view bytes);
/// Both alphabets, padding optional; nothing where `text` is neither.
[[nodiscard]] std::optional<std::string> base64_decode(std::string_view text);
/// Lower case.
[[nodiscard]] std::string hex_encode(std::string_view bytes);
/// Nothing where `text` is no pairs of hexadecimal digits.
[[nodiscard]] std::optional<std::string> hex_decode(std::string_view text);
/// 32 raw bytes.
[[nodiscard]] std::string sha256(std::string_view bytes);
/// 32 raw bytes (RFC 2104 with SHA-256; keys of any length).
[[nodiscard]] std::string hmac_sha256(std::string_view bytes, std::string_view key);
/// 64 bits of a SHA-256: to recognise a page or a cursor that came before, also where an adversary chooses the text.
[[nodiscard]] std::uint64_t fingerprint(std::string_view bytes);

[[nodiscard]] std::string ascii_lower(std::string_view text);
[[nodiscard]] std::string ascii_upper(std::string_view text);
[[nodiscard]] bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept;

}  // namespace pg_pull
