extern "C" {
#include "postgres.h"

#include <signal.h>

#include "miscadmin.h"
#include "storage/dsm.h"
#include "storage/procarray.h"
#include "utils/acl.h"
#include "utils/timeout.h"

#include "pg/compat.h"
}

#include <cstring>

#include "pg/border.h"
#include "pg/catalog.h"
#include "pg/connections.h"
#include "pg/locks.h"
#include "pg/pull_arguments.h"
#include "pg/pull_run.h"
#include "pg/settings.h"
#include "pg/time_text.h"
#include "pg/worker_context.h"
#include "pg/xact.h"

namespace pg_pull::pg {
namespace {

/// The only call of this process; for the deadline's handler, which is a signal handler.
SharedCall* volatile timed_call = nullptr;

void deadline_passed() {
    if (timed_call != nullptr) (void)ask_to_stop(*timed_call, CancelReason::run_time);
    kill(MyProcPid, SIGINT);
}

void arm_deadline(SharedCall& shared, int after_ms) {
    if (after_ms <= 0) return;
    timed_call = &shared;
    call([after_ms] { enable_timeout_after(RegisterTimeout(USER_TIMEOUT, deadline_passed), after_ms); });
}

/// From here on only the end of the run is told: a cancel comes too late. (A raised error takes this hold back.)
void ignore_cancel() {
    disable_all_timeouts(false);
    QueryCancelPending = false;
    QueryCancelHoldoffCount = 1;
}

void check_package(const Extension& extension, const MappingRow& mapping) {
    if (!mapping.package) return;
    const Rows rows = query(
        "SELECT enabled FROM " + extension.relation("sys_sync_package") + " WHERE package_id OPERATOR(pg_catalog.=) $1",
        {text(*mapping.package)});
    if (!rows.empty() && !to_bool(rows.one()))
        raise(fail(Reason::package_disabled, "package \"" + *mapping.package + "\" is disabled"));
}

/// The caller has checked this, but time has passed.
MappingRow checked_mapping(const Extension& extension, std::int64_t mapping_id, Oid requester) {
    MappingRow mapping = load_mapping(extension, mapping_id);
    const std::string what = "mapping \"" + mapping.name + "\"";
    if (!mapping.enabled) raise(fail(Reason::mapping_disabled, what + " is disabled"));
    check_package(extension, mapping);
    const Oid owner = owner_oid(mapping.owner, what);
    if (!call([=] { return pg_pull_has_privs_of_role(requester, owner); }))
        raise(Error{Reason::none, "42501", "must have the privileges of the owner of " + what, {}, {}});
    return mapping;
}

/// Callers who look whether a slot is free hold it for a moment.
bool take_slot() {
    for (int attempt = 0; attempt < 5; ++attempt) {
        if (locks::try_slot(settings::max_workers)) return true;
        nap(2);
    }
    return false;
}

/// True once this worker has the run lock; false when another run is under way, whose id is then in `other` as soon as it can be
/// seen. Callers who wait for the slice, and workers between their last commit and their release, have it for a moment.
bool take_run_lock(const Extension& extension, int slice_id, std::int64_t* other) {
    for (int attempt = 0; attempt < 50; ++attempt) {
        if (locks::try_run(slice_id)) return true;
        if (locks::run_holder(slice_id) != 0) {
            *other = running_run(extension, slice_id).value_or(0);
            if (*other != 0) return false;
        }
        nap(5);
    }
    return false;
}

enum class Start : unsigned char { running, skipped, busy, recovered };

struct Begun {
    Start start = Start::busy;
    RunHandle run;
    RunRow row;
};

NewRun new_run(const PullArguments& arguments, const MappingRow& mapping, const RunHandle& run, Oid requester) {
    return NewRun{mapping,        arguments.organization, run.slice_id,   arguments.trigger,
                  arguments.full, role_name(requester),   run.started_at, MyProcPid};
}

/// The organization that the run is for where the caller named none: the only one that is connected. Nothing where the connector
/// needs none, or where there is no single one: the run then begins, and fails with the reason.
std::optional<std::string> organization_of_run(const Extension& extension, const MappingRow& mapping) {
    try {
        const Instance instance = instance_of_entry(extension, connector_of(extension, mapping));
        if (!instance.auth().per_connection) return std::nullopt;
        return only_organization(extension, instance, owner_oid(mapping.owner, "mapping \"" + mapping.name + "\""));
    } catch (const RaisedError&) {  // ours alone: nothing of the server was interrupted
        return std::nullopt;
    }
}

/// T0: everything up to the committed run row.
Begun begin_run(CallContext& context, SharedCall& shared, const PullArguments& asked) {
    Transaction transaction;
    const Extension extension = context.checked_extension();
    const MappingRow mapping = checked_mapping(extension, asked.mapping_id, shared.requester);
    PullArguments arguments = asked;
    if (!arguments.organization) {
        arguments.organization = organization_of_run(extension, mapping);
        if (arguments.organization) write_organization(shared.progress, *arguments.organization);
    }
    Begun begun;
    RunHandle& run = begun.run;
    run.mapping_id = mapping.id;
    run.organization = arguments.organization;
    run.full = arguments.full;
    run.allow_mass_delete = arguments.allow_mass_delete;
    run.slice_id = slice_of(extension, mapping.id, arguments.organization);
    run.started = SystemClock().now();
    run.started_at = iso_utc(run.started);
    shared.slice_id = run.slice_id;
    std::int64_t other = 0;
    if (take_run_lock(extension, run.slice_id, &other)) {
        mark_interrupted(extension, run.slice_id);
        begun.start = arguments.only_recover ? Start::recovered : Start::running;
    } else {
        shared.run_id = other;
        if (arguments.skip_if_running) begun.start = Start::skipped;
    }
    if (begun.start == Start::running || begun.start == Start::skipped)
        begun.row =
            insert_run(extension, new_run(arguments, mapping, run, shared.requester), begun.start == Start::skipped);
    transaction.commit();
    if (begun.start == Start::running) run.run_id = to_int(run_value(begun.row, "run_id"));
    return begun;
}

/// Puts the result where the caller finds it. The segment, if one was needed, lives as long as this process.
void store_result(SharedCall& shared, std::string_view text) {
    if (text.size() <= kInlineResult) return write_inline_result(shared, text);
    const std::size_t size = text.size();
    dsm_segment* segment = call([size] {
        dsm_segment* made = dsm_create(size, 0);
        dsm_pin_mapping(made);
        return made;
    });
    std::memcpy(dsm_segment_address(segment), text.data(), size);
    shared.result_size = static_cast<std::uint32_t>(size);
    shared.result_segment = dsm_segment_handle(segment);
}

void tell(SharedCall& shared, CallState state, Outcome outcome) {
    shared.outcome = outcome;
    shared.state = state;
    const int caller = shared.caller_pid;
    call([caller] { wake(caller); });
}

void wait_until_taken(const SharedCall& shared) {
    if (shared.result_segment == DSM_HANDLE_INVALID) return;
    while (!shared.result_taken) {
        const int caller = shared.caller_pid;
        if (caller == 0 || !call([caller] { return BackendPidGetProc(caller) != nullptr; })) return;
        nap(100);
    }
}

/// T0 is committed: sync_progress and sync_cancel find the run, and a caller who does not wait has his row.
void tell_running(SharedCall& shared, const Begun& begun, const PullArguments& arguments) {
    shared.progress.started_at = begun.run.started.time_since_epoch().count();
    shared.run_id = begun.run.run_id;
    if (!arguments.wait) store_result(shared, pack(begun.row));
    tell(shared, CallState::running, Outcome::none);
    if (!arguments.wait) wait_until_taken(shared);
}

void log_failure(const SharedCall& shared, const Error& error) {
    const char* mapping = shared.progress.mapping;
    const char* message = error.message.c_str();
    const std::int64_t run_id = shared.run_id;
    const std::string code = error.code();
    const char* state = code.c_str();
    call([=] {
        ereport(LOG, (errmsg("run %lld of mapping \"%s\" ended with SQLSTATE %s: %s", static_cast<long long>(run_id),
                             mapping, state, message)));
    });
}

/// T!. Returns false where the run had succeeded before `error` came.
bool end_failed(CallContext& context, const RunHandle& run, SharedCall& shared, Error* error) {
    ignore_cancel();
    log_failure(shared, *error);
    try {
        return context.fail_run(run, *error);
    } catch (...) {
        // the row stays "running" without a lock, which everybody reads as interrupted
        const Error second = describe(std::current_exception());
        log_failure(shared, second);
        if (second.reason == Reason::extension_changed) *error = second;
        return true;
    }
}

std::optional<Error> execute(CallContext& context, const RunHandle& run, const SharedCall& shared) {
    try {
        if (shared.kind == RequestKind::pull)
            execute_pull(context, run);
        else
            execute_retry(context, run);
        ignore_cancel();
        if (!context.ended()) raise(Error{Reason::none, "XX000", "internal error: the run was not ended", {}, {}});
        return std::nullopt;
    } catch (...) {
        return explain(std::current_exception(), shared);
    }
}

}  // namespace

void publish(CallSegment& segment, Outcome outcome) {
    locks::withdraw(segment.handle(), locks::Duration::session);
    locks::release_slots(settings::max_workers);
    tell(*segment, CallState::done, outcome);
}

void publish_result(CallSegment& segment, std::string_view text) {
    store_result(*segment, text);
    publish(segment, Outcome::result);
    wait_until_taken(*segment);
}

void serve_run(CallSegment& segment) {
    SharedCall& shared = *segment;
    const PullArguments arguments = pull_arguments(nlohmann::json::parse(segment.arguments()));
    if (!take_slot()) return publish(segment, Outcome::no_slot);
    CallContext context(shared);
    context.waiter().check();
    arm_deadline(shared, arguments.max_run_time_ms);
    const Begun begun = begin_run(context, shared, arguments);
    if (begun.start == Start::busy) return publish(segment, Outcome::busy);
    if (begun.start == Start::recovered) {
        locks::release_run(begun.run.slice_id);
        return publish(segment, Outcome::none);
    }
    if (begun.start == Start::skipped) return publish_result(segment, pack(begun.row));

    tell_running(shared, begun, arguments);
    std::optional<Error> error = execute(context, begun.run, shared);
    if (error && !end_failed(context, begun.run, shared, &*error)) error.reset();
    locks::release_run(begun.run.slice_id);
    if (!arguments.wait) return publish(segment, Outcome::none);
    if (!error) return publish_result(segment, pack(*context.ended()));
    write_error(shared, *error);
    publish(segment, Outcome::error);
}

}  // namespace pg_pull::pg
