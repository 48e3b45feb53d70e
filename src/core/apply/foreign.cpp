#include "core/apply/foreign.h"

namespace pg_pull::apply {
namespace {

/// Staging as a subquery: distributed targets refuse it as a plain relation, and foreign ones are a little quicker so.
std::string staged(const ApplyPlan& plan, Statement& statement, const std::optional<Range>& range, bool tombstones) {
    return "(SELECT s.* FROM " + plan.stage + " AS s WHERE " + staged_condition(plan, statement, range, tombstones) +
           ") AS s";
}

}  // namespace

Statement ForeignStatements::update(const ApplyPlan& plan, const std::optional<Range>& range) {
    Statement statement;
    const std::string set = assignments(plan, "s");
    const std::string changed = difference(plan, "s");
    if (plan.key.empty() || plan.mode == Mode::insert || set.empty() || changed.empty()) return statement;
    statement.text = "UPDATE " + plan.target + " AS t SET " + set + " FROM " + staged(plan, statement, range, false) +
                     " WHERE " + all_of({key_match(plan, "t", "s"), changed});
    return statement;
}

Statement ForeignStatements::insert(const ApplyPlan& plan, const std::optional<Range>& range) {
    Statement statement;
    const std::string into =
        "INSERT INTO " + plan.target + " (" + column_list(plan) + ") SELECT " + column_list(plan, "s") + " FROM ";
    if (plan.key.empty() || plan.mode == Mode::insert) {
        statement.text = into + staged(plan, statement, range, false);
    } else {
        statement.text = into + staged(plan, statement, range, false) + " LEFT JOIN " + plan.target + " AS t ON " +
                         key_match(plan, "t", "s") + " WHERE t." + plan.key.front().name + " IS NULL";
    }
    return statement;
}

Statement ForeignStatements::matched(const ApplyPlan& plan, const std::optional<Range>& range) {
    Statement statement;
    statement.text = "SELECT pg_catalog.count(*) FROM " + staged(plan, statement, range, false) + " JOIN " +
                     plan.target + " AS t ON " + key_match(plan, "t", "s");
    return statement;
}

Statement ForeignStatements::remove_tombstones(const ApplyPlan& plan, const std::optional<Range>& range) {
    Statement statement;
    if (plan.deleted_at.empty()) {
        statement.text = "DELETE FROM " + plan.target + " AS t WHERE " + key_in(plan, "t") + "(SELECT " +
                         key_list(plan, "s") + " FROM " + staged(plan, statement, range, true) + ")";
    } else {
        const std::string stamp = statement.add(plan.run_start, plan.deleted_at_type);
        statement.text = "UPDATE " + plan.target + " AS t SET " + plan.deleted_at + " = " + stamp + " FROM " +
                         staged(plan, statement, range, true) + " WHERE " +
                         all_of({key_match(plan, "t", "s"), "t." + plan.deleted_at + " IS NULL"});
    }
    return statement;
}

Statement ForeignStatements::remove_absent(const ApplyPlan& plan) {
    Statement statement;
    std::string change = "DELETE FROM " + plan.target + " AS t";
    if (!plan.deleted_at.empty())
        change = "UPDATE " + plan.target + " AS t SET " + plan.deleted_at + " = " +
                 statement.add(plan.run_start, plan.deleted_at_type);
    const std::string absent = "SELECT " + key_list(plan, "t2") + " FROM " + plan.target + " AS t2 LEFT JOIN " +
                               present_keys(plan) + " AS s ON " + key_match(plan, "t2", "s") + " WHERE " +
                               all_of({slice_condition(plan, statement, "t2", true), "s.pg_pull_here IS NULL"});
    statement.text = change + " WHERE " +
                     all_of({slice_condition(plan, statement, "t", true), key_in(plan, "t") + "(" + absent + ")"});
    return statement;
}

Statement ForeignStatements::clear_slice(const ApplyPlan& plan) {
    Statement statement;
    statement.text = "DELETE FROM " + plan.target + " AS t WHERE " + slice_condition(plan, statement, "t", false);
    return statement;
}

}  // namespace pg_pull::apply
