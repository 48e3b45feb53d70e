#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace pg_pull::postgres {

/// Options of libpq by name, those that the string gives, in libpq's order.
using Options = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] std::string option(const Options& options, std::string_view name);  ///< empty: not given
void set_option(Options& options, std::string_view name, std::string value);
/// Sets it where the options say nothing.
void default_option(Options& options, std::string_view name, std::string_view value);

/// Reads keyword=value pairs or a postgresql:// URI. Nothing of the text is in the error: a password may stand in it.
Result<Options> parse_conninfo(const std::string& conninfo);

/// May these options be stored for a connector whose owner is, or is not, a superuser? A password in them is
/// credential_literal. Other owners get options that open no file and no setting of the server's; `user` must be named
/// always, since libpq would take the name of the server's own account (a `service` may name it instead).
Result<void> check_options(const Options& options, bool owner_is_superuser);
Result<void> check_conninfo(const std::string& conninfo, bool owner_is_superuser);

/// Adds what makes the connection the same everywhere: encoding, name, timeouts, keepalives, and paths that do not exist for
/// files that libpq would look for in the account of the server.
void complete_options(Options& options);

/// libpq takes whatever the options leave out from the environment, which belongs to the server's administrator and not to
/// the owner of a connector. Removes libpq's variables from this process for good; to be called before each connect.
void forget_environment();

}  // namespace pg_pull::postgres
