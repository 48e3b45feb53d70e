#include "core/paging/pagination_config.h"

#include "core/base/encoding.h"
#include "core/json/config_reader.h"
#include "core/json/lookup.h"
#include "core/request/parameters.h"

namespace pg_pull {
namespace {

using nlohmann::json;

Result<PaginationType> parse_type(const json& config) {
    if (!config.is_object()) return fail(Reason::invalid_configuration, "pagination must be a JSON object");
    constexpr std::pair<std::string_view, PaginationType> types[] = {
        {"none", PaginationType::none},         {"page", PaginationType::page},
        {"offset", PaginationType::offset},     {"cursor", PaginationType::cursor},
        {"next_url", PaginationType::next_url}, {"link_header", PaginationType::link_header},
        {"keyset", PaginationType::keyset},     {"odata", PaginationType::odata},
        {"relay", PaginationType::relay}};
    const auto found = config.find("type");
    if (found == config.end() || found->is_null())
        return fail(Reason::invalid_configuration, "pagination \"type\" is missing");
    std::string list;
    for (const auto& [name, type] : types) {
        if (*found == name) return type;
        list.append(list.empty() ? "\"" : ", \"").append(name).append("\"");
    }
    return fail(Reason::invalid_configuration,
                "pagination \"type\" cannot be " + found->dump(-1, ' ', false, json::error_handler_t::replace))
        .with_hint("It is one of " + list + ".");
}

ConfigReader reader_for(const json& config, PaginationType type) {
    constexpr auto where = "pagination";
    switch (type) {
        case PaginationType::none:
        case PaginationType::odata:
            break;
        case PaginationType::page:
            return {
                config, where, {"type", "max_pages", "param", "start", "size", "size_param", "total_pages", "total"}};
        case PaginationType::offset:
            return {config, where, {"type", "max_pages", "param", "size", "size_param", "total"}};
        case PaginationType::cursor:
            return {config,
                    where,
                    {"type", "max_pages", "path", "header", "param", "send_header", "body", "initial", "has_more"}};
        case PaginationType::next_url:
            return {config, where, {"type", "max_pages", "path", "header"}};
        case PaginationType::link_header:
            return {config, where, {"type", "max_pages", "rel"}};
        case PaginationType::keyset:
            return {config, where, {"type", "max_pages", "field", "param", "size", "size_param"}};
        case PaginationType::relay:
            return {config, where, {"type", "max_pages", "path", "variable"}};
    }
    return {config, where, {"type", "max_pages"}};
}

void read_header_name(ConfigReader& reader, std::string_view key, std::string& out) {
    reader.text(key, out);
    if (!out.empty() && !is_token(out)) reader.refuse(key, "is not a header name");
}

void refuse_wildcard(ConfigReader& reader, std::string_view key, const std::optional<Path>& path) {
    if (path && path->has_wildcard()) reader.refuse(key, "cannot hold \"*\"");
}

/// Text, number or boolean.
void read_initial(ConfigReader& reader, PaginationConfig& config) {
    reader.value("initial", config.initial,
                 [](const json& value, const std::string& where) -> Result<std::optional<TemplateValue>> {
                     if (scalar_text(value)) return std::optional(TemplateValue::of(value));
                     return fail(Reason::invalid_configuration, where + " must be a string or number");
                 });
}

constexpr std::int64_t kLargestSize = 1'000'000;

void read_counted(ConfigReader& reader, PaginationConfig& config) {
    const bool page = config.type == PaginationType::page;
    config.param = page ? "page" : "offset";
    if (!page) config.size_param = "limit";
    reader.text("param", config.param);
    if (page) reader.integer("start", config.start, std::int64_t{0}, std::int64_t{1'000'000'000});
    if (!page) reader.require("size");
    reader.integer("size", config.size, std::int64_t{1}, kLargestSize);
    reader.text("size_param", config.size_param);
    if (reader.is_null("size_param")) config.size_param.clear();  // the size is known, but not sent
    if (page && !config.size_param.empty()) reader.require("size");
    reader.path("total", config.total);
    if (page) reader.path("total_pages", config.total_pages);
}

void read_cursor(ConfigReader& reader, PaginationConfig& config) {
    reader.exclusive({"path", "header"}, true);
    reader.exclusive({"param", "send_header", "body"}, true);
    reader.path("path", config.path);
    read_header_name(reader, "header", config.header);
    reader.text("param", config.param);
    read_header_name(reader, "send_header", config.send_header);
    reader.path("body", config.body);
    read_initial(reader, config);
    reader.path("has_more", config.has_more);
    refuse_wildcard(reader, "body", config.body);
}

void read_keyset(ConfigReader& reader, PaginationConfig& config) {
    reader.require("field");
    reader.require("param");
    reader.path("field", config.field);
    refuse_wildcard(reader, "field", config.field);
    reader.text("param", config.param);
    reader.integer("size", config.size, std::int64_t{1}, kLargestSize);
    reader.text("size_param", config.size_param);
    if (!config.size_param.empty()) reader.require("size");
}

void read_type(ConfigReader& reader, PaginationConfig& config) {
    switch (config.type) {
        case PaginationType::none:
        case PaginationType::odata:
            break;
        case PaginationType::page:
        case PaginationType::offset:
            read_counted(reader, config);
            break;
        case PaginationType::cursor:
            read_cursor(reader, config);
            break;
        case PaginationType::next_url:
            reader.exclusive({"path", "header"}, true);
            reader.path("path", config.path);
            read_header_name(reader, "header", config.header);
            break;
        case PaginationType::link_header:
            reader.text("rel", config.rel);
            break;
        case PaginationType::keyset:
            read_keyset(reader, config);
            break;
        case PaginationType::relay:
            reader.require("path");
            reader.path("path", config.path);
            reader.text("variable", config.variable);
            break;
    }
}

}  // namespace

Result<PaginationConfig> parse_pagination(const json& config) {
    PaginationConfig result;
    if (config.is_null()) return result;
    PG_PULL_ASSIGN(result.type, parse_type(config));
    ConfigReader reader = reader_for(config, result.type);
    reader.integer("max_pages", result.max_pages, std::int64_t{1}, std::int64_t{1'000'000'000});
    read_type(reader, result);
    PG_PULL_CHECK(reader.finish());
    result.header = ascii_lower(result.header);
    return result;
}

Result<void> check_supported(const PaginationConfig& config) {
    const auto not_yet = [](const std::string& type) {
        return fail(Reason::invalid_configuration, "pagination \"" + type + "\" is not supported yet")
            .with_code("0A000");
    };
    if (config.type == PaginationType::odata) return not_yet("odata");
    if (config.type == PaginationType::relay) return not_yet("relay");
    return {};
}

}  // namespace pg_pull
