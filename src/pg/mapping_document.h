#pragma once

#include <nlohmann/json.hpp>

#include "pg/catalog.h"

namespace pg_pull::pg {

/// The columns of a mapping that sync_mapping_alter() may change, as one JSON object.
nlohmann::json mapping_document(const MappingRow& mapping);

/// The mapping after a JSON merge patch (RFC 7396) over its document. An absent or null member is its default; `scope` then stays
/// empty and is left to the caller. Raises unknown_key, and invalid_configuration for a value of the wrong type or a required
/// one that is null. Values are not judged further.
MappingRow patched_mapping(const MappingRow& mapping, const nlohmann::json& changes);

}  // namespace pg_pull::pg
