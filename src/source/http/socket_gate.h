#pragma once

#include <curl/curl.h>

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/waiter.h"
#include "source/http/egress.h"

namespace pg_pull::http {

/// Whom one exchange wants to talk to, and whether it was let.
struct Passage {
    std::string host;              ///< of the URL
    bool private_allowed = false;  ///< for this host
    bool opened = false;           ///< at least one address was allowed
    std::optional<Error> denied;   ///< the last refusal
};

/// Opens and closes libcurl's sockets: judges each resolved address before it is connected to, and has the descriptors counted.
class SocketGate {
public:
    SocketGate(Waiter& waiter, AllowedHosts allowed) : waiter_(waiter), allowed_(std::move(allowed)) {}

    /// A socket for `address`, or CURL_SOCKET_BAD.
    curl_socket_t open(Passage& passage, const curl_sockaddr& address) noexcept;
    int close(curl_socket_t fd) noexcept;
    /// The same judgement right before the request leaves, because the connection may be a kept one that was opened for a
    /// request with more rights.
    bool may_use(Passage& passage, const char* address) noexcept;

    /// An exception that must not cross libcurl's frames: raised again by whoever called libcurl.
    void keep_exception() noexcept { exception_ = std::current_exception(); }
    void raise_kept() {
        if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
    }

private:
    bool judge(Passage& passage, const Address& address);

    Waiter& waiter_;
    AllowedHosts allowed_;
    std::exception_ptr exception_;
};

}  // namespace pg_pull::http
