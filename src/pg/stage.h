#pragma once

// The staging table of a run: a temporary table typed like the target, made by the first transaction that has a record, kept
// over the run's transactions. It is not named like the target: a trigger function that names its table without a schema would
// find staging first.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/mapping/fields.h"
#include "core/run/stage_plan.h"
#include "pg/copy_into.h"
#include "pg/target_table.h"

namespace pg_pull::pg {

struct StageColumn {
    std::string name;
    std::string type_sql;   ///< with its collation
    bool not_null = false;  ///< refused while staging, since it could only be refused later
};

struct Stage {
    std::string table;  ///< pg_temp."…"
    unsigned oid = 0;   ///< 0: not made yet
    std::vector<StageColumn> columns;
    // the plan's own columns, unquoted; empty where switched off
    std::string seq;
    std::string record;
    std::string presence;
    std::string tombstone;
    std::string watermark;

    [[nodiscard]] bool exists() const noexcept { return oid != 0; }
    [[nodiscard]] CopyTarget copy_target() const;
};

/// The SQL condition that the records of a pull must meet on our side; nullopt for providers that send it to the source.
std::optional<std::string> staged_where(const MappingRow& mapping, const std::string& provider);

/// Which columns a run stages, and which of its own. `where` as staged_where tells. Needs a transaction and an Spi scope.
StagePlan make_stage_plan(const MappingRow& mapping, const std::vector<Field>& fields, const TargetTable& target,
                          const std::optional<std::string>& where);

/// Names and types of the staging table; nothing is made yet. Raises what describe_lookup and a missing target column raise.
Stage describe_stage(const MappingRow& mapping, const std::vector<Field>& fields, const TargetTable& target,
                     const StagePlan& plan, const std::optional<std::string>& where, std::int64_t run_id);

/// Makes the table, as its owner (an AsOwner must be active).
void create_stage(Stage& stage);
/// A table like `stage` with the columns given (and without NOT NULL), and one further integer column where `extra` names one.
Stage create_like(const Stage& stage, const std::vector<StageColumn>& columns, const std::string& table_name,
                  const std::string& extra);
void drop_stage(const Stage& stage);

}  // namespace pg_pull::pg
