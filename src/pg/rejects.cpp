#include "pg/rejects.h"

#include <utility>

#include "pg/border.h"
#include "pg/sql.h"
#include "pg/xact.h"

namespace pg_pull::pg {
namespace {

std::string place_of(const MappingRow& mapping, const Reject& reject) {
    std::string place = "Mapping \"" + mapping.name + "\"";
    if (reject.page > 0) place += ", page " + std::to_string(reject.page);
    if (reject.ordinal > 0) place += ", record " + std::to_string(reject.ordinal);
    if (!reject.column.empty()) place += ", column \"" + reject.column + "\"";
    if (reject.key) place += ", key " + *reject.key;
    return place + ".";
}

/// Of one mapping and organization, in sync_reject_store.
constexpr const char* kSameSlice =
    " mapping = $1 AND package_id IS NOT DISTINCT FROM $2 AND organization_id IS NOT DISTINCT FROM $3 AND status = "
    "'open' ";

std::optional<std::string> optional_text(const std::string& value) {
    return value.empty() ? std::nullopt : std::optional(value);
}
/// A text of the server holds no NUL; a key with one is as good as unreadable.
std::optional<std::string> without_nul(const std::optional<std::string>& value) {
    return value && value->find('\0') == std::string::npos ? value : std::nullopt;
}
std::optional<std::int64_t> positive(std::int64_t value) { return value > 0 ? std::optional(value) : std::nullopt; }

}  // namespace

Error as_run_error(const MappingRow& mapping, const Reject& reject) {
    return Error{Reason::none, reject.code, reject.message, place_of(mapping, reject), {}};
}

void describe_refusal(const std::exception_ptr& refusal, Reject& reject) {
    const Error error = describe(refusal);
    reject.code = error.code();
    reject.message = error.message;
    if (reject.code.compare(0, 2, "23") == 0 && !error.detail.empty()) reject.message += " (" + error.detail + ")";
}

bool RejectStore::add(Reject reject) {
    ++total_;
    if (total_ <= limit() + 1) {
        last_ = reject;
        pending_.push_back(std::move(reject));
    }
    return !passed_limit();
}

void RejectStore::write_one(const Extension& extension, const Reject& reject) const {
    const std::string exact = reject.raw.json ? *reject.raw.json : reject.raw.bytes.value_or("");
    const std::string statement =
        "INSERT INTO " + extension.relation("sync_reject_store") +
        " AS r (mapping, package_id, organization_id, run_id, last_run_id, attempts, record, record_raw, record_key, "
        "page, ordinal,"
        " column_name, error_code, error_message, status, created_at, updated_at, record_hash, mapping_owner)"
        " VALUES ($1, $2, $3, $4, $4, 1, $5::pg_catalog.json, $6, $7, $8, $9, $10, $11, $12, 'open', "
        "pg_catalog.clock_timestamp(),"
        " pg_catalog.clock_timestamp(), pg_catalog.sha256($13), $14::pg_catalog.name)"
        " ON CONFLICT (mapping, (coalesce(package_id, '')), (coalesce(organization_id, '')), record_hash) WHERE status "
        "= 'open'"
        " DO UPDATE SET attempts = r.attempts + CASE WHEN r.last_run_id = excluded.last_run_id THEN 0 ELSE 1 END,"
        " last_run_id = excluded.last_run_id, column_name = excluded.column_name, error_code = excluded.error_code,"
        " error_message = excluded.error_message, updated_at = excluded.updated_at";
    const auto run = [&](const std::optional<std::string>& json, const std::optional<std::string>& raw) {
        execute(statement, {text(mapping_.name), text(mapping_.package), text(run_.organization), int8(run_.run_id),
                            text(json), bytea(raw), text(without_nul(reject.key)), int8(positive(reject.page)),
                            int8(positive(reject.ordinal)), text(optional_text(reject.column)), text(reject.code),
                            text(reject.message), bytea(exact), text(mapping_.owner)});
    };
    if (!reject.raw.json) return run(std::nullopt, exact);
    std::exception_ptr failure;
    // json takes what we took for JSON, but for nesting beyond its stack: the bytes are kept then
    if (!in_subtransaction([&] { run(reject.raw.json, std::nullopt); }, &failure)) run(std::nullopt, exact);
}

void RejectStore::write(const Extension& extension) {
    for (const auto& reject : pending_) write_one(extension, reject);
}

Error RejectStore::limit_error() const {
    if (strict() && last_) return as_run_error(mapping_, *last_);
    Error error = fail(Reason::too_many_rejects, "mapping \"" + mapping_.name + "\" had more than " +
                                                     std::to_string(mapping_.max_rejects) + " records refused");
    if (last_) error.detail = "The last one: " + last_->message + ". " + place_of(mapping_, *last_);
    return error;
}

std::vector<std::string> open_reject_keys(const Extension& extension, const MappingRow& mapping, const RunHandle& run) {
    const Rows rows = query("SELECT DISTINCT record_key FROM " + extension.relation("sync_reject_store") + " WHERE" +
                                kSameSlice + "AND last_run_id <> $4 AND record_key IS NOT NULL",
                            {text(mapping.name), text(mapping.package), text(run.organization), int8(run.run_id)});
    std::vector<std::string> keys;
    for (const auto& row : rows) keys.push_back(*row[0]);
    return keys;
}

void supersede_rejects(const Extension& extension, const MappingRow& mapping, const RunHandle& run,
                       const std::vector<std::string>& keys) {
    execute("UPDATE " + extension.relation("sync_reject_store") +
                " SET status = 'superseded', updated_at = pg_catalog.clock_timestamp() WHERE" + kSameSlice +
                "AND last_run_id <> $4 AND record_key = ANY ($5)",
            {text(mapping.name), text(mapping.package), text(run.organization), int8(run.run_id), text_array(keys)});
}

}  // namespace pg_pull::pg
