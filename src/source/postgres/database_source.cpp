#include "source/postgres/database_source.h"

#include "core/json/config_reader.h"
#include "core/paging/pagination_config.h"

namespace pg_pull::postgres {
namespace {

bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_name_part(char c) { return is_name_start(c) || (c >= '0' && c <= '9') || c == '$'; }

/// One identifier from the front of `text`, which moves behind it. False: there is none.
bool take_name(std::string_view& text, std::string& name) {
    name.clear();
    if (text.empty()) return false;
    if (text.front() != '"') {
        if (!is_name_start(text.front())) return false;
        while (!text.empty() && is_name_part(text.front())) {
            const char c = text.front();
            name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
            text.remove_prefix(1);
        }
        return true;
    }
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '"') {
            if (i + 1 >= text.size() || text[i + 1] != '"') {
                text.remove_prefix(i + 1);
                return !name.empty();
            }
            ++i;
        }
        name += text[i];
    }
    return false;
}

void strip_end(std::string& query) {
    const auto end = query.find_last_not_of(" \t\r\n;");
    query.erase(end == std::string::npos ? 0 : end + 1);
}

}  // namespace

Result<std::string> parse_table_name(std::string_view text) {
    constexpr int most_parts = 3;  // database.schema.table
    std::string_view rest = text;
    std::string quoted;
    std::string name;
    for (int part = 0; part < most_parts; ++part) {
        if (!take_name(rest, name)) break;
        if (part > 0) quoted += '.';
        quoted += quote_name(name);
        if (rest.empty()) return quoted;
        if (rest.front() != '.') break;
        rest.remove_prefix(1);
    }
    return fail(Reason::invalid_configuration,
                "source \"table\" is not the name of a table: \"" + std::string(text) + "\"")
        .with_hint("Write it as in SQL: table, schema.table, or \"Schema\".\"Table\" where quotes are needed.");
}

std::string quote_name(std::string_view name) {
    std::string quoted = "\"";
    for (const char c : name) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted += '"';
}

std::string quote_text(std::string_view text) {
    std::string quoted = text.find('\\') == std::string_view::npos ? "'" : " E'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') quoted += c;
        quoted += c;
    }
    return quoted += '\'';
}

Result<DatabaseSource> parse_database_source(const nlohmann::json& config) {
    DatabaseSource source;
    std::string table;
    ConfigReader reader(config, "source", {"table", "query", "where"});
    reader.exclusive({"table", "query"}, true);
    reader.text("table", table);
    reader.text("query", source.query);
    reader.text("where", source.where);
    PG_PULL_CHECK(reader.finish());
    if (table.empty()) {
        strip_end(source.query);
        if (source.query.empty()) return fail(Reason::invalid_configuration, "source \"query\" is empty");
        return source;
    }
    PG_PULL_ASSIGN(source.table, parse_table_name(table));
    return source;
}

Result<void> check_database_source(const nlohmann::json& source, const nlohmann::json& pagination) {
    PG_PULL_CHECK(parse_database_source(source));
    PG_PULL_ASSIGN(const auto paging, parse_pagination(pagination));
    if (paging.type == PaginationType::none) return {};
    return fail(Reason::invalid_configuration, "pagination cannot be used with a database as the source")
        .with_hint("Leave pagination out: the rows are read as one stream.");
}

}  // namespace pg_pull::postgres
