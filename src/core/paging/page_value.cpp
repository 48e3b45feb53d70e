#include "core/paging/page_value.h"

#include <charconv>
#include <cmath>

#include "core/base/encoding.h"
#include "core/json/lookup.h"
#include "core/json/raw.h"

namespace pg_pull {

using nlohmann::json;

std::optional<std::string> exact_number(std::string_view text, const Path& path) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos || path.has_wildcard()) return std::nullopt;
    text.remove_prefix(begin);
    for (const std::string& step : path.steps) {
        text = raw_child(text, step);
        if (text.empty()) return std::nullopt;
    }
    if (raw_type(text) != RawType::number) return std::nullopt;
    return std::string(text);
}

std::optional<TemplateValue> cursor_value(const json& document, const Path& path, std::string_view text) {
    const json* const found = find_value(document, path);
    if (found == nullptr || found->is_null() || *found == json(false)) return std::nullopt;
    if ((found->is_string() && found->get_ref<const std::string&>().empty()) ||
        (found->is_structured() && found->empty()))
        return std::nullopt;
    if (!found->is_number_float()) return TemplateValue::of(*found);
    if (auto digits = exact_number(text, path)) return TemplateValue::number(*std::move(digits));
    return TemplateValue::of(*found);
}

std::optional<std::int64_t> count_value(const json* document, const std::optional<Path>& path) {
    const json* const found = document == nullptr || !path ? nullptr : find_value(*document, *path);
    if (found == nullptr) return std::nullopt;
    const auto text = scalar_text(*found);
    if (!text) return std::nullopt;
    double count = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), count);
    if (error != std::errc() || end != text->data() + text->size() || !(count >= 0 && count < 9e15))
        return std::nullopt;
    return static_cast<std::int64_t>(count);
}

std::optional<bool> flag_value(const json* document, const std::optional<Path>& path) {
    const json* const found = document == nullptr || !path ? nullptr : find_value(*document, *path);
    if (found == nullptr) return std::nullopt;
    if (found->is_structured()) return !found->empty();
    const std::string text = ascii_lower(scalar_text(*found).value_or(""));
    return !(text.empty() || text == "false" || text == "0" || text == "no");
}

}  // namespace pg_pull
