#include "source/postgres/name_lookup.h"

#include <netdb.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <system_error>
#include <thread>

#include "source/http/signal_block.h"

namespace pg_pull::postgres {
namespace {

struct FreeAddresses {
    void operator()(addrinfo* list) const noexcept { freeaddrinfo(list); }
};

/// What getaddrinfo says about one host. Returns its code; touches nothing but its arguments.
int ask(const std::string& host, int flags, std::vector<std::string>& addresses) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags;
    addrinfo* first = nullptr;
    if (const int code = getaddrinfo(host.c_str(), nullptr, &hints, &first); code != 0) return code;
    const std::unique_ptr<addrinfo, FreeAddresses> list(first);
    for (const addrinfo* entry = first; entry != nullptr; entry = entry->ai_next) {
        std::array<char, NI_MAXHOST> text{};
        if (getnameinfo(entry->ai_addr, entry->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0)
            addresses.emplace_back(text.data());
    }
    return addresses.empty() ? EAI_NONAME : 0;
}

/// Shared by the thread and whoever waits for it; lives until both are through, so that a wait can be given up.
class Lookup {
public:
    explicit Lookup(std::string host) : host_(std::move(host)), done_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
    ~Lookup() {
        if (done_fd_ >= 0) close(done_fd_);
    }
    Lookup(const Lookup&) = delete;
    Lookup& operator=(const Lookup&) = delete;

    void run() noexcept {
        try {
            code_ = ask(host_, AI_ADDRCONFIG, addresses_);
        } catch (...) {
            code_ = EAI_MEMORY;
        }
        done_.store(true, std::memory_order_release);
        const eventfd_t one = 1;
        if (done_fd_ >= 0) eventfd_write(done_fd_, one);
    }
    [[nodiscard]] bool done() const noexcept { return done_.load(std::memory_order_acquire); }
    [[nodiscard]] int fd() const noexcept { return done_fd_; }
    // only once it is done
    [[nodiscard]] int code() const noexcept { return code_; }
    [[nodiscard]] std::vector<std::string>& addresses() noexcept { return addresses_; }

private:
    std::string host_;
    int done_fd_;
    int code_ = 0;
    std::vector<std::string> addresses_;
    std::atomic<bool> done_ = false;
};

class FdSlot {
public:
    explicit FdSlot(Waiter& waiter) : waiter_(waiter), held_(waiter.acquire_fd()) {}
    ~FdSlot() {
        if (held_) waiter_.release_fd();
    }
    FdSlot(const FdSlot&) = delete;
    FdSlot& operator=(const FdSlot&) = delete;
    [[nodiscard]] bool held() const noexcept { return held_; }

private:
    Waiter& waiter_;
    bool held_;
};

Error not_found(const std::string& host, const std::string& why) {
    return fail(Reason::network, "could not resolve host \"" + host + "\"")
        .with_detail("Host \"" + host + "\": " + why + ".");
}

/// False: no thread could be started.
bool start_thread(const std::shared_ptr<Lookup>& lookup) {
    const http::SignalBlock block;
    try {
        std::thread([lookup] { lookup->run(); }).detach();
        return true;
    } catch (const std::system_error&) {
        return false;
    }
}

}  // namespace

Result<std::vector<std::string>> look_up(const std::string& host, Waiter& waiter, const Clock& clock, Millis timeout) {
    std::vector<std::string> numeric;
    if (ask(host, AI_NUMERICHOST, numeric) == 0) return numeric;
    const FdSlot slot(waiter);
    const auto lookup = std::make_shared<Lookup>(host);
    if (!slot.held() || lookup->fd() < 0) return not_found(host, "the process has no file descriptor left");
    if (!start_thread(lookup)) return not_found(host, "no thread could be started");
    const auto deadline = clock.steady() + timeout;
    while (!lookup->done()) {
        const auto left = std::chrono::duration_cast<Millis>(deadline - clock.steady());
        if (left <= Millis(0))
            return not_found(host, "no answer within " + std::to_string(timeout.count() / 1000) + " s");
        std::array<FdInterest, 1> fds = {FdInterest{lookup->fd(), true, false}};
        waiter.wait(fds, left + Millis(1));
    }
    if (lookup->code() != 0) return not_found(host, gai_strerror(lookup->code()));
    return std::move(lookup->addresses());
}

}  // namespace pg_pull::postgres
