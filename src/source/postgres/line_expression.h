#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/mapping/encoder.h"
#include "core/mapping/fields.h"
#include "source/postgres/read_statement.h"

namespace pg_pull::postgres {

/// The SQL expression whose COPY text fills a staged column of type `target` with what the encoder would make of the field;
/// nothing where only the encoder can. `remote` is the column that the field reads, null where it reads none; `rows` is the
/// name of the row in the statement.
[[nodiscard]] std::optional<std::string> line_expression(const Field& field, const ColumnType& target,
                                                         const RemoteColumn* remote, std::string_view rows,
                                                         const RunValues& values);

}  // namespace pg_pull::postgres
