extern "C" {
#include "postgres.h"

#include "access/xlog.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "utils/snapmgr.h"
}

#include <chrono>

#include "pg/blocking.h"
#include "pg/border.h"
#include "pg/call_worker.h"
#include "pg/locks.h"
#include "pg/settings.h"
#include "pg/wait.h"
#include "pg/worker_process.h"

namespace pg_pull::pg {
namespace {

using Steady = std::chrono::steady_clock;

constexpr int kTryAgainEvery = 50;  // milliseconds
constexpr int kLookEvery = 4;       // of these, between looks at who blocks whom

/// One call with all its attempts.
class Call {
public:
    Call(const CallRequest& request, std::string title)
        : segment_(CallSegment::create(request, MyProcPid)), title_(std::move(title)) {
        locks::announce(segment_.handle(), locks::Duration::transaction);
    }

    /// Waits for a free slot and process, then for the worker's outcome. Raises what a worker that had no run told.
    Outcome run(bool needs_slot, bool until_running);
    /// One attempt, whatever it comes to.
    void run_once() { (void)attempt(false); }
    /// Waits until the run that was in the way is over.
    void wait_for_other_run();
    [[nodiscard]] CallSegment& segment() { return segment_; }
    std::string take_result();

private:
    std::optional<Outcome> attempt(bool until_running);
    void wait_for_slot(Steady::time_point deadline, const char* limit);

    CallSegment segment_;
    std::string title_;
};

std::string setting_is(const char* name, int value) {
    return "\"" + std::string(name) + "\" is " + std::to_string(value) + ".";
}

[[noreturn]] void raise_unavailable(const char* limit) {
    const bool processes = limit == std::string_view("max_worker_processes");
    raise(fail(Reason::worker_unavailable,
               "no pull worker could be started within " + std::to_string(settings::start_timeout_ms) + " ms")
              .with_detail(processes ? "All background worker processes are in use: " +
                                           setting_is("max_worker_processes", max_worker_processes)
                                     : "As many pulls as are allowed are under way: " +
                                           setting_is("pg_pull.max_workers", settings::max_workers))
              .with_hint(processes
                             ? "Raise max_worker_processes, which needs a restart, or try again later."
                             : "Raise pg_pull.max_workers (and max_worker_processes with it), or try again later."));
}

void show_waiting(SharedCall& shared, WaitReason reason) {
    shared.progress.wait_reason = static_cast<std::uint32_t>(reason);
    if (reason != WaitReason::none) shared.progress.phase = static_cast<std::uint32_t>(RunPhase::waiting);
}

void Call::wait_for_slot(Steady::time_point deadline, const char* limit) {
    rearm(*segment_);
    show_waiting(*segment_, WaitReason::worker_slot);
    if (Steady::now() >= deadline) raise_unavailable(limit);
    wait_for_latch(kTryAgainEvery);
}

/// Nothing where no process was free.
std::optional<Outcome> Call::attempt(bool until_running) {
    rearm(*segment_);
    WorkerProcess worker(segment_);
    if (!worker.start(title_)) return std::nullopt;
    const Outcome outcome = worker.wait(until_running);
    if (until_running && outcome == Outcome::none) worker.let_go();
    return outcome;
}

Outcome Call::run(bool needs_slot, bool until_running) {
    const auto deadline = Steady::now() + Millis(settings::start_timeout_ms);
    // a catalog snapshot left over would hold vacuum back for as long as the worker runs
    call([] { InvalidateCatalogSnapshotConditionally(); });
    while (true) {
        while (needs_slot && !locks::slot_free(settings::max_workers)) wait_for_slot(deadline, "pg_pull.max_workers");
        const auto outcome = attempt(until_running);
        if (!outcome) {
            wait_for_slot(deadline, "max_worker_processes");
        } else if (*outcome == Outcome::no_slot) {
            wait_for_slot(deadline, "pg_pull.max_workers");
        } else {
            return *outcome;
        }
    }
}

void Call::wait_for_other_run() {
    SharedCall& shared = *segment_;
    const int slice_id = shared.slice_id;
    rearm(shared);
    show_waiting(shared, WaitReason::running_pull);
    int blocked = 0;  // looks in a row
    for (int tick = 1; !locks::run_over(slice_id); ++tick) {
        wait_for_latch(kTryAgainEvery);
        if (tick % kLookEvery != 0) continue;
        const int holder = locks::run_holder(slice_id);
        blocked = waits_for_lock(holder) && blocked_by_me(holder) ? blocked + 1 : 0;
        if (blocked == 2)
            raise(fail(Reason::caller_holds_lock, "the pull waits for a run that waits for a lock of the caller")
                      .with_hint("Commit first, then pull."));
    }
}

std::string Call::take_result() {
    std::string text = read_result(*segment_);
    locks::withdraw(segment_.handle(), locks::Duration::transaction);
    return text;
}

[[noreturn]] void raise_running(const SharedCall& shared) {
    const std::int64_t run_id = shared.run_id;
    raise(
        fail(Reason::already_running, std::string("a run of mapping \"") + shared.progress.mapping + "\" is under way")
            .with_detail(run_id != 0 ? "Run " + std::to_string(run_id) + " has not ended." : "It is just starting.")
            .with_hint("Wait for it, or pass if_running => 'wait' or 'skip'."));
}

[[noreturn]] void raise_died(const SharedCall& shared) {
    const std::int64_t run_id = shared.run_id;
    const bool started = shared.worker_pid != 0;
    Error error = fail(Reason::worker_died,
                       started ? "the pull worker ended before it finished" : "the pull worker could not start");
    if (run_id != 0) error.detail = "Run " + std::to_string(run_id) + " was interrupted.";
    raise(std::move(error));
}

/// What every kind of call raises alike.
void check_outcome(const SharedCall& shared, Outcome outcome) {
    if (outcome == Outcome::error) raise(read_error(shared));
    if (outcome == Outcome::died) raise_died(shared);
}

/// Ends the row of the run whose worker died; where that fails the next pull does it.
void recover(CallRequest request, PullArguments arguments) {
    arguments.only_recover = true;
    arguments.wait = true;
    request.arguments = to_document(arguments).dump();
    Call(request, "pg_pull worker: recovery").run_once();
}

}  // namespace

CallRequest request_from(const Extension& extension, RequestKind kind) {
    if (call([] { return RecoveryInProgress(); }))
        raise(fail(Reason::standby, "no pull worker can be started while the server is in recovery"));
    CallRequest request;
    request.database = MyDatabaseId;
    request.requester = call([] { return GetUserId(); });
    request.extension = extension.oid;
    request.extension_version = extension.version;
    request.kind = kind;
    return request;
}

RunRow call_run(const CallRequest& request, const PullArguments& arguments, IfRunning if_running) {
    CallRequest complete = request;
    complete.arguments = to_document(arguments).dump();
    Call call(complete, "pg_pull worker: " + request.mapping);
    SharedCall& shared = *call.segment();
    Outcome outcome = call.run(true, !arguments.wait);
    while (outcome == Outcome::busy) {
        if (if_running != IfRunning::wait) raise_running(shared);
        call.wait_for_other_run();
        outcome = call.run(true, !arguments.wait);
    }
    if (outcome == Outcome::died && shared.run_id != 0) recover(request, arguments);
    check_outcome(shared, outcome);
    return unpack_run_row(call.take_result());
}

nlohmann::json call_worker(RequestKind kind, const nlohmann::json& arguments, const std::string& title) {
    CallRequest request = request_from(Extension::current(), kind);
    request.mapping = title;
    request.arguments = arguments.dump();
    Call call(request, "pg_pull worker");
    const Outcome outcome = call.run(false, false);
    check_outcome(*call.segment(), outcome);
    return nlohmann::json::parse(call.take_result());
}

}  // namespace pg_pull::pg
