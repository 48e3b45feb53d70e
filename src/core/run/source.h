#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/base/error.h"
#include "core/json/record_page.h"
#include "core/run/page.h"

namespace pg_pull {

/// Counters of a run, of what has happened so far. Written by source and engine, copied to shared memory for sync_progress.
struct RunCounters {
    std::int64_t pages = 0;
    std::int64_t records_read = 0;
    std::int64_t rows_rejected = 0;
    std::int64_t bytes_read = 0;  ///< body bytes after decompression
    std::int64_t requests = 0;    ///< sent, retries included
    std::int64_t requests_ignored = 0;
    std::int64_t retries = 0;
    std::int64_t throttled_ms = 0;
};

/// One answer of a source. Records still to be encoded, or lines that the source made itself.
struct SourcePage {
    std::int64_t number = 0;  ///< from 1
    std::variant<RecordPage, StagedPage> content;
};

/// The records of one mapping in order, page by page. Opened for one run; destroyed without waiting for anything.
class Source {
public:
    virtual ~Source() = default;
    /// The next page, or nothing at the end. An error ends the run. Waits (and is interrupted) through the Waiter.
    virtual Result<std::optional<SourcePage>> next() = 0;
    /// Moves transfers on without waiting, while the caller is busy with the page before. Throws nothing.
    virtual void pump() noexcept {}
    /// True once next() returned nothing and everything was read: no call ignored, no part skipped. Only then absence counts.
    [[nodiscard]] virtual bool complete() const = 0;
};

}  // namespace pg_pull
