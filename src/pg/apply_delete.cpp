#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/apply/copy_line.h"
#include "pg/apply.h"
#include "pg/as_owner.h"
#include "pg/border.h"
#include "pg/halves.h"

namespace pg_pull::pg {
namespace {

using apply::quote_name;
using apply::Statement;

/// A JSON array with a JSON array of texts for each key; nullopt where one cannot be read.
std::optional<std::string> keys_as_json(const std::vector<std::optional<std::string>>& keys, std::size_t columns) {
    auto list = nlohmann::json::array();
    for (const auto& key : keys) {
        if (!key) return std::nullopt;
        auto parts = apply::key_parts(*key, columns);
        if (!parts) return std::nullopt;
        list.push_back(std::move(*parts));
    }
    return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Statement fill_kept(const apply::ApplyPlan& plan, const std::string& json) {
    Statement statement;
    const std::string keys = statement.add(json, "pg_catalog.json");
    std::vector<std::string> values;
    for (std::size_t i = 0; i < plan.key.size(); ++i)
        values.push_back("CAST(e.k OPERATOR(pg_catalog.->>) " + std::to_string(i) + " AS " + plan.key[i].type +
                         ") AS " + plan.key[i].name);
    statement.text = "INSERT INTO " + plan.kept + " SELECT DISTINCT k.* FROM (SELECT " + apply::joined(values, ", ") +
                     " FROM pg_catalog.json_array_elements(" + keys + ") AS e(k)) AS k WHERE NOT EXISTS (SELECT FROM " +
                     plan.stage + " AS s WHERE " + apply::key_match(plan, "k", "s") + ")";
    return statement;
}

}  // namespace

AbsenceDeletes::AbsenceDeletes(LandedRun& run, apply::ApplyPlan& plan, const AbsenceOrder& order)
    : run_(run), plan_(plan), order_(order) {}
AbsenceDeletes::~AbsenceDeletes() = default;

/// Puts the keys of refused records into a table of their own, with which they count as present. False where one is unreadable
/// or no value of its column's type.
bool AbsenceDeletes::keep_rejected_keys() {
    if (run_.rejected_keys.empty()) return true;
    const auto json = keys_as_json(run_.rejected_keys, plan_.key.size());
    if (!json) return false;
    const std::string table = "pg_temp." + quote_name("pg_pull_kept_" + std::to_string(run_.run.run_id));
    std::vector<std::string> columns;
    for (const auto& column : run_.mapping.key) {
        const TargetColumn* target = run_.target.find(column);
        columns.push_back(quote_name(column) + " " + target->type_sql + target->collate_sql);
    }
    std::exception_ptr failure;
    const bool made = in_subtransaction(
        [&] {
            const AsOwner as(run_.target.owner);
            execute("CREATE TEMPORARY TABLE " + table + " (" + apply::joined(columns, ", ") + ") ON COMMIT DROP");
            plan_.kept = table;
            execute(fill_kept(plan_, *json));
        },
        &failure);
    if (made) return true;
    plan_.kept.clear();
    if (!is_row_error(failure)) std::rethrow_exception(failure);
    return false;
}

bool AbsenceDeletes::prepare(ApplyStrategy& strategy) {
    if (!order_.counts) return true;
    if (!plan_.key.empty() && !keep_rejected_keys()) return false;
    SliceCounts slice;
    {
        const AsOwner as(run_.target.owner);
        raise_work_mem();
        slice = strategy.count_slice();
    }
    // without a key the whole slice is written anew: what counts is how many rows fewer it will have
    if (plan_.key.empty()) slice.absent = std::max<std::int64_t>(slice.live - order_.records, 0);
    const bool suspicious =
        (order_.records == 0 && slice.live > 0) ||
        static_cast<double>(slice.absent) > run_.mapping.max_delete_fraction * static_cast<double>(slice.live);
    if (suspicious && !order_.allow_mass_delete) raise(guard_error(run_, order_.records, slice.absent, slice.live));
    due_ = plan_.key.empty() ? slice.live > 0 : slice.absent > 0;
    return true;
}

std::int64_t AbsenceDeletes::remove(ApplyStrategy& strategy) {
    const AsOwner as(run_.target.owner);
    raise_work_mem();
    const std::int64_t rows = plan_.key.empty() ? strategy.clear_slice() : strategy.remove_absent();
    execute("SET CONSTRAINTS ALL IMMEDIATE");
    return rows;
}

std::int64_t AbsenceDeletes::before_store(ApplyStrategy& strategy) {
    if (!due_) return 0;
    std::int64_t rows = 0;
    std::exception_ptr failure;
    if (in_subtransaction([&] { rows = remove(strategy); }, &failure)) {
        due_ = false;
        return rows;
    }
    // a replace without key has to come first
    if (!is_row_error(failure) || plan_.key.empty()) std::rethrow_exception(failure);
    return 0;
}

std::int64_t AbsenceDeletes::after_store(ApplyStrategy& strategy) {
    if (!due_) return 0;
    due_ = false;
    return remove(strategy);
}

Error guard_error(const LandedRun& run, std::int64_t records, std::int64_t gone, std::int64_t live) {
    const std::string target = "\"" + run.target.label + "\"";
    Error error =
        fail(Reason::delete_guard, "mapping \"" + run.mapping.name + "\" would delete " + std::to_string(gone) +
                                       " of " + std::to_string(live) + " rows of " + target);
    if (records == 0)
        error.detail = "The source gave no records.";
    else
        error.detail = "More than the fraction " + nlohmann::json(run.mapping.max_delete_fraction).dump() +
                       " (max_delete_fraction) of the rows would go.";
    return error;
}

}  // namespace pg_pull::pg
