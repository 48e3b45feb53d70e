#include "pg/retried.h"

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include "pg/apply.h"
#include "pg/as_owner.h"
#include "pg/target_rules.h"

namespace pg_pull::pg {
namespace {

using apply::quote_name;
using apply::Statement;

std::vector<std::int64_t> numbers(const LandedRun& run, const Statement& statement) {
    const AsOwner as(run.target.owner);
    std::vector<std::int64_t> result;
    for (const auto& row : query(statement)) result.push_back(to_int(row[0]));
    std::sort(result.begin(), result.end());
    return result;
}

const Field* run_id_field(const std::vector<Field>& fields) {
    const auto it = std::find_if(fields.begin(), fields.end(), [](const Field& field) {
        return field.transform == Transform::none && field.sources.size() == 1 &&
               field.sources.front().pseudo == Pseudo::run_id;
    });
    return it == fields.end() ? nullptr : &*it;
}

/// Why a row is newer than the record, as conditions on `t`, `s` and, for the run, `e`.
std::string newer(const LandedRun& run, bool by_run) {
    std::vector<std::string> reasons;
    if (const TargetColumn* watermark = watermark_column(run.mapping, run.fields, run.target); watermark != nullptr)
        reasons.push_back("t." + quote_name(watermark->name) + " OPERATOR(pg_catalog.>) s." +
                          quote_name(watermark->name));
    if (by_run)
        reasons.push_back("CAST(CAST(t." + quote_name(run_id_field(run.fields)->targets.front()) +
                          " AS pg_catalog.text) AS pg_catalog.int8) OPERATOR(pg_catalog.>) CAST(e.m "
                          "OPERATOR(pg_catalog.->>) 1 AS pg_catalog.int8)");
    return reasons.empty() ? "" : "(" + apply::joined(reasons, " OR ") + ")";
}

}  // namespace

std::vector<std::int64_t> staged_numbers(const LandedRun& run) {
    Statement statement;
    statement.text = "SELECT s." + quote_name(run.stage.seq) + " FROM " + run.stage.table + " AS s";
    return numbers(run, statement);
}

std::vector<std::int64_t> settled_numbers(const LandedRun& run) {
    if (run.mapping.mode != "update") return staged_numbers(run);
    const apply::ApplyPlan plan = make_apply_plan(run);
    Statement statement;
    statement.text = "SELECT s." + plan.seq + " FROM " + plan.stage + " AS s JOIN " + plan.target + " AS t ON " +
                     apply::key_match(plan, "t", "s");
    return numbers(run, statement);
}

std::int64_t remove_older(const LandedRun& run, const std::vector<std::pair<std::int64_t, std::int64_t>>& met) {
    if (run.mapping.key.empty() || run.mapping.mode == "insert") return 0;
    const apply::ApplyPlan plan = make_apply_plan(run);
    const Field* by_run = run_id_field(run.fields);
    const std::string condition = newer(run, by_run != nullptr);
    if (condition.empty()) return 0;
    Statement statement;
    auto list = nlohmann::json::array();
    for (const auto& [seq, run_id] : met) list.push_back({seq, run_id});
    statement.text =
        "DELETE FROM " + plan.stage + " AS s USING pg_catalog.json_array_elements(" +
        statement.add(list.dump(), "pg_catalog.json") + ") AS e(m), " + plan.target + " AS t WHERE " +
        apply::all_of(
            {"s." + plan.seq + " OPERATOR(pg_catalog.=) CAST(e.m OPERATOR(pg_catalog.->>) 0 AS pg_catalog.int8)",
             apply::key_match(plan, "t", "s"), condition});
    const AsOwner as(run.target.owner);
    return static_cast<std::int64_t>(execute(statement));
}

std::vector<std::int64_t> without(const std::vector<std::int64_t>& all, const std::vector<std::int64_t>& rest) {
    std::vector<std::int64_t> result;
    std::set_difference(all.begin(), all.end(), rest.begin(), rest.end(), std::back_inserter(result));
    return result;
}

}  // namespace pg_pull::pg
