#pragma once

// A call as its caller sees it: a worker is started, waited for, and taken along when the caller is cancelled or ends. What the
// worker raised is raised, what it told is shown. No server header is needed.

#include <cstdint>
#include <optional>
#include <string>

#include "pg/pull_arguments.h"
#include "pg/request.h"
#include "pg/run_row.h"
#include "pg/shared.h"

namespace pg_pull::pg {

enum class IfRunning : unsigned char { error, wait, skip };

/// Runs a pull or a retry, and returns its row: the ended one, or (arguments.wait == false) the running one.
/// Raises what the run raised; already_running, worker_unavailable, caller_holds_lock, worker_died; and cancels of the caller.
/// Reads nothing of the database, so it may run without a snapshot. Interruptible.
RunRow call_run(const CallRequest& request, const PullArguments& arguments, IfRunning if_running);

/// The parts of a request that say who asks and for which extension.
CallRequest request_from(const Extension& extension, RequestKind kind);

}  // namespace pg_pull::pg
