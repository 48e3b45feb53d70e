// sync_suggest in its worker: reads a few records and proposes a table for them.

#include "core/mapping/suggest.h"
#include "pg/border.h"
#include "pg/request.h"
#include "pg/source_session.h"
#include "pg/xact.h"

namespace pg_pull::pg {
namespace {

using nlohmann::json;

ConnectorRow load_connector(WorkerContext& context, const json& arguments) {
    Transaction transaction;
    const Extension extension = context.checked_extension();
    ConnectorRow connector = load_connector(extension, arguments.at("connector_id").get<std::int64_t>());
    transaction.commit();
    return connector;
}

}  // namespace

json execute_suggest(WorkerContext& context, const json& arguments, unsigned requester) {
    const auto wanted = arguments.at("max_records").get<std::size_t>();
    RunCounters counters;
    SourceSession session(context, load_connector(context, arguments), requester, counters, std::nullopt, "");
    SourceRequest request;
    request.source = arguments.at("source");
    request.full = true;
    request.max_records = static_cast<std::int64_t>(wanted);
    const std::unique_ptr<Source> source = session.open(std::move(request));

    std::vector<std::string> records;
    while (records.size() < wanted) {
        auto page = unwrap(source->next());
        if (!page) break;
        const auto& content = std::get<RecordPage>(page->content);
        for (std::size_t i = 0; i < content.size() && records.size() < wanted; ++i)
            if (!content.is_damaged(i)) records.emplace_back(content.record(i));
    }
    const json& target = arguments.at("target");
    const std::string table = target.is_null() ? std::string("new_table") : target.get<std::string>();
    const Suggestion suggestion = unwrap(suggest({records.begin(), records.end()}, table));
    return {{"create_table", suggestion.create_table},
            {"fields", suggestion.fields.dump()},
            {"key", suggestion.key},
            {"watermark", suggestion.watermark ? json(suggestion.watermark->dump()) : json(nullptr)}};
}

}  // namespace pg_pull::pg
