#include "source/rest/call.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/paging/retry.h"

namespace pg_pull::rest {

Call::Call(Connector& connector, Maker make, std::int64_t page)
    : connector_(connector), context_(connector.context()), make_(std::move(make)), page_(page) {}

Result<std::unique_ptr<Call>> Call::make(Connector& connector, Maker make, std::int64_t page) {
    std::unique_ptr<Call> call(new Call(connector, std::move(make), page));
    PG_PULL_CHECK(call->make_request());
    return call;
}

Result<void> Call::make_request() {
    PG_PULL_ASSIGN(request_, make_());
    generation_ = connector_.generation();
    return {};
}

Call::~Call() {
    if (ticket_) context_.http.abandon(*ticket_);
}

void Call::reserve() {
    reserved_ = true;
    not_before_ = context_.clock.steady();
    if (const auto& limit = connector_.config().rate_limit) not_before_ += context_.rate.reserve(*limit);
}

void Call::begin() {
    reserve();
    if (not_before_ <= context_.clock.steady()) send();
}

void Call::send() {
    reserved_ = false;
    ticket_ = context_.http.start(request_);
    ++context_.counters.requests;
}

Result<Answer> Call::finish(const ContentTerms& terms) {
    while (true) {
        Step outcome = step(terms);
        if (auto* answer = std::get_if<Answer>(&outcome)) return std::move(*answer);
        if (auto* error = std::get_if<Error>(&outcome)) return std::move(*error);
        const Repeat& repeat = std::get<Repeat>(outcome);
        if (repeat.at_once) continue;
        wait_before_repeat(repeat);
        ++attempt_;
        ++context_.counters.retries;
    }
}

Call::Step Call::step(const ContentTerms& terms) {
    if (!ticket_) {
        if (!reserved_) reserve();
        const auto now = context_.clock.steady();
        if (not_before_ > now) wait(WaitReason::rate_limit, std::chrono::ceil<Millis>(not_before_ - now));
        send();
    }
    HttpOutcome outcome = context_.http.wait(*ticket_);
    ticket_.reset();
    if (auto* failure = std::get_if<HttpFailure>(&outcome)) return judge_failure(std::move(*failure));
    return judge_answer(std::get<HttpResponse>(std::move(outcome)), terms);
}

Call::Step Call::judge_failure(HttpFailure failure) {
    const bool may_send_again = failure.surely_unsent || may_repeat(connector_.config().retry, request_.method);
    if (failure.may_retry && may_send_again && may_go_on()) return Repeat{};
    return line_error(connector_, asked(), std::move(failure.error));
}

Call::Step Call::judge_answer(HttpResponse response, const ContentTerms& terms) {
    context_.counters.bytes_read += response.bytes;
    Content content = read_content(response, terms);
    const RestConfig& config = connector_.config();
    const Verdict verdict =
        judge(config.errors, config.retry, response, content.body(), connector_.auth().can_refresh());
    switch (verdict.action) {
        case AnswerAction::ok:
            break;
        case AnswerAction::empty:
        case AnswerAction::ignore:
            return Answer{verdict.action, std::move(response), std::nullopt};
        default:
            return judge_refusal(response, content, verdict);
    }
    if (content.page) return Answer{AnswerAction::ok, std::move(response), std::move(content.page)};
    if (content.cut_short && may_repeat(config.retry, request_.method) && may_go_on()) return Repeat{};
    return unusable_content(connector_, asked(), response, std::move(content));
}

/// Once for a call: a token that was refused right after it was made will not be better the next time.
Call::Step Call::renew(const HttpResponse& response, const Content& content, const Verdict& verdict) {
    if (renewed_ || context_.grants == nullptr) return refused_answer(connector_, asked(), response, content, verdict);
    renewed_ = true;
    if (auto done = connector_.renew(generation_); !done.ok()) return std::move(done).error();
    if (auto made = make_request(); !made.ok()) return std::move(made).error();
    return Repeat{false, std::nullopt, true};
}

Call::Step Call::judge_refusal(const HttpResponse& response, const Content& content, const Verdict& verdict) {
    if (verdict.action == AnswerAction::refresh_token) return renew(response, content, verdict);
    const bool again = verdict.action == AnswerAction::retry || verdict.action == AnswerAction::rate_limited;
    const RestConfig& config = connector_.config();
    // A rule of the configuration says by itself that this answer may be asked for again, whatever the method.
    const bool told = verdict.rule >= 0;
    if (!again || !may_go_on() || !(told || may_repeat(config.retry, request_.method)))
        return refused_answer(connector_, asked(), response, content, verdict);
    return Repeat{verdict.action == AnswerAction::rate_limited,
                  asked_wait(response, config.reset_header, context_.clock.now()), false};
}

Asked Call::asked() const { return {request_.method, shown_address(request_.url), page_, attempt_}; }

void Call::wait_before_repeat(const Repeat& repeat) {
    const RestConfig& config = connector_.config();
    const double random = static_cast<double>(context_.random() >> 11U) / 9007199254740992.0;  // 53 bits, below 1
    const Millis pause = retry_wait(config.retry, attempt_ + 1, repeat.asked, random);
    if (repeat.rate_limited && config.rate_limit) context_.rate.blocked_until(context_.clock.now() + pause);
    wait(repeat.rate_limited ? WaitReason::rate_limit : WaitReason::retry, pause);
}

void Call::wait(WaitReason reason, Millis duration) {
    if (reason == WaitReason::rate_limit) context_.counters.throttled_ms += duration.count();
    context_.waiter.waiting(reason, context_.clock.now() + duration);
    context_.waiter.sleep(context_.clock, duration);
    context_.waiter.waiting(WaitReason::none, WallTime{});
}

}  // namespace pg_pull::rest
