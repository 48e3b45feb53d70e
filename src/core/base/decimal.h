#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pg_pull {

/// A decimal number of any size as text in one form: no plus, no leading or trailing zeros, no exponent, no `-0`. Reads what
/// JSON and PostgreSQL write (`12`, `-0.50`, `1e3`); nothing for anything else, and for more than 10,000 digits.
[[nodiscard]] std::optional<std::string> canonical_decimal(std::string_view text);

/// <0, 0, >0. Both canonical.
[[nodiscard]] int compare_decimals(std::string_view a, std::string_view b) noexcept;

}  // namespace pg_pull
