// sync_pull, sync_run, sync_retry_rejects, sync_cancel.

extern "C" {
#include "postgres.h"

#include <signal.h>

#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "postmaster/bgworker.h"
#include "utils/guc.h"
}

#include <cstring>

#include "pg/border.h"
#include "pg/call_worker.h"
#include "pg/catalog.h"
#include "pg/function_arguments.h"
#include "pg/locks.h"
#include "pg/package_store.h"
#include "pg/peek.h"
#include "pg/run_row.h"
#include "pg/settings.h"

namespace pg_pull::pg {
namespace {

struct PullCall {
    std::string mapping;
    std::optional<std::string> package;
    IfRunning if_running = IfRunning::error;
    PullArguments arguments;
};

IfRunning parse_if_running(const std::optional<std::string>& text) {
    if (!text || *text == "error") return IfRunning::error;
    if (*text == "wait") return IfRunning::wait;
    if (*text == "skip") return IfRunning::skip;
    raise(Error{Reason::none,
                "22023",
                "invalid value for argument \"if_running\": \"" + *text + "\"",
                {},
                "Valid values are \"error\", \"wait\" and \"skip\"."});
}

/// pg_cron connects under its own application name, or runs jobs in background workers of its own type.
bool called_by_cron() {
    return call([] {
        const char* application = GetConfigOption("application_name", true, false);
        return (application != nullptr && strcmp(application, "pg_cron") == 0) ||
               (MyBgworkerEntry != nullptr && strncmp(MyBgworkerEntry->bgw_type, "pg_cron", 7) == 0);
    });
}

std::string trigger_of(const char* function) { return called_by_cron() ? "cron" : function; }

void refuse_where_nothing_starts(const char* function) {
    refuse_standby(function);
    refuse_read_only(function);
}

CallRequest read_request(PullCall& pull, RequestKind kind) {
    Spi spi;
    const Extension extension = Extension::current();
    const MappingRow mapping = find_mapping(extension, pull.mapping, pull.package);
    const std::string what = "mapping \"" + mapping.name + "\"";
    const unsigned owner = owner_oid(mapping.owner, what);
    require_owner(owner, what);
    if (!mapping.enabled) raise(fail(Reason::mapping_disabled, what + " is disabled"));
    require_enabled(extension, mapping.package);
    pull.arguments.mapping_id = mapping.id;
    pull.arguments.max_run_time_ms = settings::max_run_time_ms;
    pull.arguments.skip_if_running = pull.if_running == IfRunning::skip;
    CallRequest request = request_from(extension, kind);
    request.mapping_owner = owner;
    request.mapping = mapping.name;
    request.package = mapping.package.value_or("");
    request.organization = pull.arguments.organization.value_or("");
    return request;
}

/// Everything that is asked of the database before the worker starts; afterwards nothing is.
CallRequest prepare(PullCall& pull, RequestKind kind) {
    CallRequest request;
    peek([&] { request = read_request(pull, kind); });
    return request;
}

/// A composite value of the function's result type.
Datum row_datum(FunctionCallInfo fcinfo, const std::vector<std::optional<std::string>>& values) {
    std::vector<char*> texts;
    for (const auto& value : values) texts.push_back(value ? const_cast<char*>(value->c_str()) : nullptr);
    char** data = texts.data();
    const int count = static_cast<int>(texts.size());
    return call([=] {
        TupleDesc shape = nullptr;
        if (get_call_result_type(fcinfo, nullptr, &shape) != TYPEFUNC_COMPOSITE || shape->natts != count)
            elog(ERROR, "the result type of the function does not fit this version of pg_pull");
        shape = BlessTupleDesc(shape);
        return HeapTupleGetDatum(BuildTupleFromCStrings(TupleDescGetAttInMetadata(shape), data));
    });
}

Datum sync_pull(FunctionCallInfo fcinfo) {
    const Arguments in(fcinfo);
    PullCall pull;
    pull.mapping = in.text(0, "mapping");
    pull.arguments.organization = in.optional_organization(1, "organization");
    pull.arguments.full = in.flag(2, false);
    pull.if_running = parse_if_running(in.optional_text(3));
    pull.arguments.wait = in.flag(4, true);
    pull.arguments.allow_mass_delete = in.flag(5, false);
    pull.package = in.optional_package(6, "package");
    pull.arguments.trigger = trigger_of("call");
    refuse_where_nothing_starts("sync_pull()");
    const CallRequest request = prepare(pull, RequestKind::pull);
    return row_datum(fcinfo, call_run(request, pull.arguments, pull.if_running));
}

Datum sync_retry_rejects(FunctionCallInfo fcinfo) {
    const Arguments in(fcinfo);
    PullCall pull;
    pull.mapping = in.text(0, "mapping");
    pull.arguments.organization = in.optional_organization(1, "organization");
    pull.package = in.optional_package(2, "package");
    pull.arguments.trigger = "retry";
    refuse_where_nothing_starts("sync_retry_rejects()");
    const CallRequest request = prepare(pull, RequestKind::retry_rejects);
    return row_datum(fcinfo, call_run(request, pull.arguments, pull.if_running));
}

bool may_commit(FunctionCallInfo fcinfo) {
    return fcinfo->context != nullptr && IsA(fcinfo->context, CallContext) &&
           !reinterpret_cast<CallContext*>(fcinfo->context)->atomic;
}

/// Ends the caller's transaction, and with it its snapshot and locks; the next one has begun when this returns.
void commit_caller() {
    call([] {
        if (SPI_connect_ext(SPI_OPT_NONATOMIC) != SPI_OK_CONNECT) elog(ERROR, "could not connect to SPI");
        SPI_commit();
        SPI_finish();
    });
}

Datum sync_run(FunctionCallInfo fcinfo) {
    if (!may_commit(fcinfo))
        raise(Error{Reason::none,
                    "25001",
                    "sync_run() cannot run inside a transaction block",
                    {},
                    "Call it by itself, or use sync_pull() inside a transaction."});
    const Arguments in(fcinfo);
    PullCall pull;
    pull.mapping = in.text(0, "mapping");
    pull.arguments.organization = in.optional_organization(1, "organization");
    pull.arguments.full = in.flag(2, false);
    pull.if_running = parse_if_running(in.optional_text(3));
    pull.arguments.allow_mass_delete = in.flag(4, false);
    pull.package = in.optional_package(5, "package");
    pull.arguments.trigger = trigger_of("procedure");
    refuse_where_nothing_starts("sync_run()");
    const CallRequest request = prepare(pull, RequestKind::pull);
    commit_caller();
    const RunRow row = call_run(request, pull.arguments, pull.if_running);
    return row_datum(fcinfo, {run_value(row, "run_id")});
}

/// Tells the worker of the run to stop. False: no living worker runs it.
bool stop_run(std::int64_t run_id) {
    for (const auto& announcement : locks::announcements()) {
        const auto segment = CallSegment::attach(announcement.handle);
        if (!segment) continue;
        SharedCall& shared = **segment;
        if (shared.run_id != run_id || shared.worker_pid != announcement.pid || shared.state != CallState::running)
            continue;
        (void)ask_to_stop(shared, CancelReason::request);
        kill(announcement.pid, SIGINT);
        return true;
    }
    return false;
}

Datum sync_cancel(FunctionCallInfo fcinfo) {
    const Arguments in(fcinfo);
    const std::int64_t run_id = in.int8(0, "run_id");
    refuse_standby("sync_cancel()");
    Spi spi;
    const Extension extension = Extension::current();
    const Rows rows =
        catalog_query(extension,
                      "SELECT mapping, mapping_owner, status FROM " + extension.relation("sync_run_store") +
                          " WHERE run_id OPERATOR(pg_catalog.=) $1",
                      {int8(run_id)});
    if (rows.empty()) raise(Error{Reason::none, "42704", "run " + std::to_string(run_id) + " does not exist", {}, {}});
    const std::string what = "mapping \"" + *rows[0][0] + "\"";
    if (!is_superuser(current_role())) require_owner(owner_oid(*rows[0][1], what), what);
    return BoolGetDatum(*rows[0][2] == "running" && stop_run(run_id));
}

}  // namespace
}  // namespace pg_pull::pg

PG_PULL_FUNCTION(sync_pull, pg_pull::pg::sync_pull)
PG_PULL_FUNCTION(sync_run, pg_pull::pg::sync_run)
PG_PULL_FUNCTION(sync_retry_rejects, pg_pull::pg::sync_retry_rejects)
PG_PULL_FUNCTION(sync_cancel, pg_pull::pg::sync_cancel)
