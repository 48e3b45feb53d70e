#include <algorithm>

#include "core/base/encoding.h"
#include "core/base/url.h"
#include "core/request/auth_config.h"

namespace pg_pull {
namespace {

/// Answers `credential` itself, and `token` for a type that gets tokens, and asks the given context for the rest.
class CredentialContext final : public TemplateContext {
public:
    CredentialContext(const TemplateContext& outer, const Secret& credential, bool is_token)
        : outer_(outer), credential_(credential), is_token_(is_token) {}

    [[nodiscard]] std::optional<TemplateValue> lookup(std::span<const std::string> path) const override {
        const bool is_own = path.size() == 1 && (path[0] == "credential" || (is_token_ && path[0] == "token"));
        if (is_own || (is_token_ && path.size() == 2 && path[0] == "token" && path[1] == "access_token"))
            return TemplateValue::of_text(std::string(credential_.reveal()), true);
        return outer_.lookup(path);
    }
    [[nodiscard]] WallTime now() const override { return outer_.now(); }
    [[nodiscard]] std::string uuid() const override { return outer_.uuid(); }

private:
    const TemplateContext& outer_;
    const Secret& credential_;
    bool is_token_;
};

void remove_header(Headers& headers, std::string_view name) {
    headers.erase(std::remove_if(headers.begin(), headers.end(),
                                 [name](const auto& header) { return equals_ignoring_case(header.first, name); }),
                  headers.end());
}

void put_header(HttpRequest& request, const std::string& name, std::string value) {
    remove_header(request.headers, name);
    remove_header(request.credential_headers, name);
    request.credential_headers.emplace_back(name, std::move(value));
}

bool is_form(const HttpRequest& request) {
    const auto is_type = [](const auto& header) {
        return equals_ignoring_case(header.first, "content-type") &&
               ascii_lower(header.second).starts_with("application/x-www-form-urlencoded");
    };
    return std::any_of(request.headers.begin(), request.headers.end(), is_type);
}

/// Into the text, not through a tree: numbers of the body keep their digits.
Result<void> put_into_json(HttpRequest& request, const std::string& name, const std::string& value) {
    const std::string member = dump_body(nlohmann::json(name)) + ":" + dump_body(nlohmann::json(value));
    if (request.body.empty()) {
        request.body = "{" + member + "}";
        request.headers.emplace_back("Content-Type", "application/json");
        return {};
    }
    const std::size_t open = request.body.find_first_not_of(" \t\r\n");
    if (open == std::string::npos || request.body[open] != '{')
        return fail(Reason::invalid_configuration,
                    "the credential cannot be put into a body that is not a JSON object");
    const std::size_t next = request.body.find_first_not_of(" \t\r\n", open + 1);
    const bool is_empty = next != std::string::npos && request.body[next] == '}';
    request.body.insert(open + 1, is_empty ? member : member + ",");
    return {};
}

Result<void> put_into_body(HttpRequest& request, const std::string& name, const std::string& value) {
    request.credential_in_url_or_body = true;
    if (!is_form(request)) return put_into_json(request, name, value);
    if (!request.body.empty()) request.body.push_back('&');
    request.body.append(form_encode(name)).append("=").append(form_encode(value));
    return {};
}

Result<void> put(const CredentialUse& use, const TemplateContext& context, HttpRequest& request) {
    const bool in_header = use.in == CredentialUse::In::header;
    PG_PULL_ASSIGN(auto rendered, use.value.render(context, in_header ? Place::header : Place::query));
    if (!rendered)
        return fail(Reason::credential_unresolved, "auth \"value\" has no value for \"" + use.value.source() + "\"");
    if (in_header) {
        put_header(request, use.name, std::move(rendered->text));
        return {};
    }
    if (use.in == CredentialUse::In::body) return put_into_body(request, use.name, rendered->text);
    PG_PULL_ASSIGN(Url url, parse_url(request.url));
    set_query_parameter(url, use.name, rendered->text);
    request.url = url.to_string();
    request.credential_in_url_or_body = true;
    return {};
}

Result<void> put_basic(const AuthConfig& auth, const Secret& credential, const TemplateContext& context,
                       HttpRequest& request) {
    std::string user;
    bool user_is_credential = false;
    if (auth.username) {
        PG_PULL_ASSIGN(const auto rendered, auth.username->render(context, Place::text));
        if (!rendered) return fail(Reason::credential_unresolved, "auth \"username\" has no value");
        user = rendered->text;
        user_is_credential = auth.username->uses("credential");
    }
    // RFC 7617 section 2: the first colon ends the user name.
    if (user.find(':') != std::string::npos)
        return fail(Reason::invalid_configuration,
                    "auth \"username\" holds a colon, which basic authentication cannot send");
    const std::string password = user_is_credential ? std::string() : std::string(credential.reveal());
    put_header(request, "Authorization", "Basic " + base64_encode(user + ":" + password));
    return {};
}

Result<void> check_credential(const Secret& credential) {
    if (credential.empty()) return fail(Reason::credential_unresolved, "the connector's credential is empty");
    for (const char c : credential.reveal())
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
            return fail(Reason::invalid_configuration,
                        "the connector's credential holds a line break or control character")
                .with_hint("Store it again without the line break at its end.");
    return {};
}

}  // namespace

Result<void> apply_auth(const AuthConfig& auth, const Secret& credential, const TemplateContext& context,
                        HttpRequest& request) {
    if (auth.type == AuthType::none) return check_credential_origin(request);
    PG_PULL_CHECK(check_credential(credential));
    PG_PULL_CHECK(check_origin(request.url, request.credential_origins));
    const CredentialContext with_credential(context, credential, auth.can_refresh());
    switch (auth.type) {
        case AuthType::none:
            break;
        case AuthType::oauth2:
            if (auth.oauth2 && auth.oauth2->use) return put(*auth.oauth2->use, with_credential, request);
            [[fallthrough]];
        case AuthType::bearer:
            put_header(request, "Authorization", "Bearer " + std::string(credential.reveal()));
            break;
        case AuthType::api_key:
            return put(*auth.api_key, with_credential, request);
        case AuthType::basic:
            return put_basic(auth, credential, with_credential, request);
        case AuthType::login:
            return put(auth.login->use, with_credential, request);
    }
    return {};
}

}  // namespace pg_pull
