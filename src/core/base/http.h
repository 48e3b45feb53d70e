#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/secret.h"

namespace pg_pull {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct HttpTimeouts {
    Millis connect{10'000};
    Millis request{30'000};  ///< the whole exchange
    Millis stall{30'000};    ///< no byte for this long
};

struct HttpTls {
    std::string ca;  ///< PEM; empty: the system's
    Secret client_cert;
    Secret client_key;
};

/// One request, ready to be sent: absolute URL, everything encoded.
struct HttpRequest {
    std::string method = "GET";
    std::string url;
    Headers headers;
    /// Sent like headers, but only to an origin in credential_origins; never after a redirect elsewhere.
    Headers credential_headers;
    /// The credential stands in the URL's query or in the body: a redirect to another origin is then refused outright.
    bool credential_in_url_or_body = false;
    std::vector<std::string> credential_origins;  ///< scheme://host:port, lower case, port always present
    std::string body;
    HttpTimeouts timeouts;
    HttpTls tls;
    std::int64_t max_body_bytes = 256LL << 20;  ///< after decompression
    int max_redirects = 5;
    /// The origin of the first URL may be on a private or loopback address (judged at connect time, DESIGN.md section 7).
    bool private_addresses_allowed = false;
};

struct HttpResponse {
    int status = 0;
    Headers headers;  ///< names in lower case, in order of arrival
    std::string body;
    std::string effective_url;
    std::int64_t bytes = 0;  ///< body bytes after decompression
    int redirects = 0;

    [[nodiscard]] std::optional<std::string_view> header(std::string_view lower_case_name) const {
        for (const auto& [name, value] : headers)
            if (name == lower_case_name) return value;
        return std::nullopt;
    }
};

/// What became of a request that brought no complete answer.
struct HttpFailure {
    Error error;                 ///< reason network, egress_denied, or upstream_not_ok
    bool may_retry = false;      ///< a passing fault: refused, reset, timed out, cut short
    bool surely_unsent = false;  ///< the request did not leave: repeating it cannot act twice
};

using HttpOutcome = std::variant<HttpResponse, HttpFailure>;

/// Sends requests, several at once. Not for use from two threads.
class HttpClient {
public:
    using Ticket = std::uint64_t;
    virtual ~HttpClient() = default;
    /// Starts a transfer; nothing is waited for.
    virtual Ticket start(HttpRequest request) = 0;
    /// Waits for that transfer while the others go on. Each ticket is waited for at most once. Interrupts leave by exception.
    virtual HttpOutcome wait(Ticket ticket) = 0;
    /// Moves all transfers on without waiting: for whoever is busy with something else meanwhile. Throws nothing.
    virtual void pump() noexcept = 0;
    virtual void abandon(Ticket ticket) noexcept = 0;

    HttpOutcome send(HttpRequest request) { return wait(start(std::move(request))); }
};

}  // namespace pg_pull
