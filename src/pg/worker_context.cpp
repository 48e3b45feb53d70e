extern "C" {
#include "postgres.h"

#include "miscadmin.h"
}

#include <algorithm>

#include <nlohmann/json.hpp>

#include "pg/border.h"
#include "pg/locks.h"
#include "pg/worker_context.h"
#include "pg/xact.h"

namespace pg_pull::pg {

void CallContext::progress(RunPhase phase, const RunCounters& counters) {
    counters_ = counters;
    write_progress(shared_.progress, phase, counters);
}

void CallContext::notice(const std::string& message, const std::string& hint) {
    if (shared_.caller_pid == 0) return;
    write_notice(shared_, message, hint);
    const int caller = shared_.caller_pid;
    call([caller] { wake(caller); });
}

Extension CallContext::checked_extension() {
    Extension extension = Extension::current();
    if (extension.oid != shared_.extension || extension.version != shared_.extension_version)
        raise(fail(Reason::extension_changed, "extension \"pg_pull\" was dropped or updated while its worker ran"));
    return extension;
}

void CallContext::end_run(const RunHandle& run, const RunColumns& columns) {
    if (!locks::holds_run(run.slice_id))
        raise(fail(Reason::none, "run " + std::to_string(run.run_id) + " lost its lock")
                  .with_code("55000")
                  .with_hint("Code that runs with the target must not call pg_advisory_unlock_all()."));
    ended_ = pg_pull::pg::end_run(checked_extension(), run.run_id, "succeeded", columns);
    if (!ended_)
        raise(
            fail(Reason::none, "run " + std::to_string(run.run_id) + " was ended by somebody else").with_code("55000"));
}

void CallContext::amend_run(const RunHandle& run, const RunColumns& columns) {
    Transaction transaction;
    pg_pull::pg::amend_run(checked_extension(), run.run_id, columns);
    transaction.commit();
    for (const auto& [name, value] : columns)
        if (name == "organization_id" && value) write_organization(shared_.progress, *value);
}

RunColumns CallContext::failure_columns(const Error& error) const {
    nlohmann::json detail = nlohmann::json::object();
    if (!error.detail.empty()) detail["detail"] = error.detail;
    if (!error.hint.empty()) detail["hint"] = error.hint;
    if (!error.context.empty()) detail["context"] = error.context;
    const auto optional = [](std::string_view text) {
        return text.empty() ? std::optional<std::string>() : std::optional<std::string>(text);
    };
    RunColumns columns = {
        {"error_code", error.code()},
        {"error_reason", optional(info(error.reason).name)},
        {"error_message", error.message},
        {"error_detail", detail.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)},
    };
    // what was sent was sent, whatever became of the rows
    RunColumns traffic = {
        {"bytes_read", std::to_string(counters_.bytes_read)},
        {"requests", std::to_string(counters_.requests)},
        {"requests_ignored", std::to_string(counters_.requests_ignored)},
        {"retries", std::to_string(counters_.retries)},
        {"throttled_ms", std::to_string(counters_.throttled_ms)},
    };
    for (auto& column : traffic) {
        const bool given =
            std::any_of(failed_.begin(), failed_.end(), [&](const auto& other) { return other.first == column.first; });
        if (!given) columns.push_back(std::move(column));
    }
    columns.insert(columns.end(), failed_.begin(), failed_.end());
    return columns;
}

bool CallContext::fail_run(const RunHandle& run, const Error& error) {
    Transaction transaction;
    const bool cancelled = error.reason == Reason::cancelled;
    auto row = pg_pull::pg::end_run(checked_extension(), run.run_id, cancelled ? "cancelled" : "failed",
                                    failure_columns(error));
    transaction.commit();
    if (!row) return !ended_.has_value();
    ended_ = std::move(row);
    return true;
}

namespace {

Error cancelled_by(CancelReason reason) {
    switch (reason) {
        case CancelReason::caller_holds_lock:
            return fail(Reason::caller_holds_lock, "the pull waits for a lock that its own caller holds")
                .with_detail(
                    "Its caller's transaction holds a lock, itself or through a third session, and waits for the pull.")
                .with_hint("Commit first, then pull; or use CALL sync_run().");
        case CancelReason::caller_cancelled:
            return fail(Reason::cancelled, "the run was cancelled because its caller was");
        case CancelReason::caller_gone:
            return fail(Reason::cancelled, "the run was cancelled because its caller ended");
        case CancelReason::run_time:
            return fail(Reason::cancelled, "the run was cancelled because it took longer than \"pg_pull.max_run_time\"")
                .with_hint("Raise pg_pull.max_run_time, or pull less at once.");
        case CancelReason::request:
            return fail(Reason::cancelled, "the run was cancelled by sync_cancel()");
        case CancelReason::none:
            break;
    }
    return fail(Reason::cancelled, "the run was cancelled by a signal to its worker");
}

}  // namespace

Error explain(const std::exception_ptr& exception, const SharedCall& shared) {
    Error error = describe(exception);
    if (error.reason != Reason::none || error.code() != info(Reason::cancelled).sqlstate) return error;
    Error told = cancelled_by(shared.cancel);
    told.context = std::move(error.context);
    return told;
}

}  // namespace pg_pull::pg
