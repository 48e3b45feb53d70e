// sync_retry_rejects in its worker: the open rejects of a slice go through the same encoder and the same landing as a page of
// the source would.

#include <algorithm>
#include <limits>

#include "core/apply/copy_line.h"
#include "core/mapping/encoder.h"
#include "pg/border.h"
#include "pg/landing.h"
#include "pg/pull_plan.h"
#include "pg/request.h"
#include "pg/xact.h"

namespace pg_pull::pg {
namespace {

constexpr int kPageSize = 1000;

struct OpenReject {
    std::int64_t id = 0;
    std::int64_t last_run = 0;
    std::string record;
};

/// Records that are JSON objects; others (bytes that were no JSON) stay open, since nothing here can make them better.
std::vector<OpenReject> open_rejects(WorkerContext& context, const MappingRow& mapping, const RunHandle& run,
                                     std::int64_t behind) {
    Transaction transaction;
    const Extension extension = context.checked_extension();
    const Rows rows = query(
        "SELECT reject_id, last_run_id, record::pg_catalog.text FROM " + extension.relation("sync_reject_store") +
            " WHERE mapping = $1 AND package_id IS NOT DISTINCT FROM $2 AND organization_id IS NOT DISTINCT FROM $3"
            " AND status = 'open' AND record IS NOT NULL AND pg_catalog.json_typeof(record) = 'object'"
            " AND last_run_id <> $4 AND reject_id > $5 ORDER BY reject_id LIMIT $6",
        {text(mapping.name), text(mapping.package), text(run.organization), int8(run.run_id), int8(behind),
         int8(kPageSize)});
    std::vector<OpenReject> rejects;
    for (const auto& row : rows) rejects.push_back({to_int(row[0]), to_int(row[1]), row[2].value_or("")});
    transaction.commit();
    return rejects;
}

RecordPage page_of(const std::vector<OpenReject>& rejects) {
    std::string body = "[";
    for (const auto& reject : rejects) {
        if (body.size() > 1) body += ',';
        body += reject.record;
    }
    return unwrap(RecordPage::open(body + "]", RecordFormat::json, std::nullopt, false));
}

/// The mapping as a retry uses it: refused again is no reason to fail, and rows without a key cannot be replaced one by one.
MappingRow for_retry(MappingRow mapping) {
    mapping.on_error = "reject";
    mapping.max_rejects = std::numeric_limits<int>::max() - 1;
    if (mapping.mode == "replace") mapping.mode = mapping.key.empty() ? "insert" : "upsert";
    return mapping;
}

void mark(const Extension& extension, const RunHandle& run, const char* status,
          const std::vector<std::int64_t>& numbers, const std::vector<std::int64_t>& reject_ids) {
    std::vector<std::string> ids;
    for (const auto number : numbers) ids.push_back(std::to_string(reject_ids.at(static_cast<std::size_t>(number))));
    if (ids.empty()) return;
    // what this run refused again is open still, with one attempt more
    execute(
        "UPDATE " + extension.relation("sync_reject_store") +
            " SET status = $1, updated_at = pg_catalog.clock_timestamp() WHERE reject_id = ANY ($2::pg_catalog.int8[])"
            " AND last_run_id <> $3",
        {text(status), text_array(ids), int8(run.run_id)});
}

}  // namespace

void execute_retry(WorkerContext& context, const RunHandle& run) {
    PullPlan plan = make_pull_plan(context, run.mapping_id, run.organization, true, 0);
    const MappingRow mapping = for_retry(plan.mapping);
    EncoderOptions encoding = encoder_options(plan, {run.organization, std::to_string(run.run_id), run.started_at});
    RecordEncoder encoder = unwrap(RecordEncoder::create(plan.fields, plan.stage, std::move(encoding)));
    RunCounters counters;
    std::vector<std::int64_t> reject_ids;  // by sequence number
    RetryOptions retry;
    retry.settled = [&](const Extension& extension, const RetryOptions::Outcome& outcome) {
        mark(extension, run, "superseded", outcome.superseded, reject_ids);
        mark(extension, run, "stored", outcome.stored, reject_ids);
    };
    LandingOptions options;
    options.counters = &counters;
    options.where = staged_where(mapping, plan.connector.provider);
    options.retry = &retry;
    Landing landing(context, run, mapping, plan.fields, plan.target, plan.stage, std::move(options));

    std::int64_t behind = 0;
    while (true) {
        context.waiter().check();
        context.progress(RunPhase::staging, counters);
        const std::vector<OpenReject> rejects = open_rejects(context, mapping, run, behind);
        if (rejects.empty()) break;
        behind = rejects.back().id;
        const StagedPage page = unwrap(encoder.encode(page_of(rejects), ++counters.pages));
        for (std::size_t line = 0; line < page.lines(); ++line) {
            const std::size_t begin = line == 0 ? 0 : page.line_ends[line - 1];
            const std::string_view text = std::string_view(page.copy).substr(begin, page.line_ends[line] - begin);
            const std::int64_t seq = to_int(apply::copy_field(text, plan.stage.columns.size()));
            const OpenReject& reject = rejects.at(page.ordinals[line] - 1);
            reject_ids.resize(std::max(reject_ids.size(), static_cast<std::size_t>(seq) + 1));
            reject_ids[static_cast<std::size_t>(seq)] = reject.id;
            retry.met.emplace_back(seq, reject.last_run);
        }
        counters.records_read += static_cast<std::int64_t>(page.lines() + page.rejects.size());
        counters.rows_rejected += landing.stage(page);
    }
    context.progress(RunPhase::applying, counters);
    (void)landing.apply({false, false, false});
}

}  // namespace pg_pull::pg
