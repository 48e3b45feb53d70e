#pragma once

// A run in its worker: slot, lock and T0, the work itself, its end. No server header is needed.

#include <string_view>

#include "pg/shared.h"

namespace pg_pull::pg {

/// Serves a call of kind pull or retry_rejects up to its outcome. A failure that left no run row is raised.
void serve_run(CallSegment& segment);

/// The last word of the worker: drops its announcement and its slot, so that the caller finds them free, then stores the
/// outcome, whose texts are in place, and wakes the caller.
void publish(CallSegment& segment, Outcome outcome);
/// The same for a result of any size: a large one stays until the caller has taken it.
void publish_result(CallSegment& segment, std::string_view text);

}  // namespace pg_pull::pg
