#pragma once

// The worker process of a call, in its caller's hands. No server header is needed.

#include "pg/shared.h"

struct BackgroundWorkerHandle;

namespace pg_pull::pg {

/// One attempt: from registration to the outcome. Functions raise PgError.
class WorkerProcess {
public:
    explicit WorkerProcess(CallSegment& segment) : segment_(segment) {}
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;
    ~WorkerProcess();

    /// False: max_worker_processes are in use.
    bool start(const std::string& name);

    /// Returns at the outcome, or (`until_running`) once the run row is committed. Shows notices meanwhile. Whatever interrupts
    /// the caller goes to the worker first: then it has ended, or was terminated, when this raises. Raises caller_holds_lock.
    Outcome wait(bool until_running);

    /// The caller goes on without waiting: nothing that happens to it touches the worker any more.
    void let_go();

private:
    void watch();
    void show_notices();
    [[nodiscard]] bool over(bool until_running) const;
    [[nodiscard]] bool gone() const;
    void check_locks();
    void stop(CancelReason reason);

    CallSegment& segment_;
    BackgroundWorkerHandle* handle_ = nullptr;
    std::uint32_t notices_shown_ = 0;
    int blocked_by_caller_ = 0;  ///< how many looks in a row found the worker waiting for us
};

}  // namespace pg_pull::pg
