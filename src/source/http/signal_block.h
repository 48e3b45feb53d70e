#pragma once

#include <pthread.h>
#include <signal.h>

namespace pg_pull::http {

/// Blocks all signals for its scope. libcurl resolves names in a thread of its own, which inherits the mask of that moment: the
/// server's handlers must never run there. Synchronous ones (SIGSEGV) are delivered all the same.
class SignalBlock {
public:
    SignalBlock() noexcept {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalBlock() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalBlock(const SignalBlock&) = delete;
    SignalBlock& operator=(const SignalBlock&) = delete;

private:
    sigset_t before_{};
};

}  // namespace pg_pull::http
