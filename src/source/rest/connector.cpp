#include "source/rest/connector.h"

#include <utility>

#include "core/base/encoding.h"
#include "core/base/url.h"

namespace pg_pull::rest {
namespace {

/// RFC 9562 section 5.4.
std::string random_uuid(const SourceContext& context) {
    std::string bytes;
    for (int half = 0; half < 2; ++half) {
        const std::uint64_t bits = context.random();
        for (int shift = 56; shift >= 0; shift -= 8)
            bytes.push_back(static_cast<char>(bits >> static_cast<unsigned>(shift)));
    }
    bytes[6] = static_cast<char>((static_cast<unsigned char>(bytes[6]) & 0x0fU) | 0x40U);
    bytes[8] = static_cast<char>((static_cast<unsigned char>(bytes[8]) & 0x3fU) | 0x80U);
    const std::string hex = hex_encode(bytes);
    return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" + hex.substr(16, 4) + "-" +
           hex.substr(20);
}

/// What needs a stored connection cannot be served from a reference alone.
Result<void> check_servable(const AuthConfig& auth, const std::string& name) {
    const bool needs_grant = auth.type == AuthType::oauth2 || auth.type == AuthType::login;
    if (!needs_grant && !auth.per_connection) return {};
    return fail(Reason::invalid_configuration,
                "connector \"" + name + "\" needs a connection, which this version cannot use for pulls yet")
        .with_code("0A000");
}

}  // namespace

Connector::Connector(SourceContext& context, std::string name, RestConfig config, AuthConfig auth)
    : context_(context),
      name_(std::move(name)),
      config_(std::move(config)),
      auth_(std::move(auth)),
      values_(context.clock, [&context] { return random_uuid(context); }) {}

Result<std::unique_ptr<Connector>> Connector::open(SourceContext& context, const std::string& name,
                                                   const nlohmann::json& config, const nlohmann::json& auth) {
    PG_PULL_ASSIGN(auto parsed, parse_rest_config(config));
    PG_PULL_ASSIGN(auto parsed_auth, parse_auth(auth));
    PG_PULL_CHECK(check_servable(parsed_auth, name));
    std::unique_ptr<Connector> made(new Connector(context, name, std::move(parsed), std::move(parsed_auth)));
    if (!made->auth_.credential_ref.empty()) made->credential_ = made->resolve(made->auth_.credential_ref);
    made->tls_.ca = made->config_.tls_ca;
    if (!made->config_.tls_client_cert_ref.empty()) {
        made->tls_.client_cert = context.credential(made->config_.tls_client_cert_ref);
        made->tls_.client_key = made->resolve(made->config_.tls_client_key_ref);
    }
    made->fill_values(config);
    PG_PULL_ASSIGN(made->base_url_, render_base_url(made->config_, made->values_));
    PG_PULL_ASSIGN(made->origins_, allowed_origins(made->config_, made->base_url_.text));
    return made;
}

Secret Connector::resolve(const std::string& reference) const {
    Secret secret = context_.credential(reference);
    context_.redactor.add(secret);
    return secret;
}

void Connector::fill_values(const nlohmann::json& config) {
    nlohmann::json own = config.is_object() ? config : nlohmann::json::object();
    own["name"] = name_;
    values_.set("connector", std::move(own));
    values_.set("connection", context_.connection);
    if (!context_.run_id.empty()) values_.set("run", {{"id", context_.run_id}});
    values_.set_secret("credential", credential_);
}

Result<HttpRequest> Connector::make_request(const RequestTemplate& request, RequestOverlay overlay) const {
    RequestBase base;
    base.base_url = base_url_.text;
    base.base_url_secret = base_url_.secret;
    base.headers = {&config_.headers};
    base.query = {&config_.query};
    base.credential_origins = origins_;
    base.overlay = std::move(overlay);
    PG_PULL_ASSIGN(HttpRequest made, render_request(request, values_, base));
    PG_PULL_CHECK(apply_auth(auth_, credential_, values_, made));
    made.timeouts = config_.timeouts;
    made.tls = tls_;
    made.max_body_bytes = config_.max_page_bytes;
    made.private_addresses_allowed = context_.private_addresses_allowed;
    return made;
}

std::string shown_address(std::string_view url) {
    auto parsed = parse_url(url);
    if (!parsed.ok()) return "an address that is no URL";
    parsed->query.reset();
    parsed->fragment.reset();
    return parsed->to_string();
}

}  // namespace pg_pull::rest
