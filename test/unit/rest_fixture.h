#pragma once

// A rest connector without a network: answers are scripted, time stands still unless somebody waits.

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "source/rest/rest_provider.h"

namespace pg_pull::test {

class StillClock final : public Clock {
public:
    [[nodiscard]] WallTime now() const override { return WallTime(std::chrono::seconds(1'700'000'000)) + passed; }
    [[nodiscard]] std::chrono::steady_clock::time_point steady() const override {
        return std::chrono::steady_clock::time_point(passed);
    }
    std::chrono::microseconds passed{0};
};

class StillWaiter final : public Waiter {
public:
    explicit StillWaiter(StillClock& clock) : clock_(clock) {}
    void wait(std::span<FdInterest>, Millis timeout) override { clock_.passed += timeout; }
    void check() override {}
    void waiting(WaitReason reason, WallTime until) override { states.emplace_back(reason, until); }
    bool acquire_fd() override { return true; }
    void release_fd() noexcept override {}
    /// How often the run stood still for that reason.
    [[nodiscard]] int times(WaitReason reason) const {
        int count = 0;
        for (const auto& [seen, until] : states) count += seen == reason ? 1 : 0;
        return count;
    }
    std::vector<std::pair<WaitReason, WallTime>> states;

private:
    StillClock& clock_;
};

class ScriptedRate final : public RateLimiter {
public:
    Millis reserve(const RateLimit&) override {
        ++reserved;
        return wait;
    }
    void blocked_until(WallTime when) override { blocked.push_back(when); }
    Millis wait{0};
    int reserved = 0;
    std::vector<WallTime> blocked;
};

/// Answers requests by a function of the request; remembers what was asked, and in which state each ticket is.
class ScriptedHttp final : public HttpClient {
public:
    Ticket start(HttpRequest request) override {
        requests.push_back(request);
        const Ticket ticket = requests.size();
        open[ticket] = answer(request);
        most_open = std::max(most_open, open.size());
        return ticket;
    }
    HttpOutcome wait(Ticket ticket) override {
        HttpOutcome outcome = open.at(ticket);
        open.erase(ticket);
        return outcome;
    }
    void pump() noexcept override { ++pumped; }
    void abandon(Ticket ticket) noexcept override { abandoned += open.erase(ticket); }

    std::function<HttpOutcome(const HttpRequest&)> answer;
    std::vector<HttpRequest> requests;
    std::map<Ticket, HttpOutcome> open;
    std::size_t most_open = 0;
    std::size_t abandoned = 0;
    int pumped = 0;
};

inline HttpResponse json_answer(std::string body, int status = 200, Headers headers = {}) {
    HttpResponse response;
    response.status = status;
    response.headers = std::move(headers);
    if (!response.header("content-type")) response.headers.emplace_back("content-type", "application/json");
    response.headers.emplace_back("content-length", std::to_string(body.size()));
    response.bytes = static_cast<std::int64_t>(body.size());
    response.body = std::move(body);
    return response;
}

class RestTest : public ::testing::Test {
protected:
    RestTest() {
        request.connector = "shop";
        request.provider = "rest";
        request.config = {{"base_url", "https://shop.example/api"}};
        request.source = {{"path", "/items"}};
        request.run_started = clock.now();
        context.credential = [this](const std::string& reference) { return Secret(secrets.at(reference)); };
    }

    /// Answers in turn; the last one stays.
    void script(std::vector<HttpOutcome> answers) {
        auto left = std::make_shared<std::deque<HttpOutcome>>(answers.begin(), answers.end());
        http.answer = [left](const HttpRequest& asked) {
            HttpOutcome outcome = left->front();
            if (left->size() > 1) left->pop_front();
            if (auto* response = std::get_if<HttpResponse>(&outcome)) response->effective_url = asked.url;
            return outcome;
        };
    }
    std::unique_ptr<Source> open() {
        auto opened = rest::open_source(context, request);
        if (!opened.ok()) {
            ADD_FAILURE() << opened.error().message << " / " << opened.error().detail;
            return nullptr;
        }
        return std::move(opened).value();
    }
    /// All records, in order; the error that ended the reading is kept.
    std::vector<std::string> read_all() {
        source = open();
        std::vector<std::string> records;
        error = Error{};
        while (source) {
            auto page = source->next();
            if (!page.ok()) {
                error = page.error();
                break;
            }
            if (!page->has_value()) break;
            numbers.push_back((*page)->number);
            const auto& content = std::get<RecordPage>((*page)->content);
            for (std::size_t i = 0; i < content.size(); ++i) records.emplace_back(content.record(i));
        }
        return records;
    }
    [[nodiscard]] std::vector<std::string> urls() const {
        std::vector<std::string> all;
        for (const auto& asked : http.requests) all.push_back(asked.url.substr(asked.url.find("/api")));
        return all;
    }
    /// Everything of the error that a user sees.
    [[nodiscard]] std::string error_text() const { return error.message + "\n" + error.detail + "\n" + error.hint; }

    StillClock clock;
    StillWaiter waiter{clock};
    ScriptedHttp http;
    ScriptedRate rate;
    Redactor redactor;
    RunCounters counters;
    std::map<std::string, std::string> secrets;
    SourceContext context{clock, waiter, http, rate, redactor, counters, [] { return std::uint64_t{1} << 63U; },
                          {},    "42",   {},   {},   false};
    SourceRequest request;
    std::unique_ptr<Source> source;
    std::vector<std::int64_t> numbers;
    Error error;
};

using Texts = std::vector<std::string>;

}  // namespace pg_pull::test
