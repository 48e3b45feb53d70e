// The pull worker: a dynamic background worker that serves one call and ends. It connects without a role; what touches the user's
// objects runs as their owner (see ActAs). FATAL runs no destructor: exit_early() tells the caller.

extern "C" {
#include "postgres.h"

#include <signal.h>

#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "tcop/tcopprot.h"
#include "utils/backend_status.h"
#include "utils/guc.h"

#include "pg/compat.h"

PGDLLEXPORT void pg_pull_worker_main(Datum argument);
PGDLLEXPORT void pg_pull_queue_main(Datum argument);
}

#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "pg/border.h"
#include "pg/locks.h"
#include "pg/pull_run.h"
#include "pg/request.h"
#include "pg/shared.h"
#include "pg/worker_context.h"
#include "pg/xact.h"

namespace pg_pull::pg {
namespace {

struct Pin {
    const char* name;
    const char* value;
};

/// What the database or its roles set must not change what a pull reads and writes.
constexpr Pin kPins[] = {
    {"TimeZone", "UTC"},
    {"DateStyle", "ISO, MDY"},
    {"IntervalStyle", "postgres"},
    {"client_encoding", "UTF8"},
    {"extra_float_digits", "1"},
    {"bytea_output", "hex"},
    {"xmloption", "content"},
    {"default_transaction_isolation", "read committed"},
    {"default_transaction_read_only", "off"},
    {"default_transaction_deferrable", "off"},
    {"row_security", "on"},
    {"session_replication_role", "origin"},
    {"check_function_bodies", "on"},
    {"statement_timeout", "0"},
    {"lock_timeout", "0"},
    {"idle_in_transaction_session_timeout", "0"},
    {"search_path", "pg_catalog, pg_temp"},
#if PG_VERSION_NUM >= 140000
    {"idle_session_timeout", "0"},
#endif
#if PG_VERSION_NUM >= 170000
    {"transaction_timeout", "0"},
#endif
};

void pin_settings(const std::string& title) {
    const std::string name = "pg_pull: " + title;
    const char* application = name.c_str();
    call([application] {
        StartTransactionCommand();  // for the encoding's conversion functions
        for (const Pin& pin : kPins) SetConfigOption(pin.name, pin.value, PGC_SUSET, PGC_S_SESSION);
        SetConfigOption("application_name", application, PGC_USERSET, PGC_S_SESSION);
        CommitTransactionCommand();
    });
}

const char* activity_of(RequestKind kind) {
    switch (kind) {
        case RequestKind::pull:
            return "pull";
        case RequestKind::preview:
            return "preview";
        case RequestKind::retry_rejects:
            return "retry of rejects";
        case RequestKind::suggest:
            return "suggestion";
        case RequestKind::callback:
            return "authorization";
        case RequestKind::revoke:
            return "revocation";
        case RequestKind::discover:
            return "discovery";
        case RequestKind::dispatch:
            return "call";
        case RequestKind::test:
            return "test";
    }
    return "call";
}

void report_activity(const SharedCall& shared) {
    const std::string text = std::string("pg_pull: ") + activity_of(shared.kind) + " of " + shared.progress.mapping;
    const char* activity = text.c_str();
    call([activity] { pgstat_report_activity(STATE_RUNNING, activity); });
}

/// before_shmem_exit: shared memory is still mapped. After the outcome was stored the segment may serve another worker already.
void exit_early(int, Datum argument) {
    auto* shared = reinterpret_cast<SharedCall*>(DatumGetPointer(argument));
    if (shared->worker_pid != MyProcPid || shared->state == CallState::done) return;
    shared->outcome = Outcome::died;
    shared->state = CallState::done;
    wake(shared->caller_pid);
}

nlohmann::json answer(CallSegment& segment, CallContext& context) {
    const nlohmann::json arguments = nlohmann::json::parse(segment.arguments());
    switch (segment->kind) {
        case RequestKind::preview:
            return execute_preview(context, arguments, segment->requester);
        case RequestKind::suggest:
            return execute_suggest(context, arguments, segment->requester);
        case RequestKind::callback:
            return execute_callback(context, arguments, segment->requester);
        case RequestKind::revoke:
            return execute_revoke(context, arguments, segment->requester);
        case RequestKind::discover:
            return execute_discover(context, arguments, segment->requester);
        case RequestKind::dispatch:
            return execute_dispatch(context, arguments, segment->requester);
        case RequestKind::test:
            return execute_test(context, arguments, segment->requester);
        case RequestKind::pull:
        case RequestKind::retry_rejects:
            break;
    }
    raise(Error{Reason::none, "XX000", "internal error: a run is not answered", {}, {}});
}

void serve(CallSegment& segment) {
    try {
        if (segment->kind == RequestKind::pull || segment->kind == RequestKind::retry_rejects)
            return serve_run(segment);
        CallContext context(*segment);
        context.waiter().check();
        publish_result(segment, answer(segment, context).dump());
    } catch (...) {
        write_error(*segment, explain(std::current_exception(), *segment));
        publish(segment, Outcome::error);
    }
}

void connect(SharedCall& shared) {
    call([&shared] {
        before_shmem_exit(exit_early, PointerGetDatum(&shared));
        BackgroundWorkerInitializeConnectionByOid(shared.database, InvalidOid, 0);
    });
}

void run_worker(unsigned handle) {
    auto segment = CallSegment::attach(handle);
    // the caller ended before this process began, or made its call with another build of the library
    if (!segment) return;
    segment->keep();  // exit_early() reads it
    (*segment)->worker_pid = MyProcPid;
    connect(**segment);
    pin_settings((*segment)->progress.mapping);
    report_activity(**segment);
    locks::announce(handle, locks::Duration::session);
    serve(*segment);
}

/// A call that no session made: it has no segment, nobody waits for it, and what goes wrong goes to the log.
class CallOfNobody {
public:
    CallOfNobody() : memory_(std::make_unique<unsigned char[]>(sizeof(SharedCall))) {
        shared_ = new (memory_.get()) SharedCall{};
        Transaction transaction;
        const Extension extension = Extension::current();
        shared_->extension = extension.oid;
        strlcpy(shared_->extension_version, extension.version.c_str(), sizeof(shared_->extension_version));
        transaction.commit();
    }
    [[nodiscard]] SharedCall& shared() { return *shared_; }

private:
    std::unique_ptr<unsigned char[]> memory_;  ///< the struct ends in a flexible array
    SharedCall* shared_;
};

void run_queue(unsigned database) {
    call([database] { BackgroundWorkerInitializeConnectionByOid(database, InvalidOid, 0); });
    pin_settings("revocations");
    CallOfNobody nobody;
    CallContext context(nobody.shared());
    execute_send_queued(context);
}

}  // namespace
}  // namespace pg_pull::pg

void pg_pull_worker_main(Datum argument) {
    pqsignal(SIGTERM, die);
    pqsignal(SIGHUP, SignalHandlerForConfigReload);
    BackgroundWorkerUnblockSignals();
    pg_pull::pg::enter([argument] { pg_pull::pg::run_worker(DatumGetUInt32(argument)); });
    proc_exit(0);
}

void pg_pull_queue_main(Datum argument) {
    pqsignal(SIGTERM, die);
    pqsignal(SIGHUP, SignalHandlerForConfigReload);
    BackgroundWorkerUnblockSignals();
    pg_pull::pg::enter([argument] { pg_pull::pg::run_queue(DatumGetObjectId(argument)); });
    proc_exit(0);
}
