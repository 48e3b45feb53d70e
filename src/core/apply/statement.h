#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pg_pull::apply {

/// A statement with its parameters, all of type text: every use of one is a CAST to what it stands for.
struct Statement {
    std::string text;
    std::vector<std::optional<std::string>> parameters;

    /// Adds a parameter; returns `CAST($n AS type)`.
    std::string add(std::optional<std::string> value, std::string_view type);
};

/// An identifier in its quotes, always: what needs none is not worth knowing here.
[[nodiscard]] std::string quote_name(std::string_view name);

/// The non-empty parts with `separator` between them.
[[nodiscard]] std::string joined(const std::vector<std::string>& parts, std::string_view separator);

/// The condition that all non-empty parts hold; `true` where there is none.
[[nodiscard]] std::string all_of(const std::vector<std::string>& conditions);

/// Sequence numbers of staged records, both borders included.
struct Range {
    std::int64_t first = 0;
    std::int64_t last = 0;
};

}  // namespace pg_pull::apply
