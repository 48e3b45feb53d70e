#include "core/apply/apply_plan.h"

#include <algorithm>

namespace pg_pull::apply {
namespace {

std::string of(std::string_view alias, const std::string& column) { return std::string(alias) + "." + column; }

std::string presence_test(const ApplyPlan& plan, const ApplyColumn& column) {
    return "pg_catalog.get_bit(s." + plan.presence + ", " + std::to_string(column.presence_bit) +
           ") OPERATOR(pg_catalog.=) 1";
}

std::string compared(const ApplyColumn& column, const std::string& value) {
    return column.compare_type.empty() ? value : "CAST(" + value + " AS " + column.compare_type + ")";
}

/// The value that the column would get: the record's, or where the record did not have it, the target's.
std::string new_value(const ApplyPlan& plan, const ApplyColumn& column, std::string_view source) {
    if (column.presence_bit < 0 || plan.presence.empty()) return of(source, column.name);
    return "CASE WHEN " + presence_test(plan, column) + " THEN " + of(source, column.name) + " ELSE t." + column.name +
           " END";
}

}  // namespace

std::string key_match(const ApplyPlan& plan, std::string_view left, std::string_view right) {
    std::vector<std::string> parts;
    for (const auto& column : plan.key)
        parts.push_back(of(left, column.name) + " " + column.equals + " " + of(right, column.name));
    return all_of(parts);
}

std::string slice_condition(const ApplyPlan& plan, Statement& statement, std::string_view alias, bool live_only) {
    std::vector<std::string> parts;
    for (const auto& column : plan.scope) {
        if (column.value)
            parts.push_back(of(alias, column.name) + " " + column.equals + " " +
                            statement.add(column.value, column.type));
        else
            parts.push_back(of(alias, column.name) + " IS NULL");
    }
    if (live_only && !plan.deleted_at.empty()) parts.push_back(of(alias, plan.deleted_at) + " IS NULL");
    return all_of(parts);
}

std::string staged_condition(const ApplyPlan& plan, Statement& statement, const std::optional<Range>& range,
                             bool tombstones) {
    std::vector<std::string> parts;
    if (!plan.tombstone.empty()) parts.push_back("s." + plan.tombstone + (tombstones ? "" : " IS NOT TRUE"));
    if (range) {
        parts.push_back("s." + plan.seq + " OPERATOR(pg_catalog.>=) " +
                        statement.add(std::to_string(range->first), "pg_catalog.int8"));
        parts.push_back("s." + plan.seq + " OPERATOR(pg_catalog.<=) " +
                        statement.add(std::to_string(range->last), "pg_catalog.int8"));
    }
    return all_of(parts);
}

std::string assignments(const ApplyPlan& plan, std::string_view source) {
    std::vector<std::string> parts;
    for (const auto& column : plan.columns)
        if (column.assign) parts.push_back(column.name + " = " + new_value(plan, column, source));
    if (!plan.deleted_at.empty()) parts.push_back(plan.deleted_at + " = NULL");
    return joined(parts, ", ");
}

std::string difference(const ApplyPlan& plan, std::string_view source) {
    std::vector<std::string> old_values;
    std::vector<std::string> new_values;
    for (const auto& column : plan.columns) {
        if (!column.compare || !column.assign) continue;
        old_values.push_back(compared(column, "t." + column.name));
        new_values.push_back(compared(column, new_value(plan, column, source)));
    }
    std::string changed;
    if (!old_values.empty())
        changed = "CAST(ROW(" + joined(old_values, ", ") +
                  ") AS pg_catalog.record) OPERATOR(pg_catalog.*<>) CAST(ROW(" + joined(new_values, ", ") +
                  ") AS pg_catalog.record)";
    if (plan.deleted_at.empty()) return changed;
    const std::string returned = "t." + plan.deleted_at + " IS NOT NULL";
    return changed.empty() ? returned : "(" + changed + " OR " + returned + ")";
}

std::string column_list(const ApplyPlan& plan) {
    std::vector<std::string> names;
    for (const auto& column : plan.columns) names.push_back(column.name);
    return joined(names, ", ");
}

std::string column_list(const ApplyPlan& plan, std::string_view alias) {
    std::vector<std::string> names;
    for (const auto& column : plan.columns) names.push_back(of(alias, column.name));
    return joined(names, ", ");
}

std::string key_list(const ApplyPlan& plan, std::string_view alias) {
    std::vector<std::string> names;
    for (const auto& column : plan.key) names.push_back(of(alias, column.name));
    return joined(names, ", ");
}

std::string present_keys(const ApplyPlan& plan) {
    std::string keys = "SELECT " + key_list(plan, "s") + ", true AS pg_pull_here FROM " + plan.stage + " AS s";
    if (!plan.kept.empty()) keys += " UNION ALL SELECT " + key_list(plan, "k") + ", true FROM " + plan.kept + " AS k";
    return "(" + keys + ")";
}

std::string key_in(const ApplyPlan& plan, std::string_view alias) {
    // one operator name serves all columns of a row comparison; types of different schemas do not meet in one key in practice
    const std::string& equals = plan.key.front().equals;
    const bool same =
        std::all_of(plan.key.begin(), plan.key.end(), [&](const auto& column) { return column.equals == equals; });
    return "(" + key_list(plan, alias) + ") " + (same ? equals + " ANY " : "IN ");
}

}  // namespace pg_pull::apply
