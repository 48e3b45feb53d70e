#include "core/mapping/line_encoder.h"

#include <algorithm>
#include <charconv>

#include "core/json/document.h"
#include "core/json/raw.h"

namespace pg_pull {
namespace {

constexpr std::string_view kNull = "\\N";

/// Every array type names its element's type, however deep.
bool is_complete(const ColumnType& type) {
    if (type.kind == ValueKind::array) return type.element && is_complete(*type.element);
    return std::all_of(type.attributes.begin(), type.attributes.end(),
                       [](const auto& attribute) { return is_complete(attribute.type); });
}

bool stores_all_keys(const Field& field) {
    return std::any_of(field.sources.begin(), field.sources.end(), [](const FieldSource& source) {
        return source.pseudo == Pseudo::record || source.pseudo == Pseudo::rest;
    });
}

void append_number(std::int64_t number, std::string& out) {
    char digits[24];
    const auto written = std::to_chars(digits, digits + sizeof digits, number);
    out.append(digits, written.ptr);
}

FieldSource source_at(const Path& path) { return FieldSource{Pseudo::none, path}; }

}  // namespace

LineEncoder::LineEncoder(const StagePlan& plan, EncoderOptions options) : plan_(plan), options_(std::move(options)) {}

Result<std::unique_ptr<LineEncoder>> LineEncoder::create(const std::vector<Field>& fields, const StagePlan& plan,
                                                         EncoderOptions options) {
    std::unique_ptr<LineEncoder> encoder(new LineEncoder(plan, std::move(options)));
    PG_PULL_CHECK(encoder->bind(fields));
    return encoder;
}

Result<void> LineEncoder::bind(const std::vector<Field>& fields) {
    readers_.reserve(fields.size());
    for (const Field& field : fields) readers_.emplace_back(field, options_.values, scanner_);
    PG_PULL_CHECK(bind_columns());
    for (const Predicate& predicate : options_.deleted_when)
        conditions_.push_back({predicate, BoundSource(source_at(predicate.path), options_.values, scanner_,
                                                      RecordScanner::Use::condition)});
    if (plan_.watermark && options_.watermark_field) {
        if (options_.watermark_field->has_wildcard())
            return fail(Reason::invalid_configuration,
                        "the watermark's field \"" + options_.watermark_field->text + "\" cannot have a wildcard");
        watermark_.emplace(source_at(*options_.watermark_field), options_.values, scanner_,
                           RecordScanner::Use::condition);
    }
    if (std::none_of(fields.begin(), fields.end(), stores_all_keys)) scanner_.watch_keys();
    return {};
}

Result<void> LineEncoder::bind_columns() {
    for (const Column& column : plan_.columns) {
        if (!is_complete(column.type))
            return fail(Reason::invalid_configuration,
                        "the type of column \"" + column.name + "\" lacks its element type");
        for (const FieldReader& reader : readers_) {
            const auto& targets = reader.field().targets;
            const auto target = std::find(targets.begin(), targets.end(), column.name);
            if (target == targets.end()) continue;
            columns_.emplace_back(column, reader, static_cast<std::size_t>(target - targets.begin()));
            break;
        }
        if (columns_.empty() || columns_.back().name() != column.name)
            return fail(Reason::invalid_configuration, "no field fills the staged column \"" + column.name + "\"");
    }
    const auto column_number = [this](const std::string& name) {
        const auto found = std::find_if(columns_.begin(), columns_.end(),
                                        [&name](const ColumnEncoder& column) { return column.name() == name; });
        return static_cast<std::size_t>(found - columns_.begin());
    };
    for (const FieldReader& reader : readers_)
        for (const std::string& target : reader.field().targets)
            if (column_number(target) == columns_.size())
                return fail(Reason::invalid_configuration, "column \"" + target + "\" of a field is not staged");
    for (const std::string& name : plan_.key) {
        key_columns_.push_back(column_number(name));
        if (key_columns_.back() == columns_.size())
            return fail(Reason::invalid_configuration, "no field fills the key column \"" + name + "\"");
    }
    return {};
}

void LineEncoder::read_fields(std::string_view record) {
    for (FieldReader& reader : readers_) reader.read(scanner_, record);
}

LineEncoder::Fault LineEncoder::append_line(std::string_view record, std::int64_t sequence, std::string& copy) {
    read_fields(record);
    for (ColumnEncoder& column : columns_) {
        if (const ValueFault fault = column.encode(copy); fault != ValueFault::none) return {fault, column.name()};
        copy += '\t';
    }
    if (const ValueFault fault = append_own_columns(record, sequence, copy); fault != ValueFault::none)
        return {fault, {}};
    copy += '\n';
    return {};
}

ValueFault LineEncoder::append_own_columns(std::string_view record, std::int64_t sequence, std::string& copy) {
    append_number(sequence, copy);
    if (plan_.record) {
        copy += '\t';
        append_for_copy(record, copy);
    }
    if (plan_.presence) {
        copy += '\t';
        for (const ColumnEncoder& column : columns_) copy += column.present() ? '1' : '0';
    }
    if (plan_.tombstone) copy += is_tombstone(record) ? "\tt" : "\tf";
    if (!plan_.watermark) return ValueFault::none;
    copy += '\t';
    return append_watermark(record, copy);
}

ValueFault LineEncoder::append_watermark(std::string_view record, std::string& copy) {
    FieldValue value;
    if (watermark_) value = watermark_->read(scanner_, record);
    if (!value.is_value()) {
        copy += kNull;
        return ValueFault::none;
    }
    std::string text;
    const ValueFault fault = append_plain(value, text);
    append_for_copy(text, copy);
    return fault;
}

bool LineEncoder::is_tombstone(std::string_view record) {
    if (conditions_.empty()) return false;
    return std::all_of(conditions_.begin(), conditions_.end(), [this, record](Condition& condition) {
        const FieldValue found = condition.source.read(scanner_, record);
        std::vector<nlohmann::json> values;
        const auto add = [&values](std::string_view raw) {
            if (auto value = parse_document(raw); value.ok()) values.push_back(*std::move(value));
        };
        if (found.form == FieldValue::Form::json) add(found.text);
        if (found.form == FieldValue::Form::list)
            for (const std::string_view raw : *found.list) add(raw);
        return fits(condition.predicate, values);
    });
}

std::optional<std::string> LineEncoder::key(std::string_view record) {
    if (key_columns_.empty()) return std::nullopt;
    read_fields(record);
    std::vector<std::string> texts;
    for (const std::size_t number : key_columns_) {
        std::string copy;
        if (columns_[number].encode(copy) != ValueFault::none || copy == kNull) return std::nullopt;
        texts.push_back(from_copy(copy));
    }
    if (texts.size() == 1) return std::move(texts.front());
    std::string list = "[";
    for (const std::string& text : texts) {
        if (list.size() > 1) list += ", ";
        append_json_string(text, list);
    }
    return list + "]";
}

}  // namespace pg_pull
