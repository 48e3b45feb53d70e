#include "core/connection/credential_document.h"

#include <algorithm>
#include <vector>

#include "core/json/keys.h"

namespace pg_pull {
namespace {

using nlohmann::json;

struct Shape {
    std::vector<std::string_view> secret_keys;  ///< one of them
    std::string_view name_key;                  ///< beside it; empty: none
    bool name_required = false;
    std::string_view text;  ///< for the hint
};

Result<Shape> shape_of(const AuthConfig& auth) {
    switch (auth.type) {
        case AuthType::bearer:
            return Shape{{"token"}, "", false, R"({"token": …})"};
        case AuthType::api_key:
            return Shape{{"key"}, "", false, R"({"key": …})"};
        case AuthType::basic:
            return Shape{{"password"}, "username", !auth.username, R"({"username": …, "password": …})"};
        case AuthType::login:
            return Shape{{"password", "key", "token"}, "username", false, R"({"username": …, "password": …})"};
        case AuthType::oauth2:
            if (auth.oauth2->grant == OAuth2Config::Grant::client_credentials)
                return Shape{{"client_secret"},
                             "client_id",
                             auth.oauth2->client_id.empty(),
                             R"({"client_id": …, "client_secret": …})"};
            return fail(Reason::invalid_configuration, "the connector is connected by its provider's consent page")
                .with_hint("Use sync_connection_begin().");
        case AuthType::none:
            break;
    }
    return fail(Reason::invalid_configuration, "the connector needs no credential");
}

Result<std::optional<std::string>> text_at(const json& document, std::string_view key) {
    const auto at = document.find(key);
    if (key.empty() || at == document.end() || at->is_null()) return std::optional<std::string>();
    if (!at->is_string() || at->get_ref<const std::string&>().empty())
        return fail(Reason::invalid_configuration,
                    "credential \"" + std::string(key) + "\" must be a string that is not empty");
    return std::optional(at->get<std::string>());
}

std::vector<std::string_view> keys_of(const Shape& shape) {
    std::vector<std::string_view> keys = shape.secret_keys;
    if (!shape.name_key.empty()) keys.push_back(shape.name_key);
    keys.emplace_back("credential_ref");
    return keys;
}

}  // namespace

Result<OwnCredential> parse_own_credential(const AuthConfig& auth, const json& document) {
    PG_PULL_ASSIGN(const Shape shape, shape_of(auth));
    const std::string hint = "This connector takes " + std::string(shape.text) + ".";
    if (!document.is_object())
        return fail(Reason::invalid_configuration, "the credential must be an object").with_hint(hint);
    const auto keys = keys_of(shape);
    for (const auto& [key, value] : document.items())
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
            return fail(Reason::unknown_key, "the credential has an unknown key \"" + key + "\"").with_hint(hint);
    OwnCredential credential;
    int secrets = 0;
    for (const std::string_view key : shape.secret_keys) {
        PG_PULL_ASSIGN(const auto secret, text_at(document, key));
        if (!secret) continue;
        credential.secret = Secret(*secret);
        ++secrets;
    }
    PG_PULL_ASSIGN(credential.reference, text_at(document, "credential_ref"));
    if (secrets + (credential.reference ? 1 : 0) != 1)
        return fail(Reason::invalid_configuration, "the credential must hold exactly one secret").with_hint(hint);
    PG_PULL_ASSIGN(const auto name, text_at(document, shape.name_key));
    if (shape.name_required && !name)
        return fail(Reason::invalid_configuration, "the credential must name a \"" + std::string(shape.name_key) + "\"")
            .with_hint(hint);
    (shape.name_key == "client_id" ? credential.client_id : credential.username) = name;
    return credential;
}

Secret pack_credential(const OwnCredential& credential) {
    json document = json::object();
    if (credential.reference) document["reference"] = *credential.reference;
    if (credential.username) document["username"] = *credential.username;
    if (credential.client_id) document["client_id"] = *credential.client_id;
    if (!credential.secret.empty()) document["secret"] = std::string(credential.secret.reveal());
    return Secret(document.dump(-1, ' ', false, json::error_handler_t::replace));
}

OwnCredential unpack_credential(const Secret& packed) {
    OwnCredential credential;
    if (packed.empty()) return credential;
    const json document = json::parse(packed.reveal(), nullptr, false);
    if (!document.is_object()) return credential;
    const auto text = [&](const char* key) -> std::optional<std::string> {
        const auto at = document.find(key);
        if (at == document.end() || !at->is_string()) return std::nullopt;
        return at->get<std::string>();
    };
    credential.reference = text("reference");
    credential.username = text("username");
    credential.client_id = text("client_id");
    credential.secret = Secret(text("secret").value_or(""));
    return credential;
}

}  // namespace pg_pull
