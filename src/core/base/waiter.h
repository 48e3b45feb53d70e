#pragma once

#include <span>

#include "core/base/clock.h"

namespace pg_pull {

struct FdInterest {
    int fd = -1;
    bool want_read = false;
    bool want_write = false;
    bool readable = false;  ///< set by wait()
    bool writable = false;  ///< set by wait()
};

/// Why a run stands still, for sync_progress.
enum class WaitReason : unsigned char { none, worker_slot, running_pull, rate_limit, retry, refresh, lock };

/// Every wait of core and sources goes through here: latch, sockets and interrupts in the server, poll in tests.
/// A cancel, a termination or the postmaster's death leaves wait() and check() by an exception that only the server layer
/// knows (it must pass through; nothing here may swallow it), at the latest 200 ms after it came.
class Waiter {
public:
    virtual ~Waiter() = default;
    /// Returns when one of the descriptors is ready, or the timeout is over; early and empty returns are allowed.
    virtual void wait(std::span<FdInterest> fds, Millis timeout) = 0;
    virtual void check() = 0;
    /// Tells sync_progress why the run stands still, and until when (zero: unknown). none = goes on.
    virtual void waiting(WaitReason reason, WallTime until) = 0;
    /// A descriptor that somebody else opens is about to be held; false when the process may hold no more.
    virtual bool acquire_fd() = 0;
    virtual void release_fd() noexcept = 0;

    /// Waits for the whole duration, whatever happens meanwhile; interrupts are served.
    void sleep(const Clock& clock, Millis duration) {
        const auto end = clock.steady() + duration;
        for (auto now = clock.steady(); now < end; now = clock.steady())
            wait({}, std::chrono::duration_cast<Millis>(end - now) + Millis(1));
    }
};

}  // namespace pg_pull
