#include "pg/package_install.h"

#include <algorithm>

#include "pg/border.h"
#include "pg/connector_check.h"
#include "pg/connector_store.h"
#include "pg/function_arguments.h"
#include "pg/mapping_check.h"
#include "pg/mapping_document.h"
#include "pg/mapping_rules.h"
#include "pg/mapping_store.h"

namespace pg_pull::pg {
namespace {

/// An error of one entry tells which.
template <class F>
void in_entry(const char* list, std::size_t index, F&& function) {
    try {
        function();
    } catch (const RaisedError& raised) {
        Error error = raised.error();
        error.message = std::string(list) + "[" + std::to_string(index) + "]: " + error.message;
        raise(std::move(error));
    }
}

bool is_among(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<MappingRow> mappings_of_package(const Extension& extension, const std::string& package) {
    return mappings_where(extension, "m.package_id = $1", {text(package)});
}

std::vector<ConnectorRow> connectors_but(const Extension& extension, const std::string& package,
                                         const std::vector<std::string>& kept) {
    const Rows entries =
        catalog_query_latest(extension,
                             "SELECT c.connector_id, c.name FROM " + extension.relation("sys_sync_connector") +
                                 " c WHERE c.package_id = $1 ORDER BY c.name COLLATE \"C\"",
                             {text(package)});
    std::vector<ConnectorRow> connectors;
    for (const auto& entry : entries)
        if (!is_among(kept, entry[1].value())) connectors.push_back(load_connector(extension, to_int(entry[0])));
    return connectors;
}

ConnectorRow declared_row(const StackConnector& declared, const InstallOrder& order) {
    ConnectorRow row;
    row.package = order.stack.id;
    row.name = declared.name;
    row.provider = declared.provider;
    row.config = declared.config;
    row.auth = declared.auth;
    row.description = declared.description;
    row.owner = order.owner;
    return row;
}

MappingRow declared_row(const StackMapping& declared, const InstallOrder& order, const std::string& target) {
    MappingRow m;
    m.package = order.stack.id;
    m.name = declared.name;
    m.connector = declared.connector;
    m.connector_package = declared.connector_package;
    m.source = declared.source;
    m.pagination = declared.pagination;
    m.target = target;
    m.fields = declared.fields;
    m.mode = declared.mode;
    m.key = declared.key;
    m.watermark = declared.watermark;
    m.scope = declared.scope ? *declared.scope : default_scope(unwrap(parse_fields(declared.fields)));
    m.delete_mode = declared.delete_mode;
    m.deleted_when = declared.deleted_when;
    m.deleted_at = declared.deleted_at;
    m.max_delete_fraction = declared.max_delete_fraction;
    m.commit = declared.commit;
    m.missing = declared.missing;
    m.on_error = declared.on_error;
    m.max_rejects = declared.max_rejects;
    m.full_every = declared.full_every;
    m.owner = order.owner;
    m.enabled = declared.enabled;
    m.description = declared.description;
    return m;
}

void write_connector(const Extension& extension, ConnectorRow wanted) {
    check_connector(wanted.provider, wanted.config, wanted.auth, is_trusted(wanted.owner));
    const auto existing = entry_with_stamp(extension, wanted.name, wanted.package);
    if (!existing) {
        insert_connector(extension, wanted);
        return;
    }
    require_owner(existing->owner, "connector " + in_quotes(wanted.name));
    const ConnectorRow before = lock_entry(extension, *existing);
    check_origin_change(before, wanted, false,
                        "Declare a connector of another name for the new address, or uninstall the package first.");
    wanted.id = before.id;
    update_connector(extension, before, wanted);
}

/// An interval as the catalog's rows have it, whatever way the stack writes it.
void normalize_interval(MappingRow& wanted) {
    if (!wanted.full_every) return;
    wanted.full_every = query("SELECT $1::pg_catalog.interval::text", {text(*wanted.full_every)}).one();
}

/// Only what differs is written: a mapping that stays as it was may be running.
void write_mapping(const Extension& extension, MappingRow& wanted, const std::vector<MappingRow>& present) {
    const auto same_name = [&](const MappingRow& there) { return there.name == wanted.name; };
    const auto at = std::find_if(present.begin(), present.end(), same_name);
    if (at == present.end()) {
        wanted.id = insert_mapping(extension, wanted).value();
        return;
    }
    wanted.id = at->id;
    if (mapping_document(*at) == mapping_document(wanted)) return;
    const MappingRow before = lock_mapping(extension, *at);
    update_mapping(extension, wanted);
    if (before.target != wanted.target || before.watermark != wanted.watermark) reset_cursors(extension, wanted);
}

}  // namespace

void drop_mappings_but(const Extension& extension, const std::string& package, const std::vector<std::string>& kept) {
    for (const auto& mapping : mappings_of_package(extension, package))
        if (!is_among(kept, mapping.name)) drop_mapping(extension, mapping);
}

void tell_other_users(const Extension& extension, const std::string& package, const std::vector<std::string>& kept) {
    for (const auto& connector : connectors_but(extension, package, kept))
        for (const auto& mapping : mappings_using(extension, connector))
            if (mapping.package != package)
                notice("mapping " + in_quotes(mapping.name) + " uses connector " + in_quotes(connector.name) +
                       ", which is dropped");
}

void drop_connectors_but(const Extension& extension, const std::string& package, const std::vector<std::string>& kept) {
    for (const auto& connector : connectors_but(extension, package, kept))
        catalog_execute(extension,
                        "DELETE FROM " + extension.relation("sys_sync_connector") + " WHERE connector_id = $1",
                        {int8(connector.id)});
}

void write_connectors(const Extension& extension, const InstallOrder& order) {
    for (std::size_t i = 0; i < order.stack.connectors.size(); ++i)
        in_entry("connectors", i, [&] { write_connector(extension, declared_row(order.stack.connectors[i], order)); });
}

void write_mappings(const Extension& extension, const InstallOrder& order) {
    const std::vector<MappingRow> present = mappings_of_package(extension, order.stack.id);
    std::vector<MappingRow> written;
    for (std::size_t i = 0; i < order.stack.mappings.size(); ++i)
        in_entry("mappings", i, [&] {
            written.push_back(declared_row(order.stack.mappings[i], order, order.targets[i]));
            normalize_interval(written.back());
            write_mapping(extension, written.back(), present);
        });
    // after all are written: a mapping is judged beside its neighbours as they are now, not as they were
    for (std::size_t i = 0; i < written.size(); ++i)
        in_entry("mappings", i, [&] { check_mapping(extension, written[i], true); });
}

}  // namespace pg_pull::pg
