#include "source/http/socket_gate.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace pg_pull::http {

bool SocketGate::judge(Passage& passage, const Address& address) {
    if (const auto why = deny_reason(allowed_, passage.host, address, passage.private_allowed)) {
        passage.denied = egress_error(passage.host, address, *why);
        return false;
    }
    return true;
}

curl_socket_t SocketGate::open(Passage& passage, const curl_sockaddr& address) noexcept {
    try {
        const auto parsed = Address::of(&address.addr, address.addrlen);
        if (!parsed || !judge(passage, *parsed)) return CURL_SOCKET_BAD;
        passage.opened = true;
        if (!waiter_.acquire_fd()) {
            errno = EMFILE;
            return CURL_SOCKET_BAD;
        }
    } catch (...) {
        keep_exception();
        return CURL_SOCKET_BAD;
    }
    const int fd = ::socket(address.family, address.socktype | SOCK_CLOEXEC, address.protocol);
    if (fd < 0) waiter_.release_fd();
    return fd < 0 ? CURL_SOCKET_BAD : fd;
}

int SocketGate::close(curl_socket_t fd) noexcept {
    const int result = ::close(fd);
    waiter_.release_fd();
    return result;
}

bool SocketGate::may_use(Passage& passage, const char* address) noexcept {
    try {
        const auto parsed = Address::parse(address);
        return parsed && judge(passage, *parsed);
    } catch (...) {
        keep_exception();
        return false;
    }
}

}  // namespace pg_pull::http
