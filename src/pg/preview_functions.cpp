// sync_preview and sync_suggest: look at a source without writing anything. Both ask a worker, since no backend talks to the
// network itself.

extern "C" {
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
}

#include "pg/border.h"
#include "pg/call_arguments.h"
#include "pg/catalog.h"
#include "pg/function_arguments.h"
#include "pg/request.h"
#include "pg/sql.h"

namespace pg_pull::pg {
namespace {

using nlohmann::json;

constexpr int kMaxPreviewRows = 10'000;

int checked_rows(int rows, const char* argument) {
    if (rows < 1 || rows > kMaxPreviewRows)
        raise(fail(Reason::invalid_configuration, std::string("argument \"") + argument + "\" must be between 1 and " +
                                                      std::to_string(kMaxPreviewRows)));
    return rows;
}

Datum preview(FunctionCallInfo fcinfo) {
    const Arguments arguments(fcinfo);
    const std::string name = arguments.text(0, "mapping");
    const int rows = checked_rows(arguments.int4(1, 10), "max_rows");
    const auto organization = arguments.optional_organization(2, "organization");
    const auto package = arguments.optional_package(3, "package");
    TableResult result(fcinfo);

    json request;
    {
        Spi spi;
        const Extension extension = Extension::current();
        const MappingRow mapping = find_mapping(extension, name, package);
        require_owner(owner_oid(mapping.owner, "mapping \"" + name + "\""), "mapping \"" + name + "\"");
        request = {{"mapping_id", mapping.id}, {"max_rows", rows}, {"organization", nullable(organization)}};
    }
    const json answer = call_worker(RequestKind::preview, request);
    for (const json& row : answer.at("rows"))
        result.add({std::to_string(row.at("ordinal").get<std::int64_t>()), optional_text(row.at("record")),
                    optional_text(row.at("fields")), optional_text(row.at("error"))});
    return no_value();
}

std::string text_array_literal(const json& values) {
    std::string literal = "{";
    for (const json& value : values) {
        if (literal.size() > 1) literal += ',';
        literal += '"';
        for (const char c : value.get_ref<const std::string&>()) {
            if (c == '"' || c == '\\') literal += '\\';
            literal += c;
        }
        literal += '"';
    }
    return literal + '}';
}

Datum suggest_table(FunctionCallInfo fcinfo) {
    const Arguments arguments(fcinfo);
    const std::string name = arguments.text(0, "connector");
    const json source = arguments.document(1, "source");
    const auto target = arguments.optional_text(2);
    const auto organization = arguments.optional_organization(3, "organization");
    const auto package = arguments.optional_package(4, "package");
    const int records = checked_rows(arguments.int4(5, 100), "max_records");
    TableResult result(fcinfo);

    json request;
    {
        Spi spi;
        const Extension extension = Extension::current();
        const ConnectorRow connector = find_connector(extension, name, package);
        if (!may_use_connector(extension, connector, GetUserId()))
            raise(Error{Reason::none,
                        "42501",
                        "permission denied for connector \"" + name + "\"",
                        {},
                        "Ask its owner for sync_connector_grant()."});
        request = {{"connector_id", connector.id},
                   {"source", source},
                   {"max_records", records},
                   {"target", nullable(target)},
                   {"organization", nullable(organization)}};
    }
    const json answer = call_worker(RequestKind::suggest, request);
    result.add({answer.at("create_table").get<std::string>(), answer.at("fields").get<std::string>(),
                text_array_literal(answer.at("key")), optional_text(answer.at("watermark"))});
    return no_value();
}

}  // namespace
}  // namespace pg_pull::pg

PG_PULL_FUNCTION(sync_preview, pg_pull::pg::preview)
PG_PULL_FUNCTION(sync_suggest, pg_pull::pg::suggest_table)
