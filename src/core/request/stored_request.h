#pragma once

#include <vector>

#include "core/base/error.h"
#include "core/base/http.h"
#include "core/base/secret.h"

namespace pg_pull {

/// Requests ready to be sent, as a text to be sealed: with everything that they carry, credentials included.
[[nodiscard]] Secret pack_requests(const std::vector<HttpRequest>& requests);
Result<std::vector<HttpRequest>> unpack_requests(const Secret& packed);

}  // namespace pg_pull
