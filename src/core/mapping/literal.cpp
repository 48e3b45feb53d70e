#include "core/mapping/literal.h"

#include "core/json/raw.h"

namespace pg_pull {
namespace {

ValueFault fault_of(TextFault fault) noexcept {
    switch (fault) {
        case TextFault::nul:
            return ValueFault::nul;
        case TextFault::surrogate:
            return ValueFault::surrogate;
        case TextFault::none:
            break;
    }
    return ValueFault::none;
}

/// In quotes, as array_in and record_in both read them.
void append_quoted(std::string_view text, std::string& out) {
    out += '"';
    for (std::size_t special = 0; (special = text.find_first_of("\"\\")) != std::string_view::npos;) {
        out.append(text.substr(0, special)).append(1, '\\').append(1, text[special]);
        text.remove_prefix(special + 1);
    }
    out.append(text).append(1, '"');
}

/// A value within a literal. Everything but numbers and booleans is quoted, so that no text is taken for NULL or a border.
ValueFault append_part(std::string_view raw, const ColumnType& type, std::string& out) {
    const RawType raw_kind = raw_type(raw);
    const bool is_plain = raw_kind == RawType::number || raw_kind == RawType::boolean;
    if (is_plain && type.kind != ValueKind::array && type.kind != ValueKind::composite) {
        out.append(raw);
        return ValueFault::none;
    }
    std::string text;
    const ValueFault fault = append_value_text(raw, type, text);
    if (fault == ValueFault::none) append_quoted(text, out);
    return fault;
}

ValueFault append_array(std::string_view raw, const ColumnType& type, std::string& out);

/// An array within an array is a further dimension, unless the element's type takes arrays itself.
ValueFault append_element(std::string_view raw, const ColumnType& type, std::string& out) {
    const ValueKind element = type.element->kind;
    if (raw_type(raw) == RawType::null) {
        out += "NULL";
        return ValueFault::none;
    }
    if (raw_type(raw) == RawType::array && element != ValueKind::json && element != ValueKind::array)
        return append_array(raw, type, out);
    return append_part(raw, *type.element, out);
}

ValueFault append_array(std::string_view raw, const ColumnType& type, std::string& out) {
    ValueFault fault = ValueFault::none;
    char border = '{';
    for_each_element(raw, [&](std::string_view element) {
        if (fault != ValueFault::none) return;
        out += border;
        border = type.delimiter;
        fault = append_element(element, type, out);
    });
    if (border == '{') out += '{';
    out += '}';
    return fault;
}

ValueFault append_row(std::string_view raw, const ColumnType& type, std::string& out) {
    std::vector<std::string_view> values(type.attributes.size());
    for_each_member(raw, [&](std::string_view key, std::string_view value) {
        for (std::size_t i = 0; i < values.size(); ++i)
            if (raw_key_is(key, type.attributes[i].name)) values[i] = value;
    });
    out += '(';
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) out += ',';
        if (values[i].empty() || raw_type(values[i]) == RawType::null) continue;
        const ValueFault fault = append_part(values[i], type.attributes[i].type, out);
        if (fault != ValueFault::none) return fault;
    }
    out += ')';
    return ValueFault::none;
}

}  // namespace

ValueFault append_value_text(std::string_view raw, const ColumnType& type, std::string& out) {
    const RawType raw_kind = raw_type(raw);
    if (raw_kind == RawType::string && type.kind != ValueKind::json)
        return fault_of(append_decoded(inside_quotes(raw), out));
    if (type.kind == ValueKind::array)
        return raw_kind == RawType::array ? append_array(raw, type, out) : ValueFault::not_array;
    if (type.kind == ValueKind::composite)
        return raw_kind == RawType::object ? append_row(raw, type, out) : ValueFault::not_composite;
    out.append(raw);
    return ValueFault::none;
}

ValueFault append_array_literal(const std::vector<std::string_view>& elements, const ColumnType& type,
                                std::string& out) {
    out += '{';
    for (std::size_t i = 0; i < elements.size(); ++i) {
        if (i > 0) out += type.delimiter;
        if (const ValueFault fault = append_element(elements[i], type, out); fault != ValueFault::none) return fault;
    }
    out += '}';
    return ValueFault::none;
}

}  // namespace pg_pull
