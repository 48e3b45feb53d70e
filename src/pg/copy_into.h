#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pg_pull::pg {

/// A table that lines are copied into. COPY's functions check no rights and go round row security and distribution: only for
/// tables of our own.
struct CopyTarget {
    unsigned relation = 0;
    std::vector<std::string> columns;  ///< in the order of the lines
};

/// The first line that the table refused. Nothing of the text was loaded.
struct CopyFailure {
    std::size_t line = 0;  ///< within the text, from 0
    std::string column;    ///< empty where the server names none
    std::exception_ptr error;
};

/// Loads lines in COPY's text format and UTF-8, in a subtransaction. `pump` is called between chunks and must not throw. What is
/// no matter of a row (out of memory, cancelled …) is thrown.
std::optional<CopyFailure> copy_into(const CopyTarget& target, std::string_view lines,
                                     const std::function<void()>& pump);

}  // namespace pg_pull::pg
