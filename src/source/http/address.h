#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sockaddr;

namespace pg_pull::http {

/// An IPv4 or IPv6 address, as it stood in a sockaddr.
struct Address {
    bool v4 = false;
    std::array<std::uint8_t, 16> bytes{};  ///< network order; of IPv4 the first four

    /// Nothing for other families.
    static std::optional<Address> of(const sockaddr* address, std::size_t size) noexcept;
    /// Dotted decimal or the forms of RFC 4291 section 2.2, without brackets and zone.
    static std::optional<Address> parse(std::string_view text);
    [[nodiscard]] std::string to_string() const;
    bool operator==(const Address&) const = default;
};

/// How far an address reaches, from harmless to never by accident.
enum class Reach : unsigned char {
    anywhere,  ///< the public internet
    local,     ///< loopback, private (RFC 1918, 4193), shared (RFC 6598), benchmarking networks
    special,   ///< link-local, cloud metadata, unspecified, multicast, broadcast, reserved, documentation
};

/// The IPv4 addresses that packets to this IPv6 address may end at: mapped, compatible, NAT64 (RFC 6052, 8215), 6to4. Usually
/// none; two where the prefix allows two readings.
[[nodiscard]] std::vector<Address> embedded_v4(const Address& address);

/// The worst of the address itself and what is embedded in it.
[[nodiscard]] Reach reach_of(const Address& address);

/// A network: `10.0.0.0/8`, `fd00::/8`, or a single address.
struct Network {
    Address base;
    int prefix = 0;

    static std::optional<Network> parse(std::string_view text);
    [[nodiscard]] bool contains(const Address& address) const noexcept;
};

}  // namespace pg_pull::http
