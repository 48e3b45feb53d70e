extern "C" {
#include "postgres.h"
}

#include <array>
#include <string_view>

#include <nlohmann/json.hpp>

#include "pg/border.h"
#include "pg/run_row.h"

namespace pg_pull::pg {
namespace {

struct Column {
    const char* name;
    const char* type;
};

/// The columns of the view sys_sync_run, in its order.
constexpr std::array kColumns = {
    Column{"run_id", "int8"},
    Column{"mapping", "text"},
    Column{"package_id", "text"},
    Column{"organization_id", "text"},
    Column{"connector", "text"},
    Column{"connection_id", "uuid"},
    Column{"trigger", "text"},
    Column{"is_full", "bool"},
    Column{"status", "text"},
    Column{"started_at", "timestamptz"},
    Column{"finished_at", "timestamptz"},
    Column{"watermark_from", "text"},
    Column{"watermark_to", "text"},
    Column{"pages", "int8"},
    Column{"records_read", "int8"},
    Column{"records_ignored", "int8"},
    Column{"rows_inserted", "int8"},
    Column{"rows_updated", "int8"},
    Column{"rows_unchanged", "int8"},
    Column{"rows_deleted", "int8"},
    Column{"rows_rejected", "int8"},
    Column{"bytes_read", "int8"},
    Column{"requests", "int8"},
    Column{"requests_ignored", "int8"},
    Column{"retries", "int8"},
    Column{"throttled_ms", "int8"},
    Column{"error_code", "text"},
    Column{"error_reason", "text"},
    Column{"error_message", "text"},
    Column{"error_detail", "jsonb"},
    Column{"worker_pid", "int4"},
    Column{"requested_by", "name"},
};

std::size_t position_of(std::string_view name) {
    for (std::size_t i = 0; i < kColumns.size(); ++i)
        if (name == kColumns[i].name) return i;
    raise(Error{
        Reason::none, "XX000", "internal error: no column \"" + std::string(name) + "\" in sys_sync_run", {}, {}});
}

std::string returning() {
    std::string list = " RETURNING ";
    for (const auto& column : kColumns) {
        if (&column != kColumns.data()) list += ", ";
        list += column.name;
    }
    return list;
}

/// `, column = $n::type` for each, values appended to `parameters`.
std::string assignments(const RunColumns& columns, std::vector<Param>* parameters) {
    std::string list;
    for (const auto& [name, value] : columns) {
        const Column& column = kColumns[position_of(name)];
        parameters->push_back(text(value));
        list += ", " + std::string(column.name) + " = $" + std::to_string(parameters->size()) + "::pg_catalog." +
                column.type;
    }
    return list;
}

/// Payloads must stay below 8000 bytes: names that are longer than anybody's are left out, not the notification.
void queue_notify(const RunRow& row) {
    nlohmann::json payload;
    payload["run_id"] = to_int(run_value(row, "run_id"));
    for (const char* name : {"mapping", "package_id", "organization_id", "status", "error_reason"}) {
        const auto& value = run_value(row, name);
        payload[name] = value && value->size() < 1000 ? nlohmann::json(*value) : nlohmann::json();
    }
    execute("SELECT pg_catalog.pg_notify('pg_pull', $1)",
            {text(payload.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))});
}

}  // namespace

const Rows::Value& run_value(const RunRow& row, const char* column) { return row.at(position_of(column)); }

int slice_of(const Extension& extension, std::int64_t mapping_id, const std::optional<std::string>& organization) {
    const std::string table = extension.relation("sys_sync_slice");
    const std::string find = "SELECT slice_id FROM " + table +
                             " WHERE mapping_id OPERATOR(pg_catalog.=) $1 AND coalesce(organization_id, '')"
                             " OPERATOR(pg_catalog.=) coalesce($2, '')";
    const std::vector<Param> parameters = {int8(mapping_id), text(organization)};
    Rows rows = query(find, parameters);
    if (rows.empty()) {
        // waits for whoever inserts the same slice right now, and then finds his
        execute("INSERT INTO " + table +
                    " (mapping_id, organization_id) VALUES ($1, $2)"
                    " ON CONFLICT (mapping_id, (coalesce(organization_id, ''))) DO NOTHING",
                parameters);
        rows = query(find, parameters);
    }
    return static_cast<int>(to_int(rows.one()));
}

std::optional<std::int64_t> running_run(const Extension& extension, int slice_id) {
    const Rows rows = query("SELECT pg_catalog.max(run_id) FROM " + extension.relation("sync_run_store") +
                                " WHERE slice_id OPERATOR(pg_catalog.=) $1 AND status OPERATOR(pg_catalog.=) 'running'",
                            {int8(slice_id)});
    if (!rows.one()) return std::nullopt;
    return to_int(rows.one());
}

void mark_interrupted(const Extension& extension, int slice_id) {
    const Rows rows =
        query("UPDATE " + extension.relation("sync_run_store") +
                  " SET status = 'interrupted', finished_at = pg_catalog.clock_timestamp(), error_code = $2,"
                  " error_reason = $3, error_message = $4"
                  " WHERE slice_id OPERATOR(pg_catalog.=) $1 AND status OPERATOR(pg_catalog.=) 'running'" +
                  returning(),
              {int8(slice_id), text(info(Reason::worker_died).sqlstate), text(info(Reason::worker_died).name),
               text(info(Reason::worker_died).meaning)});
    for (const auto& row : rows) queue_notify(row);
}

RunRow insert_run(const Extension& extension, const NewRun& run, bool skipped) {
    const Rows rows =
        query("INSERT INTO " + extension.relation("sync_run_store") +
                  " (mapping, package_id, organization_id, connector, trigger, is_full, status, started_at, "
                  "finished_at, worker_pid,"
                  " requested_by, slice_id, mapping_owner)"
                  " SELECT $1, $2, $3, $4, $5, $6, $7, t.now, CASE WHEN $8 THEN t.now END, $9::pg_catalog.int4,"
                  " $10::pg_catalog.name, $11::pg_catalog.int4, $12::pg_catalog.name"
                  " FROM (SELECT $13::pg_catalog.timestamptz AS now) t" +
                  returning(),
              {text(run.mapping.name), text(run.mapping.package), text(run.organization), text(run.mapping.connector),
               text(run.trigger), boolean(run.full), text(skipped ? "skipped" : "running"), boolean(skipped),
               int8(run.worker_pid), text(run.requested_by), int8(run.slice_id), text(run.mapping.owner),
               text(run.started_at)});
    if (skipped) queue_notify(rows[0]);
    return rows[0];
}

std::optional<RunRow> end_run(const Extension& extension, std::int64_t run_id, const std::string& status,
                              const RunColumns& columns) {
    std::vector<Param> parameters = {int8(run_id), text(status)};
    const std::string set = assignments(columns, &parameters);
    const Rows rows =
        query("UPDATE " + extension.relation("sync_run_store") +
                  " SET status = $2, finished_at = pg_catalog.clock_timestamp()" + set +
                  " WHERE run_id OPERATOR(pg_catalog.=) $1 AND status OPERATOR(pg_catalog.=) 'running'" + returning(),
              parameters);
    if (rows.empty()) return std::nullopt;
    queue_notify(rows[0]);
    return rows[0];
}

void amend_run(const Extension& extension, std::int64_t run_id, const RunColumns& columns) {
    std::vector<Param> parameters = {int8(run_id)};
    const std::string set = assignments(columns, &parameters);
    if (set.empty()) return;
    execute("UPDATE " + extension.relation("sync_run_store") + " SET " + set.substr(2) +
                " WHERE run_id OPERATOR(pg_catalog.=) $1 AND status OPERATOR(pg_catalog.=) 'running'",
            parameters);
}

std::string pack(const RunRow& row) {
    std::string packed;
    for (const auto& value : row) {
        packed += value ? '+' : '-';
        if (value) packed += *value;
        packed += '\0';
    }
    return packed;
}

RunRow unpack_run_row(std::string_view packed) {
    RunRow row;
    while (!packed.empty()) {
        const std::size_t end = packed.find('\0');
        if (end == std::string_view::npos) break;
        const bool null = packed.front() == '-';
        row.push_back(null ? Rows::Value() : Rows::Value(std::string(packed.substr(1, end - 1))));
        packed.remove_prefix(end + 1);
    }
    return row;
}

}  // namespace pg_pull::pg
