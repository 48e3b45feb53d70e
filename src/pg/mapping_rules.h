#pragma once

// What a mapping may say, judged by its own words. What depends on its target is in target_rules.h.

#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/mapping/fields.h"
#include "core/paging/pagination_config.h"
#include "core/paging/watermark.h"
#include "pg/catalog.h"

namespace pg_pull::pg {

struct MappingParts {
    std::vector<Field> fields;
    std::optional<WatermarkConfig> watermark;
};

/// Checks the values of the definition and gives its parts back, read. Not checked: name, connector, source, pagination, and all
/// that depends on the target.
Result<MappingParts> check_mapping_rules(const MappingRow& mapping);

/// The columns that receive `$organization` as it is: what `scope` is where nobody says it.
std::vector<std::string> default_scope(const std::vector<Field>& fields);

/// `commit: page` is sound only where an interruption leaves no hole.
Result<void> check_commit(const MappingRow& mapping, const std::optional<WatermarkConfig>& watermark,
                          const PaginationConfig& pagination);

/// An incremental read of numbered pages can miss what moves between them meanwhile, unless something reads it again later.
[[nodiscard]] bool may_miss_moving_records(const MappingRow& mapping, const std::optional<WatermarkConfig>& watermark,
                                           const PaginationConfig& pagination);

/// Its runs look at rows of the target other than those that they bring: two such mappings on one target need slices.
[[nodiscard]] bool is_sliced(const MappingRow& mapping);

/// The rows of the two mappings, on one target, can be told apart: a `constant` column in both scopes has two values.
[[nodiscard]] bool have_separate_slices(const MappingRow& a, const std::vector<Field>& fields_of_a, const MappingRow& b,
                                        const std::vector<Field>& fields_of_b);

}  // namespace pg_pull::pg
