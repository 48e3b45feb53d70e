#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace pg_pull {

/// An absolute http or https URL (RFC 3986). Scheme and host are lower case, an IPv6 host is in its shortest form in brackets,
/// the path begins with `/` and has no dot segments. Percent-encodings of the given text stay as they were (a signature may
/// cover them); characters that may not stand in a URL (spaces, `"<>^`{|}`, bytes above 0x7F) are percent-encoded.
struct Url {
    std::string scheme;
    std::string host;
    std::uint16_t port = 0;  ///< always set
    std::string path = "/";
    std::optional<std::string> query;     ///< without the `?`
    std::optional<std::string> fragment;  ///< without the `#`

    /// `scheme://host:port`, the port always there: what credentials are bound to.
    [[nodiscard]] std::string origin() const;
    /// The whole text; a default port and the fragment are left out (a fragment is never sent).
    [[nodiscard]] std::string to_string() const;
};

/// Refuses (invalid_configuration) relative text, other schemes, user information, control characters, backslashes, an empty or
/// malformed host (names of other than ASCII letters must come in their `xn--` form), ports outside 1…65535.
Result<Url> parse_url(std::string_view text);

/// Url::origin() of `url`.
Result<std::string> origin_of(std::string_view url);

/// `reference` as seen from `base` (RFC 3986 section 5.2): absolute, `//host/…`, `/path`, `path`, `?query`, or empty.
Result<Url> resolve(const Url& base, std::string_view reference);

/// Everything but unreserved characters (RFC 3986 section 2.3) becomes %XX: right for a path segment, a query key, a query value.
[[nodiscard]] std::string percent_encode(std::string_view text);
/// As application/x-www-form-urlencoded: like percent_encode, a space becomes `+`.
[[nodiscard]] std::string form_encode(std::string_view text);
/// Undoes %XX; a `%` without two hexadecimal digits stays. With `plus_is_space`, `+` is a space.
[[nodiscard]] std::string percent_decode(std::string_view text, bool plus_is_space = false);

using QueryPairs = std::vector<std::pair<std::string, std::string>>;  ///< decoded

/// Replaces all parameters named `key` of the query by one (appended where there was none); the others keep their exact text.
void set_query_parameter(Url& url, std::string_view key, std::string_view value);
/// Adds without looking at what is there: for repeated keys.
void add_query_parameter(Url& url, std::string_view key, std::string_view value);
/// Removes all parameters named `key`; true if there was one.
bool remove_query_parameter(Url& url, std::string_view key);
/// The decoded parameters in their order.
[[nodiscard]] QueryPairs query_parameters(const Url& url);

}  // namespace pg_pull
