#include "source/http/curl_client.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "source/http/curl_handle.h"
#include "source/http/signal_block.h"
#include "source/http/socket_gate.h"
#include "source/http/transfer.h"

namespace pg_pull::http {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

/// A longer silence of the caller is not counted against the remote.
constexpr Millis kBusyCaller{200};
constexpr Millis kLongestWait{1'000};
/// More idle connections than a connector's origins are of no use.
constexpr long kKeptConnections = 16;

bool libcurl_ready() {
    static const bool ready = [] {
        const SignalBlock block;
        return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    }();
    return ready;
}

}  // namespace

/// libcurl's multi handle and the transfers on it. Every call into libcurl is made with all signals blocked.
class CurlClient::Engine {
public:
    Engine(Waiter& waiter, const Clock& clock, AllowedHosts allowed);
    ~Engine();

    Ticket start(HttpRequest request);
    HttpOutcome wait(Ticket ticket);
    void pump() noexcept;
    void abandon(Ticket ticket) noexcept;

private:
    static int on_socket(CURL* easy, curl_socket_t fd, int what, void* self, void* of_socket) noexcept;
    static int on_timer(CURLM* multi, long timeout_ms, void* self) noexcept;

    void attach(Ticket ticket, Transfer& transfer);
    void detach(Transfer& transfer) noexcept;
    /// Tells libcurl what became ready, then whose time is over, then reads what ended.
    void drive(const std::vector<FdInterest>& ready);
    void act(curl_socket_t fd, int events);
    void collect();
    void end_late_ones();
    void forgive_busy_time() noexcept;
    [[nodiscard]] Millis time_to_next() const;
    [[nodiscard]] std::vector<FdInterest> interests() const;

    Waiter& waiter_;
    const Clock& clock_;
    SocketGate gate_;  // outlives the multi handle, whose kept connections close through it
    std::map<curl_socket_t, int> sockets_;
    std::optional<SteadyTime> timer_;
    SteadyTime attended_;
    MultiHandle multi_;
    std::unordered_map<Ticket, std::unique_ptr<Transfer>> transfers_;
    Ticket last_ticket_ = 0;
};

CurlClient::Engine::Engine(Waiter& waiter, const Clock& clock, AllowedHosts allowed)
    : waiter_(waiter), clock_(clock), gate_(waiter, std::move(allowed)), attended_(clock.steady()) {
    if (!libcurl_ready()) throw std::runtime_error("libcurl could not be initialised");
    multi_.reset(curl_multi_init());
    if (!multi_) throw std::bad_alloc();
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &Engine::on_socket);
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &Engine::on_timer);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
    curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, kKeptConnections);
}

CurlClient::Engine::~Engine() {
    const SignalBlock block;
    for (auto& [ticket, transfer] : transfers_) detach(*transfer);
    transfers_.clear();
    multi_.reset();
}

int CurlClient::Engine::on_socket(CURL*, curl_socket_t fd, int what, void* self, void*) noexcept {
    auto& engine = *static_cast<Engine*>(self);
    try {
        if (what == CURL_POLL_REMOVE)
            engine.sockets_.erase(fd);
        else
            engine.sockets_[fd] = what;
        return 0;
    } catch (...) {
        engine.gate_.keep_exception();
        return -1;
    }
}

int CurlClient::Engine::on_timer(CURLM*, long timeout_ms, void* self) noexcept {
    auto& engine = *static_cast<Engine*>(self);
    engine.timer_.reset();
    if (timeout_ms >= 0) engine.timer_ = engine.clock_.steady() + Millis(timeout_ms);
    return 0;
}

void CurlClient::Engine::attach(Ticket ticket, Transfer& transfer) {
    CURL* easy = transfer.exchange()->handle();
    // The ticket is found again by the handle's private pointer; it is wide enough for a counter.
    curl_easy_setopt(easy, CURLOPT_PRIVATE, reinterpret_cast<void*>(static_cast<std::uintptr_t>(ticket)));
    const SignalBlock block;
    if (curl_multi_add_handle(multi_.get(), easy) != CURLM_OK) throw std::bad_alloc();
}

void CurlClient::Engine::detach(Transfer& transfer) noexcept {
    if (transfer.exchange() == nullptr) return;
    const SignalBlock block;
    curl_multi_remove_handle(multi_.get(), transfer.exchange()->handle());
}

HttpClient::Ticket CurlClient::Engine::start(HttpRequest request) {
    forgive_busy_time();
    const Ticket ticket = ++last_ticket_;
    auto& slot = transfers_[ticket];
    try {
        slot = std::make_unique<Transfer>(std::move(request), gate_, clock_);
        if (slot->exchange() != nullptr) attach(ticket, *slot);
    } catch (...) {
        transfers_.erase(ticket);
        throw;
    }
    pump();  // sends at once where a kept connection is free
    return ticket;
}

HttpOutcome CurlClient::Engine::wait(Ticket ticket) {
    const auto found = transfers_.find(ticket);
    if (found == transfers_.end()) throw std::logic_error("wait() for an unknown HTTP transfer");
    forgive_busy_time();
    drive({});
    while (!found->second->done()) {
        auto fds = interests();
        waiter_.wait(fds, time_to_next());
        drive(fds);
    }
    HttpOutcome outcome = found->second->take_outcome();
    transfers_.erase(found);
    return outcome;
}

void CurlClient::Engine::pump() noexcept {
    try {
        forgive_busy_time();
        auto fds = interests();
        std::vector<pollfd> polled;
        for (const auto& fd : fds)
            polled.push_back(
                {fd.fd, static_cast<short>((fd.want_read ? POLLIN : 0) | (fd.want_write ? POLLOUT : 0)), 0});
        if (!polled.empty() && ::poll(polled.data(), polled.size(), 0) < 0) return;
        for (std::size_t i = 0; i < fds.size(); ++i) {
            fds[i].readable = (polled[i].revents & (POLLIN | POLLERR | POLLHUP)) != 0;
            fds[i].writable = (polled[i].revents & (POLLOUT | POLLERR | POLLHUP)) != 0;
        }
        drive(fds);
    } catch (...) {
        gate_.keep_exception();  // for the next wait()
    }
}

void CurlClient::Engine::abandon(Ticket ticket) noexcept {
    const auto found = transfers_.find(ticket);
    if (found == transfers_.end()) return;
    const SignalBlock block;
    detach(*found->second);
    transfers_.erase(found);
}

void CurlClient::Engine::act(curl_socket_t fd, int events) {
    int running = 0;
    CURLMcode code;
    {
        const SignalBlock block;
        code = curl_multi_socket_action(multi_.get(), fd, events, &running);
    }
    gate_.raise_kept();
    if (code == CURLM_OUT_OF_MEMORY) throw std::bad_alloc();
}

void CurlClient::Engine::drive(const std::vector<FdInterest>& ready) {
    gate_.raise_kept();
    for (const auto& fd : ready) {
        if (!fd.readable && !fd.writable) continue;
        if (!sockets_.contains(fd.fd)) continue;  // closed while the others were served
        act(fd.fd, (fd.readable ? CURL_CSELECT_IN : 0) | (fd.writable ? CURL_CSELECT_OUT : 0));
    }
    if (timer_ && clock_.steady() >= *timer_) {
        timer_.reset();
        act(CURL_SOCKET_TIMEOUT, 0);
    }
    collect();
    end_late_ones();
    attended_ = clock_.steady();
}

void CurlClient::Engine::collect() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        void* tag = nullptr;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &tag);
        const auto ticket = static_cast<Ticket>(reinterpret_cast<std::uintptr_t>(tag));
        const CURLcode code = message->data.result;
        Transfer& transfer = *transfers_.at(ticket);
        const SignalBlock block;
        detach(transfer);
        transfer.exchange_ended(code);
        if (transfer.exchange() != nullptr) attach(ticket, transfer);
    }
}

void CurlClient::Engine::end_late_ones() {
    const auto now = clock_.steady();
    for (auto& [ticket, transfer] : transfers_) {
        if (!transfer->timed_out(now)) continue;
        const SignalBlock block;
        detach(*transfer);
        transfer->end_by_timeout(now);
    }
}

void CurlClient::Engine::forgive_busy_time() noexcept {
    const auto now = clock_.steady();
    const auto span = now - attended_;
    attended_ = now;
    if (span < kBusyCaller) return;
    for (auto& [ticket, transfer] : transfers_) transfer->forgive(span);
}

Millis CurlClient::Engine::time_to_next() const {
    const auto now = clock_.steady();
    SteadyTime next = now + kLongestWait;
    if (timer_) next = std::min(next, *timer_);
    for (const auto& [ticket, transfer] : transfers_)
        if (!transfer->done()) next = std::min(next, transfer->next_deadline());
    // Rounded up: a wait that ends a little early would be a loop of its own.
    return std::max(Millis(0), std::chrono::ceil<Millis>(next - now));
}

std::vector<FdInterest> CurlClient::Engine::interests() const {
    std::vector<FdInterest> fds;
    fds.reserve(sockets_.size());
    for (const auto& [fd, what] : sockets_)
        fds.push_back({.fd = fd, .want_read = (what & CURL_POLL_IN) != 0, .want_write = (what & CURL_POLL_OUT) != 0});
    return fds;
}

CurlClient::CurlClient(Waiter& waiter, const Clock& clock, AllowedHosts allowed)
    : engine_(std::make_unique<Engine>(waiter, clock, std::move(allowed))) {}
CurlClient::~CurlClient() = default;
HttpClient::Ticket CurlClient::start(HttpRequest request) { return engine_->start(std::move(request)); }
HttpOutcome CurlClient::wait(Ticket ticket) { return engine_->wait(ticket); }
void CurlClient::pump() noexcept { engine_->pump(); }
void CurlClient::abandon(Ticket ticket) noexcept { engine_->abandon(ticket); }

}  // namespace pg_pull::http
