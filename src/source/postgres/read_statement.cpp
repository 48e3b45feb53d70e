#include "source/postgres/read_statement.h"

#include <algorithm>
#include <set>

#include "source/postgres/line_expression.h"

namespace pg_pull::postgres {
namespace {

/// The name of the rows in our statements.
constexpr std::string_view rows_name = "pg_pull_q";

const RemoteColumn* find_column(const std::vector<RemoteColumn>& columns, std::string_view name) {
    const auto found =
        std::find_if(columns.begin(), columns.end(), [&](const auto& column) { return column.name == name; });
    return found == columns.end() ? nullptr : &*found;
}

Error no_such_column(const SourceRequest& request, const std::string& name, const std::vector<RemoteColumn>& columns) {
    std::string known;
    for (const auto& column : columns) known.append(known.empty() ? "\"" : ", \"").append(column.name).append("\"");
    return fail(Reason::upstream_not_ok,
                "column \"" + name + "\" does not exist in the source at connector \"" + request.connector + "\"")
        .with_code("42703")
        .with_detail("The columns there are " + known + ".")
        .with_hint("Correct the mapping's fields, or its source.");
}

/// Names of the source's columns that a reading needs; `all` where a field takes the whole record.
struct Needs {
    std::set<std::string, std::less<>> names;
    bool all = false;

    void add(const Path& path) {
        if (!path.pointer && path.steps.front() == "*")
            all = true;
        else
            names.insert(path.steps.front());
    }
};

Needs needs_of(const SourceRequest& request) {
    Needs needs;
    if (request.fields == nullptr) {
        needs.all = true;
        return needs;
    }
    for (const Field& field : *request.fields) {
        for (const FieldSource& source : field.sources) {
            if (source.pseudo == Pseudo::record || source.pseudo == Pseudo::rest) needs.all = true;
            if (source.pseudo == Pseudo::none && !source.path.steps.empty()) needs.add(source.path);
        }
    }
    if (request.watermark) needs.add(request.watermark->field);
    if (request.encoding != nullptr) {
        for (const Predicate& predicate : request.encoding->deleted_when) needs.add(predicate.path);
    } else if (request.plan != nullptr && request.plan->tombstone) {
        needs.all = true;
    }
    return needs;
}

/// Conditions, order and limit, applied within the innermost query: names of columns mean the source's there.
Result<std::string> rows_query(const SourceRequest& request, const DatabaseSource& source,
                               const std::vector<RemoteColumn>& columns, const Needs& needs) {
    std::string list;
    for (const auto& column : columns) {
        if (!needs.all && !needs.names.contains(column.name)) continue;
        list.append(list.empty() ? "" : ", ").append(quote_name(column.name));
    }
    std::string query = "SELECT " + list + " FROM " + from_clause(source);
    PG_PULL_ASSIGN(const auto watermark, watermark_condition(request, columns));
    if (!source.where.empty()) query += " WHERE (\n" + source.where + "\n)";
    if (watermark) query += (source.where.empty() ? " WHERE " : " AND ") + *watermark;
    if (request.watermark && request.watermark->order == WatermarkConfig::Order::asc)
        query += " ORDER BY " + quote_name(request.watermark->field.steps.front());
    if (request.max_records > 0) query += " LIMIT " + std::to_string(request.max_records);
    return query;
}

Result<void> check_columns(const SourceRequest& request, const Needs& needs, const std::vector<RemoteColumn>& columns) {
    for (const auto& name : needs.names)
        if (find_column(columns, name) == nullptr) return no_such_column(request, name, columns);
    return {};
}

/// The field that fills a staged column.
const Field* field_of(const std::vector<Field>& fields, const std::string& target) {
    for (const Field& field : fields)
        if (std::find(field.targets.begin(), field.targets.end(), target) != field.targets.end()) return &field;
    return nullptr;
}

/// The select list of lines, or nothing where a column needs the encoder.
std::optional<std::string> line_list(const SourceRequest& request, const std::vector<RemoteColumn>& columns) {
    if (request.fields == nullptr || request.plan == nullptr || request.encoding == nullptr) return std::nullopt;
    if (request.plan->tombstone || request.plan->columns.empty()) return std::nullopt;
    std::string list;
    for (const Column& column : request.plan->columns) {
        const Field* field = field_of(*request.fields, column.name);
        if (field == nullptr) return std::nullopt;
        const bool from_column = !field->sources.empty() && field->sources.front().pseudo == Pseudo::none &&
                                 field->transform != Transform::constant;
        const RemoteColumn* remote =
            from_column ? find_column(columns, field->sources.front().path.steps.front()) : nullptr;
        const auto expression = line_expression(*field, column.type, remote, rows_name, request.encoding->values);
        if (!expression) return std::nullopt;
        list.append(list.empty() ? "" : ", ").append(*expression);
    }
    if (request.plan->record) list.append(", pg_catalog.row_to_json(").append(rows_name).append(")");
    if (request.plan->watermark) {
        if (!request.encoding->watermark_field || request.encoding->watermark_field->steps.size() != 1)
            return std::nullopt;
        list.append(", (").append(rows_name).append(".").append(
            quote_name(request.encoding->watermark_field->steps.front()));
        list.append(")::pg_catalog.text");
    }
    return list;
}

}  // namespace

std::string from_clause(const DatabaseSource& source) {
    return source.table.empty() ? "(\n" + source.query + "\n) AS pg_pull_b" : source.table;
}

std::string describe_statement(const DatabaseSource& source) { return "SELECT * FROM " + from_clause(source); }

Result<ReadStatement> read_statement(const SourceRequest& request, const DatabaseSource& source,
                                     const std::vector<RemoteColumn>& columns, bool lines_allowed) {
    const Needs needs = needs_of(request);
    PG_PULL_CHECK(check_columns(request, needs, columns));
    PG_PULL_ASSIGN(const std::string rows, rows_query(request, source, columns, needs));
    ReadStatement statement;
    std::optional<std::string> list;
    if (lines_allowed && request.max_records == 0) list = line_list(request, columns);
    statement.lines = list.has_value();
    if (!list) list = "pg_catalog.row_to_json(" + std::string(rows_name) + ")";
    statement.select = "SELECT " + *list + " FROM (" + rows + ") AS " + std::string(rows_name);
    for (const auto& column : columns)
        if (!needs.all && !needs.names.contains(column.name)) statement.unread.push_back(column.name);
    return statement;
}

}  // namespace pg_pull::postgres
