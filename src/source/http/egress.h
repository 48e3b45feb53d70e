#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "source/http/address.h"

namespace pg_pull::http {

/// The setting pg_pull.allowed_hosts: where requests may go (DESIGN.md section 7). Entries are separated by commas or space:
///
///   api.example.com        this host, at a public or private address
///   *.example.com          every host below it (not example.com itself), likewise
///   10.1.0.0/16, ::1       every host at these addresses, whatever they are
///   *                      every host at a public address
///
/// An empty text means `*`. Any other text is a list of all that is allowed: it restricts public hosts too, for everybody.
/// Link-local, metadata and other special addresses are reached by an entry that names the address only: a name must not be
/// enough, because whoever serves the name in the DNS chooses its address.
class AllowedHosts {
public:
    /// invalid_configuration where an entry is none of the above; names the entry.
    static Result<AllowedHosts> parse(std::string_view text);

    [[nodiscard]] bool any_public() const noexcept { return any_public_; }
    /// `host` in lower case; an IPv6 host may stand in brackets.
    [[nodiscard]] bool lists_name(std::string_view host) const;
    [[nodiscard]] bool lists_address(const Address& address) const;

private:
    bool any_public_ = true;
    std::vector<std::string> names_;     ///< lower case
    std::vector<std::string> suffixes_;  ///< with the dot in front
    std::vector<Network> networks_;
};

/// May `host`, which resolved to `address`, be connected to? `private_allowed`: loopback and private addresses need no entry
/// (the connector's owner is a superuser). Returns why not, as the end of "the address … is", or nothing: go on.
[[nodiscard]] std::optional<std::string> deny_reason(const AllowedHosts& allowed, std::string_view host,
                                                     const Address& address, bool private_allowed);

/// The error for a refused address.
[[nodiscard]] Error egress_error(std::string_view host, const Address& address, std::string_view why);

}  // namespace pg_pull::http
