extern "C" {
#include "postgres.h"

#include "postmaster/bgworker.h"
}

#include "pg/worker_description.h"

namespace pg_pull::pg {

void describe_worker(BackgroundWorker* worker, const char* function, const char* title) noexcept {
    *worker = {};
    worker->bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
    worker->bgw_start_time = BgWorkerStart_RecoveryFinished;
    worker->bgw_restart_time = BGW_NEVER_RESTART;
    strlcpy(worker->bgw_library_name, "pg_pull", BGW_MAXLEN);
    strlcpy(worker->bgw_function_name, function, BGW_MAXLEN);
    strlcpy(worker->bgw_name, title, BGW_MAXLEN);
    strlcpy(worker->bgw_type, "pg_pull worker", BGW_MAXLEN);
}

}  // namespace pg_pull::pg
