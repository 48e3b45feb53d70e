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
    const bool by_grant = parsed_auth.needs_grant();
    if (by_grant && context.grants == nullptr)
        return fail(Reason::not_connected, "connector \"" + name + "\" needs a connection");
    std::unique_ptr<Connector> made(new Connector(context, name, std::move(parsed), std::move(parsed_auth)));
    if (!by_grant && !made->auth_.credential_ref.empty()) made->credential_ = made->resolve(made->auth_.credential_ref);
    made->tls_.ca = made->config_.tls_ca;
    if (!made->config_.tls_client_cert_ref.empty()) {
        made->tls_.client_cert = context.credential(made->config_.tls_client_cert_ref);
        made->tls_.client_key = made->resolve(made->config_.tls_client_key_ref);
    }
    made->fill_values(config);
    if (by_grant)
        PG_PULL_CHECK(made->use(context.grants->current()));
    else
        PG_PULL_CHECK(made->render_base());
    return made;
}

Result<void> Connector::render_base() {
    PG_PULL_ASSIGN(base_url_, render_base_url(config_, values_));
    PG_PULL_ASSIGN(origins_, allowed_origins(config_, base_url_.text));
    return {};
}

Result<void> Connector::use(Grant grant) {
    context_.redactor.add(grant.credential);
    credential_ = std::move(grant.credential);
    generation_ = grant.generation;
    values_.set("connection", std::move(grant.fields));
    values_.set_secret("credential", credential_);
    values_.set_secret("token", "access_token", credential_);
    if (grant.username) {
        values_.set_secret("credential", "username", Secret(*grant.username));
        PG_PULL_ASSIGN(auth_.username, Template::compile("${credential.username}", "username"));
    }
    return render_base();
}

Result<void> Connector::renew(std::int64_t generation) {
    if (context_.grants == nullptr) return {};
    return use(context_.grants->renewed(generation));
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
    if (!context_.run_id.empty()) values_.set("run", {{"id", context_.run_id}});
    values_.set_secret("credential", credential_);
}

Result<HttpRequest> Connector::make_request(const RequestTemplate& request, RequestOverlay overlay) {
    if (context_.grants != nullptr) PG_PULL_CHECK(use(context_.grants->current()));
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
