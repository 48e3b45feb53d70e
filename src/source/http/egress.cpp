#include "source/http/egress.h"

#include <algorithm>

#include "core/base/encoding.h"

namespace pg_pull::http {
namespace {

constexpr std::string_view kSeparators = ", \t\r\n";

std::string_view without_brackets(std::string_view host) {
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']') return host.substr(1, host.size() - 2);
    return host;
}

std::string_view without_final_dot(std::string_view host) {
    return host.ends_with('.') ? host.substr(0, host.size() - 1) : host;
}

/// A last label of digits is a mistyped address (10.0.0, 0x7f.1), which would never match anything.
bool is_host_name(std::string_view text) {
    if (text.empty() || text.size() > 253 || text.front() == '.' || text.find("..") != std::string_view::npos)
        return false;
    const char last = text[text.find_last_of('.') + 1];
    if (last >= '0' && last <= '9') return false;
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
    });
}

Error bad_entry(std::string_view entry) {
    return fail(Reason::invalid_configuration,
                "entry \"" + std::string(entry) + "\" is neither a host name nor an address nor a network")
        .with_hint(
            "Entries are separated by commas: api.example.com, *.example.com, 10.0.0.0/8, or * for every public host.");
}

}  // namespace

Result<AllowedHosts> AllowedHosts::parse(std::string_view text) {
    AllowedHosts allowed;
    bool any_entry = false, star = false;
    for (std::size_t at = text.find_first_not_of(kSeparators); at != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(kSeparators, at), text.size());
        const std::string_view given = text.substr(at, end - at);
        const std::string entry = ascii_lower(without_final_dot(without_brackets(given)));
        any_entry = true;
        if (entry == "*") {
            star = true;
        } else if (const auto network = Network::parse(entry)) {
            allowed.networks_.push_back(*network);
        } else if (entry.starts_with("*.") && is_host_name(std::string_view(entry).substr(2))) {
            allowed.suffixes_.push_back(entry.substr(1));
        } else if (is_host_name(entry)) {
            allowed.names_.push_back(entry);
        } else {
            return bad_entry(given);
        }
        at = text.find_first_not_of(kSeparators, end);
    }
    allowed.any_public_ = star || !any_entry;
    return allowed;
}

bool AllowedHosts::lists_name(std::string_view host) const {
    const std::string_view name = without_final_dot(host);
    if (std::find(names_.begin(), names_.end(), name) != names_.end()) return true;
    return std::any_of(suffixes_.begin(), suffixes_.end(), [name](const std::string& suffix) {
        return name.size() > suffix.size() && name.ends_with(suffix);
    });
}

bool AllowedHosts::lists_address(const Address& address) const {
    const auto listed = [this](const Address& one) {
        return std::any_of(networks_.begin(), networks_.end(), [&](const Network& n) { return n.contains(one); });
    };
    if (listed(address)) return true;
    const auto inner = embedded_v4(address);
    return !inner.empty() && std::all_of(inner.begin(), inner.end(), listed);
}

std::optional<std::string> deny_reason(const AllowedHosts& allowed, std::string_view host, const Address& address,
                                       bool private_allowed) {
    if (allowed.lists_address(address)) return std::nullopt;
    const Reach reach = reach_of(address);
    if (reach == Reach::special) return "link-local, a metadata service, or otherwise special";
    if (allowed.lists_name(host)) return std::nullopt;
    if (reach == Reach::local)
        return private_allowed ? std::nullopt : std::optional<std::string>("private or loopback");
    return allowed.any_public() ? std::nullopt : std::optional<std::string>("not among the allowed hosts");
}

Error egress_error(std::string_view host, const Address& address, std::string_view why) {
    const std::string shown = address.to_string();
    const std::string name(without_brackets(host));
    return fail(Reason::egress_denied, "connection to host \"" + name + "\" at address " + shown + " is not allowed")
        .with_detail("The address is " + std::string(why) + ".")
        .with_hint(why.starts_with("link-local") || name == shown
                       ? "A superuser can add " + shown + " to pg_pull.allowed_hosts."
                       : "A superuser can add " + name + " or " + shown + " to pg_pull.allowed_hosts.");
}

}  // namespace pg_pull::http
