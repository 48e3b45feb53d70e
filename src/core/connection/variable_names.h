#pragma once

#include <string_view>

namespace pg_pull {

/// May an environment variable of this name serve as a credential? `patterns` is the setting pg_pull.credential_env: names separated
/// by commas, blanks around them ignored, `*` in them stands for any characters. An empty list allows nothing; case counts.
[[nodiscard]] bool variable_allowed(std::string_view patterns, std::string_view name) noexcept;

}  // namespace pg_pull
