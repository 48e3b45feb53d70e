#pragma once

#include "core/oauth/client.h"
#include "pg/catalog.h"
#include "pg/request.h"
#include "source/source_context.h"

namespace pg_pull::pg {

/// The authorization of a connector, ready to make requests: its secret resolved (and told to the redactor), its authorization
/// server's document fetched where it names one. Outside transactions; raises what is missing.
oauth::Client make_oauth_client(WorkerContext& context, SourceContext& source, const ConnectorRow& connector);

/// The same within a transaction and without a request: for a session that makes an address. The document comes from what was
/// fetched before; nothing where it is needed and was not.
std::optional<oauth::Client> local_oauth_client(const Extension& extension, const Clock& clock,
                                                const ConnectorRow& connector);

/// 64 unpredictable bits.
std::uint64_t random_bits();

}  // namespace pg_pull::pg
