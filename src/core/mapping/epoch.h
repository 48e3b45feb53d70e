#pragma once

#include <string>
#include <string_view>

#include "core/mapping/fields.h"
#include "core/mapping/literal.h"

namespace pg_pull {

/// Appends the time that `text` (a JSON number's text) counts in units since 1970-01-01 UTC, as
/// `YYYY-MM-DD HH:MM:SS.ffffff+00`, with ` BC` behind it where needed. Exact, through no floating point; parts of a
/// microsecond are rounded, halves away from zero. Faults: not_epoch, and epoch_range before timestamptz's first value
/// (24 November 4714 BC) and after January 294247, the end of 64 bits of microseconds.
[[nodiscard]] ValueFault append_epoch(std::string_view text, EpochUnit unit, std::string& out);

}  // namespace pg_pull
