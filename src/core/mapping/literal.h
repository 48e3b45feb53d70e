#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/mapping/column.h"

namespace pg_pull {

/// Why a value cannot become the text of a column.
enum class ValueFault : unsigned char {
    none,
    nul,            ///< \u0000 in a string
    surrogate,      ///< half of a surrogate pair in a string
    not_array,      ///< neither an array nor a string for an array column
    not_composite,  ///< neither an object nor a string for a composite column
    not_epoch,      ///< no number of seconds
    epoch_range,    ///< a time that timestamptz does not hold
};

/// Appends the text of the JSON value `raw` (not null) as the input function of `type` reads it: strings decoded, arrays and
/// objects as literals or as JSON text. `raw` was checked by a Scanner.
[[nodiscard]] ValueFault append_value_text(std::string_view raw, const ColumnType& type, std::string& out);

/// Appends an array literal of these JSON values (null becomes NULL). `type` is of the kind array.
[[nodiscard]] ValueFault append_array_literal(const std::vector<std::string_view>& elements, const ColumnType& type,
                                              std::string& out);

}  // namespace pg_pull
