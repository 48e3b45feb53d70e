#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/mapping/column.h"
#include "core/mapping/field_value.h"
#include "core/mapping/fields.h"
#include "core/mapping/literal.h"

namespace pg_pull {

/// The values of one field for the record at hand, read once for all columns that it fills.
class FieldReader {
public:
    FieldReader(const Field& field, const RunValues& run, RecordScanner& scanner);

    void read(const RecordScanner& scanner, std::string_view record);
    [[nodiscard]] const Field& field() const noexcept { return field_; }
    [[nodiscard]] const std::vector<FieldValue>& values() const noexcept { return values_; }
    /// Some source was there, be it as null; true where the field needs none.
    [[nodiscard]] bool present() const noexcept;

private:
    Field field_;
    std::vector<BoundSource> sources_;
    std::vector<FieldValue> values_;
};

/// Turns a field's values into the COPY text of one column.
class ColumnEncoder {
public:
    /// `part`: which of the field's targets the column is. `reader` must outlive this.
    ColumnEncoder(const Column& column, const FieldReader& reader, std::size_t part);

    [[nodiscard]] const std::string& name() const noexcept { return column_.name; }
    [[nodiscard]] bool present() const noexcept { return reader_->present(); }
    /// Appends the column's text, \N for NULL. After a fault `copy` holds something unfinished.
    [[nodiscard]] ValueFault encode(std::string& copy);

private:
    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
    };

    ValueFault encode_value(const FieldValue& value, std::string& copy);
    ValueFault encode_json(std::string_view raw, std::string& copy);
    ValueFault encode_text(std::string_view text, std::string& copy);
    ValueFault encode_list(const std::vector<std::string_view>& list, std::string& copy);
    ValueFault encode_mapped(const FieldValue& value, std::string& copy);
    ValueFault encode_part(const FieldValue& value, std::string& copy);
    ValueFault encode_joined(std::string& copy);
    ValueFault encode_epoch(const FieldValue& value, std::string& copy);
    [[nodiscard]] std::string fixed(const nlohmann::json& value);
    ValueFault add_joined(const FieldValue& value, bool& is_first);

    Column column_;
    const FieldReader* reader_;
    std::size_t part_;
    std::string constant_;                                                         ///< as COPY text
    std::unordered_map<std::string, std::string, TextHash, std::equal_to<>> map_;  ///< to COPY text
    std::string text_, scratch_;
};

}  // namespace pg_pull
