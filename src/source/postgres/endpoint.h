#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "source/postgres/conninfo.h"
#include "source/source_context.h"

namespace pg_pull::postgres {

/// One place where the server may be found.
struct Endpoint {
    std::string
        host;  ///< as the options name it; a folder of sockets begins with `/` or `@`; empty: libpq's default folder
    std::string address;  ///< numeric; empty for a folder of sockets
    std::string port;     ///< empty: libpq's default
};

/// Resolves the names in `host` without blocking, and judges every address by the egress rules before anything is connected
/// to it: what libpq is given afterwards are these addresses, so that DNS is not asked again. Addresses that are refused are
/// left out; egress_denied where none is left. Reason network where a name does not resolve within `timeout`.
/// Sockets of this machine are under no egress rule.
Result<std::vector<Endpoint>> find_endpoints(SourceContext& context, const std::string& connector,
                                             const Options& options, Millis timeout);

/// Writes the endpoints into host, hostaddr and port.
void apply_endpoints(const std::vector<Endpoint>& endpoints, Options& options);

/// Takes one address out of what apply_endpoints wrote. False: no other would be left.
[[nodiscard]] bool drop_address(Options& options, const std::string& address);

}  // namespace pg_pull::postgres
