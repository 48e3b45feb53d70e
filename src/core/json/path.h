#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace pg_pull {

/// Where a value lies: dotted (`user.login`, `labels.0.name`, `labels.*.name`), or a JSON Pointer (RFC 6901) when the text
/// begins with `/`. A number as a step fits an array index, and an object key of that name.
struct Path {
    std::vector<std::string> steps;  ///< "*" stands for every element, unless `pointer`
    bool pointer = false;
    std::string text;

    [[nodiscard]] bool has_wildcard() const noexcept;
    bool operator==(const Path& other) const noexcept { return steps == other.steps && pointer == other.pointer; }
};

/// Refuses the empty path, empty steps of a dotted path, and bad escapes of a pointer.
Result<Path> parse_path(std::string_view text);

}  // namespace pg_pull
