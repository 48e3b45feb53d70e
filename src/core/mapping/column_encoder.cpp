#include "core/mapping/column_encoder.h"

#include <algorithm>
#include <optional>

#include "core/json/raw.h"
#include "core/mapping/epoch.h"

namespace pg_pull {
namespace {

constexpr std::string_view kNull = "\\N";
constexpr std::string_view kSpace = " \t\n\r\f\v";

std::string_view trimmed(std::string_view text) noexcept {
    const std::size_t begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

/// Part `index` of `parts`; the last one takes all that is left. nullopt: there are fewer.
std::optional<std::string_view> split_part(std::string_view text, std::string_view separator, std::size_t index,
                                           std::size_t parts) {
    text = trimmed(text);
    for (std::size_t i = 0; i < index; ++i) {
        const std::size_t border = text.find(separator);
        if (border == std::string_view::npos) return std::nullopt;
        text.remove_prefix(border + separator.size());
    }
    return trimmed(index + 1 == parts ? text : text.substr(0, text.find(separator)));
}

ValueFault append_null(std::string& copy) {
    copy += kNull;
    return ValueFault::none;
}

}  // namespace

FieldReader::FieldReader(const Field& field, const RunValues& run, RecordScanner& scanner)
    : field_(field), values_(field.sources.size()) {
    for (const FieldSource& source : field_.sources) sources_.emplace_back(source, run, scanner);
}

void FieldReader::read(const RecordScanner& scanner, std::string_view record) {
    for (std::size_t i = 0; i < sources_.size(); ++i) values_[i] = sources_[i].read(scanner, record);
}

bool FieldReader::present() const noexcept {
    return values_.empty() || std::any_of(values_.begin(), values_.end(), [](const FieldValue& value) {
               return value.form != FieldValue::Form::absent;
           });
}

ColumnEncoder::ColumnEncoder(const Column& column, const FieldReader& reader, std::size_t part)
    : column_(column), reader_(&reader), part_(part) {
    const Field& field = reader.field();
    if (field.transform == Transform::constant) constant_ = fixed(field.constant_value);
    if (field.transform == Transform::map)
        for (const auto& [from, to] : field.value_map) map_.emplace(from, fixed(to));
}

/// COPY text of a value out of the configuration, which the column takes as it would from a record. What no literal of the
/// column can be made of goes as its text: the input function tells the user why it cannot be.
std::string ColumnEncoder::fixed(const nlohmann::json& value) {
    if (value.is_null()) return std::string(kNull);
    const std::string raw = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    std::string copy;
    if (encode_json(raw, copy) == ValueFault::none) return copy;
    copy.clear();
    append_for_copy(raw, copy);
    return copy;
}

ValueFault ColumnEncoder::encode(std::string& copy) {
    const auto& values = reader_->values();
    switch (reader_->field().transform) {
        case Transform::constant:
            copy += constant_;
            return ValueFault::none;
        case Transform::map:
            return encode_mapped(values.front(), copy);
        case Transform::split:
            return encode_part(values.front(), copy);
        case Transform::join:
            return encode_joined(copy);
        case Transform::epoch:
            return encode_epoch(values.front(), copy);
        case Transform::sql:
            if (values.empty()) return append_null(copy);
            return encode_value(values.front(), copy);
        case Transform::none:
        case Transform::lookup:
            break;
    }
    return encode_value(values.front(), copy);
}

ValueFault ColumnEncoder::encode_value(const FieldValue& value, std::string& copy) {
    switch (value.form) {
        case FieldValue::Form::json:
            return encode_json(value.text, copy);
        case FieldValue::Form::text:
            return encode_text(value.text, copy);
        case FieldValue::Form::list:
            return encode_list(*value.list, copy);
        default:
            return append_null(copy);
    }
}

ValueFault ColumnEncoder::encode_json(std::string_view raw, std::string& copy) {
    const RawType type = raw_type(raw);
    if (type == RawType::number || type == RawType::boolean) {
        if (column_.type.kind == ValueKind::array) return ValueFault::not_array;
        if (column_.type.kind == ValueKind::composite) return ValueFault::not_composite;
        copy += raw;
        return ValueFault::none;
    }
    if (type == RawType::string && column_.type.kind != ValueKind::json) {
        switch (append_decoded_for_copy(inside_quotes(raw), copy)) {
            case TextFault::nul:
                return ValueFault::nul;
            case TextFault::surrogate:
                return ValueFault::surrogate;
            case TextFault::none:
                return ValueFault::none;
        }
    }
    if (column_.type.kind != ValueKind::array && column_.type.kind != ValueKind::composite) {
        append_for_copy(raw, copy);
        return ValueFault::none;
    }
    scratch_.clear();
    const ValueFault fault = append_value_text(raw, column_.type, scratch_);
    append_for_copy(scratch_, copy);
    return fault;
}

/// Plain text: of a transform, or of the run.
ValueFault ColumnEncoder::encode_text(std::string_view text, std::string& copy) {
    if (column_.type.kind != ValueKind::json) {
        append_for_copy(text, copy);
        return ValueFault::none;
    }
    scratch_.clear();
    append_json_string(text, scratch_);
    append_for_copy(scratch_, copy);
    return ValueFault::none;
}

ValueFault ColumnEncoder::encode_list(const std::vector<std::string_view>& list, std::string& copy) {
    if (column_.type.kind == ValueKind::composite) return ValueFault::not_composite;
    scratch_.clear();
    ValueFault fault = ValueFault::none;
    if (column_.type.kind == ValueKind::array)
        fault = append_array_literal(list, column_.type, scratch_);
    else
        append_json_list(list, scratch_);
    append_for_copy(scratch_, copy);
    return fault;
}

ValueFault ColumnEncoder::encode_mapped(const FieldValue& value, std::string& copy) {
    if (!value.is_value()) return append_null(copy);
    text_.clear();
    if (append_plain(value, text_) == ValueFault::none) {
        if (const auto entry = map_.find(std::string_view(text_)); entry != map_.end()) {
            copy += entry->second;
            return ValueFault::none;
        }
    }
    return encode_value(value, copy);
}

ValueFault ColumnEncoder::encode_part(const FieldValue& value, std::string& copy) {
    if (!value.is_value()) return append_null(copy);
    text_.clear();
    if (const ValueFault fault = append_plain(value, text_); fault != ValueFault::none) return fault;
    const Field& field = reader_->field();
    const auto part = split_part(text_, field.separator, part_, field.targets.size());
    return part ? encode_text(*part, copy) : append_null(copy);
}

ValueFault ColumnEncoder::add_joined(const FieldValue& value, bool& is_first) {
    if (!value.is_value()) return ValueFault::none;
    scratch_.clear();
    if (const ValueFault fault = append_plain(value, scratch_); fault != ValueFault::none) return fault;
    if (scratch_.empty()) return ValueFault::none;
    if (!is_first) text_ += reader_->field().separator;
    is_first = false;
    text_ += scratch_;
    return ValueFault::none;
}

ValueFault ColumnEncoder::encode_joined(std::string& copy) {
    text_.clear();
    bool is_first = true;
    for (const FieldValue& value : reader_->values()) {
        if (value.form != FieldValue::Form::list) {
            if (const ValueFault fault = add_joined(value, is_first); fault != ValueFault::none) return fault;
            continue;
        }
        for (const std::string_view raw : *value.list) {
            const bool is_null = raw_type(raw) == RawType::null;
            const FieldValue one{is_null ? FieldValue::Form::null : FieldValue::Form::json, raw, nullptr};
            if (const ValueFault fault = add_joined(one, is_first); fault != ValueFault::none) return fault;
        }
    }
    return is_first ? append_null(copy) : encode_text(text_, copy);
}

ValueFault ColumnEncoder::encode_epoch(const FieldValue& value, std::string& copy) {
    if (!value.is_value()) return append_null(copy);
    text_.clear();
    if (value.form == FieldValue::Form::list || append_plain(value, text_) != ValueFault::none)
        return ValueFault::not_epoch;
    const std::string_view number = trimmed(text_);
    scratch_.clear();
    if (const ValueFault fault = append_epoch(number, reader_->field().epoch_unit, scratch_); fault != ValueFault::none)
        return fault;
    text_.swap(scratch_);
    return encode_text(text_, copy);
}

}  // namespace pg_pull
