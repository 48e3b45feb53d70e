#pragma once

// What a backend asks of a worker, and how the worker's side is reached. The transport (shared memory, waiting, cancelling,
// errors and notices carried over) is in call_worker.cpp and worker.cpp; what is done for each kind is in the files named below.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/waiter.h"
#include "core/run/source.h"
#include "pg/schema.h"

namespace pg_pull::pg {

enum class RequestKind : unsigned char {
    pull,           // execute_pull.cpp
    preview,        // execute_preview.cpp
    retry_rejects,  // execute_retry.cpp
    suggest,        // execute_suggest.cpp
    callback,       // execute_callback.cpp
    revoke,         // execute_revoke.cpp
    discover,       // execute_discover.cpp
    dispatch,       // execute_dispatch.cpp
    test,           // execute_dispatch.cpp
};

enum class RunPhase : unsigned char { starting, waiting, fetching, staging, applying };

struct SharedCall;

/// The run as the worker knows it. Made by worker.cpp for pull and retry_rejects.
struct RunHandle {
    std::int64_t run_id = 0;
    std::int64_t mapping_id = 0;
    int slice_id = 0;
    std::optional<std::string> organization;
    std::string started_at;  ///< ISO 8601, UTC, microseconds, "+00": `$pulled_at`
    WallTime started;
    bool full = false;
    bool allow_mass_delete = false;
};

/// The worker's side of one request, handed to the function that serves it.
class WorkerContext {
public:
    virtual ~WorkerContext() = default;
    [[nodiscard]] virtual Waiter& waiter() = 0;
    /// Copies the counters to shared memory for sync_progress: cheap, call it often.
    virtual void progress(RunPhase phase, const RunCounters& counters) = 0;
    /// A NOTICE that the waiting caller shows (and nobody where nobody waits).
    virtual void notice(const std::string& message, const std::string& hint) = 0;
    /// Within a transaction, before it commits: raises extension_changed unless extension oid and version are those of the start.
    virtual Extension checked_extension() = 0;
    /// Within the apply's transaction: writes the ended run row (succeeded) and queues its NOTIFY. `columns` are assignments
    /// column -> text value for sync_run_store (counters, watermark_to, error_detail …).
    virtual void end_run(const RunHandle& run,
                         const std::vector<std::pair<std::string, std::optional<std::string>>>& columns) = 0;
    /// Outside any transaction: corrects columns of the running row that are known only now (is_full, watermark_from, connection_id, organization_id).
    virtual void amend_run(const RunHandle& run,
                           const std::vector<std::pair<std::string, std::optional<std::string>>>& columns) = 0;
    /// What T! writes into the failed run row besides the error: the counters as last committed.
    /// The call's shared memory, for what shields itself from a cancel.
    [[nodiscard]] virtual SharedCall& shared() = 0;
    virtual void failed_counters(const std::vector<std::pair<std::string, std::optional<std::string>>>& columns) = 0;
};

/// Serves a pull that has its run row and its lock. Returns when the apply has committed; raises otherwise (the caller writes T!).
void execute_pull(WorkerContext& context, const RunHandle& run);
void execute_retry(WorkerContext& context, const RunHandle& run);
/// The others have no run: JSON in, JSON out. `requester` is the role that called.
nlohmann::json execute_preview(WorkerContext& context, const nlohmann::json& arguments, unsigned requester);
nlohmann::json execute_suggest(WorkerContext& context, const nlohmann::json& arguments, unsigned requester);
nlohmann::json execute_callback(WorkerContext& context, const nlohmann::json& arguments, unsigned requester);
nlohmann::json execute_revoke(WorkerContext& context, const nlohmann::json& arguments, unsigned requester);
/// Sends the revocations that wait, for a worker that nobody called.
void execute_send_queued(WorkerContext& context);
nlohmann::json execute_discover(WorkerContext& context, const nlohmann::json& arguments, unsigned requester);
nlohmann::json execute_dispatch(WorkerContext& context, const nlohmann::json& arguments, unsigned requester);
nlohmann::json execute_test(WorkerContext& context, const nlohmann::json& arguments, unsigned requester);

/// From a backend: starts a worker for a request without a run and waits for its answer. Arguments and answer as agreed with the
/// execute_ function. Raises what the worker raised, with its SQLSTATE, detail and hint.
/// `title` names the object in pg_stat_activity (a mapping or connector).
nlohmann::json call_worker(RequestKind kind, const nlohmann::json& arguments, const std::string& title = {});

}  // namespace pg_pull::pg
