#include "source/postgres/line_expression.h"

namespace pg_pull::postgres {
namespace {

// Oids of built-in types are the same in every PostgreSQL.
constexpr unsigned bool_oid = 16;
constexpr unsigned json_oid = 114;
constexpr unsigned text_array_oid = 1009;
constexpr unsigned varchar_array_oid = 1015;
constexpr unsigned timestamp_oid = 1114;
constexpr unsigned timestamptz_oid = 1184;
constexpr unsigned jsonb_oid = 3802;

bool is_json(const RemoteColumn& remote) { return remote.type == json_oid || remote.type == jsonb_oid; }
bool is_structured(const RemoteColumn& remote) { return remote.category == 'A' || remote.category == 'C'; }

/// The text of the value's JSON, strings without quotes: what the encoder stores in a column that is neither JSON nor array.
std::string json_text(const std::string& value) {
    return "(pg_catalog.to_json(" + value + ") OPERATOR(pg_catalog.#>>) '{}')";
}

std::optional<std::string> array_expression(const std::string& value, const RemoteColumn& remote,
                                            const ColumnType& target) {
    if (is_json(remote) || remote.category == 'C') return std::nullopt;
    if (remote.category != 'A') return value;
    // elements that are spelt differently in JSON than in an array literal (true, times) matter where the text is kept
    const bool keeps_text = target.element != nullptr && target.element->kind != ValueKind::scalar;
    if (keeps_text && remote.type != text_array_oid && remote.type != varchar_array_oid) return std::nullopt;
    return value;
}

std::optional<std::string> column_expression(const std::string& value, const RemoteColumn& remote,
                                             const ColumnType& target) {
    switch (target.kind) {
        case ValueKind::composite:
            return std::nullopt;
        case ValueKind::array:
            return array_expression(value, remote, target);
        case ValueKind::json:
            return is_json(remote) ? value : "pg_catalog.to_json(" + value + ")";
        case ValueKind::text:
            if (remote.type == timestamp_oid || remote.type == timestamptz_oid) return json_text(value);
            [[fallthrough]];
        case ValueKind::scalar:
            if (remote.type == bool_oid) return "(" + value + ")::pg_catalog.text";
            return is_json(remote) || is_structured(remote) ? json_text(value) : value;
    }
    return std::nullopt;
}

std::string literal(const std::optional<std::string>& text) { return text ? quote_text(*text) : "NULL"; }

std::optional<std::string> pseudo_expression(Pseudo pseudo, const RunValues& values) {
    switch (pseudo) {
        case Pseudo::organization:
            return literal(values.organization);
        case Pseudo::run_id:
            return quote_text(values.run_id);
        case Pseudo::pulled_at:
            return quote_text(values.pulled_at);
        default:
            return std::nullopt;
    }
}

}  // namespace

std::optional<std::string> line_expression(const Field& field, const ColumnType& target, const RemoteColumn* remote,
                                           std::string_view rows, const RunValues& values) {
    if (field.transform == Transform::constant) {
        if (target.kind == ValueKind::json && field.constant) return quote_text(field.constant_value.dump());
        if (target.kind == ValueKind::array || target.kind == ValueKind::composite) return std::nullopt;
        return literal(field.constant);
    }
    const bool copies =
        field.transform == Transform::none || field.transform == Transform::lookup || field.transform == Transform::sql;
    if (!copies || field.sources.size() > 1) return std::nullopt;
    if (field.sources.empty()) return "NULL";
    const FieldSource& source = field.sources.front();
    if (source.pseudo != Pseudo::none) {
        if (target.kind != ValueKind::text && target.kind != ValueKind::scalar) return std::nullopt;
        return pseudo_expression(source.pseudo, values);
    }
    if (remote == nullptr || source.path.steps.size() != 1) return std::nullopt;
    return column_expression(std::string(rows) + "." + quote_name(remote->name), *remote, target);
}

}  // namespace pg_pull::postgres
