#pragma once

// Getting a new access token, once, however many processes want one at the same moment.
//
//   want ─▶ [lock free?] ─no─▶ look again soon: somebody else refreshes, and his token will do
//              │ yes
//              ▼
//   read anew ─ newer than what was refused? ─▶ that one
//              │
//              ▼ intent (refresh_started_at) written over the generation that was read                      commit
//   send ─▶ answer ─▶ token written over that generation, intent cleared                                     commit
//              ├─ refused: looked at once more; then reconnect_required
//              ├─ out of order (5xx, 429, not reached): nothing marked, nobody asks again before retry_at
//              └─ no word: the intent stays. Who finds it without its worker tries once with the stored token;
//                 if that fails too, reconnect_required with the reason refresh_in_doubt
//
// From the intent to the commit a cancel does not stop the worker.

#include "core/oauth/client.h"
#include "pg/request.h"
#include "pg/source_session.h"
#include "pg/token_holder.h"

namespace pg_pull::pg {

/// The record with a token that is newer than `refused` (a generation; nothing: one that has not expired). Outside transactions.
/// Raises reconnect_required, refresh_in_doubt, connector_misconfigured, dormant, upstream_not_ok, network.
TokenRecord refresh_token(WorkerContext& context, SourceContext& source, oauth::Client& client,
                          const ConnectorRow& connector, TokenHolder& holder, std::optional<std::int64_t> refused);

/// The stored token may be used as it is.
[[nodiscard]] bool is_fresh(const oauth::Client& client, const TokenRecord& record, WallTime now);

/// Writes of a token transaction survive a crash, whatever synchronous_commit is set to.
void commit_durably();

}  // namespace pg_pull::pg
