#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/path.h"
#include "core/mapping/encoder.h"
#include "core/mapping/fields.h"
#include "core/mapping/literal.h"
#include "core/mapping/record_scanner.h"

namespace pg_pull {

/// What a source yields for one record. Views live as long as the record's text and until the next one is read.
struct FieldValue {
    enum class Form : unsigned char {
        absent,
        null,
        json,  ///< `text` is a JSON value as sent
        text,  ///< `text` is plain text
        list,  ///< `list` holds the JSON values that a wildcard led to
    };
    Form form = Form::absent;
    std::string_view text;
    const std::vector<std::string_view>* list = nullptr;

    [[nodiscard]] bool is_value() const noexcept { return form >= Form::json; }
};

/// A field's source, bound to the scanner that finds its values.
class BoundSource {
public:
    /// Registers the path of `source` with `scanner`.
    BoundSource(const FieldSource& source, const RunValues& run, RecordScanner& scanner,
                RecordScanner::Use use = RecordScanner::Use::field);

    /// `record` is what `scanner` scanned last. The value may point into this object.
    FieldValue read(const RecordScanner& scanner, std::string_view record);

private:
    FieldValue read_path(const RecordScanner& scanner, std::string_view record);
    FieldValue read_rest(const RecordScanner& scanner);

    Pseudo pseudo_;
    Path path_;
    std::size_t first_wildcard_;         ///< index of a step, or the number of steps
    std::optional<std::size_t> number_;  ///< at the scanner; nullopt where the path begins with a wildcard
    std::optional<std::string> run_value_;
    std::vector<std::string_view> list_;
    std::string rest_;
};

/// Appends `value` as the text that transforms work on: a string's content, a number's or boolean's text, the JSON text of
/// objects, arrays and lists. `value` must be one.
[[nodiscard]] ValueFault append_plain(const FieldValue& value, std::string& out);

/// The JSON text of an array of these values.
void append_json_list(const std::vector<std::string_view>& values, std::string& out);

}  // namespace pg_pull
