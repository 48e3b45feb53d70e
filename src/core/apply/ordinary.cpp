#include "core/apply/ordinary.h"

namespace pg_pull::apply {
namespace {

constexpr std::string_view kCount = "pg_catalog.count(*)";

std::string counted(std::string_view name) {
    return "(SELECT " + std::string(kCount) + " FROM " + std::string(name) + ")";
}

/// Wraps a changing statement so that its result is the number of rows changed.
std::string count_of(const std::string& changing) {
    return "WITH c AS (" + changing + " RETURNING 1) SELECT " + std::string(kCount) + " FROM c";
}

std::string insert_into(const ApplyPlan& plan, const std::string& condition) {
    return "INSERT INTO " + plan.target + " AS t (" + column_list(plan) + ") SELECT " + column_list(plan, "s") +
           " FROM " + plan.stage + " AS s WHERE " + condition;
}

std::string insert_all(const ApplyPlan& plan, Statement& statement, const std::optional<Range>& range) {
    return insert_into(plan, staged_condition(plan, statement, range, false));
}

std::string insert_missing(const ApplyPlan& plan, Statement& statement, const std::optional<Range>& range) {
    return insert_into(
        plan, all_of({staged_condition(plan, statement, range, false),
                      "NOT EXISTS (SELECT FROM " + plan.target + " AS t WHERE " + key_match(plan, "t", "s") + ")"}));
}

/// Empty where no existing row can change.
std::string update_changed(const ApplyPlan& plan, Statement& statement, const std::optional<Range>& range) {
    const std::string set = assignments(plan, "s");
    const std::string changed = difference(plan, "s");
    if (set.empty() || changed.empty()) return {};
    return "UPDATE " + plan.target + " AS t SET " + set + " FROM " + plan.stage + " AS s WHERE " +
           all_of({key_match(plan, "t", "s"), staged_condition(plan, statement, range, false), changed});
}

std::string matched(const ApplyPlan& plan, Statement& statement, const std::optional<Range>& range) {
    return "(SELECT " + std::string(kCount) + " FROM " + plan.stage + " AS s WHERE " +
           all_of({staged_condition(plan, statement, range, false),
                   "EXISTS (SELECT FROM " + plan.target + " AS t WHERE " + key_match(plan, "t", "s") + ")"}) +
           ")";
}

std::string stamp(const ApplyPlan& plan, Statement& statement) {
    return "UPDATE " + plan.target + " AS t SET " + plan.deleted_at + " = " +
           statement.add(plan.run_start, plan.deleted_at_type);
}

}  // namespace

Statement OrdinaryStatements::store(const ApplyPlan& plan, const std::optional<Range>& range) {
    Statement statement;
    std::vector<std::string> parts;
    std::string inserted = "0";
    std::string updated = "0";
    std::string found = "0";
    if (plan.key.empty() || plan.mode == Mode::insert) {
        parts.push_back("i AS (" + insert_all(plan, statement, range) + " RETURNING 1)");
        inserted = counted("i");
    } else {
        if (const std::string update = update_changed(plan, statement, range); !update.empty()) {
            parts.push_back("u AS (" + update + " RETURNING 1)");
            updated = counted("u");
        }
        if (plan.mode == Mode::update) {
            found = matched(plan, statement, range);
        } else {
            parts.push_back("i AS (" + insert_missing(plan, statement, range) + " RETURNING 1)");
            inserted = counted("i");
        }
    }
    const std::string with = joined(parts, ", ");
    statement.text = (with.empty() ? "" : "WITH " + with + " ") + "SELECT " + inserted + ", " + updated + ", " + found;
    return statement;
}

Statement OrdinaryStatements::remove_tombstones(const ApplyPlan& plan, const std::optional<Range>& range) {
    Statement statement;
    if (plan.deleted_at.empty()) {
        statement.text = count_of("DELETE FROM " + plan.target + " AS t USING " + plan.stage + " AS s WHERE " +
                                  all_of({key_match(plan, "t", "s"), staged_condition(plan, statement, range, true)}));
    } else {
        const std::string update = stamp(plan, statement);
        statement.text = count_of(update + " FROM " + plan.stage + " AS s WHERE " +
                                  all_of({key_match(plan, "t", "s"), staged_condition(plan, statement, range, true),
                                          "t." + plan.deleted_at + " IS NULL"}));
    }
    return statement;
}

Statement OrdinaryStatements::count_slice(const ApplyPlan& plan) {
    Statement statement;
    if (plan.key.empty()) {
        statement.text = "SELECT " + std::string(kCount) + ", 0 FROM " + plan.target + " AS t WHERE " +
                         slice_condition(plan, statement, "t", true);
        return statement;
    }
    statement.text = "SELECT " + std::string(kCount) + ", " + std::string(kCount) +
                     " FILTER (WHERE s.pg_pull_here IS NULL) FROM " + plan.target + " AS t LEFT JOIN " +
                     present_keys(plan) + " AS s ON " + key_match(plan, "t", "s") + " WHERE " +
                     slice_condition(plan, statement, "t", true);
    return statement;
}

Statement OrdinaryStatements::remove_absent(const ApplyPlan& plan) {
    Statement statement;
    const std::string change =
        plan.deleted_at.empty() ? "DELETE FROM " + plan.target + " AS t" : stamp(plan, statement);
    statement.text = count_of(
        change + " WHERE " +
        all_of({slice_condition(plan, statement, "t", true),
                "NOT EXISTS (SELECT FROM " + present_keys(plan) + " AS s WHERE " + key_match(plan, "t", "s") + ")"}));
    return statement;
}

Statement OrdinaryStatements::clear_slice(const ApplyPlan& plan) {
    Statement statement;
    statement.text =
        count_of("DELETE FROM " + plan.target + " AS t WHERE " + slice_condition(plan, statement, "t", false));
    return statement;
}

}  // namespace pg_pull::apply
