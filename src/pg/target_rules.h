#pragma once

// What a mapping may do with the target that it names, judged when it is created and again when it runs.

#include <optional>
#include <string>
#include <vector>

#include "core/mapping/fields.h"
#include "core/paging/watermark.h"
#include "pg/target_table.h"

namespace pg_pull::pg {

/// The value of a scope column in one run.
struct ScopeValue {
    std::string column;
    std::optional<std::string> value;
};

/// Raises what API.sql calls configuration errors, as far as they concern the target: unknown columns (42703), missing rights
/// (42501), mapping_target_refused, upsert_key_empty, watermark_field_unmapped, watermark_unsound, and keys or scopes that the
/// target cannot serve. Returns texts for NOTICEs.
std::vector<std::string> check_mapping_against_target(const MappingRow& mapping, const std::vector<Field>& fields,
                                                      const TargetTable& target);

/// scope_required where the mapping looks at rows of its slice, has run for another organization than this one, and no scope
/// column receives `$organization`. Needs an Spi scope; for the start of a run.
void check_organization_scope(const Extension& extension, const MappingRow& mapping, const std::vector<Field>& fields,
                              const std::optional<std::string>& organization);

/// The values of the mapping's scope columns: constants, and `$organization`.
std::vector<ScopeValue> scope_values(const MappingRow& mapping, const std::vector<Field>& fields,
                                     const std::optional<std::string>& organization);

/// The column that the watermark's field is copied to; nullptr without a watermark, or where it is not copied.
const TargetColumn* watermark_column(const MappingRow& mapping, const std::vector<Field>& fields,
                                     const TargetTable& target);
/// How the watermark's values compare: by the base type of that column, which there must be.
WatermarkType watermark_type(const MappingRow& mapping, const std::vector<Field>& fields, const TargetTable& target);
/// The field that fills it.
const Field* watermark_field(const MappingRow& mapping, const std::vector<Field>& fields);

}  // namespace pg_pull::pg
