#include "core/connection/credential_origins.h"

#include <string_view>

#include "core/base/encoding.h"
#include "core/base/url.h"

namespace pg_pull {
namespace {

using nlohmann::json;

/// `text` up to the `/`, `?` or `#` that ends its authority; one inside `${…}` does not.
std::string_view authority_part(std::string_view text) {
    const std::size_t scheme = text.find("://");
    int depth = 0;
    for (std::size_t i = scheme == std::string_view::npos ? 0 : scheme + 3; i < text.size(); ++i) {
        if (text[i] == '$' && i + 1 < text.size() && text[i + 1] == '{') ++depth;
        if (text[i] == '}' && depth > 0) --depth;
        if (depth == 0 && (text[i] == '/' || text[i] == '?' || text[i] == '#')) return text.substr(0, i);
    }
    return text;
}

void add_url(std::set<std::string>& origins, const json& url) {
    if (!url.is_string()) return;
    const auto& text = url.get_ref<const std::string&>();
    const bool relative = text.empty() || ((text[0] == '/' || text[0] == '?') && text.substr(0, 2) != "//");
    if (relative) return;
    const auto origin = origin_of(text);
    origins.insert(origin.ok() ? *origin : ascii_lower(authority_part(text)));
}

const json* member(const json& object, const char* key) {
    if (!object.is_object()) return nullptr;
    const auto at = object.find(key);
    return at == object.end() ? nullptr : &*at;
}

void add_member(std::set<std::string>& origins, const json& object, const char* key) {
    if (const json* url = member(object, key)) add_url(origins, *url);
}

void add_list(std::set<std::string>& origins, const json& object, const char* key) {
    const json* list = member(object, key);
    if (list == nullptr || !list->is_array()) return;
    for (const auto& url : *list) add_url(origins, url);
}

/// A request template, whose bare form is its URL.
void add_request(std::set<std::string>& origins, const json& auth, const char* key) {
    const json* request = member(auth, key);
    if (request == nullptr) return;
    add_url(origins, *request);
    add_member(origins, *request, "url");
}

bool has_reference(const json& value) {
    if (!value.is_object()) return false;
    for (const auto& item : value.items()) {
        const std::string& key = item.key();
        if (key.size() > 4 && key.compare(key.size() - 4, 4, "_ref") == 0 && item.value().is_string()) return true;
        if (has_reference(item.value())) return true;
    }
    return false;
}

}  // namespace

std::set<std::string> credential_origins(const json& config, const json& auth) {
    std::set<std::string> origins;
    add_member(origins, config, "base_url");
    add_member(origins, config, "url");
    add_list(origins, config, "origins");
    add_member(origins, auth, "discovery");
    add_member(origins, auth, "issuer");
    for (const char* key :
         {"request", "authorize", "token", "refresh", "revoke", "introspect", "verify", "after_connect"})
        add_request(origins, auth, key);
    return origins;
}

bool uses_stored_credential(const json& config, const json& auth) {
    if (has_reference(config) || has_reference(auth)) return true;
    const json* per = member(auth, "per");
    if (per != nullptr && *per == "connection") return true;
    const json* type = member(auth, "type");
    return type != nullptr && *type == "oauth2";
}

}  // namespace pg_pull
