#pragma once

#include <memory>

#include "core/base/clock.h"
#include "core/base/http.h"
#include "core/base/waiter.h"
#include "source/http/egress.h"

namespace pg_pull::http {

/// HttpClient on libcurl. Connections are kept and used again while the client lives; several transfers may be under way.
///
/// Redirects are followed here, each hop judged anew (redirect.h, egress.h). The request timeout covers all hops. While nobody
/// calls wait() or pump(), no time passes for the timeouts of request and stall: a caller that was busy does not lose an answer
/// that is lying ready.
///
/// An exception of the waiter leaves wait() at once; the transfer is then still known: wait for it again, abandon it, or destroy
/// the client. Neither blocks, whatever resolver or remote do.
class CurlClient final : public HttpClient {
public:
    /// Both must outlive the client.
    CurlClient(Waiter& waiter, const Clock& clock, AllowedHosts allowed);
    ~CurlClient() override;
    CurlClient(const CurlClient&) = delete;
    CurlClient& operator=(const CurlClient&) = delete;

    Ticket start(HttpRequest request) override;
    HttpOutcome wait(Ticket ticket) override;
    void pump() noexcept override;
    void abandon(Ticket ticket) noexcept override;

private:
    class Engine;
    std::unique_ptr<Engine> engine_;
};

}  // namespace pg_pull::http
