#pragma once

#include <memory>

#include "core/run/source.h"
#include "pg/request.h"
#include "source/registry.h"

namespace pg_pull::pg {

/// The provider fdw: a table, foreign or local, or a query of this server, read as `owner` (the mapping's) with the settings
/// of AsOwner, and read only. The foreign side is waited for within one transaction, as any query on a foreign table does;
/// what it gives is spooled to a temporary file, and pages are handed on when that transaction has ended: one snapshot, memory
/// of about a page. Raises what the server raises. `context` and `counters` outlive the source.
std::unique_ptr<Source> open_fdw_source(WorkerContext& context, unsigned owner, const SourceRequest& request,
                                        RunCounters& counters);

}  // namespace pg_pull::pg
