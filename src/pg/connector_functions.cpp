// sync_connector_create, _alter, _drop, _resolve, _actions. The rights to use one are in grant_functions.cpp.

extern "C" {
#include "postgres.h"

#include "fmgr.h"
}

#include <algorithm>

#include "core/json/keys.h"
#include "pg/border.h"
#include "pg/catalog.h"
#include "pg/connector_check.h"
#include "pg/connector_store.h"
#include "pg/function_arguments.h"
#include "pg/mapping_store.h"
#include "source/registry.h"

namespace pg_pull::pg {
namespace {

using nlohmann::json;

json default_auth() { return json{{"type", "none"}}; }

/// Who may put which stamp on an entry: a package's own come by its stack, and by superusers (imports).
void check_stamp(const std::optional<std::string>& package) {
    if (!package || *package == kRuntimePackage || is_superuser(current_role())) return;
    raise(Error{Reason::none, "42501", "permission denied to create a connector for package " + in_quotes(*package),
                "Only superusers may create connectors that bear the name of a package.",
                "Leave the package out, or install a package that declares the connector."});
}

/// An entry that an installed stack declares changes by that stack only.
void refuse_packaged(const NameFacts& facts, const std::optional<std::string>& package) {
    if (!package || std::find(facts.holders.begin(), facts.holders.end(), *package) == facts.holders.end()) return;
    raise(Error{Reason::none,
                "55000",
                "connector " + in_quotes(facts.name) + " belongs to package " + in_quotes(*package),
                {},
                "Change the package's stack and install it again."});
}

ConnectorRow entry_for_change(const Extension& extension, const std::string& name,
                              const std::optional<std::string>& package) {
    const ConnectorRow found = find_entry(extension, name, package);
    require_owner(found.owner, "connector " + in_quotes(name));
    refuse_packaged(name_facts(extension, name), found.package);
    return lock_entry(extension, found);
}

std::int64_t replace_connector(const Extension& extension, ConnectorRow wanted) {
    const auto existing = entry_with_stamp(extension, wanted.name, wanted.package);
    if (!existing)
        raise(Error{
            Reason::none, "40001", "connector " + in_quotes(wanted.name) + " was dropped meanwhile", {}, "Try again."});
    require_owner(existing->owner, "connector " + in_quotes(wanted.name));
    const ConnectorRow before = lock_entry(extension, *existing);
    wanted.id = before.id;
    wanted.owner = before.owner;
    check_connector(wanted.provider, wanted.config, wanted.auth, is_trusted(before.owner));
    check_origin_change(before, wanted, false, "Use sync_connector_alter() with confirm_origin => true.");
    update_connector(extension, before, wanted);
    return wanted.id;
}

Datum connector_create(FunctionCallInfo fcinfo) {
    const Arguments arguments(fcinfo);
    ConnectorRow row;
    row.name = arguments.text(0, "name");
    row.provider = arguments.text(1, "provider");
    row.config = arguments.optional_document(2, "config").value_or(json::object());
    row.auth = arguments.optional_document(3, "auth").value_or(default_auth());
    row.description = arguments.optional_text(4);
    row.package = arguments.optional_package(5, "package");
    const bool or_replace = arguments.flag(6, false);
    if (row.name.empty()) raise(fail(Reason::invalid_configuration, "a connector's name must not be an empty string"));
    refuse_read_only("sync_connector_create()");

    const Spi spi;
    const Extension extension = Extension::current();
    row.owner = role_name(current_role());
    check_stamp(row.package);
    refuse_packaged(name_facts(extension, row.name), row.package);
    check_connector(row.provider, row.config, row.auth, is_trusted(row.owner));
    if (const auto id = insert_connector(extension, row)) return int8_result(*id);
    if (or_replace) return int8_result(replace_connector(extension, row));
    raise(fail(Reason::duplicate_name, "connector " + in_quotes(row.name) + " already exists"));
}

/// The part of a merge patch's outcome that stands under `key`; absent (patched to null) is the default.
json part_of(const json& document, const char* key, json fallback) {
    const auto at = document.find(key);
    return at == document.end() || at->is_null() ? std::move(fallback) : *at;
}

ConnectorRow patched(const ConnectorRow& before, const json& changes) {
    unwrap(check_keys(changes, "changes", {"config", "auth", "description"}));
    json document{{"config", before.config}, {"auth", before.auth}};
    document["description"] = before.description ? json(*before.description) : json(nullptr);
    document.merge_patch(changes);
    ConnectorRow after = before;
    after.config = part_of(document, "config", json::object());
    after.auth = part_of(document, "auth", default_auth());
    const json description = part_of(document, "description", nullptr);
    if (!description.is_null() && !description.is_string())
        raise(fail(Reason::invalid_configuration, "changes \"description\" must be a string"));
    after.description = description.is_null() ? std::optional<std::string>() : description.get<std::string>();
    return after;
}

Datum connector_alter(FunctionCallInfo fcinfo) {
    const Arguments arguments(fcinfo);
    const std::string name = arguments.text(0, "name");
    const json changes = arguments.document(1, "changes");
    const auto package = arguments.optional_package(2, "package");
    const bool confirmed = arguments.flag(3, false);
    refuse_read_only("sync_connector_alter()");

    const Spi spi;
    const Extension extension = Extension::current();
    const ConnectorRow before = entry_for_change(extension, name, package);
    const ConnectorRow after = patched(before, changes);
    if (after.config != before.config || after.auth != before.auth) {
        check_connector(after.provider, after.config, after.auth, is_trusted(before.owner));
        check_origin_change(before, after, confirmed,
                            "Pass confirm_origin => true if the credential is meant to go there.");
    }
    update_connector(extension, before, after);
    return no_value();
}

void refuse_dependents(const ConnectorRow& connector, const std::vector<MappingRow>& mappings) {
    if (mappings.empty()) return;
    std::string detail;
    for (const auto& mapping : mappings)
        detail.append(detail.empty() ? "" : " ").append("Mapping " + in_quotes(mapping.name) + " uses it.");
    raise(fail(Reason::dependent_objects,
               "cannot drop connector " + in_quotes(connector.name) + " because other objects need it")
              .with_detail(detail)
              .with_hint("Pass cascade => true to drop them too."));
}

Datum connector_drop(FunctionCallInfo fcinfo) {
    const Arguments arguments(fcinfo);
    const std::string name = arguments.text(0, "name");
    const auto package = arguments.optional_package(1, "package");
    const bool cascade = arguments.flag(2, false);
    refuse_read_only("sync_connector_drop()");

    const Spi spi;
    const Extension extension = Extension::current();
    const ConnectorRow connector = entry_for_change(extension, name, package);
    const std::vector<MappingRow> mappings = mappings_using(extension, connector);
    if (!cascade) refuse_dependents(connector, mappings);
    for (const auto& mapping : mappings) {
        drop_mapping(extension, mapping);
        notice("drop cascades to mapping " + in_quotes(mapping.name));
    }
    catalog_execute(extension, "DELETE FROM " + extension.relation("sys_sync_connector") + " WHERE connector_id = $1",
                    {int8(connector.id)});
    return no_value();
}

Datum connector_resolve(FunctionCallInfo fcinfo) {
    const Arguments arguments(fcinfo);
    const std::string name = arguments.text(0, "name");
    const Spi spi;
    const NameFacts facts = name_facts(Extension::current(), name);
    const ResolutionState state = resolve_name(facts);
    TableResult result(fcinfo);
    result.add({std::string(to_text(state)),
                state == ResolutionState::one ? std::optional(facts.holders.front()) : std::nullopt,
                array_literal(facts.holders), std::to_string(facts.entries.size())});
    return no_value();
}

/// What the action `request` takes; the same for every connector of the provider.
json request_schema() {
    const json values{{"type", "object"},
                      {"additionalProperties", {{"type", json::array({"string", "number", "boolean"})}}}};
    return json{{"type", "object"},
                {"properties",
                 {{"method", {{"type", "string"}, {"default", "GET"}}},
                  {"path", {{"type", "string"}}},
                  {"headers", values},
                  {"query", values},
                  {"body", json::object()}}},
                {"required", json::array({"path"})},
                {"additionalProperties", false}};
}

Datum connector_actions(FunctionCallInfo fcinfo) {
    const Arguments arguments(fcinfo);
    const std::string name = arguments.text(0, "connector");
    const auto package = arguments.optional_package(1, "package");
    const Spi spi;
    const Extension extension = Extension::current();
    const ConnectorRow connector = find_connector(extension, name, package, Visible::own_changes);
    require_use(extension, connector, current_role());
    TableResult result(fcinfo);
    const Provider* provider = find_provider(connector.provider);
    if (provider != nullptr && provider->send != nullptr)
        result.add({"request", "Sends one HTTP request to the connector's API", request_schema().dump(), "f"});
    return no_value();
}

}  // namespace
}  // namespace pg_pull::pg

PG_PULL_FUNCTION(sync_connector_create, pg_pull::pg::connector_create)
PG_PULL_FUNCTION(sync_connector_alter, pg_pull::pg::connector_alter)
PG_PULL_FUNCTION(sync_connector_drop, pg_pull::pg::connector_drop)
PG_PULL_FUNCTION(sync_connector_resolve, pg_pull::pg::connector_resolve)
PG_PULL_FUNCTION(sync_connector_actions, pg_pull::pg::connector_actions)
