#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "source/registry.h"

namespace pg_pull::rest {

/// What one paged reading asks for: texts as the source writes them. Absent: not sent.
struct WatermarkRange {
    std::optional<std::string> start;  ///< inclusive
    std::optional<std::string> end;
};

/// One range for each window; a single one without `window`, or where there is nothing to start from. The start is lowered by
/// the lookback, unless the pull is a full one: `initial` stands for itself. The last end is the run's start; it is given for
/// watermarks that are times, or numbers that stand for times.
Result<std::vector<WatermarkRange>> watermark_ranges(const SourceRequest& request);

}  // namespace pg_pull::rest
