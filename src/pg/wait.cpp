extern "C" {
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "postmaster/interrupt.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "storage/sinval.h"
#include "utils/backend_status.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"
}

#include <algorithm>
#include <vector>

#include "pg/border.h"
#include "pg/wait.h"

namespace pg_pull::pg {
namespace {

/// A longer wait returns early, so that what is looked at between waits is looked at.
constexpr long kLongestWait = 1000;
constexpr int kLatch = WL_LATCH_SET | WL_EXIT_ON_PM_DEATH;

uint32 events_of(const FdInterest& interest) {
    return (interest.want_read ? WL_SOCKET_READABLE : 0) | (interest.want_write ? WL_SOCKET_WRITEABLE : 0);
}

/// Waits with a set of its own: sockets come and go between waits, and a set cannot forget one. Returns the number of events.
/// Plain server calls only: runs within call().
int wait_with_set(const FdInterest* fds, std::size_t count, long timeout, WaitEvent* events, int room) {
    // between transactions the current context lives as long as the process
    MemoryContext context = AllocSetContextCreate(TopMemoryContext, "pg_pull wait", ALLOCSET_SMALL_SIZES);
    WaitEventSet* volatile set = nullptr;
    volatile int happened = 0;
    PG_TRY();
    {
        set = CreateWaitEventSet(context, room);
        AddWaitEventToSet(set, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, nullptr);
        AddWaitEventToSet(set, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, nullptr, nullptr);
        for (std::size_t i = 0; i < count; ++i)
            if (events_of(fds[i]) != 0)
                AddWaitEventToSet(set, events_of(fds[i]), fds[i].fd, nullptr, const_cast<FdInterest*>(&fds[i]));
        happened = WaitEventSetWait(set, timeout, events, room, PG_WAIT_EXTENSION);
    }
    PG_FINALLY();
    {
        if (set != nullptr) FreeWaitEventSet(set);
        MemoryContextDelete(context);
    }
    PG_END_TRY();
    return happened;
}

/// What an idle session does between statements.
void serve_between_transactions() {
    if (IsTransactionState()) return;
    if (ConfigReloadPending) {
        ConfigReloadPending = false;
        ProcessConfigFile(PGC_SIGHUP);
    }
    if (catchupInterruptPending) ProcessCatchupInterrupt();
}

/// Plain server calls, as wait_with_set. Between transactions the worker shows as idle while it waits.
int wait_and_report(const FdInterest* fds, std::size_t count, long timeout, WaitEvent* events, int room) {
    const bool idle = timeout > 0 && !IsTransactionState();
    if (idle) pgstat_report_activity(STATE_IDLE, nullptr);
    const int happened = wait_with_set(fds, count, timeout, events, room);
    if (idle) pgstat_report_activity(STATE_RUNNING, nullptr);
    ResetLatch(MyLatch);
    return happened;
}

}  // namespace

void ServerWaiter::check() {
    call([] {
        CHECK_FOR_INTERRUPTS();
        serve_between_transactions();
    });
}

void ServerWaiter::wait(std::span<FdInterest> fds, Millis timeout) {
    check();
    for (auto& fd : fds) fd.readable = fd.writable = false;
    const long limit = std::clamp(static_cast<long>(timeout.count()), 0L, kLongestWait);
    std::vector<WaitEvent> events(fds.size() + 2);
    WaitEvent* room = events.data();
    const int size = static_cast<int>(events.size());
    const int happened = call([=] { return wait_and_report(fds.data(), fds.size(), limit, room, size); });
    for (int i = 0; i < happened; ++i) {
        auto* fd = static_cast<FdInterest*>(events[static_cast<std::size_t>(i)].user_data);
        if (fd == nullptr) continue;
        fd->readable = (events[static_cast<std::size_t>(i)].events & WL_SOCKET_READABLE) != 0;
        fd->writable = (events[static_cast<std::size_t>(i)].events & WL_SOCKET_WRITEABLE) != 0;
    }
    check();
}

void ServerWaiter::waiting(WaitReason reason, WallTime until) {
    progress_.waiting_until = until.time_since_epoch().count();
    progress_.wait_reason = static_cast<std::uint32_t>(reason);
}

bool ServerWaiter::acquire_fd() {
    return call([] { return AcquireExternalFD(); });
}

void ServerWaiter::release_fd() noexcept { ReleaseExternalFD(); }

void nap(int timeout_ms) {
    call([timeout_ms] {
        (void)WaitLatch(MyLatch, kLatch | WL_TIMEOUT, timeout_ms, PG_WAIT_EXTENSION);
        ResetLatch(MyLatch);
    });
}

void wait_for_latch(int timeout_ms) {
    nap(timeout_ms);
    call([] { CHECK_FOR_INTERRUPTS(); });
}

}  // namespace pg_pull::pg
