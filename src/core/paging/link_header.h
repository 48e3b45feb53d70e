#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/http.h"

namespace pg_pull {

/// One link of a Link header (RFC 8288).
struct Link {
    std::string target;             ///< as sent: may be relative to the answer's URL
    std::vector<std::string> rels;  ///< lower case
    bool has_anchor = false;        ///< speaks of another resource than the one fetched
};

/// All links of one header value. What cannot be read is skipped up to the next `<` outside of quotes, not an error: a server's
/// slip in one link must not hide the others.
[[nodiscard]] std::vector<Link> parse_links(std::string_view value);

/// The first link with relation `rel` (compared without case) over all Link headers; links with an anchor do not count.
[[nodiscard]] std::optional<std::string> find_link(const Headers& headers, std::string_view rel);

}  // namespace pg_pull
