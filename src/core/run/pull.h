#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/mapping/encoder.h"
#include "core/run/source.h"
#include "core/run/target.h"

namespace pg_pull {

struct PullOptions {
    bool full = false;
    bool allow_mass_delete = false;
    /// Called when a phase begins and after each page; the counters are those of the source, kept by the caller.
    std::function<void()> fetching = [] {};
    std::function<void()> staging = [] {};
    std::function<void()> applying = [] {};
};

struct PullResult {
    ApplySummary summary;
    bool complete = false;
};

/// One pull from the first page to the applied rows. The next page is under way while the one before is landed: a source asks
/// for it before next() returns. Nothing of the target changes unless this succeeds. `counters` are shared with the source,
/// which keeps all but records_read and rows_rejected. `encoder` is null for a source that makes its lines itself.
Result<PullResult> run_pull(Source& source, RecordEncoder* encoder, Target& target, RunCounters& counters,
                            const PullOptions& options);

}  // namespace pg_pull
