#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/http.h"
#include "core/paging/rate_limit.h"
#include "core/paging/retry.h"
#include "core/request/error_rules.h"
#include "core/request/request.h"
#include "core/request/template.h"

namespace pg_pull {

/// `config` of a connector of the HTTP providers.
struct RestConfig {
    std::optional<Template> base_url;  ///< always there for rest
    std::vector<std::string> origins;  ///< normalised, further ones that may get the credential
    ParameterList headers;
    ParameterList query;
    HttpTimeouts timeouts;
    RetryConfig retry;
    std::optional<RateLimit> rate_limit;
    int max_concurrency = 1;
    std::int64_t max_page_bytes = 256LL << 20;
    std::string tls_ca;  ///< PEM
    std::string tls_client_cert_ref;
    std::string tls_client_key_ref;
    std::vector<ErrorRule> errors;
    std::optional<ResetHeader> reset_header;
    nlohmann::json pagination;         ///< null: none; already checked
    nlohmann::json spec;               ///< openapi: document or URL
    std::optional<Template> url;       ///< mcp
    std::vector<std::string> include;  ///< mcp
};

enum class HttpProvider : unsigned char { rest, openapi, mcp };

/// Checks every key and value; errors name the key (`config "retry.max"`). A credential that stands in it literally is refused.
Result<RestConfig> parse_rest_config(const nlohmann::json& config, HttpProvider provider = HttpProvider::rest);

/// The base URL with its templates filled in: absolute, without fragment.
Result<RenderedText> render_base_url(const RestConfig& config, const TemplateContext& context);

/// Who may get the credential: the origin of `base_url` and the listed ones.
Result<std::vector<std::string>> allowed_origins(const RestConfig& config, std::string_view base_url);

}  // namespace pg_pull
