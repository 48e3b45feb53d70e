#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pg_pull {

/// What stands for a byte that was not UTF-8 in a mended copy: allowed within JSON strings and hardly ever sent.
inline constexpr char kBadByteMark = '\x7F';

/// Puts `mark` over every byte that is not part of a valid UTF-8 sequence (RFC 3629: no overlong forms, no surrogates, nothing
/// above U+10FFFF) and returns where these were, ascending. The length stays, so offsets hold.
std::vector<std::uint32_t> replace_bad_utf8(std::string& text, char mark);

/// The largest length up to `limit` at which `text` (UTF-8) can be cut without cutting a character.
[[nodiscard]] std::size_t utf8_cut(std::string_view text, std::size_t limit) noexcept;

}  // namespace pg_pull
