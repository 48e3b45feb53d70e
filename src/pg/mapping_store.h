#pragma once

// Writing mappings: what sync_mapping_create, _alter, _drop and the cascade of sync_connector_drop have in common. All need a
// transaction and an Spi scope, run with the rights of the extension's owner, and judge no rights themselves.

#include <cstdint>
#include <optional>
#include <vector>

#include "pg/catalog.h"

namespace pg_pull::pg {

/// Writes a new mapping; nullopt where the name is taken.
std::optional<std::int64_t> insert_mapping(const Extension& extension, const MappingRow& mapping);
/// Writes all columns but name, package and owner.
void update_mapping(const Extension& extension, const MappingRow& mapping);

/// Keeps the mapping from being changed by others, and runs of it from starting, until this transaction ends, and reads it again.
/// Raises already_running (55006) while one is under way.
MappingRow lock_mapping(const Extension& extension, const MappingRow& mapping);

/// Forgets where the next pull would go on, for every slice. The mapping must be locked.
void reset_cursors(const Extension& extension, const MappingRow& mapping);

/// Locks and deletes the mapping with its slices and cursors. Runs and rejects stay.
void drop_mapping(const Extension& extension, const MappingRow& mapping);

/// The mappings that this entry answers.
std::vector<MappingRow> mappings_using(const Extension& extension, const ConnectorRow& connector);

}  // namespace pg_pull::pg
