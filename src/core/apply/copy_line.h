#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pg_pull::apply {

/// The value of one column of a line in COPY's text format (tabs between columns, backslash escapes); nullopt: NULL, or the
/// line has no such column. Columns count from 0.
[[nodiscard]] std::optional<std::string> copy_field(std::string_view line, std::size_t column);

/// A key as sys_sync_reject shows it: one column's text, or a JSON array of the texts of several; nullopt where a part is NULL.
[[nodiscard]] std::optional<std::string> key_text(const std::vector<std::optional<std::string>>& parts);

/// The parts of such a text; nullopt where it does not hold `count` texts.
[[nodiscard]] std::optional<std::vector<std::string>> key_parts(const std::string& text, std::size_t count);

}  // namespace pg_pull::apply
