#pragma once

// Waiting in a process of the server: the process latch, descriptors and interrupts together. No server header is needed.

#include "core/base/waiter.h"
#include "pg/shared.h"

namespace pg_pull::pg {

/// The Waiter of workers. Interrupts (cancel, termination, the run's deadline) leave as PgError; the postmaster's death ends
/// the process. Between transactions it also serves what an idle session serves: changed settings and cache invalidations.
class ServerWaiter final : public Waiter {
public:
    explicit ServerWaiter(SharedProgress& progress) : progress_(progress) {}
    void wait(std::span<FdInterest> fds, Millis timeout) override;
    void check() override;
    void waiting(WaitReason reason, WallTime until) override;
    bool acquire_fd() override;
    void release_fd() noexcept override;

private:
    SharedProgress& progress_;
};

/// Sleeps until the latch is set or `timeout_ms` is over, then serves interrupts (PgError).
void wait_for_latch(int timeout_ms);
/// The same without serving interrupts: for short, bounded waits of a clean-up.
void nap(int timeout_ms);

}  // namespace pg_pull::pg
