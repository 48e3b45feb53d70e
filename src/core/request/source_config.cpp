#include "core/request/source_config.h"

#include "core/base/url.h"
#include "core/json/config_reader.h"
#include "core/request/credential_literal.h"

namespace pg_pull {
namespace {

using nlohmann::json;

Result<std::optional<Template>> parse_path_template(const json& value, const std::string& where) {
    if (!value.is_string()) return fail(Reason::invalid_configuration, where + " must be a string");
    const std::string& text = value.get_ref<const std::string&>();
    if (text.find("://") < text.find('/') + 1 || text.starts_with("//"))
        return fail(Reason::invalid_configuration, where + " must be a path below the connector's base_url");
    if (text.find_first_of("#\\") != std::string::npos)
        return fail(Reason::invalid_configuration, where + " holds a \"#\" or backslash");
    PG_PULL_ASSIGN(auto path, Template::compile(text, where));
    PG_PULL_CHECK(check_no_literal_in_url(path, where));
    return std::optional(std::move(path));
}

Result<std::optional<Decoder>> parse_decoder(const json& value, const std::string& where) {
    Decoder decoder;
    const json wrapped = value.is_string() ? json{{"type", value}} : value;
    const bool csv = wrapped.is_object() && wrapped.value("type", json()) == "csv";
    auto reader =
        csv ? ConfigReader(wrapped, where, {"type", "delimiter", "header"}) : ConfigReader(wrapped, where, {"type"});
    reader.require("type");
    reader.choice("type", decoder.type,
                  {{"json", DecoderType::json},
                   {"ndjson", DecoderType::ndjson},
                   {"csv", DecoderType::csv},
                   {"xml", DecoderType::xml}});
    std::string delimiter(1, decoder.delimiter);
    reader.text("delimiter", delimiter);
    if (delimiter.size() != 1 || delimiter == "\"" || delimiter == "\n" || delimiter == "\r")
        reader.refuse("delimiter", "must be one character");
    reader.flag("header", decoder.header);
    PG_PULL_CHECK(reader.finish());
    decoder.delimiter = delimiter.front();
    return std::optional(decoder);
}

Result<std::optional<Foreach>> parse_foreach(const json& value, const std::string& where) {
    Foreach each;
    ConfigReader reader(value, where, {"query", "mapping", "key"});
    reader.exclusive({"query", "mapping"}, true);
    reader.text("query", each.query);
    reader.text("mapping", each.mapping);
    reader.texts("key", each.key);
    PG_PULL_CHECK(reader.finish());
    return std::optional(std::move(each));
}

Error not_yet(const std::string& what) {
    return fail(Reason::invalid_configuration, what + " is not supported yet").with_code("0A000");
}

}  // namespace

Result<RestSource> parse_rest_source(const json& config) {
    RestSource source;
    ConfigReader reader(
        config, "source",
        {"path", "method", "query", "headers", "body", "format", "records_path", "decoder", "where", "foreach"});
    reader.require("path");
    reader.value("path", source.request.path, parse_path_template);
    read_request_members(reader, source.request);
    reader.path("records_path", source.records_path);
    reader.value("decoder", source.decoder, parse_decoder);
    reader.text("where", source.where);
    reader.value("foreach", source.foreach, parse_foreach);
    PG_PULL_CHECK(reader.finish());
    // The contract's default; a body alone does not turn a mapping's GET into a POST.
    if (source.request.method.empty()) source.request.method = "GET";
    return source;
}

Result<void> check_supported(const RestSource& source) {
    if (source.decoder && source.decoder->type == DecoderType::csv) return not_yet("source decoder \"csv\"");
    if (source.decoder && source.decoder->type == DecoderType::xml) return not_yet("source decoder \"xml\"");
    if (source.foreach) return not_yet("source \"foreach\"");
    return {};
}

}  // namespace pg_pull
