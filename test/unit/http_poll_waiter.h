#pragma once

#include <poll.h>

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/waiter.h"

namespace pg_pull::test {

/// What a cancel looks like to core and sources.
struct Interrupted {};

/// A Waiter on poll(), which can be told to interrupt at a moment, and keeps account.
class PollWaiter final : public Waiter {
public:
    void wait(std::span<FdInterest> fds, Millis timeout) override {
        check();
        if (interrupt_at) {
            const auto left = *interrupt_at - std::chrono::steady_clock::now();
            timeout = std::min(timeout, std::max(Millis(0), std::chrono::ceil<Millis>(left)));
        }
        std::vector<pollfd> polled;
        for (const auto& fd : fds)
            polled.push_back(
                {fd.fd, static_cast<short>((fd.want_read ? POLLIN : 0) | (fd.want_write ? POLLOUT : 0)), 0});
        ::poll(polled.data(), polled.size(), static_cast<int>(timeout.count()));
        for (std::size_t i = 0; i < fds.size(); ++i) {
            fds[i].readable = (polled[i].revents & (POLLIN | POLLERR | POLLHUP)) != 0;
            fds[i].writable = (polled[i].revents & (POLLOUT | POLLERR | POLLHUP)) != 0;
        }
        ++waits;
        check();
    }
    void check() override {
        if (interrupt_at && std::chrono::steady_clock::now() >= *interrupt_at) throw Interrupted{};
    }
    void waiting(WaitReason reason, WallTime until) override { reasons.emplace_back(reason, until); }
    bool acquire_fd() override {
        if (open_fds >= max_fds) return false;
        ++open_fds;
        return true;
    }
    void release_fd() noexcept override { --open_fds; }

    void interrupt_after(Millis delay) { interrupt_at = std::chrono::steady_clock::now() + delay; }

    std::optional<std::chrono::steady_clock::time_point> interrupt_at;
    std::vector<std::pair<WaitReason, WallTime>> reasons;
    int open_fds = 0;
    int max_fds = 100;
    int waits = 0;
};

}  // namespace pg_pull::test
