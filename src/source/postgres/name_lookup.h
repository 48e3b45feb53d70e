#pragma once

#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/waiter.h"

namespace pg_pull::postgres {

/// The numeric addresses of a host, in the order of preference. A numeric host is read at once (any form that the system
/// takes, given back in its normal one); a name is looked up in a helper thread, since getaddrinfo blocks and a cancel must
/// not wait for a dead DNS server. The error has reason network and says why in its detail.
Result<std::vector<std::string>> look_up(const std::string& host, Waiter& waiter, const Clock& clock, Millis timeout);

}  // namespace pg_pull::postgres
