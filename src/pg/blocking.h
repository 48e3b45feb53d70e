#pragma once

// Who waits for whom, where the server's deadlock detection cannot see it: a caller waits for its worker, or for the run that is
// in its way, on a latch. No server header is needed.

namespace pg_pull::pg {

/// Whether the process waits for a lock of the server. Cheap, takes no lock: ask it before blocked_by_me().
bool waits_for_lock(int pid);

/// Whether the process waits for something that only this session can give: a lock of ours, straight, through other sessions, or
/// through other calls whose callers wait for their workers. Takes all lock partitions for a moment: not oftener than every 200 ms.
/// A session in the middle may be about to give up, so look twice before you act. Raises PgError.
bool blocked_by_me(int pid);

}  // namespace pg_pull::pg
