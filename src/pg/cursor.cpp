extern "C" {
#include "postgres.h"

#include "catalog/pg_type.h"
}

#include "core/apply/statement.h"
#include "core/mapping/epoch.h"
#include "pg/as_owner.h"
#include "pg/border.h"
#include "pg/cursor.h"

namespace pg_pull::pg {
namespace {

using apply::quote_name;
using apply::Statement;

bool is_time(const TargetColumn& column) {
    return column.base_oid == TIMESTAMPOID || column.base_oid == TIMESTAMPTZOID || column.base_oid == DATEOID;
}

/// A stored text in a form that the column's type reads: an epoch as the time that it counts.
std::string readable(const std::string& stored, const Field& field) {
    if (field.transform != Transform::epoch) return stored;
    std::string time;
    return append_epoch(stored, field.epoch_unit, time) == ValueFault::none ? time : stored;
}

std::string typed(Statement& statement, const std::string& value, const TargetColumn& column) {
    return statement.add(value, column.base_type_sql) + column.collate_sql;
}

std::optional<std::string> stored_watermark(const Extension& extension, const MappingRow& mapping,
                                            const std::optional<std::string>& organization) {
    const Rows rows = query(
        "SELECT value FROM " + extension.relation("sync_cursor_store") +
            " WHERE mapping = $1 AND package_id IS NOT DISTINCT FROM $2 AND organization_id IS NOT DISTINCT FROM $3"
            " AND partition_key = '' AND kind = 'watermark'",
        {text(mapping.name), text(mapping.package), text(organization)});
    return rows.empty() ? std::nullopt : rows.one();
}

/// Of the slice, with the owner's rights; infinite times are no place to start from.
std::optional<std::string> target_watermark(const MappingRow& mapping, const std::vector<Field>& fields,
                                            const TargetTable& target, const TargetColumn& column,
                                            const std::optional<std::string>& organization) {
    Statement statement;
    const std::string name = "t." + quote_name(column.name);
    std::vector<std::string> conditions;
    for (const auto& scope : scope_values(mapping, fields, organization)) {
        const TargetColumn* scoped = target.find(scope.column);
        const std::string left = "t." + quote_name(scope.column);
        conditions.push_back(scope.value
                                 ? left + " " + scoped->equals + " " + statement.add(scope.value, scoped->bare_type_sql)
                                 : left + " IS NULL");
    }
    if (is_time(column)) conditions.push_back("pg_catalog.isfinite(" + name + ")");
    statement.text = "SELECT CAST(pg_catalog.max(" + name + ") AS pg_catalog.text) FROM " + target.sql +
                     " AS t WHERE " + apply::all_of(conditions);
    std::optional<std::string> highest;
    {
        const AsOwner as(target.owner);
        highest = query(statement).one();
    }
    fire_deferred_triggers(target.owner);  // a policy's function may have queued some
    return highest;
}

/// value and microseconds of the lower of both; nothing where a text cannot be read by the column's type.
WatermarkStart lower_of(const std::vector<std::string>& values, const TargetColumn& column) {
    Statement statement;
    std::vector<std::string> parts;
    for (const auto& value : values) parts.push_back(typed(statement, value, column));
    const std::string micros =
        is_time(column) ? "CAST(EXTRACT(epoch FROM v) OPERATOR(pg_catalog.*) 1000000 AS pg_catalog.int8)" : "0";
    statement.text = "SELECT CAST(v AS pg_catalog.text), " + micros + " FROM (SELECT LEAST(" +
                     apply::joined(parts, ", ") + ") AS v) AS x";
    WatermarkStart start;
    start.is_time = is_time(column);
    std::exception_ptr failure;
    // an unreadable text was stored under another definition of the mapping: from the beginning, then
    (void)in_subtransaction(
        [&] {
            const Rows rows = query(statement);
            start.value = rows[0][0].value_or("");
            start.micros = to_int(rows[0][1]);
            start.present = rows[0][0].has_value();
        },
        &failure);
    return start;
}

bool is_higher(const std::string& value, const std::string& stored, const Field& field, const TargetColumn& column) {
    Statement statement;
    const std::string left = typed(statement, readable(value, field), column);
    const std::string right = typed(statement, readable(stored, field), column);
    statement.text = "SELECT " + left + " OPERATOR(pg_catalog.>=) " + right;
    bool higher = true;
    std::exception_ptr failure;
    (void)in_subtransaction([&] { higher = to_bool(query(statement).one()); }, &failure);
    return higher;
}

}  // namespace

WatermarkStart watermark_start(const Extension& extension, const MappingRow& mapping, const std::vector<Field>& fields,
                               const TargetTable& target, const std::optional<std::string>& organization) {
    const TargetColumn* column = watermark_column(mapping, fields, target);
    if (column == nullptr) return {};
    const std::optional<std::string> in_target = target_watermark(mapping, fields, target, *column, organization);
    const std::optional<std::string> stored = stored_watermark(extension, mapping, organization);
    WatermarkStart start;
    start.is_time = is_time(*column);
    if (in_target) {
        std::vector<std::string> values{*in_target};
        if (stored) values.push_back(readable(*stored, *watermark_field(mapping, fields)));
        start = lower_of(values, *column);
    }
    start.sample = stored;
    return start;
}

std::optional<std::string> highest_watermark(const Stage& stage, const TargetColumn& column,
                                             const std::string& run_start) {
    if (stage.watermark.empty()) return std::nullopt;
    Statement statement;
    const std::string name = "s." + quote_name(column.name);
    const std::string text = "s." + quote_name(stage.watermark);
    std::string value = text;
    std::string finite;
    if (is_time(column)) {
        const std::string start = statement.add(run_start, column.base_type_sql);
        value = "CASE WHEN " + name + " OPERATOR(pg_catalog.>) " + start + " THEN " +
                statement.add(run_start, "pg_catalog.text") + " ELSE " + text + " END";
        finite = "pg_catalog.isfinite(" + name + ")";
    }
    statement.text = "SELECT " + value + " FROM " + stage.table + " AS s WHERE " +
                     apply::all_of({name + " IS NOT NULL", text + " IS NOT NULL", finite}) + " ORDER BY " + name +
                     " DESC LIMIT 1";
    const Rows rows = query(statement);
    return rows.empty() ? std::nullopt : rows.one();
}

void store_watermark(const Extension& extension, const MappingRow& mapping, const std::vector<Field>& fields,
                     const TargetTable& target, const std::optional<std::string>& organization, std::int64_t run_id,
                     bool full, const std::string& value) {
    const TargetColumn* column = watermark_column(mapping, fields, target);
    if (column == nullptr) return;
    const std::optional<std::string> stored = stored_watermark(extension, mapping, organization);
    if (stored && !full && !is_higher(value, *stored, *watermark_field(mapping, fields), *column)) return;
    execute(
        "INSERT INTO " + extension.relation("sync_cursor_store") +
            " AS c (mapping, package_id, organization_id, partition_key, kind, value, run_id, updated_at, "
            "mapping_owner)"
            " VALUES ($1, $2, $3, '', 'watermark', $4, $5, pg_catalog.clock_timestamp(), $6::pg_catalog.name)"
            " ON CONFLICT (mapping, (coalesce(package_id, '')), (coalesce(organization_id, '')), partition_key, kind)"
            " DO UPDATE SET value = excluded.value, run_id = excluded.run_id, updated_at = excluded.updated_at,"
            "               mapping_owner = excluded.mapping_owner",
        {text(mapping.name), text(mapping.package), text(organization), text(value), int8(run_id),
         text(mapping.owner)});
}

}  // namespace pg_pull::pg
