#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/secret.h"

namespace pg_pull {

/// A key of the ring. Its id is made from the key itself, so that a key that was damaged or mistyped is known as such, and two
/// servers never mean different keys by one id. The id tells nothing of the key.
struct SealKey {
    std::string id;  ///< 16 hexadecimal digits
    Secret bytes;    ///< 32
};

[[nodiscard]] SealKey make_key();
/// `bytes` must be 32.
[[nodiscard]] SealKey key_of(Secret bytes);

/// What a sealed value belongs to: it opens only with the same list. Parts are told apart, ("ab", "c") is not ("a", "bc").
using Associated = std::vector<std::string_view>;

/// XChaCha20-Poly1305 with a random nonce. The result is bytes: a version, the nonce, the sealed text with its tag.
[[nodiscard]] std::string seal(const SealKey& key, const Secret& value, const Associated& associated);

/// key_mismatch where key, bytes or `associated` are not those that it was sealed with. No text of the value is in the error.
Result<Secret> open_sealed(const SealKey& key, std::string_view sealed, const Associated& associated);

}  // namespace pg_pull
