// sync_preview in its worker: the first records of a mapping go through encoder, staging and computed columns like those of a
// pull, one by one, in a transaction that is rolled back.

#include <algorithm>
#include <map>

#include "core/apply/copy_line.h"
#include "core/apply/statement.h"
#include "pg/as_owner.h"
#include "pg/border.h"
#include "pg/compute.h"
#include "pg/pull_plan.h"
#include "pg/request.h"
#include "pg/source_session.h"
#include "pg/time_text.h"

namespace pg_pull::pg {
namespace {

using nlohmann::json;

/// One record on its way to the answer.
struct PreviewRow {
    RawRecord raw;
    std::string line;  ///< for COPY; empty where the encoder refused the record
    std::int64_t seq = 0;
    json fields;
    std::string error;
};

std::string_view line_of(const StagedPage& page, std::size_t line) {
    const std::size_t begin = line == 0 ? 0 : page.line_ends[line - 1];
    return std::string_view(page.copy).substr(begin, page.line_ends[line] - begin);
}

PreviewRow staged_row(const StagedPage& page, std::size_t line, const StagePlan& plan) {
    PreviewRow row;
    row.raw = page.raw(line);
    row.line = line_of(page, line);
    const auto seq = apply::copy_field(row.line, plan.columns.size());
    row.seq = seq ? std::stoll(*seq) : 0;
    return row;
}

PreviewRow refused_row(const Reject& reject) {
    PreviewRow row;
    row.raw = reject.raw;
    row.error = reject.column.empty() ? reject.message : "column \"" + reject.column + "\": " + reject.message;
    return row;
}

/// Lines and refused records of a page in the order of the source.
void collect(const StagedPage& page, const StagePlan& plan, std::vector<PreviewRow>& rows) {
    std::map<std::int64_t, PreviewRow> by_ordinal;
    for (std::size_t i = 0; i < page.lines(); ++i) by_ordinal.emplace(page.ordinals[i], staged_row(page, i, plan));
    for (const auto& reject : page.rejects) by_ordinal.emplace(reject.ordinal, refused_row(reject));
    for (auto& [ordinal, row] : by_ordinal) rows.push_back(std::move(row));
}

std::vector<PreviewRow> fetch(WorkerContext& context, const PullPlan& plan, const RunHandle& run, std::size_t wanted) {
    RunCounters counters;
    SourceSession session(context, plan.connector, plan.owner, counters, run.organization, "");
    const EncoderOptions encoding = encoder_options(plan, {run.organization, "0", run.started_at});
    RecordEncoder encoder = unwrap(RecordEncoder::create(plan.fields, plan.stage, encoding));
    SourceRequest request = source_request(plan, run.started);
    request.max_records = static_cast<std::int64_t>(wanted);
    request.fields = &plan.fields;
    request.plan = &plan.stage;
    request.encoding = &encoding;
    const std::unique_ptr<Source> source = session.open(std::move(request));

    std::vector<PreviewRow> rows;
    while (rows.size() < wanted) {
        auto page = unwrap(source->next());
        if (!page) break;
        if (auto* lines = std::get_if<StagedPage>(&page->content)) {
            collect(*lines, plan.stage, rows);
        } else {
            const StagedPage staged =
                unwrap(encoder.encode(std::move(std::get<RecordPage>(page->content)), page->number));
            collect(staged, plan.stage, rows);
        }
    }
    if (rows.size() > wanted) rows.resize(wanted);
    return rows;
}

/// Each line alone, so that each error belongs to its record.
void stage_rows(const Stage& stage, std::vector<PreviewRow>& rows) {
    const CopyTarget copy = stage.copy_target();
    for (auto& row : rows) {
        if (row.line.empty()) continue;
        const auto failure = copy_into(copy, row.line, [] {});
        if (!failure) continue;
        Reject reject;
        reject.column = failure->column;
        describe_refusal(failure->error, reject);
        row.error = refused_row(reject).error;
    }
}

PreviewRow* row_of(std::vector<PreviewRow>& rows, std::int64_t seq) {
    const auto at = std::find_if(rows.begin(), rows.end(), [&](const PreviewRow& row) { return row.seq == seq; });
    return at == rows.end() ? nullptr : &*at;
}

/// `sql` and `lookup` columns; what they refuse becomes that record's error.
void compute_rows(const RunHandle& run, const PullPlan& plan, Stage& stage, std::vector<PreviewRow>& rows) {
    if (!has_computed_columns(plan.fields)) return;
    MappingRow mapping = plan.mapping;
    mapping.on_error = "reject";
    mapping.max_rejects = static_cast<int>(rows.size()) + 1;
    RejectStore rejects(run, mapping);
    std::vector<std::optional<std::string>> keys;
    LandedRun landed{run,
                     mapping,
                     plan.fields,
                     plan.target,
                     std::nullopt,
                     stage,
                     rejects,
                     static_cast<std::int64_t>(rows.size()),
                     [](std::int64_t seq) {
                         return Place{0, seq};
                     },
                     keys};
    compute_columns(landed);
    for (const auto& reject : rejects.pending())
        if (PreviewRow* row = row_of(rows, reject.ordinal)) row->error = refused_row(reject).error;
}

void read_rows(const PullPlan& plan, const Stage& stage, std::vector<PreviewRow>& rows) {
    std::vector<std::string> columns{apply::quote_name(stage.seq)};
    std::vector<std::string> names;
    for (const auto& field : plan.fields)
        for (const auto& target : field.targets) {
            names.push_back(target);
            columns.push_back("CAST(" + apply::quote_name(target) + " AS pg_catalog.text)");
        }
    for (const auto& values : query("SELECT " + apply::joined(columns, ", ") + " FROM " + stage.table)) {
        PreviewRow* row = row_of(rows, to_int(values[0]));
        if (row == nullptr || !row->error.empty()) continue;
        row->fields = json::object();
        for (std::size_t i = 0; i < names.size(); ++i)
            row->fields[names[i]] = values[i + 1] ? json(*values[i + 1]) : json(nullptr);
    }
}

void land_and_forget(WorkerContext& context, const RunHandle& run, const PullPlan& plan,
                     std::vector<PreviewRow>& rows) {
    Transaction transaction;
    context.checked_extension();
    Stage stage = describe_stage(plan.mapping, plan.fields, plan.target, plan.stage, std::nullopt, 0);
    const AsOwner as(plan.owner);
    create_stage(stage);
    stage_rows(stage, rows);
    compute_rows(run, plan, stage, rows);
    read_rows(plan, stage, rows);
    // never committed: the staging table goes with the transaction
}

json answer_of(const std::vector<PreviewRow>& rows) {
    json list = json::array();
    for (const auto& row : rows) {
        const json error = row.error.empty() ? json(nullptr) : json(row.error);
        list.push_back({{"ordinal", list.size() + 1},
                        {"record", row.raw.json ? json(*row.raw.json) : json(nullptr)},
                        {"fields", row.fields.is_null() ? json(nullptr) : json(row.fields.dump())},
                        {"error", error}});
    }
    return {{"rows", std::move(list)}};
}

}  // namespace

json execute_preview(WorkerContext& context, const json& arguments, unsigned) {
    const json& organization = arguments.at("organization");
    RunHandle run;
    run.mapping_id = arguments.at("mapping_id").get<std::int64_t>();
    if (!organization.is_null()) run.organization = organization.get<std::string>();
    run.started = SystemClock().now();
    run.started_at = iso_utc(run.started);
    // as a full pull reads: a preview of an incremental pull would mostly show nothing
    const PullPlan plan = make_pull_plan(context, run.mapping_id, run.organization, true, 0);
    std::vector<PreviewRow> rows = fetch(context, plan, run, arguments.at("max_rows").get<std::size_t>());
    land_and_forget(context, run, plan, rows);
    return answer_of(rows);
}

}  // namespace pg_pull::pg
