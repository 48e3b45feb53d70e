#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/http.h"
#include "core/base/redact.h"
#include "core/json/path.h"

namespace pg_pull::oauth {

/// The answer as an object or list: JSON by its look whatever its type says, a form by its type. Null where it is neither, so that a
/// page of HTML is never read for a token.
[[nodiscard]] nlohmann::json answer_body(const HttpResponse& response);

/// As find_value(); a path may lead on into a string that is a JSON Web Token, whose claims then follow (`id_token.tid`).
[[nodiscard]] std::optional<nlohmann::json> find_in_answer(const nlohmann::json& body, const Path& path);

/// The values of `keep` that are there; members of objects that are named like tokens, secrets and passwords are left out.
[[nodiscard]] nlohmann::json kept_values(const std::map<std::string, Path>& keep, const nlohmann::json& body);

/// What an answer says went wrong: its error's code and its description.
struct Complaint {
    std::string error;
    std::string description;
};
/// Looks at the given paths, then at the names that are usual, also within an object at `error`. Raw: not for users' eyes.
[[nodiscard]] Complaint complaint_of(const nlohmann::json& body, const std::optional<Path>& error,
                                     const std::optional<Path>& description);

/// Text of a remote for a detail: cut, control characters out, known secrets out, and whatever else looks like a token.
[[nodiscard]] std::string safe_text(std::string_view text, const Redactor& redactor = {});

/// Members of `claims` (a token's claims, or a user object) that say whose account it is; null where there is none.
[[nodiscard]] nlohmann::json account_of(const nlohmann::json& claims);

}  // namespace pg_pull::oauth
