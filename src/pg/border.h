#pragma once

// The border between PostgreSQL's errors (longjmp) and C++ exceptions. There are two gates and no third way:
//
//   enter  server -> C++: wraps every SQL function, worker main and callback of the server. Catches everything, lets all C++
//          scopes end, and only then raises.
//   call   C++ -> server: wraps each server call made while C++ objects live. Turns an ERROR into a PgError that carries the
//          whole ErrorData; enter raises it again unchanged.
//
// A caught PgError is thrown on, or the subtransaction in which it arose is rolled back (see Subtransaction in xact.h).
// FATAL and proc_exit run no destructor: nothing that matters may hang on one.
// No server header is needed to include this file.

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "core/base/error.h"

struct ErrorData;
struct FunctionCallInfoBaseData;

namespace pg_pull::pg {

/// An ERROR of the server on its way through C++ frames. Copies share one ErrorData.
class PgError final : public std::exception {
public:
    struct Holder;
    explicit PgError(std::shared_ptr<Holder> holder) noexcept : holder_(std::move(holder)) {}
    [[nodiscard]] const char* what() const noexcept override;
    [[nodiscard]] std::string sqlstate() const;
    [[nodiscard]] std::string message() const;
    [[nodiscard]] std::string detail() const;
    [[nodiscard]] std::string hint() const;
    [[nodiscard]] std::string context() const;
    [[nodiscard]] std::string column() const;      ///< column_name of the ErrorData, where the server gives one
    [[nodiscard]] std::string constraint() const;  ///< constraint_name, likewise
    /// In the parts of our own errors; without a reason.
    [[nodiscard]] Error to_error() const;
    [[nodiscard]] const std::shared_ptr<Holder>& holder() const noexcept { return holder_; }

private:
    std::shared_ptr<Holder> holder_;
};

/// An Error of the core on its way to enter.
class RaisedError final : public std::exception {
public:
    explicit RaisedError(Error error) : error_(std::move(error)) {}
    [[nodiscard]] const char* what() const noexcept override { return error_.message.c_str(); }
    [[nodiscard]] const Error& error() const noexcept { return error_; }

private:
    Error error_;
};

[[noreturn]] inline void raise(Error error) { throw RaisedError(std::move(error)); }

template <class T>
T unwrap(Result<T>&& result) {
    if (!result.ok()) raise(std::move(result).error());
    return std::move(result).value();
}
inline void unwrap(Result<void>&& result) {
    if (!result.ok()) raise(std::move(result).error());
}

namespace detail {
void call_raw(void (*function)(void*), void* argument);
std::uintptr_t enter_raw(std::uintptr_t (*function)(void*), void* argument);
}  // namespace detail

/// Runs `function`, which calls the server, and throws PgError where that raises. The frames between this and the server call
/// must own nothing with a destructor: keep the lambda to plain server calls and plain values.
template <class F>
auto call(F&& function) -> std::invoke_result_t<F> {
    using R = std::invoke_result_t<F>;
    using Fn = std::remove_reference_t<F>;
    if constexpr (std::is_void_v<R>) {
        detail::call_raw([](void* argument) { (*static_cast<Fn*>(argument))(); },
                         const_cast<void*>(static_cast<const void*>(&function)));
    } else {
        static_assert(std::is_trivially_copyable_v<R>, "a value with a destructor would leak when the server raises");
        struct Frame {
            Fn* function;
            R result;
        } frame{&function, R{}};
        detail::call_raw(
            [](void* argument) {
                auto* f = static_cast<Frame*>(argument);
                f->result = (*f->function)();
            },
            &frame);
        return frame.result;
    }
}

/// Runs C++ from a server frame; whatever it throws becomes an ERROR after all its scopes have ended.
template <class F>
std::uintptr_t enter(F&& function) {
    using Fn = std::remove_reference_t<F>;
    return detail::enter_raw(
        [](void* argument) -> std::uintptr_t {
            if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
                (*static_cast<Fn*>(argument))();
                return 0;
            } else {
                return (*static_cast<Fn*>(argument))();
            }
        },
        const_cast<void*>(static_cast<const void*>(&function)));
}

/// What any exception tells, as an Error: PgError keeps its parts, RaisedError too, made presentable(); others become XX000 / 53200.
[[nodiscard]] Error describe(const std::exception_ptr& exception);

}  // namespace pg_pull::pg

/// Defines the C entry point pgpull_<name> of an SQL function; `implementation` is `Datum f(FunctionCallInfo)` and may throw.
/// Needs postgres.h and fmgr.h.
#define PG_PULL_FUNCTION(name, implementation)                                             \
    extern "C" {                                                                           \
    PG_FUNCTION_INFO_V1(pgpull_##name);                                                    \
    Datum pgpull_##name(PG_FUNCTION_ARGS) {                                                \
        return pg_pull::pg::enter([fcinfo]() -> Datum { return implementation(fcinfo); }); \
    }                                                                                      \
    }
