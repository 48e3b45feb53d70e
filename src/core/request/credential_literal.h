#pragma once

#include <string_view>

#include "core/base/error.h"
#include "core/request/template.h"

namespace pg_pull {

/// Is this the name of a header, parameter or key that usually carries a credential (`Authorization`, `X-Api-Key`,
/// `access_token`, `client_secret` …)? Names of page and sync tokens are not.
[[nodiscard]] bool is_credential_name(std::string_view name);

/// Refuses (credential_literal) a value that is written out under such a name. A template that takes anything from its context
/// (`Bearer ${credential}`) passes.
Result<void> check_no_literal(std::string_view name, const Template& value, std::string_view where);

/// The same for a URL's user information and query.
Result<void> check_no_literal_in_url(const Template& url, std::string_view where);

/// The refusal itself.
[[nodiscard]] Error credential_literal(std::string_view where);

}  // namespace pg_pull
