#pragma once

// The target of a mapping as the catalog describes it when a run (or the creation of a mapping) looks.

#include <optional>
#include <string>
#include <vector>

#include "core/mapping/column.h"
#include "core/mapping/fields.h"
#include "pg/catalog.h"

namespace pg_pull::pg {

enum class TargetKind : unsigned char {
    ordinary,     ///< a table, partitioned or not
    foreign,      ///< a foreign table, or partitions that are foreign tables
    distributed,  ///< distributed by Citus
};

struct TargetColumn {
    std::string name;
    ColumnType type;
    unsigned type_oid = 0;      ///< as declared
    unsigned base_oid = 0;      ///< behind all domains
    int typmod = -1;            ///< of the column, or of the domain
    std::string type_sql;       ///< qualified, with its modifier
    std::string bare_type_sql;  ///< without it: a cast to this never cuts, the assignment that follows checks
    std::string base_type_sql;  ///< the domain's base type with its modifier; type_sql where there is no domain
    std::string collate_sql;    ///< ` COLLATE …` where it is not the type's own, else empty
    bool not_null = false;
    bool domain_not_null = false;
    bool has_default = false;
    bool generated = false;
    bool identity_always = false;
    bool bytewise = false;  ///< text compared byte by byte
    std::string equals;     ///< `OPERATOR(schema.=)` of the type's default equality; empty: the type has no order
    bool equal_is_identical = false;  ///< values that are equal have one image
};

struct TargetIndex {
    std::string name;
    std::vector<std::string> columns;  ///< key columns; empty where it has expressions
    bool whole = false;                ///< no predicate, no expressions
    bool exclusion = false;            ///< an exclusion constraint, which need not be unique
};

struct TargetTable {
    unsigned oid = 0;
    unsigned owner = 0;  ///< the role that acts: the mapping's owner
    std::string name;    ///< of the relation
    std::string label;   ///< schema.name as in messages
    std::string sql;     ///< qualified and quoted
    TargetKind kind = TargetKind::ordinary;
    bool partitioned = false;
    std::vector<TargetColumn> columns;  ///< dropped ones left out
    std::vector<TargetIndex> unique_indexes;
    bool has_checks = false;
    bool has_foreign_keys = false;
    bool has_row_triggers = false;
    bool has_before_triggers = false;  ///< they may fill what a record leaves null
    bool has_rules = false;            ///< of CREATE RULE: they would rewrite the statements that apply a pull
    bool row_security = false;         ///< policies apply to the owner
    bool hides_rows = false;           ///< … and may keep rows out of his sight or reach
    double estimated_rows = 0;

    [[nodiscard]] const TargetColumn* find(const std::string& column) const;
    /// A unique index whose columns all are among `key`: two rows with one key cannot exist.
    [[nodiscard]] const TargetIndex* unique_within(const std::vector<std::string>& key) const;
    [[nodiscard]] bool has_exact_unique_index(const std::vector<std::string>& key) const;
};

/// A `lookup` field's table: what is staged is compared with `match` and gives `result`.
struct LookupTable {
    std::string sql;
    TargetColumn match;
    TargetColumn result;
};

/// Looks the mapping's target up by name with the rights of `owner`. Needs a transaction and an Spi scope. Raises 42P01 where
/// there is none, 42501 where he may not look, mapping_target_refused where it is nothing that a pull can write.
TargetTable describe_target(const MappingRow& mapping, unsigned owner);

/// The same for the table of a `lookup` field; it may be anything that can be read. Raises 42P01, 42703.
LookupTable describe_lookup(const Field& field, unsigned owner);

}  // namespace pg_pull::pg
