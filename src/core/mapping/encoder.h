#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/json/record_page.h"
#include "core/mapping/fields.h"
#include "core/mapping/predicate.h"
#include "core/run/page.h"
#include "core/run/stage_plan.h"

namespace pg_pull {

/// The values of the pseudo sources in one run, as texts for the columns' input functions.
struct RunValues {
    std::optional<std::string> organization;  ///< $organization; nullopt is SQL NULL
    std::string run_id;                       ///< $run_id
    std::string pulled_at;                    ///< $pulled_at: the run's start, ISO 8601 with +00
};

struct EncoderOptions {
    std::optional<Path> watermark_field;
    std::vector<Predicate> deleted_when;  ///< all must hold; empty: no tombstones
    RunValues values;
};

/// Turns the records of a page into lines for COPY into staging, straight from the JSON text: numbers, dates and all else keep
/// the digits that the source sent. Every value of every record is checked to be valid JSON, stored or not. A record that is
/// not a JSON object is an error of the page (record_not_object). A record that cannot become a line (\u0000 or a lone
/// surrogate in a value bound for a column, not UTF-8, array or row literal impossible) becomes a Reject; the others go on.
class RecordEncoder {
public:
    static Result<RecordEncoder> create(const std::vector<Field>& fields, const StagePlan& plan,
                                        EncoderOptions options);
    RecordEncoder(RecordEncoder&&) noexcept;
    RecordEncoder& operator=(RecordEncoder&&) noexcept;
    ~RecordEncoder();

    /// Keeps `page` alive through the result's `raw`. Sequence numbers and first-seen keys go on from page to page.
    Result<StagedPage> encode(RecordPage page, std::int64_t page_number);

private:
    struct Impl;
    explicit RecordEncoder(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace pg_pull
