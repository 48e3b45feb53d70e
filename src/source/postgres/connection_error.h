#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/redact.h"

namespace pg_pull::postgres {

/// What a remote server said, in the parts of its error.
struct RemoteError {
    std::string sqlstate;
    std::string message;
    std::string detail;
    std::string hint;
    std::string context;
};

/// `could not <what> connector "x"` with all that the remote said in the detail, redacted and cut. Its SQLSTATE becomes ours,
/// unless that would tell our caller something about this server or his own statement (class 57, 53, 58, XX).
[[nodiscard]] Error remote_failure(const std::string& what, const RemoteError& remote, const Redactor& redactor);

/// The text of a failed connect, with verbose messages: an error of the server if it answered, else network.
[[nodiscard]] Error connect_failure(const std::string& what, std::string_view text, const Redactor& redactor);

}  // namespace pg_pull::postgres
