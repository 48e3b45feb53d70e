#pragma once

#include <vector>

#include "core/mapping/column.h"
#include "pg/target_table.h"

namespace pg_pull::pg {

/// How values of this type are read (core/mapping/column.h), through domains, arrays and composites. Needs a transaction.
ColumnType column_type(unsigned type_oid);

/// The columns of a relation that exists, in order, dropped ones left out.
std::vector<TargetColumn> columns_of(unsigned relation_oid);

}  // namespace pg_pull::pg
