#include "pg/sift.h"

#include <algorithm>

#include "core/apply/copy_line.h"
#include "pg/as_owner.h"
#include "pg/border.h"
#include "pg/compute.h"
#include "pg/halves.h"
#include "pg/target_rules.h"

namespace pg_pull::pg {
namespace {

using apply::quote_name;
using apply::Range;
using apply::Statement;

std::string staged(const std::string& column) { return "s." + quote_name(column); }

std::string within(const Stage& stage, Statement& statement, const std::optional<Range>& range) {
    if (!range) return "";
    return staged(stage.seq) + " OPERATOR(pg_catalog.>=) " +
           statement.add(std::to_string(range->first), "pg_catalog.int8") + " AND " + staged(stage.seq) +
           " OPERATOR(pg_catalog.<=) " + statement.add(std::to_string(range->last), "pg_catalog.int8");
}

/// The record's exact text where it is staged; otherwise what staging has of it, as a JSON object.
std::string record_expression(const Stage& stage) {
    if (!stage.record.empty()) return staged(stage.record);
    std::vector<std::string> columns;
    for (const auto& column : stage.columns) columns.push_back(staged(column.name));
    return "CAST((SELECT pg_catalog.row_to_json(x) FROM (SELECT " + apply::joined(columns, ", ") +
           ") AS x) AS pg_catalog.text)";
}

Statement delete_refused(const LandedRun& run, const Statement& condition) {
    const Stage& stage = run.stage;
    Statement statement = condition;
    const std::string seq = staged(stage.seq);
    std::vector<std::string> returned{seq, record_expression(stage)};
    for (const auto& column : run.mapping.key) returned.push_back("CAST(" + staged(column) + " AS pg_catalog.text)");
    statement.text = "DELETE FROM " + stage.table + " AS s WHERE " + seq + " OPERATOR(pg_catalog.=) ANY (SELECT " +
                     seq + " FROM " + stage.table + " AS s WHERE " + condition.text + " ORDER BY " + seq + " LIMIT " +
                     statement.add(std::to_string(std::max<std::int64_t>(run.rejects.room(), 1)), "pg_catalog.int8") +
                     ") RETURNING " + apply::joined(returned, ", ");
    return statement;
}

/// Records that the condition drops are absent for all that follows.
std::int64_t drop_unwanted(LandedRun& run) {
    std::int64_t dropped = 0;
    std::int64_t now = 0;
    HalvedStep step;
    step.body = [&](const std::optional<Range>& range) {
        const AsOwner as(run.target.owner);
        Statement statement;
        const std::string part = within(run.stage, statement, range);
        // a line break before the bracket, in case the expression ends in a comment
        statement.text = "DELETE FROM " + run.stage.table + " AS s WHERE " +
                         apply::all_of({part, "(\n" + *run.where + "\n) IS NOT TRUE"});
        now = static_cast<std::int64_t>(execute(statement));
    };
    step.accepted = [&] { dropped += now; };
    step.bounds = [&] {
        const AsOwner as(run.target.owner);
        return stage_bounds(run.stage, true);
    };
    step.refused = [&](std::int64_t seq, const std::exception_ptr& failure) {
        const AsOwner as(run.target.owner);
        Statement condition;
        condition.text = within(run.stage, condition, Range{seq, seq});
        refuse_staged(run, condition, [&](Reject& reject) { describe_refusal(failure, reject); });
        return true;
    };
    (void)run_halved(step);
    return dropped;
}

const StageColumn& stage_column(const Stage& stage, const std::string& name) {
    return *std::find_if(stage.columns.begin(), stage.columns.end(), [&](const auto& c) { return c.name == name; });
}

void refuse_null_keys(LandedRun& run) {
    for (const auto& column : run.mapping.key) {
        if (stage_column(run.stage, column).not_null) continue;
        Statement condition;
        condition.text = staged(column) + " IS NULL";
        refuse_staged(run, condition, [&](Reject& reject) {
            reject.column = column;
            reject.code = info(Reason::key_null).sqlstate;
            reject.message = "key column \"" + column + "\" is null";
        });
    }
}

/// NOT NULL columns whose nulls staging had to let in: refused here by one statement each, instead of one by one later.
void refuse_missing_values(LandedRun& run) {
    const MappingRow& mapping = run.mapping;
    if (mapping.mode == "update" || !run.stage.presence.empty() || run.target.has_before_triggers) return;
    for (const auto& staged_column : run.stage.columns) {
        const TargetColumn* column = run.target.find(staged_column.name);
        const bool is_key = std::find(mapping.key.begin(), mapping.key.end(), column->name) != mapping.key.end();
        if (!column->not_null || staged_column.not_null || is_key) continue;
        Statement condition;
        condition.text =
            apply::all_of({staged(column->name) + " IS NULL",
                           run.stage.tombstone.empty() ? "" : staged(run.stage.tombstone) + " IS NOT TRUE"});
        refuse_staged(run, condition, [&](Reject& reject) {
            reject.column = column->name;
            reject.code = "23502";
            reject.message = "null value in column \"" + column->name + "\" of relation \"" + run.target.name +
                             "\" violates not-null constraint";
        });
    }
}

std::int64_t drop_earlier_duplicates(LandedRun& run) {
    const Stage& stage = run.stage;
    if (run.mapping.key.empty()) return 0;
    std::vector<std::string> names;
    for (const auto& column : run.mapping.key) names.push_back(staged(column));
    const std::string key = apply::joined(names, ", ");
    const AsOwner as(run.target.owner);
    raise_work_mem();
    if (query("SELECT 1 FROM " + stage.table + " AS s GROUP BY " + key +
              " HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 1 LIMIT 1")
            .empty())
        return 0;
    const TargetColumn* watermark = watermark_column(run.mapping, run.fields, run.target);
    const std::string latest = watermark == nullptr ? "" : staged(watermark->name) + " DESC NULLS LAST, ";
    return static_cast<std::int64_t>(execute(
        "DELETE FROM " + stage.table + " AS d WHERE d." + quote_name(stage.seq) +
        " OPERATOR(pg_catalog.=) ANY (SELECT x.seq FROM (SELECT " + staged(stage.seq) +
        " AS seq, pg_catalog.row_number() OVER (PARTITION BY " + key + " ORDER BY " + latest + staged(stage.seq) +
        " DESC) AS n FROM " + stage.table + " AS s) AS x WHERE x.n OPERATOR(pg_catalog.>) 1)"));
}

}  // namespace

void refuse_staged(LandedRun& run, const Statement& condition, const std::function<void(Reject&)>& describe) {
    const Rows rows = query(delete_refused(run, condition));
    for (const auto& row : rows) {
        Reject reject;
        const Place place = run.place(to_int(row[0]));
        reject.page = place.page;
        reject.ordinal = place.ordinal;
        reject.raw.json = row[1].value_or("null");
        reject.key = apply::key_text({row.begin() + 2, row.end()});
        describe(reject);
        run.rejected_keys.push_back(reject.key);
        if (!run.rejects.add(std::move(reject))) raise(run.rejects.limit_error());
    }
}

Range stage_bounds(const Stage& stage, bool make_index) {
    const std::string seq = quote_name(stage.seq);
    if (make_index) {
        execute("CREATE INDEX ON " + stage.table + " (" + seq + ")");
        execute("ANALYZE " + stage.table);
    }
    const Rows rows = query("SELECT pg_catalog.min(" + seq + "), pg_catalog.max(" + seq + ") FROM " + stage.table);
    return {to_int(rows[0][0]), to_int(rows[0][1])};
}

std::int64_t sift(LandedRun& run) {
    std::int64_t ignored = 0;
    if (run.where) ignored += drop_unwanted(run);
    if (has_computed_columns(run.fields)) compute_columns(run);
    {
        const AsOwner as(run.target.owner);
        refuse_null_keys(run);
        refuse_missing_values(run);
    }
    return ignored + drop_earlier_duplicates(run);
}

}  // namespace pg_pull::pg
