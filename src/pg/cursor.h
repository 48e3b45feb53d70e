#pragma once

// Where a pull starts and what it leaves for the next one (DESIGN.md 4.3). All functions need a transaction and an Spi scope.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pg/stage.h"
#include "pg/target_rules.h"

namespace pg_pull::pg {

/// The lower of what the target holds and what the last succeeded run stored.
struct WatermarkStart {
    bool present = false;               ///< false: from the beginning (`initial`)
    std::string value;                  ///< output text of the watermark's column
    std::int64_t micros = 0;            ///< since 1970-01-01 UTC, where is_time
    bool is_time = false;               ///< timestamp, timestamptz, date
    std::optional<std::string> sample;  ///< the source's own text as last stored: for its style
};

WatermarkStart watermark_start(const Extension& extension, const MappingRow& mapping, const std::vector<Field>& fields,
                               const TargetTable& target, const std::optional<std::string>& organization);

/// The highest watermark staged, by type, as the source wrote it; for times not later than `run_start`. Call before anything is
/// taken out of staging, under AsOwner. nullopt: no record had one.
std::optional<std::string> highest_watermark(const Stage& stage, const TargetColumn& column,
                                             const std::string& run_start);

/// Stores it for the next run. A run from a watermark on never lowers what is stored, a full one replaces it.
void store_watermark(const Extension& extension, const MappingRow& mapping, const std::vector<Field>& fields,
                     const TargetTable& target, const std::optional<std::string>& organization, std::int64_t run_id,
                     bool full, const std::string& value);

}  // namespace pg_pull::pg
