#include "core/oauth/discovery.h"

#include "core/base/url.h"

namespace pg_pull::oauth {
namespace {

using nlohmann::json;

constexpr std::string_view kWellKnown = "/.well-known/";

Result<std::string> read_endpoint(const json& document, const char* key, bool https_only) {
    const auto found = document.find(key);
    if (found == document.end() || found->is_null()) return std::string();
    const auto refused = [key](const std::string& why) {
        return fail(Reason::connector_misconfigured,
                    "the authorization server's metadata has an unusable \"" + std::string(key) + "\"")
            .with_detail(why);
    };
    if (!found->is_string()) return refused("It is no string.");
    auto url = parse_url(found->get_ref<const std::string&>());
    if (!url.ok()) return refused("It is no URL.");
    // A secret would leave in the clear.
    if (https_only && url->scheme != "https") return refused("It is not https, as the issuer is.");
    return url->to_string();
}

}  // namespace

Result<Discovery> parse_discovery(const json& document, std::string_view issuer_asked) {
    if (!document.is_object())
        return fail(Reason::connector_misconfigured, "the authorization server's metadata is not a JSON object");
    Discovery result;
    if (const auto issuer = document.find("issuer"); issuer != document.end() && issuer->is_string())
        result.issuer = issuer->get<std::string>();
    // Byte for byte: a slash at the end makes another issuer.
    if (result.issuer.empty() || (!issuer_asked.empty() && result.issuer != issuer_asked))
        return fail(Reason::issuer_mismatch, "the authorization server's metadata is that of another issuer")
            .with_detail("The issuer asked for is \"" + std::string(issuer_asked) + "\".")
            .with_hint("Name the issuer in auth exactly as its metadata does.");
    const bool https_only = result.issuer.starts_with("https://");
    PG_PULL_ASSIGN(result.authorization_endpoint, read_endpoint(document, "authorization_endpoint", https_only));
    PG_PULL_ASSIGN(result.token_endpoint, read_endpoint(document, "token_endpoint", https_only));
    PG_PULL_ASSIGN(result.revocation_endpoint, read_endpoint(document, "revocation_endpoint", https_only));
    PG_PULL_ASSIGN(result.introspection_endpoint, read_endpoint(document, "introspection_endpoint", https_only));
    PG_PULL_ASSIGN(result.userinfo_endpoint, read_endpoint(document, "userinfo_endpoint", https_only));
    const auto promised = document.find("authorization_response_iss_parameter_supported");
    result.iss_in_callback = promised != document.end() && *promised == json(true);
    return result;
}

std::string issuer_asked(const AuthConfig& auth) {
    if (!auth.oauth2) return {};
    if (!auth.oauth2->issuer.empty()) return auth.oauth2->issuer;
    const std::string& url = auth.oauth2->discovery;
    const std::size_t at = url.find(kWellKnown);
    if (at == std::string::npos) return {};
    const std::size_t path = url.find('/', at + kWellKnown.size());
    return url.substr(0, at) + (path == std::string::npos ? std::string() : url.substr(path));
}

Result<void> check_issuer(const AuthConfig& auth, const std::optional<Discovery>& discovery,
                          const std::optional<std::string>& iss) {
    std::string known = auth.oauth2 ? auth.oauth2->issuer : std::string();
    if (known.empty() && discovery) known = discovery->issuer;
    if (known.empty()) return {};
    if (!iss) {
        if (!discovery || !discovery->iss_in_callback) return {};
        return fail(Reason::issuer_mismatch, "the callback does not say which issuer it comes from")
            .with_detail("Callbacks of \"" + known + "\" do.");
    }
    if (*iss == known) return {};
    return fail(Reason::issuer_mismatch, "the callback comes from another issuer than \"" + known + "\"");
}

}  // namespace pg_pull::oauth
