#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "core/base/reason.h"

namespace pg_pull {

/// An expected failure, in the parts of a PostgreSQL error. Message: lower case, one line, no full stop. Detail: facts, in
/// full sentences, redacted by whoever puts text of a remote into it. Hint: what to do. An empty hint means the reason's remedy.
struct Error {
    Reason reason = Reason::none;
    std::string sqlstate;  ///< five characters; empty means the reason's default
    std::string message;
    std::string detail;
    std::string hint;
    std::string context{};  ///< where it happened, as the server tells it; empty for our own errors

    [[nodiscard]] std::string code() const { return sqlstate.empty() ? std::string(info(reason).sqlstate) : sqlstate; }
    Error&& with_detail(std::string text) && {
        detail = std::move(text);
        return std::move(*this);
    }
    Error&& with_hint(std::string text) && {
        hint = std::move(text);
        return std::move(*this);
    }
    Error&& with_code(std::string text) && {
        sqlstate = std::move(text);
        return std::move(*this);
    }
};

[[nodiscard]] inline Error fail(Reason reason, std::string message) {
    return Error{reason, {}, std::move(message), {}, {}};
}

/// A value, or the Error that kept it from being made (std::expected is C++23).
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return ok(); }
    [[nodiscard]] T& value() & { return std::get<0>(state_); }
    [[nodiscard]] const T& value() const& { return std::get<0>(state_); }
    [[nodiscard]] T&& value() && { return std::get<0>(std::move(state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    [[nodiscard]] Error& error() & { return std::get<1>(state_); }
    [[nodiscard]] const Error& error() const& { return std::get<1>(state_); }
    [[nodiscard]] Error&& error() && { return std::get<1>(std::move(state_)); }

private:
    std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] bool ok() const noexcept { return !error_.has_value(); }
    explicit operator bool() const noexcept { return ok(); }
    [[nodiscard]] Error& error() & { return *error_; }
    [[nodiscard]] const Error& error() const& { return *error_; }
    [[nodiscard]] Error&& error() && { return std::move(*error_); }

private:
    std::optional<Error> error_;
};

}  // namespace pg_pull

/// Returns from the enclosing function with the error of `expression`, or goes on.
#define PG_PULL_CHECK(expression)                                                                               \
    do {                                                                                                        \
        if (auto pg_pull_result = (expression); !pg_pull_result.ok()) return std::move(pg_pull_result).error(); \
    } while (false)

#define PG_PULL_CONCAT_(a, b) a##b
#define PG_PULL_CONCAT(a, b) PG_PULL_CONCAT_(a, b)
/// `PG_PULL_ASSIGN(auto x, make_x());` declares x, or returns with the error.
#define PG_PULL_ASSIGN(declaration, expression)                           \
    auto PG_PULL_CONCAT(pg_pull_try_, __LINE__) = (expression);           \
    if (!PG_PULL_CONCAT(pg_pull_try_, __LINE__).ok())                     \
        return std::move(PG_PULL_CONCAT(pg_pull_try_, __LINE__)).error(); \
    declaration = std::move(PG_PULL_CONCAT(pg_pull_try_, __LINE__)).value()
