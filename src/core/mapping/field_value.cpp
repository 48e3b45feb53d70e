#include "core/mapping/field_value.h"

#include <algorithm>
#include <span>

#include "core/json/raw.h"

namespace pg_pull {
namespace {

std::optional<std::string> run_value(Pseudo pseudo, const RunValues& run) {
    switch (pseudo) {
        case Pseudo::organization:
            return run.organization;
        case Pseudo::run_id:
            return run.run_id;
        case Pseudo::pulled_at:
            return run.pulled_at;
        default:
            return std::nullopt;
    }
}

FieldValue json_value(std::string_view raw) noexcept {
    if (raw.empty()) return {};
    if (raw_type(raw) == RawType::null) return {FieldValue::Form::null, {}, nullptr};
    return {FieldValue::Form::json, raw, nullptr};
}

}  // namespace

BoundSource::BoundSource(const FieldSource& source, const RunValues& run, RecordScanner& scanner,
                         RecordScanner::Use use)
    : pseudo_(source.pseudo), path_(source.path), run_value_(run_value(source.pseudo, run)) {
    const auto& steps = path_.steps;
    const auto wildcard = path_.pointer ? steps.end() : std::find(steps.begin(), steps.end(), "*");
    first_wildcard_ = static_cast<std::size_t>(wildcard - steps.begin());
    if (pseudo_ == Pseudo::rest) scanner.keep_rest();
    if (pseudo_ == Pseudo::none && first_wildcard_ > 0)
        number_ = scanner.add(std::span(steps).first(first_wildcard_), use);
}

FieldValue BoundSource::read(const RecordScanner& scanner, std::string_view record) {
    switch (pseudo_) {
        case Pseudo::none:
            return read_path(scanner, record);
        case Pseudo::record:
            return json_value(record);
        case Pseudo::rest:
            return read_rest(scanner);
        case Pseudo::organization:
        case Pseudo::run_id:
        case Pseudo::pulled_at:
            break;
    }
    if (!run_value_) return {FieldValue::Form::null, {}, nullptr};
    return {FieldValue::Form::text, *run_value_, nullptr};
}

FieldValue BoundSource::read_path(const RecordScanner& scanner, std::string_view record) {
    const std::string_view base = number_ ? scanner.value(*number_) : record;
    if (first_wildcard_ == path_.steps.size()) return json_value(base);
    if (base.empty()) return {};
    const RawType type = raw_type(base);
    if (type == RawType::null) return {FieldValue::Form::null, {}, nullptr};
    if (type != RawType::array && type != RawType::object) return {};
    list_.clear();
    visit_raw(base, path_, first_wildcard_, [this](std::string_view value) { list_.push_back(value); });
    return {FieldValue::Form::list, {}, &list_};
}

FieldValue BoundSource::read_rest(const RecordScanner& scanner) {
    rest_.assign(1, '{');
    for (const std::string_view member : scanner.rest()) {
        if (rest_.size() > 1) rest_ += ", ";
        rest_ += member;
    }
    rest_ += '}';
    return {FieldValue::Form::json, rest_, nullptr};
}

void append_json_list(const std::vector<std::string_view>& values, std::string& out) {
    out += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) out += ", ";
        out += values[i];
    }
    out += ']';
}

ValueFault append_plain(const FieldValue& value, std::string& out) {
    static constexpr auto kPlain = ValueKind::text;
    switch (value.form) {
        case FieldValue::Form::json: {
            const ColumnType type{kPlain, nullptr, ',', {}};
            return append_value_text(value.text, type, out);
        }
        case FieldValue::Form::list:
            append_json_list(*value.list, out);
            break;
        default:
            out += value.text;
    }
    return ValueFault::none;
}

}  // namespace pg_pull
