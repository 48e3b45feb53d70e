#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/http.h"
#include "source/http/exchange.h"

namespace pg_pull::http {

/// One request from start to outcome: an exchange for each hop.
class Transfer {
public:
    Transfer(HttpRequest request, SocketGate& gate, const Clock& clock);

    /// The exchange under way; null once there is an outcome.
    [[nodiscard]] Exchange* exchange() noexcept { return exchange_.get(); }
    [[nodiscard]] bool done() const noexcept { return outcome_.has_value(); }
    [[nodiscard]] HttpOutcome take_outcome() { return *std::move(outcome_); }

    /// The exchange, already removed from the multi handle, ended. Afterwards there is an outcome, or the next exchange.
    void exchange_ended(CURLcode code);
    /// Ends the transfer, whose exchange is already removed, if one of its timeouts is over.
    void end_by_timeout(std::chrono::steady_clock::time_point now);
    [[nodiscard]] bool timed_out(std::chrono::steady_clock::time_point now) const noexcept;
    [[nodiscard]] std::chrono::steady_clock::time_point next_deadline() const noexcept;
    /// `span` did not count: nobody was looking.
    void forgive(std::chrono::steady_clock::duration span) noexcept;

private:
    /// Opens the exchange for request_, or sets the outcome.
    void open();
    void end_with(Error error);

    SocketGate& gate_;
    const Clock& clock_;
    HttpRequest request_;
    std::string first_origin_;
    int redirects_ = 0;
    bool left_before_ = false;  ///< an earlier hop was sent
    std::chrono::steady_clock::time_point deadline_;
    std::unique_ptr<Exchange> exchange_;
    std::optional<HttpOutcome> outcome_;
};

}  // namespace pg_pull::http
