#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/http.h"
#include "core/request/auth_config.h"
#include "core/request/connector_config.h"
#include "core/request/context.h"
#include "core/request/request.h"
#include "source/source_context.h"

namespace pg_pull::rest {

/// An HTTP connector ready for use: configuration read, credential resolved, base URL rendered. Every request of a provider is
/// made here, so that credential, limits, TLS and headers are the same for all of them. Lives within its SourceContext.
class Connector {
public:
    /// Resolves every credential reference at once (the server layer raises where one leads nowhere) and adds it to the redactor.
    static Result<std::unique_ptr<Connector>> open(SourceContext& context, const std::string& name,
                                                   const nlohmann::json& config, const nlohmann::json& auth);

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const RestConfig& config() const noexcept { return config_; }
    [[nodiscard]] const AuthConfig& auth() const noexcept { return auth_; }
    [[nodiscard]] SourceContext& context() const noexcept { return context_; }
    /// The values of templates; a source adds its own (`watermark`, `window`, `page`).
    [[nodiscard]] JsonContext& values() noexcept { return values_; }
    /// Who may get the credential, and where next links may lead. The first one is base_url's.
    [[nodiscard]] const std::vector<std::string>& origins() const noexcept { return origins_; }

    /// The request, ready to be sent. What `overlay` says wins. Asks for the grant anew, where there is one; raises by exception
    /// where it is not to be had.
    Result<HttpRequest> make_request(const RequestTemplate& request, RequestOverlay overlay);

    /// Of the grant that the last request was made with; 0: none.
    [[nodiscard]] std::int64_t generation() const noexcept { return generation_; }
    /// The remote refused the token of that generation: gets a newer one for the requests to come.
    Result<void> renew(std::int64_t generation);

private:
    Connector(SourceContext& context, std::string name, RestConfig config, AuthConfig auth);
    void fill_values(const nlohmann::json& config);
    Result<void> use(Grant grant);
    Result<void> render_base();
    Secret resolve(const std::string& reference) const;

    SourceContext& context_;
    std::string name_;
    RestConfig config_;
    AuthConfig auth_;
    JsonContext values_;
    Secret credential_;
    HttpTls tls_;
    RenderedText base_url_;
    std::vector<std::string> origins_;
    std::int64_t generation_ = 0;
};

/// `scheme://host/path` of a URL: its query may hold what nobody should read.
[[nodiscard]] std::string shown_address(std::string_view url);

}  // namespace pg_pull::rest
