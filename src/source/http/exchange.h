#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/http.h"
#include "core/base/url.h"
#include "source/http/curl_handle.h"
#include "source/http/socket_gate.h"

namespace pg_pull::http {

/// All headers of one answer together, the interim ones (1xx) too: more is no answer but an attack or a mistake.
inline constexpr std::size_t kMaxHeaderBytes = 256 * 1024;

struct ExchangeTerms {
    bool with_credentials = false;  ///< credential_headers are sent
    bool private_allowed = false;
};

/// One request and its answer: an easy handle and what its callbacks collect. A redirect is the next exchange.
/// Must not move while libcurl knows its address.
class Exchange {
public:
    /// `request` is kept by reference (libcurl reads its body and certificates), and must be of the URL `url`.
    Exchange(const HttpRequest& request, const Url& url, const ExchangeTerms& terms, SocketGate& gate,
             const Clock& clock);
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    [[nodiscard]] CURL* handle() const noexcept { return easy_.get(); }
    /// host:port, for messages.
    [[nodiscard]] const std::string& peer() const noexcept { return peer_; }
    [[nodiscard]] const std::string& origin() const noexcept { return origin_; }
    /// The request went out on a connection, or may have.
    [[nodiscard]] bool request_left() const noexcept { return request_left_; }
    [[nodiscard]] std::chrono::steady_clock::time_point last_byte() const noexcept { return last_byte_; }
    void forgive_silence(std::chrono::steady_clock::duration span) noexcept { last_byte_ += span; }

    /// After libcurl is done with it: the answer, or why there is none. Once.
    HttpOutcome finish(CURLcode code);

private:
    void set_options(const Url& url);
    void set_method();
    void set_headers(bool with_credentials);
    void set_tls();
    void set_callbacks();

    static curl_socket_t on_open(void* self, curlsocktype purpose, curl_sockaddr* address) noexcept;
    static int on_ready(void* self, char* remote_ip, char* local_ip, int remote_port, int local_port) noexcept;
    static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self) noexcept;
    static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self) noexcept;
    static int on_close(void* gate, curl_socket_t fd) noexcept;

    bool take_header(std::string_view line);
    bool take_status_line(std::string_view line);
    bool end_of_headers();
    bool take_body(std::string_view bytes);
    bool stop(std::string message);
    bool stop_too_large();

    const HttpRequest& request_;
    SocketGate& gate_;
    const Clock& clock_;
    std::string peer_;
    std::string origin_;
    EasyHandle easy_;
    HeaderLines lines_;
    Passage passage_;
    char curl_text_[CURL_ERROR_SIZE] = "";

    HttpResponse answer_;
    std::size_t header_bytes_ = 0;
    bool headers_complete_ = false;
    bool enough_ = false;           ///< the rest of a redirect's body is of no interest
    std::optional<Error> stopped_;  ///< a limit was passed
    bool request_left_ = false;
    std::chrono::steady_clock::time_point last_byte_;
};

}  // namespace pg_pull::http
