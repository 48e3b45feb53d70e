// The rows of sync_progress: what callers and workers have announced, read from their shared memory at this moment.

extern "C" {
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "miscadmin.h"
#include "utils/acl.h"

#include "pg/compat.h"
}

#include <set>

#include "pg/blocking.h"
#include "pg/border.h"
#include "pg/catalog.h"
#include "pg/locks.h"
#include "pg/progress.h"
#include "pg/shared.h"
#include "pg/time_text.h"

namespace pg_pull::pg {
namespace {

using Value = ProgressRow::value_type;

constexpr const char* kPhases[] = {"starting", "waiting", "fetching", "staging", "applying"};
constexpr const char* kWaitReasons[] = {"", "worker_slot", "running_pull", "rate_limit", "retry", "refresh", "lock"};

Value or_null(const std::string& text) { return text.empty() ? Value() : Value(text); }
Value number(std::int64_t value) { return std::to_string(value); }
Value number_or_null(std::int64_t value) { return value == 0 ? Value() : number(value); }
Value time_or_null(std::int64_t microseconds) {
    if (microseconds == 0) return std::nullopt;
    return iso_utc(WallTime(std::chrono::microseconds(microseconds)));
}

std::string organization_of(const SharedProgress& progress) {
    return progress.organization_found ? progress.found_organization : progress.organization;
}

/// Sees everything: superusers, the extension's owner, and monitoring roles.
bool sees_all(const Extension& extension) {
    const Oid owner = extension.owner;
    return call([owner] {
        return pg_pull_has_privs_of_role(GetUserId(), owner) || pg_pull_has_privs_of_role(GetUserId(), ROLE_PG_MONITOR);
    });
}

bool granted(const Extension& extension, const std::string& organization) {
    if (organization.empty()) return false;
    const Rows rows = catalog_query(extension,
                                    "SELECT EXISTS (SELECT FROM " + extension.relation("sys_sync_organization_grant") +
                                        " g JOIN pg_catalog.pg_roles r ON r.rolname OPERATOR(pg_catalog.=) g.role"
                                        " WHERE g.organization_id OPERATOR(pg_catalog.=) $1 AND "
                                        "pg_catalog.pg_has_role($2::pg_catalog.oid, r.oid, 'USAGE'))",
                                    {text(organization), oid(current_role())});
    return to_bool(rows.one());
}

bool owns(Oid owner) {
    return call([owner] { return pg_pull_has_privs_of_role(GetUserId(), owner); });
}

ProgressRow row_of(const SharedCall& shared) {
    const SharedProgress& progress = shared.progress;
    const int worker = shared.worker_pid;
    std::size_t reason = progress.wait_reason;
    if (reason == 0 && waits_for_lock(worker)) reason = static_cast<std::size_t>(WaitReason::lock);
    return {number_or_null(shared.run_id),
            or_null(progress.mapping),
            or_null(progress.package),
            or_null(organization_of(progress)),
            std::string(kPhases[progress.phase % std::size(kPhases)]),
            or_null(kWaitReasons[reason % std::size(kWaitReasons)]),
            reason == 0 ? Value() : time_or_null(progress.waiting_until),
            number(progress.pages),
            number(progress.records_read),
            number(progress.rows_rejected),
            number(progress.bytes_read),
            number(progress.requests),
            number(progress.retries),
            number(progress.throttled_ms),
            time_or_null(progress.started_at),
            number_or_null(worker)};
}

bool is_run(RequestKind kind) { return kind == RequestKind::pull || kind == RequestKind::retry_rejects; }

}  // namespace

std::vector<ProgressRow> progress_rows() {
    Spi spi;
    const Extension extension = Extension::current();
    const bool all = sees_all(extension);
    std::vector<ProgressRow> rows;
    std::set<unsigned> seen;
    for (const auto& announcement : locks::announcements()) {
        // caller and worker announce the same call
        if (!seen.insert(announcement.handle).second) continue;
        const auto segment = CallSegment::attach(announcement.handle);
        if (!segment) continue;
        const SharedCall& shared = **segment;
        if (!is_run(shared.kind) || shared.state == CallState::done) continue;
        if (all || owns(shared.mapping_owner) || granted(extension, organization_of(shared.progress)))
            rows.push_back(row_of(shared));
    }
    return rows;
}

}  // namespace pg_pull::pg
