#pragma once

#include <string>
#include <string_view>

#include "core/oauth/client.h"

namespace pg_pull::oauth {

/// 256 random bits, base64url: 43 characters.
[[nodiscard]] std::string make_state(const Random& random);
/// SHA-256, 32 raw bytes: what is stored of a state.
[[nodiscard]] std::string hash_state(std::string_view state);
/// RFC 7636 section 4.1: 43 unreserved characters of 256 random bits.
[[nodiscard]] std::string make_verifier(const Random& random);
/// RFC 7636 section 4.2, method S256.
[[nodiscard]] std::string challenge_of(std::string_view verifier);
/// RFC 9562 version 4.
[[nodiscard]] std::string make_uuid(const Random& random);

}  // namespace pg_pull::oauth
