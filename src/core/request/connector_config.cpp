#include "core/request/connector_config.h"

#include <algorithm>

#include "core/base/url.h"
#include "core/json/config_reader.h"
#include "core/paging/pagination_config.h"
#include "core/request/credential_literal.h"

namespace pg_pull {
namespace {

using nlohmann::json;
using std::chrono::hours;

constexpr Millis kShortest{1};
constexpr Millis kLongest{hours{24}};

Result<HttpTimeouts> parse_timeouts(const json& value, const std::string& where) {
    HttpTimeouts timeouts;
    ConfigReader reader(value, where, {"connect", "request", "stall"});
    reader.duration("connect", timeouts.connect, kShortest, kLongest);
    reader.duration("request", timeouts.request, kShortest, kLongest);
    reader.duration("stall", timeouts.stall, kShortest, kLongest);
    PG_PULL_CHECK(reader.finish());
    return timeouts;
}

Result<std::optional<Template>> parse_absolute_url(const json& value, const std::string& where) {
    if (!value.is_string() || value.get_ref<const std::string&>().empty())
        return fail(Reason::invalid_configuration, where + " must be a URL");
    PG_PULL_ASSIGN(auto text, Template::compile(value.get_ref<const std::string&>(), where));
    PG_PULL_CHECK(check_no_literal_in_url(text, where));
    if (text.is_constant()) {
        if (auto url = parse_url(text.source()); !url.ok())
            return fail(Reason::invalid_configuration, where + ": " + url.error().message).with_hint(url.error().hint);
    } else if (const std::string& source = text.source();
               !source.starts_with("${") && !source.starts_with("https://") && !source.starts_with("http://")) {
        return fail(Reason::invalid_configuration, where + " must begin with https:// or http://");
    }
    return std::optional(std::move(text));
}

Result<std::vector<std::string>> parse_origins(const json& value, const std::string& where) {
    if (!value.is_array()) return fail(Reason::invalid_configuration, where + " must be a list of origins");
    std::vector<std::string> origins;
    for (const json& element : value) {
        if (!element.is_string()) return fail(Reason::invalid_configuration, where + " must be a list of strings");
        const std::string& text = element.get_ref<const std::string&>();
        auto url = parse_url(text);
        if (!url.ok()) return fail(Reason::invalid_configuration, where + ": " + url.error().message);
        if (url->path != "/" || url->query || url->fragment)
            return fail(Reason::invalid_configuration, where + " has \"" + url->origin() + "\" with a path behind it")
                .with_hint("An origin is scheme, host and port.");
        origins.push_back(url->origin());
    }
    return origins;
}

void read_tls(ConfigReader& outer, RestConfig& config) {
    if (outer.failed() || !outer.has("tls")) return;
    ConfigReader reader(outer.at("tls"), outer.place("tls"), {"ca", "client_cert_ref", "client_key_ref"});
    reader.text("ca", config.tls_ca);
    reader.text("client_cert_ref", config.tls_client_cert_ref);
    reader.text("client_key_ref", config.tls_client_key_ref);
    if (config.tls_ca.find("PRIVATE KEY") != std::string::npos) reader.refuse(credential_literal(reader.place("ca")));
    if (!config.tls_ca.empty() && config.tls_ca.find("-----BEGIN CERTIFICATE-----") == std::string::npos)
        reader.refuse("ca", "is no certificate in PEM form");
    if (config.tls_client_cert_ref.empty() != config.tls_client_key_ref.empty())
        reader.refuse(fail(Reason::invalid_configuration,
                           outer.place("tls") + " needs both client_cert_ref and client_key_ref, or neither"));
    if (auto result = reader.finish(); !result.ok()) outer.refuse(std::move(result).error());
}

void read_common(ConfigReader& reader, RestConfig& config) {
    reader.value("base_url", config.base_url, parse_absolute_url);
    reader.value("origins", config.origins, parse_origins);
    reader.value("headers", config.headers, parse_headers);
    reader.value("query", config.query, parse_query);
    reader.value("timeouts", config.timeouts, parse_timeouts);
    reader.value("retry", config.retry, [](const json& value, const std::string&) { return parse_retry(value); });
    reader.value("rate_limit", config.rate_limit,
                 [](const json& value, const std::string&) -> Result<std::optional<RateLimit>> {
                     PG_PULL_ASSIGN(auto limit, parse_rate_limit(value));
                     return std::optional(limit);
                 });
    reader.integer("max_concurrency", config.max_concurrency, 1, 64);
    reader.integer("max_page_bytes", config.max_page_bytes, 1, std::int64_t{4} << 30);
    read_tls(reader, config);
    reader.value("errors", config.errors,
                 [](const json& value, const std::string&) { return parse_error_rules(value); });
    reader.value("reset_header", config.reset_header,
                 [](const json& value, const std::string&) -> Result<std::optional<ResetHeader>> {
                     PG_PULL_ASSIGN(auto header, parse_reset_header(value));
                     return std::optional(std::move(header));
                 });
    reader.value("pagination", config.pagination, [](const json& value, const std::string&) -> Result<json> {
        PG_PULL_CHECK(parse_pagination(value));
        return value;
    });
}

}  // namespace

Result<RestConfig> parse_rest_config(const json& given, HttpProvider provider) {
    const json config = given.is_null() ? json::object() : given;
    RestConfig result;
    auto reader = [&config, provider] {
        switch (provider) {
            case HttpProvider::openapi:
                return ConfigReader(
                    config, "config",
                    {"base_url", "origins", "headers", "query", "timeouts", "retry", "rate_limit", "max_concurrency",
                     "max_page_bytes", "tls", "errors", "reset_header", "pagination", "spec"});
            case HttpProvider::mcp:
                return ConfigReader(
                    config, "config",
                    {"base_url", "origins", "headers", "query", "timeouts", "retry", "rate_limit", "max_concurrency",
                     "max_page_bytes", "tls", "errors", "reset_header", "pagination", "url", "include"});
            case HttpProvider::rest:
                break;
        }
        return ConfigReader(config, "config",
                            {"base_url", "origins", "headers", "query", "timeouts", "retry", "rate_limit",
                             "max_concurrency", "max_page_bytes", "tls", "errors", "reset_header", "pagination"});
    }();
    read_common(reader, result);
    if (provider == HttpProvider::rest) reader.require("base_url");
    if (provider == HttpProvider::openapi) {
        reader.require("spec");
        reader.value("spec", result.spec, [](const json& value, const std::string& where) -> Result<json> {
            if (value.is_object()) return value;
            PG_PULL_CHECK(parse_absolute_url(value, where));
            return value;
        });
    }
    if (provider == HttpProvider::mcp) {
        reader.require("url");
        reader.value("url", result.url, parse_absolute_url);
        reader.texts("include", result.include);
    }
    PG_PULL_CHECK(reader.finish());
    return result;
}

Result<RenderedText> render_base_url(const RestConfig& config, const TemplateContext& context) {
    const std::optional<Template>& text = config.base_url ? config.base_url : config.url;
    if (!text) return fail(Reason::invalid_configuration, "config has no \"base_url\"");
    PG_PULL_ASSIGN(auto rendered, text->render(context, Place::url));
    if (!rendered)
        return fail(Reason::invalid_configuration, "config \"base_url\" has no value for \"" + text->source() + "\"");
    PG_PULL_ASSIGN(const Url url, parse_url(rendered->text));
    return RenderedText{url.to_string(), rendered->secret};
}

Result<std::vector<std::string>> allowed_origins(const RestConfig& config, std::string_view base_url) {
    PG_PULL_ASSIGN(auto origin, origin_of(base_url));
    std::vector<std::string> origins{std::move(origin)};
    for (const std::string& other : config.origins)
        if (std::find(origins.begin(), origins.end(), other) == origins.end()) origins.push_back(other);
    return origins;
}

}  // namespace pg_pull
