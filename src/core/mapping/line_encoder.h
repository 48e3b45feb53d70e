#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/mapping/column_encoder.h"
#include "core/mapping/encoder.h"
#include "core/mapping/predicate.h"
#include "core/mapping/record_scanner.h"
#include "core/run/stage_plan.h"

namespace pg_pull {

/// Makes the COPY line of one record: the staged columns, then the plan's own. Knows nothing of pages.
class LineEncoder {
public:
    struct Fault {
        ValueFault fault = ValueFault::none;
        std::string_view column;  ///< empty: the watermark
    };

    static Result<std::unique_ptr<LineEncoder>> create(const std::vector<Field>& fields, const StagePlan& plan,
                                                       EncoderOptions options);

    RecordScanner::Outcome scan(std::string_view record) { return scanner_.scan(record); }
    [[nodiscard]] RecordScanner& scanner() noexcept { return scanner_; }
    /// Appends the line of the record that was scanned last and is `record`. After a fault `copy` holds something unfinished.
    Fault append_line(std::string_view record, std::int64_t sequence, std::string& copy);
    /// The key of that record as text, of several columns as a JSON array of texts; nullopt where it cannot be told or is NULL.
    std::optional<std::string> key(std::string_view record);

private:
    struct Condition {
        Predicate predicate;
        BoundSource source;
    };

    LineEncoder(const StagePlan& plan, EncoderOptions options);
    Result<void> bind(const std::vector<Field>& fields);
    Result<void> bind_columns();
    ValueFault append_own_columns(std::string_view record, std::int64_t sequence, std::string& copy);
    ValueFault append_watermark(std::string_view record, std::string& copy);
    bool is_tombstone(std::string_view record);
    void read_fields(std::string_view record);

    StagePlan plan_;
    EncoderOptions options_;
    RecordScanner scanner_;
    std::vector<FieldReader> readers_;  ///< does not grow once columns_ point into it
    std::vector<ColumnEncoder> columns_;
    std::vector<std::size_t> key_columns_;
    std::vector<Condition> conditions_;
    std::optional<BoundSource> watermark_;
};

}  // namespace pg_pull
