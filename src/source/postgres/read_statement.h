#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "source/postgres/database_source.h"
#include "source/registry.h"

namespace pg_pull::postgres {

/// A column of the source, as the server that reads it describes it (domains as their base type).
struct RemoteColumn {
    std::string name;
    unsigned type = 0;    ///< oid
    char category = 'U';  ///< pg_type.typcategory
};

/// The query that reads the rows of one request.
struct ReadStatement {
    std::string select;
    /// True: its columns are those of the StagePlan, then the record (JSON) and the watermark (text) where the plan has them.
    /// False: one column, the row as a JSON object.
    bool lines = false;
    std::vector<std::string> unread;  ///< columns that no field needs, in the source's order
};

/// What stands behind FROM.
[[nodiscard]] std::string from_clause(const DatabaseSource& source);

/// A query whose result has the columns of the source. It is described, never run.
[[nodiscard]] std::string describe_statement(const DatabaseSource& source);

/// Chooses between lines and JSON: lines where each field is a column as it is, a constant or a value of the run, and where
/// both ways give every column the same value. `lines_allowed` false: JSON always.
/// Refuses a field or watermark whose column is not there (reason upstream_not_ok, SQLSTATE 42703).
Result<ReadStatement> read_statement(const SourceRequest& request, const DatabaseSource& source,
                                     const std::vector<RemoteColumn>& columns, bool lines_allowed);

/// Five minutes where the configuration gives no lookback and `start` is a time, since the transactions of a database commit
/// later than the times that they write.
void set_default_lookback(WatermarkConfig& config, const WatermarkValue& start);

/// The condition `column >= value` for the watermark that the request starts from, in the type of the column: lowered by the
/// lookback, unless the value is `initial`. nullopt: there is none.
Result<std::optional<std::string>> watermark_condition(const SourceRequest& request,
                                                       const std::vector<RemoteColumn>& columns);

}  // namespace pg_pull::postgres
