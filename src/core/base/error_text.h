#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace pg_pull {

/// `text` on one line and of at most `limit` bytes (100 or more): control characters as `\n`, `\t`, `\xNN`, so that no name can
/// forge a line of a log; what is too long loses its middle, since the end says what is wrong. UTF-8 stays UTF-8.
[[nodiscard]] std::string one_line(std::string_view text, std::size_t limit);

/// The error as it may be shown, logged and stored: its parts quote names and values as they were given, of any length.
[[nodiscard]] Error presentable(Error error);

}  // namespace pg_pull
