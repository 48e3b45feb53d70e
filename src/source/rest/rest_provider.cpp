#include "source/rest/rest_provider.h"

#include "core/paging/pagination_config.h"
#include "core/request/auth_config.h"
#include "core/request/connector_config.h"
#include "core/request/source_config.h"
#include "source/rest/rest_stream.h"

namespace pg_pull::rest {
namespace {

/// Lines have no envelope in which a cursor or a total could stand.
Result<void> check_fits(const ::pg_pull::RestSource& source, const PaginationConfig& pagination) {
    if (!source.decoder || source.decoder->type != DecoderType::ndjson) return {};
    if (source.records_path)
        return fail(Reason::invalid_configuration, "source \"records_path\" cannot be used with decoder \"ndjson\"");
    if (pagination.path || pagination.has_more || pagination.total || pagination.total_pages)
        return fail(Reason::invalid_configuration,
                    "pagination by a path in the answer cannot be used with decoder \"ndjson\"")
            .with_hint("Use a header, link_header, page, offset or keyset.");
    return {};
}

}  // namespace

Result<void> check_connector(const nlohmann::json& config, const nlohmann::json& auth) {
    PG_PULL_CHECK(parse_rest_config(config));
    PG_PULL_CHECK(parse_auth(auth));
    return {};
}

Result<void> check_source(const nlohmann::json& config, const nlohmann::json& source,
                          const nlohmann::json& pagination) {
    PG_PULL_ASSIGN(const auto parsed, parse_rest_source(source));
    PG_PULL_CHECK(check_supported(parsed));
    PG_PULL_ASSIGN(const auto connector, parse_rest_config(config));
    PG_PULL_ASSIGN(const auto paging, parse_pagination(pagination.is_null() ? connector.pagination : pagination));
    PG_PULL_CHECK(check_supported(paging));
    return check_fits(parsed, paging);
}

Result<std::unique_ptr<Source>> open_source(SourceContext& context, const SourceRequest& request) {
    return RestStream::open(context, request);
}

}  // namespace pg_pull::rest
