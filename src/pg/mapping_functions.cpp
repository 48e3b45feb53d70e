// sync_mapping_create, _alter, _drop.

extern "C" {
#include "postgres.h"

#include "fmgr.h"
}

#include "core/mapping/fields.h"
#include "pg/border.h"
#include "pg/function_arguments.h"
#include "pg/mapping_check.h"
#include "pg/mapping_document.h"
#include "pg/mapping_rules.h"
#include "pg/mapping_store.h"
#include "pg/target_name.h"

namespace pg_pull::pg {
namespace {

using nlohmann::json;

std::string label(const std::string& name) { return "mapping " + in_quotes(name); }

/// A JSON null says no more than an SQL one.
std::optional<json> not_null(std::optional<json> document) {
    if (document && document->is_null()) return std::nullopt;
    return document;
}

struct CreateOrder {
    MappingRow mapping;  ///< target as the caller wrote it
    bool scope_said = false;
    bool or_replace = false;
};

CreateOrder read_create(const Arguments& arguments) {
    CreateOrder order;
    MappingRow& m = order.mapping;
    m.name = arguments.text(0, "name");
    m.connector = arguments.text(1, "connector");
    m.source = arguments.document(2, "source");
    m.target = arguments.text(3, "target");
    m.fields = arguments.document(4, "fields");
    m.mode = arguments.optional_text(5).value_or("insert");
    m.key = arguments.optional_text_array(6, "key").value_or(std::vector<std::string>());
    m.watermark = not_null(arguments.optional_document(7, "watermark"));
    m.pagination = not_null(arguments.optional_document(8, "pagination")).value_or(json{{"type", "none"}});
    const auto scope = arguments.optional_text_array(9, "scope");
    m.scope = scope.value_or(std::vector<std::string>());
    m.delete_mode = arguments.optional_text(10).value_or("ignore");
    m.deleted_when = not_null(arguments.optional_document(11, "deleted_when"));
    m.deleted_at = arguments.optional_text(12).value_or("deleted_at");
    m.max_delete_fraction = arguments.float8(13, 0.5);
    m.commit = arguments.optional_text(14).value_or("run");
    m.missing = arguments.optional_text(15).value_or("null");
    m.on_error = arguments.optional_text(16).value_or("reject");
    m.max_rejects = arguments.int4(17, 100);
    m.full_every = arguments.optional_interval(18);
    m.connector_package = arguments.optional_package(19, "connector_package");
    m.description = arguments.optional_text(20);
    m.enabled = arguments.flag(21, true);
    order.scope_said = scope.has_value();
    order.or_replace = arguments.flag(22, false);
    if (m.name.empty()) raise(fail(Reason::invalid_configuration, "a mapping's name must not be an empty string"));
    return order;
}

/// Where the rows of the target no longer are what the cursor speaks of, the next pull begins anew.
void reset_where_moved(const Extension& extension, const MappingRow& before, const MappingRow& after) {
    if (before.target != after.target || before.watermark != after.watermark) reset_cursors(extension, after);
}

std::optional<MappingRow> existing_mapping(const Extension& extension, const std::string& name) {
    auto found = mappings_where(extension, "m.name = $1 AND m.package_id IS NULL", {text(name)});
    if (found.empty()) return std::nullopt;
    return std::move(found.front());
}

std::int64_t replace_mapping(const Extension& extension, const MappingRow& existing, CreateOrder order) {
    require_owner(existing.owner, label(existing.name));
    const MappingRow before = lock_mapping(extension, existing);
    order.mapping.id = before.id;
    order.mapping.owner = before.owner;
    check_mapping(extension, order.mapping, order.scope_said);
    update_mapping(extension, order.mapping);
    reset_where_moved(extension, before, order.mapping);
    return before.id;
}

Datum mapping_create(FunctionCallInfo fcinfo) {
    CreateOrder order = read_create(Arguments(fcinfo));
    refuse_read_only("sync_mapping_create()");
    order.mapping.target = resolve_target(order.mapping.target).qualified;

    const PinnedSearchPath pinned;
    const Spi spi;
    const Extension extension = Extension::current();
    order.mapping.owner = role_name(current_role());
    if (const auto existing = existing_mapping(extension, order.mapping.name)) {
        if (!order.or_replace) raise(fail(Reason::duplicate_name, label(existing->name) + " already exists"));
        return int8_result(replace_mapping(extension, *existing, std::move(order)));
    }
    check_mapping(extension, order.mapping, order.scope_said);
    if (const auto id = insert_mapping(extension, order.mapping)) return int8_result(*id);
    // somebody else was faster, and we have waited for his commit
    raise(fail(Reason::duplicate_name, label(order.mapping.name) + " already exists"));
}

/// Scope follows fields as long as nobody has said it: then, and now.
bool says_scope(const MappingRow& before, const json& changes) {
    if (changes.contains("scope")) return !changes["scope"].is_null();
    const auto fields = parse_fields(before.fields);
    return !fields.ok() || default_scope(*fields) != before.scope;
}

/// enabled and description are nothing that a run could fail on: a mapping whose target is gone can still be switched off.
bool only_labels_changed(const MappingRow& before, const MappingRow& after) {
    json a = mapping_document(before), b = mapping_document(after);
    for (const char* key : {"enabled", "description"}) {
        a.erase(key);
        b.erase(key);
    }
    return a == b;
}

Datum mapping_alter(FunctionCallInfo fcinfo) {
    const Arguments arguments(fcinfo);
    const std::string name = arguments.text(0, "mapping");
    json changes = arguments.document(1, "changes");
    const auto package = arguments.optional_package(2, "package");
    refuse_read_only("sync_mapping_alter()");
    if (changes.is_object() && changes.contains("target") && changes["target"].is_string())
        changes["target"] = resolve_target(changes["target"].get<std::string>()).qualified;

    const PinnedSearchPath pinned;
    const Spi spi;
    const Extension extension = Extension::current();
    const MappingRow found = find_mapping(extension, name, package, Visible::own_changes);
    require_owner(found.owner, label(name));
    const MappingRow before = lock_mapping(extension, found);
    MappingRow after = patched_mapping(before, changes);
    if (!only_labels_changed(before, after)) check_mapping(extension, after, says_scope(before, changes));
    update_mapping(extension, after);
    reset_where_moved(extension, before, after);
    return no_value();
}

Datum mapping_drop(FunctionCallInfo fcinfo) {
    const Arguments arguments(fcinfo);
    const std::string name = arguments.text(0, "mapping");
    const auto package = arguments.optional_package(1, "package");
    refuse_read_only("sync_mapping_drop()");

    const Spi spi;
    const Extension extension = Extension::current();
    const MappingRow mapping = find_mapping(extension, name, package, Visible::own_changes);
    require_owner(mapping.owner, label(name));
    drop_mapping(extension, mapping);
    return no_value();
}

}  // namespace
}  // namespace pg_pull::pg

PG_PULL_FUNCTION(sync_mapping_create, pg_pull::pg::mapping_create)
PG_PULL_FUNCTION(sync_mapping_alter, pg_pull::pg::mapping_alter)
PG_PULL_FUNCTION(sync_mapping_drop, pg_pull::pg::mapping_drop)
