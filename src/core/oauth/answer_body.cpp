#include "core/oauth/answer_body.h"

#include <algorithm>
#include <array>

#include "core/base/encoding.h"
#include "core/base/url.h"
#include "core/json/lookup.h"
#include "core/json/utf8.h"
#include "core/oauth/jwt.h"

namespace pg_pull::oauth {
namespace {

using nlohmann::json;

constexpr std::size_t kDeepestAnswer = 64;
/// A word this long, with letters and digits, may be a token; no word of a language is.
constexpr std::size_t kTokenLength = 20;

json parse_bounded(std::string_view text) {
    const auto bounded = [](int depth, json::parse_event_t, json&) {
        return static_cast<std::size_t>(depth) <= kDeepestAnswer;
    };
    return json::parse(text, bounded, false);
}

json form_object(std::string_view text) {
    Url url;
    std::string spaced(text);
    std::replace(spaced.begin(), spaced.end(), '+', ' ');
    url.query = std::move(spaced);
    json object = json::object();
    for (auto [key, value] : query_parameters(url)) {
        replace_bad_utf8(key, '?');
        replace_bad_utf8(value, '?');
        if (!key.empty()) object[key] = std::move(value);
    }
    return object;
}

bool is_token_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~+/=|%").find(c) != std::string_view::npos;
}

bool may_be_token(std::string_view word) {
    const auto has_one_from = [word](char first, char last) {
        return std::any_of(word.begin(), word.end(), [=](char c) { return c >= first && c <= last; });
    };
    return word.size() >= kTokenLength && has_one_from('0', '9') && (has_one_from('a', 'z') || has_one_from('A', 'Z'));
}

std::string without_tokens(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && is_token_character(text[end])) ++end;
        const std::string_view word = text.substr(i, end - i);
        out += may_be_token(word) ? std::string_view("***") : word;
        if (end < text.size()) out.push_back(text[end++]);
        i = end;
    }
    return out;
}

std::string plain_text(const json& object, std::initializer_list<const char*> names) {
    if (!object.is_object()) return {};
    for (const char* const name : names) {
        const auto found = object.find(name);
        if (found == object.end() || found->is_boolean()) continue;
        if (auto text = scalar_text(*found); text && !text->empty()) return *text;
    }
    return {};
}

bool names_credential(const std::string& key) {
    const std::string name = ascii_lower(key);
    return name.ends_with("token") || name.ends_with("secret") || name.ends_with("password");
}

/// An object that is kept whole may hold tokens (Slack's `authed_user`): they are not for fields. Nor are NULs, which no column takes.
void make_storable(json& value) {
    if (value.is_string()) {
        std::string& text = value.get_ref<std::string&>();
        text.erase(std::remove(text.begin(), text.end(), '\0'), text.end());
    } else if (value.is_object()) {
        for (auto at = value.begin(); at != value.end();) {
            if ((names_credential(at.key()) && !at->is_boolean()) || at.key().find('\0') != std::string::npos)
                at = value.erase(at);
            else
                make_storable(*at++);
        }
    } else if (value.is_array()) {
        for (json& element : value) make_storable(element);
    }
}

std::string at_path(const json& body, const std::optional<Path>& path) {
    if (!path) return {};
    const json* const found = find_value(body, *path);
    if (found == nullptr || found->is_boolean()) return {};
    return scalar_text(*found).value_or("");
}

}  // namespace

json answer_body(const HttpResponse& response) {
    const std::string_view text = response.body;
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return nullptr;
    if (text[start] == '{' || text[start] == '[') {
        json body = parse_bounded(text.substr(start));
        return body.is_discarded() ? json(nullptr) : body;
    }
    const std::string type = ascii_lower(response.header("content-type").value_or(""));
    // Some send a form as plain text (Facebook once did).
    const bool is_form = type.starts_with("application/x-www-form-urlencoded") ||
                         (type.starts_with("text/plain") && text.find('=') != std::string_view::npos &&
                          text.find('<') == std::string_view::npos);
    return is_form ? form_object(text.substr(start)) : json(nullptr);
}

std::optional<json> find_in_answer(const json& body, const Path& path) {
    if (const json* const found = find_value(body, path)) return *found;
    for (std::size_t length = path.steps.size() - 1; length > 0; --length) {
        Path head = path;
        head.steps.resize(length);
        const json* const token = find_value(body, head);
        if (token == nullptr || !token->is_string()) continue;
        const auto claims = jwt_claims(token->get_ref<const std::string&>());
        if (!claims) return std::nullopt;
        Path rest = path;
        rest.steps.erase(rest.steps.begin(), rest.steps.begin() + static_cast<std::ptrdiff_t>(length));
        if (const json* const found = find_value(*claims, rest)) return *found;
        return std::nullopt;
    }
    return std::nullopt;
}

json kept_values(const std::map<std::string, Path>& keep, const json& body) {
    json kept = json::object();
    for (const auto& [field, path] : keep)
        if (auto found = find_in_answer(body, path); found && !found->is_null()) {
            make_storable(*found);
            kept[field] = std::move(*found);
        }
    return kept;
}

Complaint complaint_of(const json& body, const std::optional<Path>& error, const std::optional<Path>& description) {
    Complaint complaint{at_path(body, error), at_path(body, description)};
    if (!body.is_object()) return complaint;
    const auto nested = body.find("error");
    const json& inner = nested != body.end() && nested->is_object() ? *nested : body;
    if (complaint.error.empty()) complaint.error = plain_text(body, {"error"});
    if (complaint.error.empty())
        complaint.error = plain_text(inner, {"code", "type", "error_code", "errorCode", "status"});
    if (complaint.description.empty())
        complaint.description = plain_text(inner, {"error_description", "message", "error_message", "error_msg"});
    return complaint;
}

std::string safe_text(std::string_view text, const Redactor& redactor) {
    constexpr std::size_t kShown = 300;
    // Words are judged whole, so before the cut.
    return excerpt(without_tokens(redactor.redact(text.substr(0, 8192))), redactor, kShown);
}

json account_of(const json& claims) {
    constexpr std::array kNames{"sub",  "id",         "user_id",   "account_id",         "login",        "username",
                                "name", "first_name", "last_name", "preferred_username", "display_name", "email"};
    if (!claims.is_object()) return nullptr;
    json account = json::object();
    for (const char* const name : kNames)
        if (const auto found = claims.find(name);
            found != claims.end() && (found->is_string() || found->is_number()) &&
            found->dump(-1, ' ', false, json::error_handler_t::replace).size() <= 256)
            make_storable(account[name] = *found);
    if (account.empty()) return nullptr;
    return account;
}

}  // namespace pg_pull::oauth
