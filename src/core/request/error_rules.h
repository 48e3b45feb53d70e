#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/http.h"
#include "core/json/path.h"
#include "core/mapping/predicate.h"
#include "core/paging/retry.h"

namespace pg_pull {

enum class AnswerAction : unsigned char {
    ok,
    retry,
    rate_limited,  ///< like retry; counts as throttling, and holds back everybody who shares the limit
    fail,
    ignore,  ///< the call is skipped: the run is not complete
    empty,   ///< no records, and that is the complete answer
    refresh_token,
    restart,  ///< the stored cursor is refused: drop it and read in full
};

/// One of `errors`: fits when all of its given parts do.
struct ErrorRule {
    std::vector<int> statuses;                                 ///< empty: any
    std::vector<std::pair<std::string, std::string>> headers;  ///< names in lower case; values exact
    std::vector<Predicate> body;                               ///< all must hold
    AnswerAction action = AnswerAction::fail;
    std::optional<Path> message;
};
Result<std::vector<ErrorRule>> parse_error_rules(const nlohmann::json& config);

struct Verdict {
    AnswerAction action = AnswerAction::ok;
    std::string
        message;  ///< from the rule's path in the body, or found by itself in the usual places; not redacted, may be empty
    int rule = -1;  ///< index of the rule that decided; -1: a default
};

/// The first rule that fits, else the defaults: 2xx is ok; a status of retry.statuses is retried (429: rate_limited); 401 asks
/// for a fresh token where `can_refresh`; everything else fails. `body` is null where the answer was no JSON: then no body
/// predicate holds.
[[nodiscard]] Verdict judge(const std::vector<ErrorRule>& rules, const RetryConfig& retry, const HttpResponse& response,
                            const nlohmann::json* body, bool can_refresh = false);

}  // namespace pg_pull
