#include "pg/compute.h"

#include <algorithm>

#include "pg/as_owner.h"
#include "pg/border.h"
#include "pg/halves.h"

namespace pg_pull::pg {
namespace {

using apply::quote_name;
using apply::Range;
using apply::Statement;

constexpr const char* kAmbiguous = "pg_pull_ambiguous";

/// The select list and the joins that it needs.
struct Computation {
    std::vector<StageColumn> columns;
    std::vector<std::string> values;
    std::string joins;
    std::string ambiguous = "0";       ///< the number of the lookup that found more than one row
    std::vector<std::string> lookups;  ///< target columns, by that number minus 1
    std::vector<std::string> lookup_tables;
};

std::string staged(const std::string& column) { return "s." + quote_name(column); }

/// Each match value once, with the number of its rows; only values that staging asks for.
std::string lookup_join(const LookupTable& lookup, const std::string& alias, const std::string& stage,
                        const std::string& column) {
    const std::string match = "l." + quote_name(lookup.match.name);
    return " LEFT JOIN (SELECT DISTINCT ON (" + match + ") " + match + " AS m, l." + quote_name(lookup.result.name) +
           " AS r, pg_catalog.count(*) OVER (PARTITION BY " + match + ") AS n FROM " + lookup.sql + " AS l WHERE " +
           match + " " + lookup.match.equals + " ANY (SELECT x." + quote_name(column) + " FROM " + stage +
           " AS x)) AS " + alias + " ON " + staged(column) + " " + lookup.match.equals + " " + alias + ".m";
}

void add_lookup(Computation& computation, const LandedRun& run, const Field& field, const TargetColumn& column) {
    const LookupTable lookup = describe_lookup(field, run.target.owner);
    computation.lookups.push_back(column.name);
    computation.lookup_tables.push_back(field.lookup_table);
    const std::string number = std::to_string(computation.lookups.size());
    const std::string alias = "l" + number;
    computation.joins += lookup_join(lookup, alias, run.stage.table, column.name);
    computation.values.push_back("CAST(" + alias + ".r AS " + column.bare_type_sql + ")");
    computation.ambiguous =
        "CASE WHEN " + alias + ".n OPERATOR(pg_catalog.>) 1 THEN " + number + " ELSE " + computation.ambiguous + " END";
}

Computation describe_computation(const LandedRun& run) {
    Computation computation;
    for (const auto& field : run.fields) {
        for (const auto& name : field.targets) {
            const TargetColumn& column = *run.target.find(name);
            const auto it = std::find_if(run.stage.columns.begin(), run.stage.columns.end(),
                                         [&](const auto& c) { return c.name == name; });
            StageColumn result{name, column.type_sql + column.collate_sql, false};
            if (field.transform == Transform::lookup) {
                add_lookup(computation, run, field, column);
            } else if (field.transform == Transform::sql) {
                computation.values.push_back("CAST((\n" + field.expression + "\n) AS " + column.bare_type_sql + ")");
            } else {
                result = *it;
                computation.values.push_back(staged(name));
            }
            computation.columns.push_back(std::move(result));
        }
    }
    return computation;
}

Statement fill(const LandedRun& run, const Computation& computation, const Stage& into,
               const std::optional<Range>& range) {
    const Stage& stage = run.stage;
    std::vector<std::string> names;
    std::vector<std::string> values = computation.values;
    for (const auto& column : into.columns) names.push_back(quote_name(column.name));
    for (const std::string* own : {&stage.seq, &stage.record, &stage.presence, &stage.tombstone, &stage.watermark}) {
        if (own->empty()) continue;
        names.push_back(quote_name(*own));
        values.push_back(staged(*own));
    }
    names.push_back(quote_name(kAmbiguous));
    values.push_back(computation.ambiguous);
    Statement statement;
    statement.text = "INSERT INTO " + into.table + " (" + apply::joined(names, ", ") + ") SELECT " +
                     apply::joined(values, ", ") + " FROM " + stage.table + " AS s" + computation.joins;
    if (range)
        statement.text += " WHERE " + staged(stage.seq) + " OPERATOR(pg_catalog.>=) " +
                          statement.add(std::to_string(range->first), "pg_catalog.int8") + " AND " + staged(stage.seq) +
                          " OPERATOR(pg_catalog.<=) " + statement.add(std::to_string(range->last), "pg_catalog.int8");
    return statement;
}

void refuse_ambiguous(LandedRun& run, const Computation& computation) {
    for (std::size_t i = 0; i < computation.lookups.size(); ++i) {
        const std::string& column = computation.lookups[i];
        const bool is_key = std::find(run.mapping.key.begin(), run.mapping.key.end(), column) != run.mapping.key.end();
        Statement condition;
        condition.text =
            apply::all_of({std::string("s.") + kAmbiguous + " OPERATOR(pg_catalog.=) " + std::to_string(i + 1),
                           run.stage.tombstone.empty() || is_key ? "" : staged(run.stage.tombstone) + " IS NOT TRUE"});
        refuse_staged(run, condition, [&](Reject& reject) {
            if (is_key) reject.key.reset();
            reject.column = column;
            reject.code = "21000";
            reject.message =
                "lookup for column \"" + column + "\" found more than one row in " + computation.lookup_tables[i];
        });
    }
}

}  // namespace

bool has_computed_columns(const std::vector<Field>& fields) {
    return std::any_of(fields.begin(), fields.end(), [](const Field& field) {
        return field.transform == Transform::lookup || field.transform == Transform::sql;
    });
}

void compute_columns(LandedRun& run) {
    const Computation computation = describe_computation(run);
    Stage computed;
    {
        const AsOwner as(run.target.owner);
        computed = create_like(run.stage, computation.columns, "pg_pull_computed_" + std::to_string(run.run.run_id),
                               kAmbiguous);
    }
    const bool key_is_computed = std::any_of(run.fields.begin(), run.fields.end(), [&](const Field& field) {
        const bool is_key =
            std::find(run.mapping.key.begin(), run.mapping.key.end(), field.targets.front()) != run.mapping.key.end();
        return is_key && (field.transform == Transform::lookup || field.transform == Transform::sql);
    });
    HalvedStep step;
    step.body = [&](const std::optional<Range>& range) {
        const AsOwner as(run.target.owner);
        raise_work_mem();
        execute(fill(run, computation, computed, range));
    };
    step.bounds = [&] {
        const AsOwner as(run.target.owner);
        return stage_bounds(run.stage, true);
    };
    step.refused = [&](std::int64_t seq, const std::exception_ptr& failure) {
        const AsOwner as(run.target.owner);
        Statement condition;
        condition.text =
            staged(run.stage.seq) + " OPERATOR(pg_catalog.=) " + condition.add(std::to_string(seq), "pg_catalog.int8");
        refuse_staged(run, condition, [&](Reject& reject) {
            if (key_is_computed) reject.key.reset();
            describe_refusal(failure, reject);
        });
        return true;
    };
    (void)run_halved(step);
    const AsOwner as(run.target.owner);
    drop_stage(run.stage);
    run.stage = computed;
    refuse_ambiguous(run, computation);
}

}  // namespace pg_pull::pg
