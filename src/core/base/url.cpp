#include "core/base/url.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "core/base/encoding.h"

namespace pg_pull {
namespace {

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_unreserved(char c) { return is_alpha(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~'; }
int hex_value(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void append_percent(std::string& out, char c) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back(digits[byte >> 4]);
    out.push_back(digits[byte & 15]);
}

Error refused(std::string_view why) { return fail(Reason::invalid_configuration, "the URL " + std::string(why)); }

/// Percent-encodes what may not stand in a path or query; leaves everything else, and all encodings, as they are.
std::string tidy(std::string_view text) {
    // Brackets are unsafe too by the letter of RFC 3986, but `filter[name]=x` is common and understood everywhere.
    constexpr std::string_view unsafe = " \"<>^`{|}";
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool stray_percent =
            c == '%' && (i + 2 >= text.size() || hex_value(text[i + 1]) < 0 || hex_value(text[i + 2]) < 0);
        if (static_cast<unsigned char>(c) >= 0x7F || stray_percent || unsafe.find(c) != std::string_view::npos)
            append_percent(out, c);
        else
            out.push_back(c);
    }
    return out;
}

/// `.`, `..`, and the same with any dot as %2E: servers and libraries take them for the same.
int dots_in(std::string_view segment) {
    int dots = 0;
    while (!segment.empty()) {
        const bool encoded = segment.size() >= 3 && segment[0] == '%' && segment[1] == '2' && (segment[2] | 32) == 'e';
        if (segment.front() != '.' && !encoded) return 0;
        segment.remove_prefix(encoded ? 3 : 1);
        ++dots;
    }
    return dots <= 2 ? dots : 0;
}

/// RFC 3986 section 5.2.4.
std::string without_dot_segments(std::string_view path) {
    std::vector<std::string_view> kept;
    bool ends_in_directory = false;
    std::size_t at = 1;  // behind the leading slash
    for (bool more = true; more;) {
        const std::size_t slash = std::min(path.find('/', at), path.size());
        const std::string_view segment = path.substr(std::min(at, path.size()), slash - std::min(at, path.size()));
        more = slash < path.size();
        const int dots = dots_in(segment);
        if (dots == 2 && !kept.empty()) kept.pop_back();
        ends_in_directory = dots > 0;
        if (dots == 0) kept.push_back(segment);
        at = slash + 1;
    }
    std::string out;
    for (const auto segment : kept) out.append("/").append(segment);
    if (ends_in_directory || out.empty()) out.push_back('/');
    return out;
}

Result<std::string> parse_ipv6(std::string_view inside) {
    std::array<unsigned char, 16> address{};
    if (inet_pton(AF_INET6, std::string(inside).c_str(), address.data()) != 1)
        return refused("has a malformed IPv6 address");
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(AF_INET6, address.data(), text.data(), text.size());
    return "[" + std::string(text.data()) + "]";
}

Result<std::string> parse_host(std::string_view host) {
    if (host.empty()) return refused("has no host");
    if (host.size() > 255) return refused("has a host of more than 255 characters");
    if (host.front() == '[') {
        if (host.back() != ']' || host.size() < 4) return refused("has a malformed IPv6 address");
        return parse_ipv6(host.substr(1, host.size() - 2));
    }
    for (const char c : host) {
        if (static_cast<unsigned char>(c) > 0x7F) {
            return refused("has a host with other than ASCII letters").with_hint("Write the host in its xn-- form.");
        }
        if (!is_alpha(c) && !is_digit(c) && c != '-' && c != '.' && c != '_') return refused("has a malformed host");
    }
    if (host.front() == '.' || host.find("..") != std::string_view::npos) return refused("has a malformed host");
    return ascii_lower(host);
}

Result<std::uint16_t> parse_port(std::string_view text, std::string_view scheme) {
    const std::uint16_t usual = scheme == "https" ? 443 : 80;
    if (text.empty()) return usual;
    unsigned port = 0;
    for (const char c : text) {
        if (!is_digit(c) || text.size() > 5) return refused("has a malformed port");
        port = port * 10 + static_cast<unsigned>(c - '0');
    }
    if (port == 0 || port > 65'535) return refused("has a port outside 1 to 65535");
    return static_cast<std::uint16_t>(port);
}

Result<void> parse_authority(std::string_view authority, Url& url) {
    if (authority.find('@') != std::string_view::npos) return refused("holds a user name or password");
    // In an IPv6 address the colons within the brackets are none of the port.
    const std::size_t bracket = authority.rfind(']');
    const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
    PG_PULL_ASSIGN(url.host, parse_host(authority.substr(0, colon)));
    const auto port = colon == std::string_view::npos ? std::string_view() : authority.substr(colon + 1);
    PG_PULL_ASSIGN(url.port, parse_port(port, url.scheme));
    return {};
}

/// Path, query and fragment out of what follows the authority.
void parse_tail(std::string_view rest, Url& url) {
    if (const auto hash = rest.find('#'); hash != std::string_view::npos) {
        url.fragment = tidy(rest.substr(hash + 1));
        rest = rest.substr(0, hash);
    }
    if (const auto mark = rest.find('?'); mark != std::string_view::npos) {
        url.query = tidy(rest.substr(mark + 1));
        rest = rest.substr(0, mark);
    }
    url.path = rest.empty() ? "/" : without_dot_segments(tidy(rest));
}

Result<void> check_characters(std::string_view text) {
    if (text.size() > 64 * 1024) return refused("is longer than 64 kB");
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return refused("holds a control character");
        if (c == '\\') return refused("holds a backslash");
    }
    return {};
}

/// The scheme of an absolute reference in lower case, or nothing (RFC 3986 section 3.1).
std::optional<std::string> scheme_of(std::string_view text) {
    if (text.empty() || !is_alpha(text.front())) return std::nullopt;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == ':') return ascii_lower(text.substr(0, i));
        if (!is_alpha(text[i]) && !is_digit(text[i]) && text[i] != '+' && text[i] != '-' && text[i] != '.')
            return std::nullopt;
    }
    return std::nullopt;
}

std::string encode(std::string_view text, bool form) {
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        if (is_unreserved(c))
            out.push_back(c);
        else if (form && c == ' ')
            out.push_back('+');
        else
            append_percent(out, c);
    }
    return out;
}

std::string_view key_of(std::string_view pair) { return pair.substr(0, pair.find('=')); }

/// Calls `visit` with each `key=value` of the query, as it stands there.
template <class Visit>
void each_pair(std::string_view query, Visit visit) {
    while (!query.empty()) {
        const std::size_t end = std::min(query.find('&'), query.size());
        if (end > 0) visit(query.substr(0, end));
        query.remove_prefix(std::min(end + 1, query.size()));
    }
}

}  // namespace

std::string Url::origin() const { return scheme + "://" + host + ":" + std::to_string(port); }

std::string Url::to_string() const {
    std::string out = scheme + "://" + host;
    if (port != (scheme == "https" ? 443 : 80)) out += ":" + std::to_string(port);
    out += path;
    if (query) out += "?" + *query;
    return out;
}

Result<Url> parse_url(std::string_view text) {
    PG_PULL_CHECK(check_characters(text));
    const auto scheme = scheme_of(text);
    if (!scheme) return refused("is not absolute").with_hint("Begin it with https://.");
    if (*scheme != "http" && *scheme != "https") return refused("is neither http nor https");
    std::string_view rest = text.substr(scheme->size() + 1);
    if (!rest.starts_with("//")) return refused("has no host");
    rest.remove_prefix(2);
    Url url;
    url.scheme = *scheme;
    const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
    PG_PULL_CHECK(parse_authority(rest.substr(0, end), url));
    parse_tail(rest.substr(end), url);
    return url;
}

Result<std::string> origin_of(std::string_view url) {
    PG_PULL_ASSIGN(const Url parsed, parse_url(url));
    return parsed.origin();
}

Result<Url> resolve(const Url& base, std::string_view reference) {
    PG_PULL_CHECK(check_characters(reference));
    if (scheme_of(reference)) return parse_url(reference);
    if (reference.starts_with("//")) return parse_url(base.scheme + ":" + std::string(reference));
    Url url = base;
    url.fragment.reset();
    if (reference.empty()) return url;
    if (reference.front() == '#') {
        url.fragment = tidy(reference.substr(1));
        return url;
    }
    url.query.reset();
    if (reference.front() == '?')
        parse_tail(base.path + std::string(reference), url);
    else if (reference.front() == '/')
        parse_tail(reference, url);
    else
        parse_tail(base.path.substr(0, base.path.rfind('/') + 1) + std::string(reference), url);
    return url;
}

std::string percent_encode(std::string_view text) { return encode(text, false); }
std::string form_encode(std::string_view text) { return encode(text, true); }

std::string percent_decode(std::string_view text, bool plus_is_space) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0) {
            out.push_back(static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2])));
            i += 2;
        } else {
            out.push_back(text[i] == '+' && plus_is_space ? ' ' : text[i]);
        }
    }
    return out;
}

void set_query_parameter(Url& url, std::string_view key, std::string_view value) {
    std::string out;
    bool done = false;
    const std::string pair = percent_encode(key) + "=" + percent_encode(value);
    const auto append = [&out](std::string_view text) { out.append(out.empty() ? "" : "&").append(text); };
    each_pair(url.query.value_or(""), [&](std::string_view old) {
        if (percent_decode(key_of(old), true) != key) return append(old);
        if (!done) append(pair);
        done = true;
    });
    if (!done) append(pair);
    url.query = std::move(out);
}

void add_query_parameter(Url& url, std::string_view key, std::string_view value) {
    std::string query = url.query.value_or("");
    if (!query.empty()) query.push_back('&');
    url.query = query + percent_encode(key) + "=" + percent_encode(value);
}

bool remove_query_parameter(Url& url, std::string_view key) {
    if (!url.query) return false;
    std::string out;
    bool found = false;
    each_pair(*url.query, [&](std::string_view pair) {
        if (percent_decode(key_of(pair), true) == key) return static_cast<void>(found = true);
        out.append(out.empty() ? "" : "&").append(pair);
    });
    if (!found) return false;
    url.query = out.empty() ? std::nullopt : std::optional(std::move(out));
    return true;
}

QueryPairs query_parameters(const Url& url) {
    QueryPairs pairs;
    each_pair(url.query.value_or(""), [&pairs](std::string_view pair) {
        const auto key = key_of(pair);
        const auto value = key.size() < pair.size() ? pair.substr(key.size() + 1) : std::string_view();
        pairs.emplace_back(percent_decode(key, true), percent_decode(value, true));
    });
    return pairs;
}

}  // namespace pg_pull
