#pragma once

#include <memory>

#include "source/registry.h"

namespace pg_pull::postgres {

/// `config` {"conninfo"} and `auth` (none, or basic whose credential_ref is the password). Judged as for a superuser: what
/// only they may say is refused to others when the connection is opened, and by check_conninfo.
Result<void> check_connector(const nlohmann::json& config, const nlohmann::json& auth);
Result<void> check_source(const nlohmann::json& config, const nlohmann::json& source, const nlohmann::json& pagination);

/// Nothing is connected before the first next(). One REPEATABLE READ snapshot, streamed with COPY. Pages are StagedPages where
/// the request names fields that need no encoder, records otherwise.
Result<std::unique_ptr<Source>> open_source(SourceContext& context, const SourceRequest& request);

inline constexpr Provider provider = {"postgres", check_connector, check_source, open_source, nullptr};

}  // namespace pg_pull::postgres
