#pragma once

#include <gtest/gtest.h>

#include <string>

#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/timestamp.h"
#include "core/request/context.h"

namespace pg_pull::test {

inline WallTime at(const char* text) { return parse_timestamp(text).value().time; }

class FrozenClock final : public Clock {
public:
    explicit FrozenClock(const char* text) : now_(at(text)) {}
    [[nodiscard]] WallTime now() const override { return now_; }
    [[nodiscard]] std::chrono::steady_clock::time_point steady() const override { return {}; }

private:
    WallTime now_;
};

/// A context with a bit of everything; `credential` is the secret "s3cr3t/+".
struct Context {
    FrozenClock clock{"2024-05-01T10:20:30.456789Z"};
    JsonContext values{clock, [] { return std::string("11111111-2222-4333-8444-555555555555"); }};

    Context() {
        values.set("connection", {{"subdomain", "acme"},
                                  {"name", "a b&c=d/é"},
                                  {"dots", ".."},
                                  {"host", "evil.example/x"},
                                  {"line", "a\r\nX-Evil: 1"},
                                  {"count", 42},
                                  {"flag", true},
                                  {"list", {"x", "y"}},
                                  {"nothing", nullptr},
                                  {"empty", ""}});
        values.set("watermark", "2024-04-30T00:00:00+00:00");
        values.set("parent", {{"id", 7}});
        values.set("headers", {{"x-next", "n1"}});
        values.set_secret("credential", Secret("s3cr3t/+"));
        values.set_secret("token", "access_token", Secret("tok"));
        values.set("token", {{"instance_url", "https://eu1.example.com"}});
    }
};

/// The value of a Result, or the test fails with its message.
template <class T>
T got(Result<T> result) {
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
    if (!result.ok()) return T{};
    return std::move(result).value();
}

template <class T>
std::string message_of(const Result<T>& result) {
    return result.ok() ? "(no error)" : result.error().message;
}

template <class T>
Reason reason_of(const Result<T>& result) {
    return result.ok() ? Reason::none : result.error().reason;
}

}  // namespace pg_pull::test
