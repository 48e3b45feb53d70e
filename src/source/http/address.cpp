#include "source/http/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace pg_pull::http {
namespace {

struct Row {
    const char* network;
    Reach reach;
};

// The registries of RFC 6890 (special-purpose addresses), and the addresses at which clouds hand out credentials.
constexpr Row kRows[] = {
    {"0.0.0.0/8", Reach::special},
    {"10.0.0.0/8", Reach::local},
    {"100.100.100.200", Reach::special},  // metadata of Alibaba Cloud, within the shared range
    {"100.64.0.0/10", Reach::local},
    {"127.0.0.0/8", Reach::local},
    {"168.63.129.16", Reach::special},  // the host agent of Azure, on a public address
    {"169.254.0.0/16", Reach::special},
    {"172.16.0.0/12", Reach::local},
    {"192.0.0.0/24", Reach::special},
    {"192.0.2.0/24", Reach::special},
    {"192.168.0.0/16", Reach::local},
    {"198.18.0.0/15", Reach::local},
    {"198.51.100.0/24", Reach::special},
    {"203.0.113.0/24", Reach::special},
    {"224.0.0.0/4", Reach::special},
    {"240.0.0.0/4", Reach::special},
    {"::", Reach::special},
    {"::1", Reach::local},
    {"100::/64", Reach::special},
    {"2001::/32", Reach::special},  // Teredo hides an IPv4 address behind an exclusive or; nothing of today uses it
    {"2001:db8::/32", Reach::special},
    {"5f00::/16", Reach::special},
    {"fd00:ec2::/32", Reach::special},  // metadata of AWS
    {"fd20:ce::254", Reach::special},   // metadata of Google Cloud
    {"fc00::/7", Reach::local},
    {"fe80::/10", Reach::special},
    {"fec0::/10", Reach::local},
    {"ff00::/8", Reach::special},
};

Reach reach_in_table(const Address& address) {
    for (const Row& row : kRows)
        if (Network::parse(row.network)->contains(address)) return row.reach;
    return Reach::anywhere;
}

Address v4_from(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d) {
    Address address;
    address.v4 = true;
    address.bytes = {a, b, c, d};
    return address;
}

bool in(const Address& address, const char* network) { return Network::parse(network)->contains(address); }

}  // namespace

std::optional<Address> Address::of(const sockaddr* address, std::size_t size) noexcept {
    Address result;
    if (address->sa_family == AF_INET && size >= sizeof(sockaddr_in)) {
        sockaddr_in in4;
        std::memcpy(&in4, address, sizeof in4);
        result.v4 = true;
        std::memcpy(result.bytes.data(), &in4.sin_addr, 4);
        return result;
    }
    if (address->sa_family == AF_INET6 && size >= sizeof(sockaddr_in6)) {
        sockaddr_in6 in6;
        std::memcpy(&in6, address, sizeof in6);
        std::memcpy(result.bytes.data(), &in6.sin6_addr, 16);
        return result;
    }
    return std::nullopt;
}

std::optional<Address> Address::parse(std::string_view text) {
    const std::string terminated(text);
    Address result;
    if (inet_pton(AF_INET, terminated.c_str(), result.bytes.data()) == 1) {
        result.v4 = true;
        return result;
    }
    if (inet_pton(AF_INET6, terminated.c_str(), result.bytes.data()) == 1) return result;
    return std::nullopt;
}

std::string Address::to_string() const {
    char text[INET6_ADDRSTRLEN] = "";
    inet_ntop(v4 ? AF_INET : AF_INET6, bytes.data(), text, sizeof text);
    return text;
}

std::vector<Address> embedded_v4(const Address& address) {
    const auto& b = address.bytes;
    if (address.v4) return {};
    const Address last = v4_from(b[12], b[13], b[14], b[15]);
    if (in(address, "::ffff:0:0/96") || in(address, "::ffff:0:0:0/96") || in(address, "64:ff9b::/96")) return {last};
    // Compatible addresses (RFC 4291 section 2.5.5.1) are deprecated, yet stacks may still unwrap them.
    if (in(address, "::/96") && !in(address, "::/127")) return {last};
    if (in(address, "2002::/16")) return {v4_from(b[2], b[3], b[4], b[5])};
    // RFC 8215 leaves the length of the prefix within /48 to the operator: read it as /48 and as /96 (RFC 6052 section 2.2).
    if (in(address, "64:ff9b:1::/48")) {
        const Address as_48 = v4_from(b[6], b[7], b[9], b[10]);
        if (in(as_48, "0.0.0.0")) return {last};
        return {last, as_48};
    }
    return {};
}

Reach reach_of(const Address& address) {
    Reach worst = reach_in_table(address);
    for (const Address& inner : embedded_v4(address)) worst = std::max(worst, reach_in_table(inner));
    return worst;
}

std::optional<Network> Network::parse(std::string_view text) {
    const auto slash = text.find('/');
    const auto base = Address::parse(text.substr(0, slash));
    if (!base) return std::nullopt;
    Network network{*base, base->v4 ? 32 : 128};
    if (slash == std::string_view::npos) return network;
    const std::string_view digits = text.substr(slash + 1);
    int prefix = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), prefix);
    if (error != std::errc() || end != digits.data() + digits.size() || prefix < 0 || prefix > network.prefix)
        return std::nullopt;
    network.prefix = prefix;
    return network;
}

bool Network::contains(const Address& address) const noexcept {
    if (address.v4 != base.v4) return false;
    const auto whole = static_cast<std::size_t>(prefix / 8);
    if (!std::equal(base.bytes.begin(), base.bytes.begin() + whole, address.bytes.begin())) return false;
    const int rest = prefix % 8;
    if (rest == 0) return true;
    const auto mask = static_cast<std::uint8_t>(0xff00 >> rest);
    return (base.bytes[whole] & mask) == (address.bytes[whole] & mask);
}

}  // namespace pg_pull::http
