extern "C" {
#include "postgres.h"

#include "catalog/pg_attribute.h"
#include "catalog/pg_type.h"
#include "nodes/parsenodes.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
}

#include <algorithm>

#include "pg/border.h"
#include "pg/sql.h"
#include "pg/target_rules.h"

namespace pg_pull::pg {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

std::string label(const MappingRow& mapping) { return "mapping \"" + mapping.name + "\""; }

bool deletes_rows(const MappingRow& mapping) { return mapping.delete_mode != "ignore" || mapping.mode == "replace"; }
bool looks_for_rows(const MappingRow& mapping) {
    return mapping.mode != "insert" || deletes_rows(mapping) || mapping.watermark.has_value();
}

Error unknown_column(const std::string& column, const TargetTable& target, const std::string& use) {
    std::string known;
    for (const auto& c : target.columns) known += (known.empty() ? "\"" : ", \"") + c.name + "\"";
    return Error{Reason::none, "42703", "column \"" + column + "\" of relation \"" + target.label + "\" does not exist",
                 use + " The table has the columns " + known + ".", "Correct the name, or add the column."};
}

Error refused(const MappingRow& mapping, const TargetTable& target, const std::string& detail) {
    return fail(Reason::mapping_target_refused, label(mapping) + " cannot write to \"" + target.label + "\"")
        .with_detail(detail);
}

void check_fields(const MappingRow& mapping, const std::vector<Field>& fields, const TargetTable& target) {
    for (const auto& field : fields) {
        for (const auto& name : field.targets) {
            const TargetColumn* column = target.find(name);
            if (column == nullptr) raise(unknown_column(name, target, "A field is mapped to it."));
            if (column->generated) raise(refused(mapping, target, "Column \"" + name + "\" is a generated column."));
            if (column->identity_always)
                raise(refused(mapping, target,
                              "Column \"" + name + "\" is an identity column defined as GENERATED ALWAYS."));
        }
        if (field.transform == Transform::lookup) (void)describe_lookup(field, target.owner);
    }
}

bool fills(const std::vector<Field>& fields, const std::string& column) {
    return std::any_of(fields.begin(), fields.end(),
                       [&](const Field& field) { return contains(field.targets, column); });
}

void check_key(const MappingRow& mapping, const std::vector<Field>& fields, const TargetTable& target) {
    const bool needed = mapping.mode == "update" || mapping.mode == "upsert";
    if (mapping.key.empty()) {
        if (needed)
            raise(fail(Reason::upsert_key_empty, label(mapping) + " has mode \"" + mapping.mode + "\" and no key"));
        if (mapping.delete_mode != "ignore")
            raise(fail(Reason::upsert_key_empty,
                       label(mapping) + " has delete_mode \"" + mapping.delete_mode + "\" and no key"));
        return;
    }
    for (const auto& name : mapping.key) {
        const TargetColumn* column = target.find(name);
        if (column == nullptr) raise(unknown_column(name, target, "It is in the key of the mapping."));
        if (!fills(fields, name))
            raise(fail(Reason::invalid_configuration, "key column \"" + name + "\" is filled by no field")
                      .with_hint("Map a field to it, or take it out of the key."));
        if (column->equals.empty())
            raise(fail(Reason::invalid_configuration,
                       "column \"" + name + "\" cannot be in a key: its type has no equality and order"));
    }
    for (const auto& name : mapping.scope)
        if (!contains(mapping.key, name))
            raise(fail(Reason::scope_required, "the key does not contain scope column \"" + name + "\"")
                      .with_detail("Two slices with the same key would take each other's row.")
                      .with_hint("Add the column to the key."));
}

bool constant_in_a_run(const Field& field) {
    if (field.transform == Transform::constant) return true;
    return field.transform == Transform::none && field.sources.size() == 1 &&
           field.sources.front().pseudo == Pseudo::organization;
}

const Field* field_for(const std::vector<Field>& fields, const std::string& column) {
    const auto it =
        std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return contains(f.targets, column); });
    return it == fields.end() ? nullptr : &*it;
}

void check_scope(const MappingRow& mapping, const std::vector<Field>& fields, const TargetTable& target) {
    for (const auto& name : mapping.scope) {
        const TargetColumn* column = target.find(name);
        if (column == nullptr) raise(unknown_column(name, target, "It is in the scope of the mapping."));
        const Field* field = field_for(fields, name);
        if (field == nullptr || !constant_in_a_run(*field))
            raise(fail(Reason::invalid_configuration, "scope column \"" + name + "\" does not have one value in a run")
                      .with_hint("Fill it from $organization, or by the transform \"constant\"."));
        if (column->equals.empty())
            raise(fail(Reason::invalid_configuration,
                       "column \"" + name + "\" cannot be in a scope: its type has no equality and order"));
    }
}

/// Why values of the column could come out other than the source sent them, or in another order; empty: they cannot.
std::string watermark_fault(const TargetColumn& column) {
    switch (column.base_oid) {
        case TIMESTAMPOID:
        case TIMESTAMPTZOID:
            return column.typmod >= 0 && column.typmod < 6 ? "Its precision rounds what the source sends." : "";
        case DATEOID:
        case INT2OID:
        case INT4OID:
        case INT8OID:
            return "";
        case NUMERICOID:
            return column.typmod >= 0 ? "Its scale rounds what the source sends." : "";
        case TEXTOID:
        case VARCHAROID:
            return column.bytewise ? "" : "Its collation orders texts otherwise than the source does.";
        default:
            return "Its type is " + column.bare_type_sql + ".";
    }
}

void check_watermark(const MappingRow& mapping, const std::vector<Field>& fields, const TargetTable& target) {
    if (!mapping.watermark || mapping.watermark->is_null()) return;
    const TargetColumn* column = watermark_column(mapping, fields, target);
    if (column == nullptr)
        raise(fail(Reason::watermark_field_unmapped,
                   "the watermark's field is not copied unchanged to a column of \"" + target.label + "\""));
    if (const std::string fault = watermark_fault(*column); !fault.empty())
        raise(fail(Reason::watermark_unsound,
                   "column \"" + column->name + "\" of \"" + target.label + "\" cannot carry a watermark")
                  .with_detail(fault));
}

void check_soft_delete(const MappingRow& mapping, const std::vector<Field>& fields, const TargetTable& target) {
    if (mapping.delete_mode != "soft") return;
    const TargetColumn* column = target.find(mapping.deleted_at);
    if (column == nullptr)
        raise(unknown_column(mapping.deleted_at, target, "It is the mapping's deleted_at, which soft deletes stamp."));
    if (column->generated || column->identity_always)
        raise(
            refused(mapping, target, "Column \"" + column->name + "\", which soft deletes stamp, cannot be written."));
    if (column->base_oid != TIMESTAMPTZOID && column->base_oid != TIMESTAMPOID && column->base_oid != DATEOID)
        raise(fail(Reason::invalid_configuration, "column \"" + column->name +
                                                      "\" cannot be stamped by soft deletes: its type is " +
                                                      column->bare_type_sql)
                  .with_hint("Make it timestamp with time zone."));
    if (column->not_null)
        raise(fail(Reason::invalid_configuration,
                   "column \"" + column->name + "\" cannot be stamped by soft deletes: it is NOT NULL"));
    if (fills(fields, column->name))
        raise(fail(Reason::invalid_configuration,
                   "column \"" + column->name + "\" is filled by a field and stamped by soft deletes"));
}

void check_row_security(const MappingRow& mapping, const TargetTable& target) {
    if (target.hides_rows && looks_for_rows(mapping))
        raise(refused(mapping, target,
                      "Row security policies can hide rows from its owner, so that existing rows would not be found.")
                  .with_hint("Let a role own the mapping that owns the table or has BYPASSRLS, or add a policy that "
                             "shows it all rows."));
}

/// The right on the whole table, or on each column named.
bool has_right(const TargetTable& target, unsigned right, const std::vector<std::string>& columns) {
    const Oid relation = target.oid;
    const Oid role = target.owner;
    const AclMode mode = right;
    if (call([=] { return pg_class_aclcheck(relation, role, mode) == ACLCHECK_OK; })) return true;
    if (columns.empty()) return false;
    return std::all_of(columns.begin(), columns.end(), [&](const std::string& name) {
        const char* text = name.c_str();
        return call([=] {
            const AttrNumber number = get_attnum(relation, text);
            return number != InvalidAttrNumber && pg_attribute_aclcheck(relation, number, role, mode) == ACLCHECK_OK;
        });
    });
}

void require_right(const MappingRow& mapping, const TargetTable& target, unsigned right, const char* name,
                   const std::vector<std::string>& columns) {
    if (has_right(target, right, columns)) return;
    raise(
        Error{Reason::none, "42501", "permission denied for table " + target.label,
              "Mapping \"" + mapping.name + "\" needs the right " + name + " for its owner \"" + mapping.owner + "\".",
              std::string("Grant ") + name + " on the table to the mapping's owner."});
}

/// Pages are staged in a temporary table of the owner.
void require_temporary_tables(const MappingRow& mapping, const TargetTable& target) {
    const Rows rows = query(
        "SELECT pg_catalog.has_database_privilege($1, pg_catalog.current_database(), 'TEMPORARY'), "
        "pg_catalog.current_database()",
        {oid(target.owner)});
    if (to_bool(rows[0][0])) return;
    raise(Error{Reason::none, "42501",
                "permission denied to create temporary tables in database \"" + rows[0][1].value_or("") + "\"",
                "Mapping \"" + mapping.name + "\" needs the right TEMPORARY for its owner \"" + mapping.owner + "\".",
                "Grant TEMPORARY on the database to the mapping's owner."});
}

void check_rights(const MappingRow& mapping, const std::vector<Field>& fields, const TargetTable& target) {
    require_temporary_tables(mapping, target);
    std::vector<std::string> filled;
    std::vector<std::string> changed;
    for (const auto& field : fields) {
        for (const auto& name : field.targets) {
            filled.push_back(name);
            const TargetColumn* column = target.find(name);
            if (!contains(mapping.key, name) || !column->equal_is_identical) changed.push_back(name);
        }
    }
    if (mapping.mode != "update") require_right(mapping, target, ACL_INSERT, "INSERT", filled);
    if (looks_for_rows(mapping)) {
        const TargetColumn* watermark = watermark_column(mapping, fields, target);
        std::vector<std::string> read = mapping.mode == "insert" ? mapping.scope : filled;
        if (watermark != nullptr) read.push_back(watermark->name);
        require_right(mapping, target, ACL_SELECT, "SELECT", read);
    }
    const bool changes =
        mapping.mode == "update" || mapping.mode == "upsert" || (mapping.mode == "replace" && !mapping.key.empty());
    if (mapping.delete_mode == "soft") changed.push_back(mapping.deleted_at);
    if (changes && !changed.empty()) require_right(mapping, target, ACL_UPDATE, "UPDATE", changed);
    const bool removes = mapping.delete_mode == "hard" ||
                         (mapping.mode == "replace" && (mapping.key.empty() || mapping.delete_mode != "soft"));
    if (removes) require_right(mapping, target, ACL_DELETE, "DELETE", {});
}

}  // namespace

std::vector<std::string> check_mapping_against_target(const MappingRow& mapping, const std::vector<Field>& fields,
                                                      const TargetTable& target) {
    if (mapping.mode == "history")
        raise(Error{Reason::none, "0A000", "mode \"history\" is not supported yet", {}, "Choose mode \"upsert\"."});
    if (target.has_rules)
        raise(refused(mapping, target, "It has rules (CREATE RULE), which would rewrite what a pull does.")
                  .with_hint("Replace the rules by triggers, or choose another target."));
    check_fields(mapping, fields, target);
    check_scope(mapping, fields, target);
    check_key(mapping, fields, target);
    check_watermark(mapping, fields, target);
    check_soft_delete(mapping, fields, target);
    check_row_security(mapping, target);
    check_rights(mapping, fields, target);
    if (target.kind == TargetKind::distributed && mapping.mode != "insert" && mapping.mode != "update" &&
        !mapping.key.empty() && !target.has_exact_unique_index(mapping.key))
        raise(refused(mapping, target, "It is distributed, and has no unique index over exactly the key's columns."));
    std::vector<std::string> notices;
    if (!mapping.key.empty() && !target.has_exact_unique_index(mapping.key) && target.kind != TargetKind::foreign)
        notices.push_back("table \"" + target.label + "\" has no unique index over exactly the key of " +
                          label(mapping));
    return notices;
}

void check_organization_scope(const Extension& extension, const MappingRow& mapping, const std::vector<Field>& fields,
                              const std::optional<std::string>& organization) {
    if (!mapping.watermark && !deletes_rows(mapping)) return;
    const bool told_apart = std::any_of(mapping.scope.begin(), mapping.scope.end(), [&](const auto& column) {
        const Field* field = field_for(fields, column);
        return field != nullptr && field->transform == Transform::none;
    });
    if (told_apart) return;
    const Rows others = query("SELECT organization_id FROM " + extension.relation("sys_sync_slice") +
                                  " WHERE mapping_id = $1 AND organization_id IS DISTINCT FROM $2 LIMIT 1",
                              {int8(mapping.id), text(organization)});
    if (others.empty()) return;
    raise(fail(Reason::scope_required,
               label(mapping) + " has run for another organization, and its rows could not be told apart")
              .with_hint("Fill a column of the target from $organization and name it in scope and key."));
}

std::vector<ScopeValue> scope_values(const MappingRow& mapping, const std::vector<Field>& fields,
                                     const std::optional<std::string>& organization) {
    std::vector<ScopeValue> values;
    for (const auto& column : mapping.scope) {
        const Field* field = field_for(fields, column);
        if (field == nullptr) continue;
        values.push_back({column, field->transform == Transform::constant ? field->constant : organization});
    }
    return values;
}

const Field* watermark_field(const MappingRow& mapping, const std::vector<Field>& fields) {
    if (!mapping.watermark || !mapping.watermark->is_object()) return nullptr;
    const auto name = mapping.watermark->find("field");
    if (name == mapping.watermark->end() || !name->is_string()) return nullptr;
    const Path path = unwrap(parse_path(name->get<std::string>()));
    const auto fits = [&](const Field& field) {
        const bool copied = field.transform == Transform::none || field.transform == Transform::epoch;
        return copied && field.sources.size() == 1 && field.sources.front().pseudo == Pseudo::none &&
               field.sources.front().path == path;
    };
    const auto it = std::find_if(fields.begin(), fields.end(), fits);
    return it == fields.end() ? nullptr : &*it;
}

const TargetColumn* watermark_column(const MappingRow& mapping, const std::vector<Field>& fields,
                                     const TargetTable& target) {
    const Field* field = watermark_field(mapping, fields);
    return field == nullptr ? nullptr : target.find(field->targets.front());
}

WatermarkType watermark_type(const MappingRow& mapping, const std::vector<Field>& fields, const TargetTable& target) {
    switch (watermark_column(mapping, fields, target)->base_oid) {
        case TIMESTAMPTZOID:
            return WatermarkType::timestamptz;
        case TIMESTAMPOID:
            return WatermarkType::timestamp;
        case DATEOID:
            return WatermarkType::date;
        case INT2OID:
        case INT4OID:
        case INT8OID:
            return WatermarkType::integer;
        case NUMERICOID:
            return WatermarkType::numeric;
        default:
            return WatermarkType::text;
    }
}

}  // namespace pg_pull::pg
