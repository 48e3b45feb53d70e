extern "C" {
#include "postgres.h"

#include <signal.h>

#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
}

#include "pg/blocking.h"
#include "pg/border.h"
#include "pg/function_arguments.h"
#include "pg/wait.h"
#include "pg/worker_description.h"
#include "pg/worker_process.h"

namespace pg_pull::pg {
namespace {

constexpr int kLookEvery = 200;      // milliseconds
constexpr int kStopWithin = 2000;    // milliseconds, before a cancel becomes a termination
constexpr int kGiveUpAfter = 10000;  // milliseconds: a process that does not even end then is left to itself

/// The attempt that this session waits for, for end_with_session(). A session waits for one at a time.
SharedCall* waited_call = nullptr;
BackgroundWorkerHandle* waited_handle = nullptr;

/// Tells the worker's process, or keeps it from starting. Plain server calls only.
void signal_stop(SharedCall& shared, BackgroundWorkerHandle* handle, CancelReason reason) {
    (void)ask_to_stop(shared, reason);
    pid_t pid = 0;
    switch (GetBackgroundWorkerPid(handle, &pid)) {
        case BGWH_STARTED:
            kill(pid, SIGINT);
            break;
        case BGWH_NOT_YET_STARTED:
            TerminateBackgroundWorker(handle);
            break;
        default:
            break;
    }
}

/// before_shmem_exit: a session that is terminated while it waits raises nothing that anybody could catch.
void end_with_session(int, Datum) {
    if (waited_call == nullptr || waited_handle == nullptr) return;
    waited_call->caller_pid = 0;
    signal_stop(*waited_call, waited_handle, CancelReason::caller_gone);
    waited_call = nullptr;
}

void register_exit_callback() {
    static bool registered = false;
    if (registered) return;
    call([] { before_shmem_exit(end_with_session, 0); });
    registered = true;
}

}  // namespace

WorkerProcess::~WorkerProcess() {
    if (waited_handle == handle_) {
        waited_call = nullptr;
        waited_handle = nullptr;
    }
    if (handle_ != nullptr) pfree(handle_);
}

bool WorkerProcess::start(const std::string& name) {
    register_exit_callback();
    const char* title = name.c_str();
    const unsigned handle = segment_.handle();
    BackgroundWorkerHandle* made = call([title, handle]() -> BackgroundWorkerHandle* {
        BackgroundWorker worker;
        describe_worker(&worker, "pg_pull_worker_main", title);
        worker.bgw_main_arg = UInt32GetDatum(handle);
        worker.bgw_notify_pid = MyProcPid;
        // the handle must outlive whatever context is current
        MemoryContext context = MemoryContextSwitchTo(TopMemoryContext);
        BackgroundWorkerHandle* registered = nullptr;
        const bool free = RegisterDynamicBackgroundWorker(&worker, &registered);
        MemoryContextSwitchTo(context);
        return free ? registered : nullptr;
    });
    if (made == nullptr) return false;
    handle_ = made;
    waited_call = &*segment_;
    waited_handle = made;
    return true;
}

bool WorkerProcess::over(bool until_running) const {
    const CallState state = segment_->state;
    return state == CallState::done || (until_running && state == CallState::running);
}

bool WorkerProcess::gone() const {
    BackgroundWorkerHandle* handle = handle_;
    return call([handle] {
        pid_t pid = 0;
        const BgwHandleStatus status = GetBackgroundWorkerPid(handle, &pid);
        if (status == BGWH_POSTMASTER_DIED) proc_exit(1);
        return status == BGWH_STOPPED;
    });
}

void WorkerProcess::show_notices() {
    for (const auto& [message, hint] : read_notices(*segment_, &notices_shown_)) notice(message, {}, hint);
}

void WorkerProcess::check_locks() {
    const int worker = segment_->worker_pid;
    if (worker == 0 || !waits_for_lock(worker) || !blocked_by_me(worker)) {
        blocked_by_caller_ = 0;
        return;
    }
    // twice, since a session in the middle may be about to give up
    if (++blocked_by_caller_ < 2) return;
    stop(CancelReason::caller_holds_lock);
    if (segment_->outcome == Outcome::died)
        raise(fail(Reason::caller_holds_lock, std::string(info(Reason::caller_holds_lock).meaning)));
}

/// Cancels the worker and sees it end: what it does after this would surprise a caller who has his answer.
void WorkerProcess::stop(CancelReason reason) {
    SharedCall& shared = *segment_;
    BackgroundWorkerHandle* handle = handle_;
    call([&shared, handle, reason] {
        // nothing in here serves interrupts: what came stays for the caller
        signal_stop(shared, handle, reason);
        const TimestampTz start = GetCurrentTimestamp();
        bool terminated = false;
        while (shared.state != CallState::done) {
            pid_t pid = 0;
            const BgwHandleStatus status = GetBackgroundWorkerPid(handle, &pid);
            if (status == BGWH_STOPPED || status == BGWH_POSTMASTER_DIED || shared.shielded) break;
            if (TimestampDifferenceExceeds(start, GetCurrentTimestamp(), kGiveUpAfter)) break;
            if (!terminated && TimestampDifferenceExceeds(start, GetCurrentTimestamp(), kStopWithin)) {
                TerminateBackgroundWorker(handle);
                terminated = true;
            }
            (void)WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, 20, PG_WAIT_EXTENSION);
            ResetLatch(MyLatch);
        }
    });
}

void WorkerProcess::watch() {
    show_notices();
    wait_for_latch(kLookEvery);
}

Outcome WorkerProcess::wait(bool until_running) {
    try {
        TimestampTz looked = call([] { return GetCurrentTimestamp(); });
        while (!over(until_running)) {
            if (gone() && !over(until_running)) return Outcome::died;
            watch();
            if (!call([looked] { return TimestampDifferenceExceeds(looked, GetCurrentTimestamp(), kLookEvery); }))
                continue;
            looked = call([] { return GetCurrentTimestamp(); });
            check_locks();
        }
    } catch (...) {
        if (!over(false)) stop(CancelReason::caller_cancelled);
        throw;
    }
    show_notices();
    return segment_->outcome;
}

void WorkerProcess::let_go() {
    segment_->caller_pid = 0;
    waited_call = nullptr;
    waited_handle = nullptr;
}

}  // namespace pg_pull::pg
