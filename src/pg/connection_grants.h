#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/oauth/client.h"
#include "pg/catalog.h"
#include "pg/connection_store.h"
#include "pg/request.h"
#include "pg/token_holder.h"
#include "source/grant.h"
#include "source/source_context.h"

namespace pg_pull::pg {

/// The grant of dispatch and of pulls, for one entry and one organization (nothing: the only one that is connected). Each asking
/// reads anew which row answers, and what is stored in it: nothing is kept between requests. Lives within its SourceContext.
class ConnectionGrants final : public GrantSource {
public:
    /// `role` must be allowed to use connector and organization.
    ConnectionGrants(WorkerContext& context, SourceContext& source, const ConnectorRow& connector,
                     std::optional<std::string> organization, unsigned role);
    ~ConnectionGrants() override;

    Grant current() override;
    Grant renewed(std::int64_t generation) override;
    /// After the first asking: the row that answered, and its organization; nothing where the connector's credential is its own.
    [[nodiscard]] const std::optional<std::string>& connection_id() const noexcept { return connection_id_; }
    [[nodiscard]] const std::optional<std::string>& organization() const noexcept { return organization_; }

private:
    std::unique_ptr<TokenHolder> find_holder(const Extension& extension);
    Grant fixed(const OwnCredential& own, TokenRecord record);
    Grant token(TokenHolder& holder, TokenRecord record, std::optional<std::int64_t> refused);
    Grant grant(std::optional<std::int64_t> refused);
    oauth::Client& client();

    WorkerContext& context_;
    SourceContext& source_;
    ConnectorRow connector_;
    AuthConfig auth_;
    std::optional<std::string> organization_;
    unsigned role_;
    std::optional<std::string> connection_id_;
    std::unique_ptr<oauth::Client> client_;
};

}  // namespace pg_pull::pg
