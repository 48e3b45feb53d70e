#include "core/request/credential_literal.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/base/encoding.h"
#include "core/base/url.h"

namespace pg_pull {
namespace {

/// Lower case without separators: `X-Api-Key`, `x_api_key` and `XApiKey` are one.
std::string bare(std::string_view name) {
    std::string out;
    for (const char c : ascii_lower(name))
        if (c != '-' && c != '_' && c != '.' && c != ' ') out.push_back(c);
    return out;
}

constexpr std::array<std::string_view, 18> kWhole{
    "authorization", "proxyauthorization", "cookie", "setcookie", "token",      "key",
    "sig",           "signature",          "auth",   "bearer",    "pass",       "passwd",
    "pwd",           "passcode",           "jwt",    "apitoken",  "credential", "credentials"};
constexpr std::array<std::string_view, 16> kEndings{
    "apikey",   "accesskey", "secretkey", "privatekey",   "accesstoken", "authtoken", "refreshtoken",    "idtoken",
    "password", "secret",    "usertoken", "sessiontoken", "bearertoken", "apisecret", "subscriptionkey", "authkey"};

}  // namespace

bool is_credential_name(std::string_view name) {
    const std::string plain = bare(name);
    if (std::find(kWhole.begin(), kWhole.end(), plain) != kWhole.end()) return true;
    return std::any_of(kEndings.begin(), kEndings.end(),
                       [&plain](std::string_view ending) { return plain.ends_with(ending); });
}

Error credential_literal(std::string_view where) {
    return fail(Reason::credential_literal, std::string(where) + " holds a credential itself")
        .with_hint("Store it with sync_secret_set, name it in credential_ref, and write ${credential} here.");
}

Result<void> check_no_literal(std::string_view name, const Template& value, std::string_view where) {
    if (!is_credential_name(name) || value.takes_values() || value.source().empty()) return {};
    return credential_literal(where);
}

Result<void> check_no_literal_in_url(const Template& url, std::string_view where) {
    const std::string& text = url.source();
    const std::size_t scheme = text.find("://");
    if (scheme != std::string::npos) {
        const std::size_t end = std::min(text.find_first_of("/?#", scheme + 3), text.size());
        // An @ within the braces belongs to a path of the context.
        const std::string authority = text.substr(scheme + 3, end - scheme - 3);
        const std::size_t at = authority.rfind('@');
        if (at != std::string::npos && at > authority.rfind('}') + 1 && authority.find('}', at) == std::string::npos)
            return credential_literal(where);
    }
    const std::size_t mark = text.find('?');
    if (mark == std::string::npos) return {};
    std::string_view query = std::string_view(text).substr(mark + 1);
    while (!query.empty()) {
        const std::string_view pair = query.substr(0, query.find_first_of("&#"));
        const std::size_t equals = pair.find('=');
        if (equals != std::string_view::npos && equals + 1 < pair.size() &&
            pair.find("${", equals) == std::string_view::npos &&
            is_credential_name(percent_decode(pair.substr(0, equals), true)))
            return credential_literal(where);
        query.remove_prefix(std::min(pair.size() + 1, query.size()));
    }
    return {};
}

}  // namespace pg_pull
