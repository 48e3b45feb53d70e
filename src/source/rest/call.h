#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "core/base/error.h"
#include "core/base/http.h"
#include "core/request/error_rules.h"
#include "source/rest/answer_error.h"
#include "source/rest/connector.h"
#include "source/rest/content.h"

namespace pg_pull::rest {

/// What a call brought in the end.
struct Answer {
    AnswerAction action = AnswerAction::ok;  ///< ok, empty or ignore
    HttpResponse response;                   ///< without its body
    std::optional<RecordPage> page;          ///< there when `action` is ok
};

/// One call for a page: the rate limit waited for, the request sent, the answer judged by the error rules, repeated as `retry`
/// says. begin() starts the first attempt, if the rate limit lets it go at once; the rest happens in finish(). Destroying it
/// gives up what is under way.
///
///   begun ─ finish ─▶ [wait for the rate limit] ─▶ sent ─▶ answered ─▶ ok | empty | ignore | error
///                              ▲                                │
///                              └───────── [backoff] ◀── retry ──┘
class Call {
public:
    using Maker = std::function<Result<HttpRequest>()>;
    /// `make` makes the request, anew where the remote refused the token of the last one. `page`: its number, for messages.
    static Result<std::unique_ptr<Call>> make(Connector& connector, Maker make, std::int64_t page);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    void begin();
    /// Once. Interrupts leave by exception; the call can then only be destroyed.
    Result<Answer> finish(const ContentTerms& terms);

private:
    Call(Connector& connector, Maker make, std::int64_t page);
    struct Repeat {
        bool rate_limited = false;
        std::optional<Millis> asked;  ///< by the server
        bool at_once = false;         ///< with another token
    };
    /// An answer, an error, or the wish to try again.
    using Step = std::variant<Answer, Error, Repeat>;

    Result<void> make_request();
    Step renew(const HttpResponse& response, const Content& content, const Verdict& verdict);
    void reserve();
    void send();
    Step step(const ContentTerms& terms);
    Step judge_failure(HttpFailure failure);
    Step judge_answer(HttpResponse response, const ContentTerms& terms);
    Step judge_refusal(const HttpResponse& response, const Content& content, const Verdict& verdict);
    [[nodiscard]] bool may_go_on() const noexcept { return attempt_ < connector_.config().retry.attempts; }
    [[nodiscard]] Asked asked() const;
    void wait_before_repeat(const Repeat& repeat);
    void wait(WaitReason reason, Millis duration);

    Connector& connector_;
    SourceContext& context_;
    Maker make_;
    HttpRequest request_;
    std::int64_t generation_ = 0;  ///< of the token in request_
    bool renewed_ = false;
    std::int64_t page_;
    int attempt_ = 1;
    bool reserved_ = false;
    std::chrono::steady_clock::time_point not_before_;
    std::optional<HttpClient::Ticket> ticket_;
};

}  // namespace pg_pull::rest
