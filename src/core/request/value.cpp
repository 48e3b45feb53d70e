#include "core/request/value.h"

#include <charconv>

#include "core/base/clock.h"
#include "core/base/encoding.h"
#include "core/base/timestamp.h"

namespace pg_pull {
namespace {

using nlohmann::json;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_from(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    return end - at;
}

std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

void append(const json& node, std::string& out) {
    if (node.is_binary()) {
        const auto& bytes = node.get_binary();
        out.append(bytes.begin(), bytes.end());
    } else if (node.is_object()) {
        out.push_back('{');
        bool first = true;
        for (const auto& item : node.items()) {
            if (!first) out.push_back(',');
            first = false;
            out.append(dump(json(item.key()))).push_back(':');
            append(item.value(), out);
        }
        out.push_back('}');
    } else if (node.is_array()) {
        out.push_back('[');
        bool first = true;
        for (const json& element : node) {
            if (!first) out.push_back(',');
            first = false;
            append(element, out);
        }
        out.push_back(']');
    } else {
        out += dump(node);
    }
}

}  // namespace

bool is_json_number(std::string_view text) noexcept {
    std::size_t at = text.starts_with('-') ? 1 : 0;
    const std::size_t whole = digits_from(text, at);
    if (whole == 0 || (whole > 1 && text[at] == '0')) return false;
    at += whole;
    if (at < text.size() && text[at] == '.') {
        const std::size_t fraction = digits_from(text, at + 1);
        if (fraction == 0) return false;
        at += 1 + fraction;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
        const std::size_t exponent = digits_from(text, at);
        if (exponent == 0) return false;
        at += exponent;
    }
    return at == text.size();
}

TemplateValue TemplateValue::number(std::string digits) {
    const Kind kind = is_json_number(digits) ? Kind::number : Kind::text;
    return {kind, std::move(digits), false};
}

TemplateValue TemplateValue::of(const json& value) {
    if (value.is_string()) return of_text(value.get<std::string>());
    if (value.is_boolean()) return {Kind::boolean, value.get<bool>() ? "true" : "false", false};
    if (value.is_number()) return {Kind::number, value.dump(), false};
    return {Kind::json, dump_body(value), false};
}

std::string TemplateValue::to_text() const {
    if (kind == Kind::bytes) return hex_encode(text);
    if (kind != Kind::time) return text;
    std::int64_t micros = 0;
    std::from_chars(text.data(), text.data() + text.size(), micros);
    // Whole seconds: what nearly every API reads. Finer moments come from date() and epoch_ms().
    TimestampStyle style;
    style.fraction_digits = 0;
    return format_timestamp(WallTime(std::chrono::microseconds(micros)), style);
}

json TemplateValue::to_json() const {
    switch (kind) {
        case Kind::boolean:
            return text == "true";
        case Kind::number:
        case Kind::json:
            return raw_json(text);
        default:
            return to_text();
    }
}

json raw_json(std::string_view json_text) {
    return json::binary(std::vector<std::uint8_t>(json_text.begin(), json_text.end()));
}

std::string dump_body(const json& body) {
    std::string out;
    append(body, out);
    return out;
}

}  // namespace pg_pull
