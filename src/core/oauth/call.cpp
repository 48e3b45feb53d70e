#include "core/oauth/call.h"

#include <algorithm>

#include "core/base/encoding.h"
#include "core/base/url.h"
#include "core/oauth/jwt.h"
#include "core/oauth/pkce.h"

namespace pg_pull::oauth {
namespace {

using nlohmann::json;

/// Tokens and metadata are small; whoever sends more means no good.
constexpr std::int64_t kMostAnswerBytes = 1LL << 20;

bool is_queried(const std::string& method) { return method == "GET" || method == "HEAD"; }

Error no_client(const Client& client, const std::string& what) {
    return fail(Reason::credential_unresolved, "connector \"" + client.connector + "\" has no " + what);
}

bool names_parameter(const ParameterList& list, const std::string& name) {
    return std::any_of(list.begin(), list.end(), [&name](const NamedTemplates& entry) { return entry.name == name; });
}

}  // namespace

std::string client_id_of(const Client& client, const Holder& holder) {
    if (holder.client_id) return *holder.client_id;
    return client.auth.oauth2 ? client.auth.oauth2->client_id : std::string();
}

const Secret& client_secret_of(const Client& client, const Holder& holder) {
    return holder.client_secret.empty() ? client.secret : holder.client_secret;
}

JsonContext make_context(const Client& client, const Holder& holder) {
    JsonContext context(*client.clock, [random = client.random] { return make_uuid(random); });
    json document = client.document.is_object() ? client.document : json::object();
    document["name"] = client.connector;
    if (const std::string id = client_id_of(client, holder); !id.empty()) document["client_id"] = id;
    context.set("connector", std::move(document));
    context.set("connection", holder.fields);
    Secret credential = client_secret_of(client, holder);
    if (client.auth.type == AuthType::login) {
        if (!holder.password.empty()) credential = holder.password;
        if (!holder.key.empty()) credential = holder.key;
    }
    context.set_secret("credential", "password", holder.password.empty() ? credential : holder.password);
    context.set_secret("credential", std::move(credential));
    if (holder.username) context.set("credential", "username", TemplateValue::of_text(*holder.username));
    context.set_secret("token", holder.token);
    context.set_secret("token", "access_token", holder.token);
    context.set_secret("token", "refresh_token", holder.refresh_token);
    return context;
}

Result<std::string> Call::base_url() const {
    PG_PULL_ASSIGN(auto base, render_base_url(client_.config, context_));
    return std::move(base.text);
}

/// Finds the origin that the request goes to, and whether that may be.
Result<void> Call::locate() {
    if (!request_.url && !request_.path) {
        if (endpoint_.empty())
            return fail(Reason::invalid_configuration,
                        "connector \"" + client_.connector + "\" has no address for this request")
                .with_hint("Write it into auth, or name an issuer whose metadata has it.");
        PG_PULL_ASSIGN(const std::string origin, origin_of(endpoint_));
        base_.base_url = endpoint_;
        base_.credential_origins = {origin};
        return {};
    }
    if (request_.path) {
        PG_PULL_ASSIGN(base_.base_url, base_url());
        PG_PULL_ASSIGN(const std::string origin, origin_of(base_.base_url));
        base_.credential_origins = {origin};
        return {};
    }
    PG_PULL_ASSIGN(const auto rendered, request_.url->render(context_, Place::url));
    if (!rendered)
        return fail(Reason::invalid_configuration, "the address has no value for \"" + request_.url->source() + "\"");
    PG_PULL_ASSIGN(const std::string origin, origin_of(rendered->text));
    base_.credential_origins = {origin};
    if (!request_.url->source().starts_with("${")) return {};
    PG_PULL_ASSIGN(const std::string base, base_url());
    PG_PULL_ASSIGN(const auto listed, allowed_origins(client_.config, base));
    return check_origin(rendered->text, listed);
}

Result<std::string> Call::address() {
    PG_PULL_CHECK(locate());
    RequestTemplate bare;
    bare.url = request_.url;
    bare.path = request_.path;
    PG_PULL_ASSIGN(const HttpRequest request, render_request(bare, context_, base_));
    PG_PULL_ASSIGN(Url url, parse_url(request.url));
    url.query.reset();
    return url.to_string();
}

Result<void> Call::authenticate(ClientAuth fallback) {
    const std::string id = client_id_of(client_, holder_);
    const Secret& secret = client_secret_of(client_, holder_);
    ClientAuth how = request_.client_auth != ClientAuth::unset ? request_.client_auth : fallback;
    const bool is_secret_due = !client_.auth.credential_ref.empty() || how == ClientAuth::basic ||
                               how == ClientAuth::basic_encoded || how == ClientAuth::private_key_jwt;
    if (how == ClientAuth::unset) how = secret.empty() && !is_secret_due ? ClientAuth::none : ClientAuth::body;
    const bool secret_left_out = how == ClientAuth::none || (how == ClientAuth::body && !sent_name("client_secret"));
    if (secret.empty() && !secret_left_out) return no_client(client_, "client secret");
    const bool id_left_out = how == ClientAuth::basic || how == ClientAuth::basic_encoded || !sent_name("client_id");
    if (id.empty() && !(id_left_out && how != ClientAuth::basic_encoded && how != ClientAuth::basic))
        return no_client(client_, "client id");
    if (!id_left_out) add("client_id", id);
    const std::string plain(secret.reveal());
    switch (how) {
        case ClientAuth::basic:
            authorization_ = "Basic " + base64_encode(id + ":" + plain);
            break;
        case ClientAuth::basic_encoded:
            authorization_ = "Basic " + base64_encode(form_encode(id) + ":" + form_encode(plain));
            break;
        case ClientAuth::private_key_jwt: {
            PG_PULL_ASSIGN(const std::string audience, address());
            PG_PULL_ASSIGN(const Secret assertion,
                           client_assertion(secret, id, audience, client_.clock->now(), make_uuid(client_.random)));
            add("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
            add("client_assertion", std::string(assertion.reveal()), true);
            break;
        }
        case ClientAuth::body:
            add("client_secret", plain, true);
            break;
        case ClientAuth::none:
        case ClientAuth::unset:
            break;
    }
    return {};
}

void Call::authenticate_as(std::string_view user, const Secret& password) {
    authorization_ = "Basic " + base64_encode(std::string(user) + ":" + std::string(password.reveal()));
}

std::optional<std::string> Call::sent_name(const std::string& name) const {
    const auto found = request_.params.find(name);
    return found == request_.params.end() ? std::optional(name) : found->second;
}

bool Call::has_header(std::string_view name) const {
    return std::any_of(request_.headers.begin(), request_.headers.end(),
                       [name](const NamedTemplates& entry) { return equals_ignoring_case(entry.name, name); });
}

Result<void> Call::put_into_url(HttpRequest& request) {
    PG_PULL_ASSIGN(Url url, parse_url(request.url));
    for (const StandardParameter& parameter : standard_) {
        const auto name = sent_name(parameter.name);
        const bool is_kept = std::find(kept_.begin(), kept_.end(), parameter.name) != kept_.end();
        if (!name || (!is_kept && names_parameter(request_.query, *name))) continue;
        set_query_parameter(url, *name, parameter.value);
        request.credential_in_url_or_body = request.credential_in_url_or_body || parameter.secret;
    }
    request.url = url.to_string();
    return {};
}

Result<void> Call::put_into_body(HttpRequest& request) {
    const bool is_json = request_.format == BodyFormat::json;
    bool secret = false;
    if (request_.body && request_.body->is_text()) {
        PG_PULL_ASSIGN(auto text, request_.body->render_text(context_, is_json ? Place::json_string : Place::form));
        request.body = std::move(text.text);
        secret = text.secret;
    } else {
        json body = json::object();
        json own = json::object();
        if (request_.body) {
            PG_PULL_ASSIGN(own, request_.body->render(context_, secret));
        }
        for (const StandardParameter& parameter : standard_) {
            const auto name = sent_name(parameter.name);
            if (!name) continue;
            body[*name] = parameter.value;
            if (std::find(kept_.begin(), kept_.end(), parameter.name) != kept_.end() && own.is_object())
                own.erase(*name);
            secret = secret || parameter.secret;
        }
        if (own.is_object()) {
            for (const auto& item : own.items()) {
                if (item.value().is_null())
                    body.erase(item.key());
                else
                    body[item.key()] = item.value();
            }
        } else {
            body = std::move(own);  // a list has no place for names
        }
        if (body.empty() && !request_.body) return {};
        request.body = is_json ? dump_body(body) : form_text(body);
    }
    request.credential_in_url_or_body = request.credential_in_url_or_body || secret;
    if (!has_header("content-type"))
        request.headers.emplace_back("Content-Type",
                                     is_json ? "application/json" : "application/x-www-form-urlencoded");
    return {};
}

void Call::finish(HttpRequest& request) const {
    if (!has_header("accept"))
        for (auto& [name, value] : request.headers)
            if (equals_ignoring_case(name, "accept")) value = "application/json";
    request.timeouts = client_.config.timeouts;
    request.tls = client_.tls;
    request.max_body_bytes = kMostAnswerBytes;
    request.max_redirects = 0;  // no secret goes where an answer points to
    request.private_addresses_allowed = client_.private_addresses_allowed;
}

/// What the connector sends with every request goes to its own origins only.
Result<void> Call::allow_api() {
    PG_PULL_ASSIGN(const std::string base, base_url());
    PG_PULL_ASSIGN(const auto own, allowed_origins(client_.config, base));
    if (std::find(own.begin(), own.end(), base_.credential_origins.front()) == own.end()) return {};
    base_.headers = {&client_.config.headers};
    base_.query = {&client_.config.query};
    return {};
}

Result<HttpRequest> Call::make() {
    PG_PULL_CHECK(locate());
    if (api_call_) PG_PULL_CHECK(allow_api());
    RequestTemplate bare = request_;
    bare.body.reset();
    if (bare.method.empty()) bare.method = !api_call_ || request_.body ? "POST" : "GET";
    PG_PULL_ASSIGN(HttpRequest request, render_request(bare, context_, base_));
    if (is_queried(bare.method) && !(api_call_ && request_.body))
        PG_PULL_CHECK(put_into_url(request));
    else
        PG_PULL_CHECK(put_into_body(request));
    if (!authorization_.empty() && !has_header("authorization"))
        request.credential_headers.emplace_back("Authorization", authorization_);
    finish(request);
    PG_PULL_CHECK(check_credential_origin(request));
    return request;
}

Result<std::string> Call::make_url() {
    PG_PULL_CHECK(locate());
    RequestTemplate bare;
    bare.url = request_.url;
    bare.path = request_.path;
    bare.query = request_.query;
    PG_PULL_ASSIGN(HttpRequest request, render_request(bare, context_, base_));
    PG_PULL_CHECK(put_into_url(request));
    if (request.credential_in_url_or_body)
        return fail(Reason::invalid_configuration,
                    "connector \"" + client_.connector + "\" would show a credential on its consent page")
            .with_hint("Take it out of auth \"authorize\".");
    if (!request_.url) return std::move(request.url);
    // Pages that route by fragment read the parameters behind it.
    PG_PULL_ASSIGN(const auto rendered, request_.url->render(context_, Place::url));
    PG_PULL_ASSIGN(const Url given, parse_url(rendered->text));
    if (!given.fragment || given.fragment->empty()) return std::move(request.url);
    PG_PULL_ASSIGN(Url url, parse_url(request.url));
    const auto query = std::exchange(url.query, std::nullopt);
    return url.to_string() + "#" + *given.fragment + (query ? "?" + *query : std::string());
}

}  // namespace pg_pull::oauth
