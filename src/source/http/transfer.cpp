#include "source/http/transfer.h"

#include <algorithm>
#include <utility>

#include "source/http/failure.h"
#include "source/http/redirect.h"

namespace pg_pull::http {
namespace {

bool breaks_lines(const Headers& headers) {
    constexpr std::string_view kForbidden("\r\n\0", 3);
    return std::any_of(headers.begin(), headers.end(), [&](const auto& header) {
        return header.first.empty() || header.first.find_first_of(kForbidden) != std::string::npos ||
               header.second.find_first_of(kForbidden) != std::string::npos;
    });
}

}  // namespace

Transfer::Transfer(HttpRequest request, SocketGate& gate, const Clock& clock)
    : gate_(gate), clock_(clock), request_(std::move(request)), deadline_(clock.steady() + request_.timeouts.request) {
    if (breaks_lines(request_.headers) || breaks_lines(request_.credential_headers))
        end_with(fail(Reason::invalid_configuration, "header of a request holds a line break or a zero byte"));
    else
        open();
}

void Transfer::end_with(Error error) {
    exchange_.reset();
    outcome_ = HttpFailure{std::move(error), false, !left_before_};
}

void Transfer::open() {
    const auto url = parse_url(request_.url);
    if (!url.ok()) return end_with(url.error());
    const std::string origin = url->origin();
    if (first_origin_.empty()) {
        first_origin_ = origin;
        if (auto judged = check_first_origin(request_, origin); !judged.ok())
            return end_with(std::move(judged).error());
    }
    const ExchangeTerms terms{
        .with_credentials = credentials_go_to(request_, origin),
        .private_allowed = request_.private_addresses_allowed && origin == first_origin_,
    };
    exchange_.reset();  // it refers to request_
    exchange_ = std::make_unique<Exchange>(request_, url.value(), terms, gate_, clock_);
}

void Transfer::exchange_ended(CURLcode code) {
    HttpOutcome outcome = exchange_->finish(code);
    exchange_.reset();
    if (auto* failure = std::get_if<HttpFailure>(&outcome)) {
        failure->surely_unsent = failure->surely_unsent && !left_before_;
        outcome_ = std::move(outcome);
        return;
    }
    auto& answer = std::get<HttpResponse>(outcome);
    answer.redirects = redirects_;
    if (!is_redirect(answer.status, answer.headers)) {
        outcome_ = std::move(outcome);
        return;
    }
    left_before_ = true;
    if (redirects_ >= request_.max_redirects)
        return end_with(
            fail(Reason::upstream_not_ok, "more than " + std::to_string(request_.max_redirects) + " redirects")
                .with_detail("The last one came from " + shown_url(request_.url) + "."));
    ++redirects_;
    auto next = follow(request_, answer.status, *answer.header("location"));
    if (!next.ok()) return end_with(std::move(next).error());
    request_ = std::move(next).value();
    open();
}

std::chrono::steady_clock::time_point Transfer::next_deadline() const noexcept {
    return std::min(deadline_, exchange_->last_byte() + request_.timeouts.stall);
}

bool Transfer::timed_out(std::chrono::steady_clock::time_point now) const noexcept {
    return exchange_ != nullptr && now >= next_deadline();
}

void Transfer::end_by_timeout(std::chrono::steady_clock::time_point now) {
    const bool stalled = now < deadline_;
    const bool left = left_before_ || exchange_->request_left();
    const Millis limit = stalled ? request_.timeouts.stall : request_.timeouts.request;
    outcome_ = timeout_failure(exchange_->peer(), limit, stalled, left);
    exchange_.reset();
}

void Transfer::forgive(std::chrono::steady_clock::duration span) noexcept {
    deadline_ += span;
    if (exchange_) exchange_->forgive_silence(span);
}

}  // namespace pg_pull::http
