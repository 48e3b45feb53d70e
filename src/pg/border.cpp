extern "C" {
#include "postgres.h"

#include "utils/elog.h"
#include "utils/memutils.h"
}

#include <new>

#include "core/base/error_text.h"
#include "pg/border.h"

namespace pg_pull::pg {

/// Owns the memory context that an ErrorData was copied into.
struct PgError::Holder {
    MemoryContext context = nullptr;
    ErrorData* data = nullptr;
    Holder() = default;
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;
    ~Holder() {
        if (context != nullptr) MemoryContextDelete(context);
    }
};

const char* PgError::what() const noexcept {
    return holder_->data->message != nullptr ? holder_->data->message : "server error";
}

namespace {
std::string text_of(const char* text) { return text != nullptr ? std::string(text) : std::string(); }
}  // namespace

std::string PgError::sqlstate() const { return unpack_sql_state(holder_->data->sqlerrcode); }
std::string PgError::message() const { return text_of(holder_->data->message); }
std::string PgError::detail() const { return text_of(holder_->data->detail); }
std::string PgError::hint() const { return text_of(holder_->data->hint); }
std::string PgError::context() const { return text_of(holder_->data->context); }
std::string PgError::column() const { return text_of(holder_->data->column_name); }
std::string PgError::constraint() const { return text_of(holder_->data->constraint_name); }

Error PgError::to_error() const {
    Error error;
    error.sqlstate = sqlstate();
    error.message = message();
    error.detail = detail();
    error.hint = hint();
    error.context = context();
    return error;
}

Error describe(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const PgError& error) {
        return error.to_error();
    } catch (const RaisedError& error) {
        return presentable(error.error());
    } catch (const std::bad_alloc&) {
        return Error{Reason::none, "53200", "out of memory", {}, {}};
    } catch (const std::exception& error) {
        return Error{Reason::none, "XX000", std::string("internal error: ") + error.what(), {}, {}};
    } catch (...) {
        return Error{Reason::none, "XX000", "internal error: unknown exception", {}, {}};
    }
}

namespace detail {
namespace {

/// Moves the pending server error out of the error state into a context of its own, so that it outlives the contexts that
/// unwinding destroys (SPI's, a portal's). Must run inside PG_CATCH, before anything else.
ErrorData* take_error(MemoryContext* context) {
    *context = AllocSetContextCreate(TopMemoryContext, "pg_pull error", ALLOCSET_SMALL_SIZES);
    MemoryContextSwitchTo(*context);
    ErrorData* data = CopyErrorData();
    FlushErrorState();
    return data;
}

}  // namespace

void call_raw(void (*function)(void*), void* argument) {
    MemoryContext before = CurrentMemoryContext;
    MemoryContext volatile context = nullptr;
    ErrorData* volatile data = nullptr;
    std::exception_ptr exception;  // empty unless `function` itself called back into C++ that threw

    PG_TRY();
    {
        // not noexcept-terminating: a longjmp passes, an exception is caught inside
        try {
            function(argument);
        } catch (...) {
            exception = std::current_exception();
        }
    }
    PG_CATCH();
    {
        MemoryContext made = nullptr;
        data = take_error(&made);
        context = made;
        MemoryContextSwitchTo(before);
    }
    PG_END_TRY();

    if (data != nullptr) {
        auto holder = std::make_shared<PgError::Holder>();
        holder->context = context;
        holder->data = data;
        throw PgError(std::move(holder));
    }
    if (exception) std::rethrow_exception(exception);
}

namespace {

/// What enter has to raise once every C++ object is gone: plain memory of the context that was current at entry.
struct Pending {
    ErrorData* server = nullptr;
    int code = 0;
    char* message = nullptr;
    char* detail = nullptr;
    char* hint = nullptr;
    char* context = nullptr;
};

char* keep(MemoryContext context, const std::string& text) {
    if (text.empty()) return nullptr;
    auto* copy = static_cast<char*>(MemoryContextAllocExtended(context, text.size() + 1, MCXT_ALLOC_NO_OOM));
    if (copy != nullptr) memcpy(copy, text.c_str(), text.size() + 1);
    return copy;
}

void fill(Pending* pending, MemoryContext context, const Error& error) {
    const std::string code = error.code();
    pending->code = MAKE_SQLSTATE(code[0], code[1], code[2], code[3], code[4]);
    pending->message = keep(context, error.message);
    std::string detail = error.detail;
    if (error.reason != Reason::none) {
        if (!detail.empty()) detail += ' ';
        detail += "Reason: ";
        detail += info(error.reason).name;
        detail += '.';
    }
    pending->detail = keep(context, detail);
    std::string hint = error.hint;
    if (hint.empty() && error.reason != Reason::none) {
        hint = info(error.reason).remedy;
        if (!hint.empty()) {
            hint[0] = static_cast<char>(pg_toupper(static_cast<unsigned char>(hint[0])));
            hint += '.';
        }
    }
    pending->hint = keep(context, hint);
    pending->context = keep(context, error.context);
}

/// Runs C++ and leaves nothing of it behind but `pending`.
std::uintptr_t run_to_pending(std::uintptr_t (*function)(void*), void* argument, Pending* pending, bool* raised) {
    MemoryContext context = CurrentMemoryContext;
    try {
        return function(argument);
    } catch (const PgError& error) {
        // the ErrorData goes over to the caller's context, which frees it when it is reset
        PgError::Holder& holder = *error.holder();
        MemoryContextSetParent(holder.context, context);
        pending->server = holder.data;
        holder.context = nullptr;
    } catch (...) {
        fill(pending, context, describe(std::current_exception()));
    }
    *raised = true;
    return 0;
}

}  // namespace

std::uintptr_t enter_raw(std::uintptr_t (*function)(void*), void* argument) {
    Pending pending;
    bool raised = false;
    const std::uintptr_t result = run_to_pending(function, argument, &pending, &raised);
    if (!raised) return result;
    if (pending.server != nullptr) ReThrowError(pending.server);
    ereport(ERROR, (errcode(pending.code),
                    errmsg_internal("%s", pending.message != nullptr ? pending.message : "out of memory"),
                    pending.detail != nullptr ? errdetail_internal("%s", pending.detail) : 0,
                    pending.hint != nullptr ? errhint("%s", pending.hint) : 0,
                    pending.context != nullptr ? (errcontext("%s", pending.context)) : 0));
    return 0;  // not reached
}

}  // namespace detail
}  // namespace pg_pull::pg
