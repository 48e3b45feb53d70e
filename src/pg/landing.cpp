#include "pg/landing.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/apply/copy_line.h"
#include "pg/apply.h"
#include "pg/as_owner.h"
#include "pg/border.h"
#include "pg/halves.h"
#include "pg/retried.h"
#include "pg/xact.h"

namespace pg_pull::pg {
namespace {

using apply::quote_name;

bool is_computed(const std::vector<Field>& fields, const std::string& column) {
    return std::any_of(fields.begin(), fields.end(), [&](const Field& field) {
        return (field.transform == Transform::lookup || field.transform == Transform::sql) &&
               field.targets.front() == column;
    });
}

std::size_t line_start(const StagedPage& page, std::size_t line) { return line == 0 ? 0 : page.line_ends[line - 1]; }

std::string_view lines_of(const StagedPage& page, std::size_t first, std::size_t last) {
    const std::size_t begin = line_start(page, first);
    return std::string_view(page.copy).substr(begin, line_start(page, last) - begin);
}

}  // namespace

Landing::Landing(WorkerContext& context, const RunHandle& run, MappingRow mapping, std::vector<Field> fields,
                 TargetTable target, StagePlan plan, LandingOptions options)
    : context_(context),
      run_(run),
      mapping_(std::move(mapping)),
      fields_(std::move(fields)),
      target_(std::move(target)),
      plan_(std::move(plan)),
      options_(std::move(options)),
      rejects_(run_, mapping_) {}

void Landing::describe() {
    if (described_) return;
    stage_ = describe_stage(mapping_, fields_, target_, plan_, options_.where, run_.run_id);
    described_ = true;
}

void Landing::make_stage() {
    describe();
    if (stage_.exists()) return;
    const AsOwner as(target_.owner);
    create_stage(stage_);
}

void Landing::remember(const StagedPage& page) {
    records_ += static_cast<std::int64_t>(page.lines() + page.rejects.size());
    for (const auto& key : page.unmapped_keys)
        if (key.find('\0') == std::string::npos)
            unmapped_keys_.insert(key);  // a text of the server cannot name the others
    if (page.lines() == 0) return;
    const auto seq = [&](std::size_t line) {
        return to_int(apply::copy_field(lines_of(page, line, line + 1), plan_.columns.size()));
    };
    PageSpan span{seq(0), seq(page.lines() - 1), page.number, page.ordinals.front(), {}};
    if (page.ordinals.back() - page.ordinals.front() + 1 != page.ordinals.size()) span.ordinals = page.ordinals;
    pages_.push_back(std::move(span));
}

Place Landing::place_of(std::int64_t seq) const {
    const auto it = std::find_if(pages_.begin(), pages_.end(),
                                 [&](const PageSpan& p) { return seq >= p.first_seq && seq <= p.last_seq; });
    if (it == pages_.end()) return {};
    const auto offset = static_cast<std::size_t>(seq - it->first_seq);
    const auto span = static_cast<std::size_t>(it->last_seq - it->first_seq) + 1;
    if (it->ordinals.size() == span) return {it->number, it->ordinals[offset]};
    return {it->number, it->first_ordinal + static_cast<std::int64_t>(offset)};
}

std::optional<std::string> Landing::key_of(std::string_view line) const {
    std::vector<std::optional<std::string>> parts;
    for (const auto& column : plan_.key) {
        if (is_computed(fields_, column)) return std::nullopt;
        const auto it =
            std::find_if(plan_.columns.begin(), plan_.columns.end(), [&](const Column& c) { return c.name == column; });
        parts.push_back(apply::copy_field(line, static_cast<std::size_t>(it - plan_.columns.begin())));
    }
    return apply::key_text(parts);
}

Reject Landing::refused_line(const StagedPage& page, std::size_t line, const CopyFailure& failure) const {
    Reject reject;
    reject.raw = page.raw(line);
    reject.key = key_of(lines_of(page, line, line + 1));
    reject.page = page.number;
    reject.ordinal = page.ordinals[line];
    reject.column = failure.column;
    describe_refusal(failure.error, reject);
    if (reject.code == "23502") {
        const bool key = std::find(plan_.key.begin(), plan_.key.end(), reject.column) != plan_.key.end();
        // the server names the staging table
        if (key) reject.code = info(Reason::key_null).sqlstate;
        reject.message = key ? "key column \"" + reject.column + "\" is null"
                             : "null value in column \"" + reject.column + "\" of relation \"" + target_.name +
                                   "\" violates not-null constraint";
    }
    return reject;
}

void Landing::refuse(Reject reject) {
    rejected_keys_.push_back(reject.key);
    (void)rejects_.add(std::move(reject));
}

/// Every good line is copied at most twice: once up to where the server stopped, once alone.
void Landing::load(const StagedPage& page, std::size_t first, std::size_t last) {
    const CopyTarget copy = stage_.copy_target();
    while (first < last && !rejects_.passed_limit()) {
        const auto failure = copy_into(copy, lines_of(page, first, last), options_.pump);
        if (!failure) {
            lines_ += static_cast<std::int64_t>(last - first);
            return;
        }
        if (!is_row_error(failure->error) || first + failure->line >= last) std::rethrow_exception(failure->error);
        const std::size_t bad = first + failure->line;
        load(page, first, bad);
        if (!rejects_.passed_limit()) refuse(refused_line(page, bad, *failure));
        first = bad + 1;
    }
}

std::int64_t Landing::stage(const StagedPage& page) {
    remember(page);
    if (page.lines() == 0 && page.rejects.empty()) return 0;
    const std::int64_t before = rejects_.total();
    {
        Transaction transaction;
        const Extension extension = context_.checked_extension();
        for (const auto& reject : page.rejects)
            if (!rejects_.passed_limit()) refuse(reject);
        if (page.lines() > 0 && !rejects_.passed_limit()) {
            make_stage();
            {
                const AsOwner as(target_.owner);
                load(page, 0, page.lines());
            }
            fire_deferred_triggers(target_.owner);
        }
        rejects_.write(extension);
        transaction.commit();
        rejects_.committed();
    }
    committed_rejects_ = rejects_.total();
    check_limit();
    return rejects_.total() - before;
}

void Landing::check_limit() {
    if (!rejects_.passed_limit()) return;
    context_.failed_counters(source_columns(committed_rejects_));
    raise(rejects_.limit_error());
}

LandedRun Landing::landed() {
    return LandedRun{run_,          mapping_,       fields_,
                     target_,       options_.where, stage_,
                     rejects_,      lines_,         [this](std::int64_t seq) { return place_of(seq); },
                     rejected_keys_};
}

bool Landing::absence_counts(const ApplyOrder& order) const {
    return options_.retry == nullptr && order.full && order.complete &&
           (mapping_.delete_mode != "ignore" || mapping_.mode == "replace");
}

void Landing::supersede_earlier_rejects(const Extension& extension) {
    if (mapping_.key.empty()) return;
    const std::vector<std::string> open = open_reject_keys(extension, mapping_, run_);
    if (open.empty()) return;
    std::vector<std::string> parts;
    for (const auto& column : mapping_.key) parts.push_back("CAST(s." + quote_name(column) + " AS pg_catalog.text)");
    std::string key = parts.front();
    if (parts.size() > 1) {
        // as key_text writes it
        for (auto& part : parts) part = "CAST(pg_catalog.to_json(" + part + ") AS pg_catalog.text)";
        key = "'[' OPERATOR(pg_catalog.||) " +
              apply::joined(parts, " OPERATOR(pg_catalog.||) ',' OPERATOR(pg_catalog.||) ") +
              " OPERATOR(pg_catalog.||) ']'";
    }
    std::vector<std::string> stored;
    {
        const AsOwner as(target_.owner);
        apply::Statement statement;
        const std::string keys = statement.add(
            nlohmann::json(open).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), "pg_catalog.json");
        statement.text =
            "SELECT x.k FROM (SELECT " + key + " AS k FROM " + stage_.table +
            " AS s) AS x WHERE x.k OPERATOR(pg_catalog.=) ANY (SELECT pg_catalog.json_array_elements_text(" + keys +
            "))";
        for (const auto& row : query(statement))
            if (row[0]) stored.push_back(*row[0]);
    }
    if (!stored.empty()) supersede_rejects(extension, mapping_, run_, stored);
}

std::optional<std::string> Landing::watermark_seen() const {
    const TargetColumn* column = watermark_column(mapping_, fields_, target_);
    if (column == nullptr || options_.retry != nullptr) return std::nullopt;
    const AsOwner as(target_.owner);
    return highest_watermark(stage_, *column, run_.started_at);
}

void Landing::settle(const Extension& extension, const ApplyOrder& order, ApplySummary& summary) {
    const std::optional<std::string> watermark = watermark_seen();
    const bool retry = options_.retry != nullptr;
    LandedRun run = landed();
    const std::vector<std::int64_t> all = retry ? staged_numbers(run) : std::vector<std::int64_t>();
    std::int64_t ignored = sift(run);
    if (retry) ignored += remove_older(run, options_.retry->met);
    if (retry) outcome_.superseded = without(all, staged_numbers(run));
    const AbsenceOrder absence{absence_counts(order), order.allow_mass_delete, records_ - ignored};
    summary = apply_staged(run, absence, [this](const std::string& message, const std::string& hint) {
        deletes_skipped_ = true;
        context_.notice(message, hint);
    });
    summary.ignored += ignored;
    summary.watermark_to = watermark;
    if (retry) outcome_.stored = settled_numbers(run);
    if (!retry) supersede_earlier_rejects(extension);
    const AsOwner as(target_.owner);
    drop_stage(stage_);
    stage_.oid = 0;
}

ApplySummary Landing::apply_in_transaction(const ApplyOrder& order) {
    ApplySummary summary;
    Transaction transaction;
    const Extension extension = context_.checked_extension();
    describe();
    const bool keyless_replace = mapping_.mode == "replace" && mapping_.key.empty();
    if (keyless_replace && !absence_counts(order))
        raise(Error{Reason::none, "55000",
                    "mapping \"" + mapping_.name + "\" cannot replace the rows of \"" + target_.label + "\"",
                    "The source was not read completely, and without a key the rows that are missing cannot be told.",
                    "Pull again."});
    if (!stage_.exists() && absence_counts(order) && slice_has_rows(landed())) make_stage();
    const std::int64_t rejected_before = rejects_.total();
    if (stage_.exists()) settle(extension, order, summary);
    summary.rejected = rejects_.total() - rejected_before;
    fire_deferred_triggers(target_.owner);
    rejects_.write(extension);
    if (options_.retry != nullptr) options_.retry->settled(extension, outcome_);
    finish(extension, order, summary);
    transaction.commit();
    rejects_.committed();
    committed_rejects_ = rejects_.total();
    return summary;
}

ApplySummary Landing::apply(const ApplyOrder& order) {
    std::exception_ptr failure;
    try {
        return apply_in_transaction(order);
    } catch (...) {
        failure = std::current_exception();
    }
    // here, where no exception is in flight and the failed transaction is over
    if (rejects_.has_pending() && !ends_the_run(failure)) keep_rejects();
    context_.failed_counters(source_columns(committed_rejects_));
    std::rethrow_exception(failure);
}

void Landing::keep_rejects() {
    Transaction transaction;
    const Extension extension = context_.checked_extension();
    rejects_.write(extension);
    transaction.commit();
    rejects_.committed();
    committed_rejects_ = rejects_.total();
}

void Landing::finish(const Extension& extension, const ApplyOrder& order, const ApplySummary& summary) {
    if (summary.watermark_to)
        store_watermark(extension, mapping_, fields_, target_, run_.organization, run_.run_id, order.full,
                        *summary.watermark_to);
    const bool pull = options_.retry == nullptr;
    if (pull && order.full) remember_full(extension);
    auto detail = nlohmann::json::object();
    if (const auto keys = pull ? new_unmapped_keys(extension) : std::vector<std::string>(); !keys.empty()) {
        detail["unmapped_keys"] = keys;
        context_.notice("the source has keys that nothing stores: \"" + apply::joined(keys, "\", \"") + "\"",
                        "Map them to columns, or keep all others with $rest.");
    }
    if (deletes_skipped_) detail["deletes_skipped"] = "the key of a refused record cannot be read";
    Columns columns = source_columns(rejects_.total());
    const auto add = [&](const char* name, std::int64_t value) { columns.emplace_back(name, std::to_string(value)); };
    add("records_ignored", summary.ignored);
    add("rows_inserted", summary.inserted);
    add("rows_updated", summary.updated);
    add("rows_unchanged", summary.unchanged);
    add("rows_deleted", summary.deleted);
    columns.emplace_back("watermark_to", summary.watermark_to);
    if (!detail.empty())
        columns.emplace_back("error_detail", detail.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    context_.end_run(run_, columns);
}

Landing::Columns Landing::source_columns(std::int64_t rejected) const {
    Columns columns;
    const auto add = [&](const char* name, std::int64_t value) { columns.emplace_back(name, std::to_string(value)); };
    add("records_read", records_);
    add("rows_rejected", rejected);
    if (options_.counters == nullptr) return columns;
    const RunCounters& counters = *options_.counters;
    add("pages", counters.pages);
    add("bytes_read", counters.bytes_read);
    add("requests", counters.requests);
    add("requests_ignored", counters.requests_ignored);
    add("retries", counters.retries);
    add("throttled_ms", counters.throttled_ms);
    return columns;
}

void Landing::remember_full(const Extension& extension) const {
    execute("UPDATE " + extension.relation("sys_sync_slice") +
                " SET last_full_at = $2::pg_catalog.timestamptz WHERE slice_id = $1::pg_catalog.int4",
            {int8(run_.slice_id), text(run_.started_at)});
}

/// Those that no run has told of yet. The first run of a slice only learns what is there.
std::vector<std::string> Landing::new_unmapped_keys(const Extension& extension) const {
    if (records_ == 0) return {};
    const Rows rows = query("SELECT pg_catalog.array_to_json(known_keys) FROM " + extension.relation("sys_sync_slice") +
                                " WHERE slice_id = $1::pg_catalog.int4",
                            {int8(run_.slice_id)});
    if (rows.empty()) return {};
    std::set<std::string> known;
    if (rows.one()) known = nlohmann::json::parse(*rows.one()).get<std::set<std::string>>();
    std::vector<std::string> fresh;
    std::set_difference(unmapped_keys_.begin(), unmapped_keys_.end(), known.begin(), known.end(),
                        std::back_inserter(fresh));
    if (fresh.empty() && rows.one()) return {};
    known.insert(fresh.begin(), fresh.end());
    execute(
        "UPDATE " + extension.relation("sys_sync_slice") + " SET known_keys = $2 WHERE slice_id = $1::pg_catalog.int4",
        {int8(run_.slice_id), text_array({known.begin(), known.end()})});
    return rows.one() ? fresh : std::vector<std::string>();
}

}  // namespace pg_pull::pg
