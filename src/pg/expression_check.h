#pragma once

#include <string>
#include <vector>

#include "core/mapping/fields.h"
#include "pg/catalog.h"
#include "pg/target_table.h"

namespace pg_pull::pg {

/// Reads the SQL of a mapping, its `sql` transforms and the `where` over staged records, as a run would, without running any of
/// it. Raises invalid_configuration, which says where it stands and what the server says of it, unless each is one expression
/// over the staged columns and qualified names, of a type that fits. Needs a transaction and an Spi scope.
void check_expressions(const MappingRow& mapping, const std::vector<Field>& fields, const TargetTable& target,
                       const std::string& provider);

}  // namespace pg_pull::pg
