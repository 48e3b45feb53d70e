#include "pg/apply.h"

#include <algorithm>

#include "pg/as_owner.h"
#include "pg/border.h"
#include "pg/halves.h"
#include "pg/target_rules.h"

namespace pg_pull::pg {
namespace {

using apply::quote_name;
using apply::Range;
using apply::Statement;

bool contains(const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

apply::Mode mode_of(const std::string& mode) {
    if (mode == "update") return apply::Mode::update;
    if (mode == "upsert") return apply::Mode::upsert;
    if (mode == "replace") return apply::Mode::replace;
    return apply::Mode::insert;
}

bool is_compared(const Field& field) {
    const bool of_the_run = field.sources.size() == 1 && (field.sources.front().pseudo == Pseudo::run_id ||
                                                          field.sources.front().pseudo == Pseudo::pulled_at);
    return field.compare && !of_the_run;
}

apply::ApplyColumn apply_column(const LandedRun& run, const Field& field, const std::string& name, int position) {
    const TargetColumn& column = *run.target.find(name);
    apply::ApplyColumn result;
    result.name = quote_name(name);
    result.compare = is_compared(field);
    const bool key = contains(run.mapping.key, name);
    result.assign = !key || !column.equal_is_identical;
    if (!run.stage.presence.empty() && !key && field.transform != Transform::sql) result.presence_bit = position;
    // staging holds the base type then (see stage_column)
    if (column.domain_not_null && (!run.stage.presence.empty() || !run.stage.tombstone.empty()))
        result.compare_type = column.base_type_sql;
    return result;
}

/// The staged records' work in halves, with everything that one run of it counts.
class Storing {
public:
    Storing(LandedRun& run, const apply::ApplyPlan& plan, ApplyStrategy& strategy)
        : run_(run), plan_(plan), strategy_(strategy) {}

    void run() {
        HalvedStep step;
        step.body = [this](const std::optional<Range>& range) { store(range); };
        step.accepted = [this] { accept(); };
        step.refused = [this](std::int64_t seq, const std::exception_ptr& failure) {
            refused_.emplace_back(seq, failure);
            return static_cast<std::int64_t>(refused_.size()) < run_.rejects.room();
        };
        step.bounds = [this] {
            const AsOwner as(run_.target.owner);
            return stage_bounds(run_.stage, true);
        };
        step.passing = [this](const std::exception_ptr& failure) { return met_concurrent_insert(failure); };
        // a step that was stopped has passed the limit: refusing what it met says so
        if (run_halved(step)) retry_refused();
        for (const auto& [seq, failure] : refused_) refuse(seq, failure);
    }

    [[nodiscard]] const StoreCounts& stored() const noexcept { return total_; }
    [[nodiscard]] std::int64_t removed() const noexcept { return total_removed_; }

private:
    void store(const std::optional<Range>& range) {
        const AsOwner as(run_.target.owner);
        raise_work_mem();
        tune_planner(range.has_value());
        now_ = {};
        now_removed_ = 0;
        if (!plan_.tombstone.empty() && !plan_.key.empty() && run_.mapping.delete_mode != "ignore")
            now_removed_ = strategy_.remove_tombstones(range);
        now_ = strategy_.store(range);
        execute("SET CONSTRAINTS ALL IMMEDIATE");
    }

    void accept() {
        total_.inserted += now_.inserted;
        total_.updated += now_.updated;
        total_.matched += now_.matched;
        total_removed_ += now_removed_;
    }

    /// A key that a snapshot did not have, and the unique index did: somebody else inserted it meanwhile. Another try sees it.
    [[nodiscard]] bool met_concurrent_insert(const std::exception_ptr& failure) const {
        if (plan_.key.empty() || plan_.mode == apply::Mode::insert) return false;
        try {
            std::rethrow_exception(failure);
        } catch (const PgError& error) {
            const TargetIndex* index = run_.target.unique_within(run_.mapping.key);
            return error.sqlstate() == "23505" && index != nullptr && error.constraint() == index->name;
        } catch (...) {
            return false;
        }
    }

    /// Few records against many rows of an ordinary table, or a piece of them: looking each key up beats reading the target,
    /// which the planner, without statistics of a temporary table, does not see.
    void tune_planner(bool piece) const {
        // a distributed table that references another takes parallel writes in one order only
        if (run_.target.kind == TargetKind::distributed && run_.target.has_foreign_keys)
            set_for_scope("citus.multi_shard_modify_mode", "sequential");
        constexpr double kFew = 20;
        if (run_.target.kind != TargetKind::ordinary || plan_.key.empty()) return;
        if (run_.target.unique_within(run_.mapping.key) == nullptr) return;
        if (!piece && static_cast<double>(run_.staged_lines) * kFew > run_.target.estimated_rows) return;
        set_for_scope("enable_hashjoin", "off");
        set_for_scope("enable_mergejoin", "off");
    }

    /// A record may have failed only for one that came later (a parent row, a name that another record gives up).
    void retry_refused() {
        for (bool progress = true; progress && !refused_.empty();) {
            progress = false;
            for (auto it = refused_.begin(); it != refused_.end();) {
                std::exception_ptr failure;
                const Range one{it->first, it->first};
                if (in_subtransaction([&] { store(one); }, &failure)) {
                    accept();
                    it = refused_.erase(it);
                    progress = true;
                } else {
                    if (!is_row_error(failure)) std::rethrow_exception(failure);
                    (it++)->second = failure;
                }
            }
        }
    }

    void refuse(std::int64_t seq, const std::exception_ptr& failure) {
        const AsOwner as(run_.target.owner);
        Statement condition;
        condition.text =
            "s." + plan_.seq + " OPERATOR(pg_catalog.=) " + condition.add(std::to_string(seq), "pg_catalog.int8");
        refuse_staged(run_, condition, [&](Reject& reject) {
            describe_refusal(failure, reject);
            try {
                std::rethrow_exception(failure);
            } catch (const PgError& error) {
                reject.column = error.column();
            } catch (...) {
            }
        });
    }

    LandedRun& run_;
    const apply::ApplyPlan& plan_;
    ApplyStrategy& strategy_;
    StoreCounts now_;
    StoreCounts total_;
    std::int64_t now_removed_ = 0;
    std::int64_t total_removed_ = 0;
    std::vector<std::pair<std::int64_t, std::exception_ptr>> refused_;
};

struct StagedCounts {
    std::int64_t records = 0;
    std::int64_t tombstones = 0;
};

StagedCounts count_staged(const LandedRun& run) {
    const std::string tombstone = run.stage.tombstone.empty() ? "false" : "s." + quote_name(run.stage.tombstone);
    Statement statement;
    statement.text = "SELECT pg_catalog.count(*) FILTER (WHERE " + tombstone +
                     " IS NOT TRUE), pg_catalog.count(*) FILTER (WHERE " + tombstone + ") FROM " + run.stage.table +
                     " AS s";
    const AsOwner as(run.target.owner);
    const auto counts = query_counts(statement);
    return {counts.at(0), counts.at(1)};
}

}  // namespace

std::unique_ptr<ApplyStrategy> make_strategy(TargetKind kind, const apply::ApplyPlan& plan) {
    switch (kind) {
        case TargetKind::foreign:
            return make_foreign_strategy(plan);
        case TargetKind::distributed:
            return make_distributed_strategy(plan);
        case TargetKind::ordinary:
            break;
    }
    return make_ordinary_strategy(plan);
}

apply::ApplyPlan make_apply_plan(const LandedRun& run) {
    apply::ApplyPlan plan;
    plan.target = run.target.sql;
    plan.stage = run.stage.table;
    plan.seq = quote_name(run.stage.seq);
    if (!run.stage.presence.empty()) plan.presence = quote_name(run.stage.presence);
    if (!run.stage.tombstone.empty()) plan.tombstone = quote_name(run.stage.tombstone);
    plan.mode = mode_of(run.mapping.mode);
    int position = 0;
    for (const auto& field : run.fields)
        for (const auto& name : field.targets) plan.columns.push_back(apply_column(run, field, name, position++));
    for (const auto& name : run.mapping.key) {
        const TargetColumn& column = *run.target.find(name);
        plan.key.push_back({quote_name(name), column.equals, column.bare_type_sql});
    }
    for (const auto& value : scope_values(run.mapping, run.fields, run.run.organization)) {
        const TargetColumn& column = *run.target.find(value.column);
        plan.scope.push_back({quote_name(value.column), column.equals, column.bare_type_sql, value.value});
    }
    if (run.mapping.delete_mode == "soft") {
        plan.deleted_at = quote_name(run.mapping.deleted_at);
        plan.deleted_at_type = run.target.find(run.mapping.deleted_at)->bare_type_sql;
    }
    plan.run_start = run.run.started_at;
    return plan;
}

void check_key_duplicates(const LandedRun& run, const apply::ApplyPlan& plan) {
    if (plan.key.empty() || plan.mode == apply::Mode::insert || run.target.unique_within(run.mapping.key) != nullptr)
        return;
    std::vector<std::string> texts;
    for (const auto& column : plan.key) texts.push_back("CAST(t." + column.name + " AS pg_catalog.text)");
    const AsOwner as(run.target.owner);
    raise_work_mem();
    Statement statement;
    statement.text = "SELECT " + apply::joined(texts, ", ") + " FROM " + plan.target + " AS t JOIN (SELECT s.* FROM " +
                     plan.stage + " AS s) AS s ON " + apply::key_match(plan, "t", "s") + " GROUP BY " +
                     apply::key_list(plan, "t") + " HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 1 LIMIT 1";
    const Rows rows = query(statement);
    if (rows.empty()) return;
    std::vector<std::string> values;
    for (const auto& value : rows[0]) values.push_back(value.value_or("null"));
    raise(fail(Reason::key_duplicate, "two rows of \"" + run.target.label + "\" have the key of one record")
              .with_detail("Key (" + apply::joined(run.mapping.key, ", ") + ")=(" + apply::joined(values, ", ") + ").")
              .with_hint("Add a unique index over the key, or choose a key that is unique."));
}

bool slice_has_rows(const LandedRun& run) {
    const apply::ApplyPlan plan = make_apply_plan(run);
    Statement statement;
    const std::string condition = apply::slice_condition(plan, statement, "t", true);
    statement.text = "SELECT EXISTS (SELECT FROM " + plan.target + " AS t WHERE " + condition + ")";
    const AsOwner as(run.target.owner);
    return to_bool(query(statement).one());
}

ApplySummary apply_staged(LandedRun& run, const AbsenceOrder& order,
                          const std::function<void(const std::string&, const std::string&)>& notice) {
    apply::ApplyPlan plan = make_apply_plan(run);
    check_key_duplicates(run, plan);
    const auto strategy = make_strategy(run.target.kind, plan);
    AbsenceDeletes absence(run, plan, order);
    if (!absence.prepare(*strategy))
        notice("nothing was deleted: the key of a refused record cannot be read", "See sys_sync_reject.");
    Storing storing(run, plan, *strategy);
    ApplySummary summary;
    summary.deleted = absence.before_store(*strategy);
    storing.run();
    summary.deleted += storing.removed() + absence.after_store(*strategy);

    const StagedCounts staged = count_staged(run);
    const StoreCounts& stored = storing.stored();
    summary.inserted = stored.inserted;
    summary.updated = stored.updated;
    summary.tombstones = staged.tombstones;
    const std::int64_t settled = stored.inserted + stored.updated;
    if (plan.mode == apply::Mode::update) {
        summary.unchanged = stored.matched - stored.updated;
        summary.ignored = staged.records - stored.matched;
    } else if (plan.mode == apply::Mode::insert || plan.key.empty()) {
        summary.ignored = staged.records - settled;  // a trigger kept them out
    } else {
        summary.unchanged = staged.records - settled;
    }
    return summary;
}

}  // namespace pg_pull::pg
