#include "core/json/last_value.h"

#include "core/json/raw.h"

namespace pg_pull {

std::optional<std::string> record_value(std::string_view record_json, const Path& path) {
    if (!Scanner(record_json).skip_document()) return std::nullopt;
    const std::size_t begin = record_json.find_first_not_of(" \t\r\n");
    std::string_view found;
    visit_raw(record_json.substr(begin), path, 0, [&found](std::string_view value) {
        if (found.empty()) found = value;
    });
    std::string text;
    switch (raw_type(found)) {
        case RawType::string:
            if (append_decoded(inside_quotes(found), text) != TextFault::none) return std::nullopt;
            return text;
        case RawType::number:
        case RawType::boolean:
            return std::string(found);
        default:
            return std::nullopt;
    }
}

}  // namespace pg_pull
