extern "C" {
#include "postgres.h"

#include "catalog/namespace.h"
#include "nodes/makefuncs.h"
}

#include <algorithm>

#include "core/apply/statement.h"
#include "pg/border.h"
#include "pg/sql.h"
#include "pg/stage.h"

namespace pg_pull::pg {
namespace {

using apply::quote_name;

bool computed(const Field& field) { return field.transform == Transform::lookup || field.transform == Transform::sql; }

const TargetColumn& target_column(const TargetTable& target, const std::string& name) {
    const TargetColumn* column = target.find(name);
    if (column == nullptr)
        raise(Error{Reason::none,
                    "42703",
                    "column \"" + name + "\" of relation \"" + target.label + "\" does not exist",
                    {},
                    {}});
    return *column;
}

bool has_value(const std::optional<nlohmann::json>& config) { return config.has_value() && !config->is_null(); }

bool is_key(const MappingRow& mapping, const std::string& column) {
    return std::find(mapping.key.begin(), mapping.key.end(), column) != mapping.key.end();
}

bool fills(const std::vector<Field>& fields, const std::string& column) {
    return std::any_of(fields.begin(), fields.end(), [&](const Field& field) {
        return std::find(field.targets.begin(), field.targets.end(), column) != field.targets.end();
    });
}

/// Whether a record that staging took may still be refused, so that its exact text must be at hand.
bool may_be_refused(const MappingRow& mapping, const std::vector<Field>& fields, const TargetTable& target,
                    const std::optional<std::string>& where) {
    if (where || target.has_checks || target.has_foreign_keys || target.has_row_triggers || target.row_security ||
        target.kind == TargetKind::foreign || target.partitioned)
        return true;
    if (std::any_of(fields.begin(), fields.end(), computed)) return true;
    const bool keyed = mapping.mode != "insert";
    for (const auto& index : target.unique_indexes)
        if (!keyed || index.exclusion || !index.whole || index.columns.size() != mapping.key.size() ||
            !std::is_permutation(index.columns.begin(), index.columns.end(), mapping.key.begin()))
            return true;
    return std::any_of(target.columns.begin(), target.columns.end(), [&](const TargetColumn& column) {
        if (column.generated) return true;
        const bool left_null = column.not_null && !column.has_default && !fills(fields, column.name);
        // with these, a null is let into staging
        const bool checked_late = column.not_null && (mapping.missing == "keep" || has_value(mapping.deleted_when) ||
                                                      mapping.mode == "update");
        return left_null || checked_late;
    });
}

/// A name for a column of our own that no column of the target has.
std::string own_name(const TargetTable& target, std::string name) {
    while (target.find(name) != nullptr) name += '_';
    return name;
}

StageColumn stage_column(const MappingRow& mapping, const Field& field, const TargetColumn& column,
                         const TargetTable& target, bool nulls_pass) {
    StageColumn staged;
    staged.name = column.name;
    if (field.transform == Transform::lookup) {
        const LookupTable lookup = describe_lookup(field, target.owner);
        staged.type_sql = lookup.match.base_type_sql + lookup.match.collate_sql;
        return staged;
    }
    const bool open = nulls_pass && column.domain_not_null;
    staged.type_sql = (open ? column.base_type_sql : column.type_sql) + column.collate_sql;
    if (field.transform == Transform::sql) return staged;
    staged.not_null = is_key(mapping, column.name) ||
                      (column.not_null && !nulls_pass && mapping.mode != "update" && !target.has_before_triggers);
    return staged;
}

std::string column_sql(const std::string& name, const std::string& type) { return quote_name(name) + " " + type; }

std::vector<std::string> own_columns(const Stage& stage) {
    std::vector<std::string> columns{column_sql(stage.seq, "pg_catalog.int8 NOT NULL")};
    if (!stage.record.empty()) columns.push_back(column_sql(stage.record, "pg_catalog.text"));
    if (!stage.presence.empty()) columns.push_back(column_sql(stage.presence, "pg_catalog.varbit"));
    if (!stage.tombstone.empty()) columns.push_back(column_sql(stage.tombstone, "pg_catalog.bool"));
    if (!stage.watermark.empty()) columns.push_back(column_sql(stage.watermark, "pg_catalog.text"));
    return columns;
}

unsigned temporary_table(const std::string& name) {
    const char* text = name.c_str();
    return call([text]() -> unsigned {
        RangeVar* range = makeRangeVar(pstrdup("pg_temp"), pstrdup(text), -1);
        return RangeVarGetRelid(range, NoLock, false);
    });
}

}  // namespace

CopyTarget Stage::copy_target() const {
    CopyTarget target{oid, {}};
    for (const auto& column : columns) target.columns.push_back(column.name);
    for (const std::string* own : {&seq, &record, &presence, &tombstone, &watermark})
        if (!own->empty()) target.columns.push_back(*own);
    return target;
}

std::optional<std::string> staged_where(const MappingRow& mapping, const std::string& provider) {
    if (provider != "rest" && provider != "openapi" && provider != "mcp") return std::nullopt;
    const auto it = mapping.source.find("where");
    if (it == mapping.source.end() || !it->is_string()) return std::nullopt;
    return it->get<std::string>();
}

StagePlan make_stage_plan(const MappingRow& mapping, const std::vector<Field>& fields, const TargetTable& target,
                          const std::optional<std::string>& where) {
    StagePlan plan;
    for (const auto& field : fields) {
        for (const auto& name : field.targets) {
            const TargetColumn& column = target_column(target, name);
            const bool lookup = field.transform == Transform::lookup;
            plan.columns.push_back({name, lookup ? describe_lookup(field, target.owner).match.type : column.type});
        }
    }
    plan.key = mapping.key;
    plan.record = may_be_refused(mapping, fields, target, where);
    plan.presence = mapping.missing == "keep" && mapping.mode != "insert" && !mapping.key.empty();
    plan.tombstone = has_value(mapping.deleted_when);
    plan.watermark = has_value(mapping.watermark);
    return plan;
}

Stage describe_stage(const MappingRow& mapping, const std::vector<Field>& fields, const TargetTable& target,
                     const StagePlan& plan, const std::optional<std::string>& where, std::int64_t run_id) {
    Stage stage;
    stage.table = "pg_temp." + quote_name("pg_pull_stage_" + std::to_string(run_id));
    const bool nulls_pass = plan.tombstone || plan.presence;
    for (const auto& field : fields) {
        for (const auto& name : field.targets) {
            StageColumn column = stage_column(mapping, field, target_column(target, name), target, nulls_pass);
            // a condition decides before anything is refused
            if (where) column.not_null = false;
            stage.columns.push_back(std::move(column));
        }
    }
    stage.seq = own_name(target, "pg_pull_seq");
    if (plan.record) stage.record = own_name(target, "pg_pull_record");
    if (plan.presence) stage.presence = own_name(target, "pg_pull_present");
    if (plan.tombstone) stage.tombstone = own_name(target, "pg_pull_tombstone");
    if (plan.watermark) stage.watermark = own_name(target, "pg_pull_watermark");
    return stage;
}

void create_stage(Stage& stage) {
    std::vector<std::string> columns;
    for (const auto& column : stage.columns)
        columns.push_back(column_sql(column.name, column.type_sql) + (column.not_null ? " NOT NULL" : ""));
    for (auto& own : own_columns(stage)) columns.push_back(std::move(own));
    execute("CREATE TEMPORARY TABLE " + stage.table + " (" + apply::joined(columns, ", ") + ") USING heap");
    const auto quote = stage.table.find('"');
    stage.oid = temporary_table(stage.table.substr(quote + 1, stage.table.size() - quote - 2));
}

Stage create_like(const Stage& stage, const std::vector<StageColumn>& columns, const std::string& table_name,
                  const std::string& extra) {
    Stage made = stage;
    made.table = "pg_temp." + quote_name(table_name);
    made.columns = columns;
    std::vector<std::string> parts;
    for (const auto& column : columns) parts.push_back(column_sql(column.name, column.type_sql));
    for (auto& own : own_columns(stage)) parts.push_back(std::move(own));
    if (!extra.empty()) parts.push_back(column_sql(extra, "pg_catalog.int4"));
    execute("CREATE TEMPORARY TABLE " + made.table + " (" + apply::joined(parts, ", ") + ") USING heap");
    made.oid = temporary_table(table_name);
    return made;
}

void drop_stage(const Stage& stage) { execute("DROP TABLE " + stage.table); }

}  // namespace pg_pull::pg
