#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/apply/statement.h"

namespace pg_pull::apply {

enum class Mode : unsigned char { insert, update, upsert, replace };

/// A column that the records fill. Names here are quoted; the same name stands for the column of target and staging.
struct ApplyColumn {
    std::string name;
    bool compare = true;       ///< a difference here makes a row changed
    bool assign = true;        ///< set when a row is changed; false for key columns whose equal values are identical
    std::string compare_type;  ///< compared as this type, where staging holds the domain's base type; empty: as it is
    int presence_bit = -1;     ///< bit of the staged presence that says whether the record had it; -1: it always has it
};

struct KeyColumn {
    std::string name;
    std::string equals;  ///< `OPERATOR(schema.=)`, the default equality of the column's type
    std::string type;    ///< for casts of keys that were never staged
};

/// A column whose value is the same for all rows of a run: together they say which rows are this run's to look at.
struct ScopeColumn {
    std::string name;
    std::string equals;
    std::string type;
    std::optional<std::string> value;  ///< nullopt: rows where it is NULL
};

/// Everything that the statements of an apply are made from. All names are quoted, all types qualified.
struct ApplyPlan {
    std::string target;  ///< schema.table
    std::string stage;
    std::string seq;
    std::string presence;   ///< empty: none
    std::string tombstone;  ///< empty: none
    Mode mode = Mode::insert;
    std::vector<ApplyColumn> columns;
    std::vector<KeyColumn> key;
    std::vector<ScopeColumn> scope;
    std::string deleted_at;  ///< soft deletes stamp it; empty: rows are deleted
    std::string deleted_at_type;
    std::string run_start;  ///< the stamp
    std::string kept;       ///< table of keys of rejected records, which count as present; empty: none
};

// ------------------------------------------------------------------ parts that all strategies build from

/// `t.k = s.k AND …` with the aliases given.
[[nodiscard]] std::string key_match(const ApplyPlan& plan, std::string_view left, std::string_view right);
/// The rows of the slice: conditions on `alias`, with `live_only` only rows that are not marked deleted. `true` where there are none.
[[nodiscard]] std::string slice_condition(const ApplyPlan& plan, Statement& statement, std::string_view alias,
                                          bool live_only);
/// Staged records (or tombstones) within `range` (all of them without one), as conditions on `s`.
[[nodiscard]] std::string staged_condition(const ApplyPlan& plan, Statement& statement,
                                           const std::optional<Range>& range, bool tombstones);
/// `a = s.a, …` of what an update sets, a returning row's deletion mark included; empty: nothing to set.
[[nodiscard]] std::string assignments(const ApplyPlan& plan, std::string_view source);
/// True for rows `t` that `s` changes: compared by their stored image, so that every type works. Empty: nothing is compared.
[[nodiscard]] std::string difference(const ApplyPlan& plan, std::string_view source);
[[nodiscard]] std::string column_list(const ApplyPlan& plan);
[[nodiscard]] std::string column_list(const ApplyPlan& plan, std::string_view alias);
[[nodiscard]] std::string key_list(const ApplyPlan& plan, std::string_view alias);
/// `(SELECT … AS here …)`: the keys that count as present for absence.
[[nodiscard]] std::string present_keys(const ApplyPlan& plan);
/// `(k1, k2) OPERATOR(schema.=) ANY`: what stands before a subquery of keys.
[[nodiscard]] std::string key_in(const ApplyPlan& plan, std::string_view alias);

}  // namespace pg_pull::apply
