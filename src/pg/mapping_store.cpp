#include "pg/mapping_store.h"

#include "pg/border.h"
#include "pg/locks.h"

namespace pg_pull::pg {
namespace {

std::optional<std::string> dumped(const std::optional<nlohmann::json>& document) {
    if (!document) return std::nullopt;
    return document->dump();
}

/// The values of $2 and on, in the order of kColumns.
std::vector<Param> values_of(const MappingRow& m) {
    return {text(m.connector),
            text(m.connector_package),
            text(m.source.dump()),
            text(m.pagination.dump()),
            text(m.target),
            text(m.fields.dump()),
            text(m.mode),
            text_array(m.key),
            text(dumped(m.watermark)),
            text_array(m.scope),
            text(m.delete_mode),
            text(dumped(m.deleted_when)),
            text(m.deleted_at),
            float8(m.max_delete_fraction),
            text(m.commit),
            text(m.missing),
            text(m.on_error),
            int8(std::int64_t{m.max_rejects}),
            text(m.full_every),
            boolean(m.enabled),
            text(m.description)};
}

constexpr const char* kColumns =
    "connector, connector_package, source, pagination, target, fields, mode, key, watermark, scope, delete_mode, "
    "deleted_when, "
    "deleted_at, max_delete_fraction, commit, missing, on_error, max_rejects, full_every, enabled, description";
constexpr const char* kValues =
    "$2, $3, $4::jsonb, $5::jsonb, $6, $7::jsonb, $8, $9, $10::jsonb, $11, $12, $13::jsonb, $14, $15, $16, $17, $18, "
    "$19::integer, "
    "$20::interval, $21, $22";

void bar_all_runs(const Extension& extension, const MappingRow& mapping) {
    const Rows slices =
        catalog_query(extension,
                      "SELECT s.slice_id, r.run_id, s.organization_id FROM " + extension.relation("sys_sync_slice") +
                          " s LEFT JOIN " + extension.relation("sync_run_store") +
                          " r ON r.slice_id = s.slice_id AND r.status = 'running' WHERE s.mapping_id = $1 "
                          "ORDER BY s.slice_id, r.run_id DESC",
                      {int8(mapping.id)});
    for (const auto& slice : slices) {
        if (locks::bar_runs(static_cast<int>(to_int(slice[0])))) continue;
        Error error = fail(Reason::already_running, "a run of mapping \"" + mapping.name + "\" is under way");
        if (slice[1])
            error.detail = "It is run " + *slice[1] + (slice[2] ? " of organization \"" + *slice[2] + "\"." : ".");
        error.hint = "Wait for it, or end it with sync_cancel().";
        raise(std::move(error));
    }
}

}  // namespace

std::optional<std::int64_t> insert_mapping(const Extension& extension, const MappingRow& mapping) {
    std::vector<Param> parameters{text(mapping.package)};
    for (auto& value : values_of(mapping)) parameters.push_back(value);
    parameters.push_back(text(mapping.name));
    parameters.push_back(text(mapping.owner));
    const Rows made =
        catalog_query(extension,
                      "INSERT INTO " + extension.relation("sync_mapping") + " (package_id, " + kColumns +
                          ", name, owner, created_at, updated_at) VALUES ($1, " + kValues +
                          ", $23, $24, pg_catalog.now(), pg_catalog.now()) "
                          "ON CONFLICT (name, (coalesce(package_id, ''))) DO NOTHING RETURNING mapping_id",
                      parameters);
    if (made.empty()) return std::nullopt;
    return to_int(made.one());
}

void update_mapping(const Extension& extension, const MappingRow& mapping) {
    std::vector<Param> parameters{int8(mapping.id)};
    for (auto& value : values_of(mapping)) parameters.push_back(value);
    catalog_execute(extension,
                    "UPDATE " + extension.relation("sync_mapping") + " SET (" + kColumns + ", updated_at) = ROW(" +
                        kValues + ", pg_catalog.now()) WHERE mapping_id = $1",
                    parameters);
}

MappingRow lock_mapping(const Extension& extension, const MappingRow& mapping) {
    // the row's lock keeps new slices from being made (their foreign key needs it), the run locks are for those that exist
    const Rows locked = catalog_query(
        extension, "SELECT FROM " + extension.relation("sync_mapping") + " WHERE mapping_id = $1 FOR UPDATE",
        {int8(mapping.id)});
    if (locked.empty())
        raise(fail(Reason::mapping_not_found, "mapping \"" + mapping.name + "\" was dropped meanwhile"));
    bar_all_runs(extension, mapping);
    return load_mapping(extension, mapping.id);
}

void reset_cursors(const Extension& extension, const MappingRow& mapping) {
    catalog_execute(extension,
                    "DELETE FROM " + extension.relation("sync_cursor_store") +
                        " WHERE mapping = $1 AND package_id IS NOT DISTINCT FROM $2",
                    {text(mapping.name), text(mapping.package)});
    catalog_execute(extension,
                    "UPDATE " + extension.relation("sys_sync_slice") +
                        " SET last_full_at = NULL, known_keys = NULL WHERE mapping_id = $1",
                    {int8(mapping.id)});
}

void drop_mapping(const Extension& extension, const MappingRow& mapping) {
    lock_mapping(extension, mapping);
    reset_cursors(extension, mapping);
    catalog_execute(extension, "DELETE FROM " + extension.relation("sync_mapping") + " WHERE mapping_id = $1",
                    {int8(mapping.id)});
}

std::vector<MappingRow> mappings_using(const Extension& extension, const ConnectorRow& connector) {
    const NameFacts facts = name_facts(extension, connector.name);
    std::vector<MappingRow> users;
    for (auto& mapping : mappings_where(extension, "m.connector = $1", {text(connector.name)})) {
        auto at = mapping.package ? address_entry(facts, mapping.package) : address_entry(facts, std::nullopt);
        if (mapping.connector_package)
            at = address_entry(facts, mapping.connector_package);
        else if (mapping.package && !at.ok())
            at = address_entry(facts, std::nullopt);
        if (at.ok() && facts.entries[*at] == connector.package) users.push_back(std::move(mapping));
    }
    return users;
}

}  // namespace pg_pull::pg
