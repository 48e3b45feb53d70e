#include "core/apply/distributed.h"

namespace pg_pull::apply {
namespace {

/// The plan for records of one presence pattern: columns that they do not have are neither set nor compared.
ApplyPlan narrowed(const ApplyPlan& plan, const std::optional<std::string>& pattern) {
    ApplyPlan narrow = plan;
    for (auto& column : narrow.columns) {
        const auto bit = static_cast<std::size_t>(column.presence_bit);
        if (pattern && column.presence_bit >= 0 && bit < pattern->size() && (*pattern)[bit] == '0') {
            column.assign = false;
            column.compare = false;
        }
        column.presence_bit = -1;
    }
    return narrow;
}

std::string key_columns(const ApplyPlan& plan) {
    std::vector<std::string> names;
    for (const auto& column : plan.key) names.push_back(column.name);
    return joined(names, ", ");
}

}  // namespace

Statement DistributedStatements::store(const ApplyPlan& plan, const std::optional<Range>& range,
                                       const std::optional<std::string>& pattern) {
    const ApplyPlan narrow = narrowed(plan, pattern);
    Statement statement;
    std::vector<std::string> conditions{staged_condition(plan, statement, range, false)};
    if (pattern)
        conditions.push_back("s." + plan.presence + " OPERATOR(pg_catalog.=) " +
                             statement.add(pattern, "pg_catalog.varbit"));
    statement.text = "INSERT INTO " + plan.target + " AS t (" + column_list(plan) + ") SELECT " +
                     column_list(plan, "s") + " FROM " + plan.stage + " AS s WHERE " + all_of(conditions);
    if (!plan.key.empty() && plan.mode != Mode::insert) {
        const std::string set = assignments(narrow, "excluded");
        const std::string changed = difference(narrow, "excluded");
        statement.text += " ON CONFLICT (" + key_columns(plan) + ")";
        statement.text +=
            set.empty() || changed.empty() ? " DO NOTHING" : " DO UPDATE SET " + set + " WHERE " + changed;
    }
    statement.text += " RETURNING 1";
    return statement;
}

Statement DistributedStatements::presence_patterns(const ApplyPlan& plan, const std::optional<Range>& range) {
    Statement statement;
    statement.text = "SELECT DISTINCT s." + plan.presence + " FROM " + plan.stage + " AS s WHERE " +
                     staged_condition(plan, statement, range, false);
    return statement;
}

Statement DistributedStatements::count_target(const ApplyPlan& plan) {
    Statement statement;
    statement.text = "SELECT pg_catalog.count(*) FROM " + plan.target + " AS t WHERE " +
                     slice_condition(plan, statement, "t", false);
    return statement;
}

}  // namespace pg_pull::apply
