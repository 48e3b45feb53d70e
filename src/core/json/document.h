#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace pg_pull {

/// Reads a whole JSON text (UTF-8) into a tree, for what is small: envelopes, error bodies, single values. Unlike nlohmann's
/// own parser it takes every valid number: one that fits neither 64 bits nor a double stays as a string of its digits, so that
/// a cursor of forty digits goes back as it came. Repeated keys: the last wins. A lone surrogate becomes U+FFFD.
/// Errors: upstream_not_ok with the byte offset in the detail, also above kMaxNesting levels. No text of the body is in them.
Result<nlohmann::json> parse_document(std::string_view text);

/// The error for a body that is not JSON: `what` is wrong at byte `offset` (from 0).
Error not_json(std::string_view what, std::size_t offset);

}  // namespace pg_pull
