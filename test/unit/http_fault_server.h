#pragma once

// A web server on loopback that does exactly what a test tells it, however wrong: one thread a connection.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace pg_pull::test {

struct ReceivedRequest {
    std::string method;
    std::string target;
    std::map<std::string, std::string> headers;  ///< names in lower case
    std::string body;

    [[nodiscard]] std::string header(const std::string& name) const {
        const auto found = headers.find(name);
        return found == headers.end() ? std::string() : found->second;
    }
};

/// The server's end of one connection.
class ServerConnection {
public:
    ServerConnection(int fd, const std::atomic<bool>& stopping) : fd_(fd), stopping_(stopping) {}

    /// False when the client has gone or the server stops.
    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return !stopping_;
    }
    bool answer(std::string_view status, std::string_view body,
                std::string_view headers = "Content-Type: application/json\r\n") {
        return send("HTTP/1.1 " + std::string(status) + "\r\n" + std::string(headers) +
                    "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
    }
    /// Does nothing until the client closes or the server stops.
    void stall() {
        while (!stopping_) {
            pollfd polled{fd_, POLLIN, 0};
            char byte = 0;
            if (::poll(&polled, 1, 20) > 0 && ::recv(fd_, &byte, 1, MSG_DONTWAIT) == 0) return;
        }
    }
    bool pause(int millis) {
        for (; millis > 0 && !stopping_; millis -= 10) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return !stopping_;
    }
    void reset() {
        const linger now{1, 0};
        ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        closed_ = true;
    }
    void close_after() { closed_ = true; }
    [[nodiscard]] bool closed() const { return closed_; }

    bool receive(ReceivedRequest& request) {
        std::size_t end = 0;
        while ((end = buffer_.find("\r\n\r\n")) == std::string::npos)
            if (!fill()) return false;
        parse_head(buffer_.substr(0, end), request);
        buffer_.erase(0, end + 4);
        const std::string length = request.header("content-length");
        const std::size_t wanted = length.empty() ? 0 : std::stoul(length);
        while (buffer_.size() < wanted)
            if (!fill()) return false;
        request.body = buffer_.substr(0, wanted);
        buffer_.erase(0, wanted);
        return true;
    }

private:
    bool fill() {
        char bytes[4096];
        while (!stopping_) {
            pollfd polled{fd_, POLLIN, 0};
            if (::poll(&polled, 1, 20) <= 0) continue;
            const auto got = ::recv(fd_, bytes, sizeof bytes, 0);
            if (got <= 0) return false;
            buffer_.append(bytes, static_cast<std::size_t>(got));
            return true;
        }
        return false;
    }
    static void parse_head(const std::string& head, ReceivedRequest& request) {
        request = {};
        const auto line_end = head.find("\r\n");
        const std::string line = head.substr(0, line_end);
        request.method = line.substr(0, line.find(' '));
        request.target = line.substr(line.find(' ') + 1, line.rfind(' ') - line.find(' ') - 1);
        for (std::size_t at = line_end; at != std::string::npos && at < head.size();) {
            const auto next = head.find("\r\n", at + 2);
            const std::string header = head.substr(at + 2, next == std::string::npos ? next : next - at - 2);
            std::string name = header.substr(0, header.find(':'));
            for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            auto value_at = header.find_first_not_of(' ', header.find(':') + 1);
            request.headers[name] = value_at == std::string::npos ? "" : header.substr(value_at);
            at = next;
        }
    }

    int fd_;
    const std::atomic<bool>& stopping_;
    bool closed_ = false;
    std::string buffer_;
};

class FaultServer {
public:
    using Handler = std::function<void(ServerConnection&, const ReceivedRequest&)>;

    explicit FaultServer(Handler handler) : handler_(std::move(handler)) {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
            ::listen(listener_, 64) != 0)
            throw std::runtime_error("test server could not listen");
        socklen_t size = sizeof address;
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
        acceptor_ = std::thread([this] { accept_all(); });
    }
    ~FaultServer() {
        stopping_ = true;
        acceptor_.join();
        for (auto& thread : threads_) thread.join();
        ::close(listener_);
    }
    FaultServer(const FaultServer&) = delete;
    FaultServer& operator=(const FaultServer&) = delete;

    [[nodiscard]] int port() const { return port_; }
    [[nodiscard]] std::string url(const std::string& path = "/", const std::string& host = "127.0.0.1") const {
        return "http://" + host + ":" + std::to_string(port_) + path;
    }
    [[nodiscard]] std::string origin(const std::string& host = "127.0.0.1") const {
        return "http://" + host + ":" + std::to_string(port_);
    }
    [[nodiscard]] std::vector<ReceivedRequest> requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }
    [[nodiscard]] int connections() const { return connections_; }

private:
    void accept_all() {
        while (!stopping_) {
            pollfd polled{listener_, POLLIN, 0};
            if (::poll(&polled, 1, 20) <= 0) continue;
            const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (fd < 0) continue;
            ++connections_;
            threads_.emplace_back([this, fd] { serve(fd); });
        }
    }
    void serve(int fd) {
        ServerConnection connection(fd, stopping_);
        ReceivedRequest request;
        while (!connection.closed() && connection.receive(request)) {
            {
                const std::lock_guard lock(mutex_);
                requests_.push_back(request);
            }
            handler_(connection, request);
        }
        ::close(fd);
    }

    Handler handler_;
    int listener_ = -1;
    int port_ = 0;
    std::atomic<bool> stopping_{false};
    std::atomic<int> connections_{0};
    mutable std::mutex mutex_;
    std::vector<ReceivedRequest> requests_;
    std::list<std::thread> threads_;
    std::thread acceptor_;
};

}  // namespace pg_pull::test
