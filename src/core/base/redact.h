#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/secret.h"

namespace pg_pull {

/// Replaces every occurrence of every known secret by stars, longest first, so that no tail of a longer one stays. Also the
/// forms in which a secret travels: percent-encoded, base64 and base64url, JSON-escaped. Secrets of fewer than four
/// characters are replaced only as whole words.
class Redactor {
public:
    void add(const Secret& secret);
    [[nodiscard]] std::string redact(std::string_view text) const;

private:
    std::vector<Secret> needles_;  ///< longest first
};

/// The first `limit` bytes of `text`, cut at a character border, redacted, control characters replaced: for details of errors.
[[nodiscard]] std::string excerpt(std::string_view text, const Redactor& redactor, std::size_t limit = 200);

}  // namespace pg_pull
