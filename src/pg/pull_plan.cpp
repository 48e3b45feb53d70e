#include "pg/pull_plan.h"

#include "pg/border.h"
#include "pg/package_store.h"
#include "pg/sql.h"
#include "pg/stage.h"
#include "pg/xact.h"
#include "source/postgres/read_statement.h"

namespace pg_pull::pg {
namespace {

void read_watermark(PullPlan& plan) {
    if (!plan.mapping.watermark) return;
    plan.watermark = unwrap(parse_watermark(*plan.mapping.watermark));
}

/// full_every: a pull so long after the last full one is full, and so is the first of all.
bool due_for_full(const Extension& extension, const MappingRow& mapping, int slice_id) {
    if (!mapping.full_every || slice_id == 0) return false;
    const Rows rows =
        query("SELECT last_full_at IS NULL OR last_full_at + $2::interval <= statement_timestamp() FROM " +
                  extension.relation("sys_sync_slice") + " WHERE slice_id = $1",
              {int8(slice_id), text(*mapping.full_every)});
    return rows.empty() || to_bool(rows.one());
}

/// How the watermark's values compare: by the base type of the column that they land in.
WatermarkType watermark_type(const PullPlan& plan) { return watermark_type(plan.mapping, plan.fields, plan.target); }

/// The start less the lookback, as a text that the column's type reads.
std::string lowered_start(const PullPlan& plan) {
    if (plan.watermark->lookback.is_zero()) return plan.start.value;
    const WatermarkType type = watermark_type(plan);
    WatermarkConfig config = *plan.watermark;
    const bool time =
        type == WatermarkType::timestamp || type == WatermarkType::timestamptz || type == WatermarkType::date;
    if (time) config.format = {};  // that of the source is not ours
    const WatermarkValue start = unwrap(parse_watermark_value(plan.start.value, type, WatermarkFormat{}));
    return unwrap(format_watermark(start, config, std::nullopt));
}

/// `param: null` filters on our side: staged rows below the start are left out, as a `where` of the mapping would.
void filter_here(PullPlan& plan) {
    if (!plan.watermark || !plan.watermark->param.empty() || plan.full) return;
    if (plan.connector.provider == "postgres" || plan.connector.provider == "fdw") return;  // sent within the query
    const TargetColumn& target = *watermark_column(plan.mapping, plan.fields, plan.target);
    const std::string column = quote_identifier(target.name);
    const std::string condition = column + " IS NULL OR " + column + " OPERATOR(pg_catalog.>=) CAST(" +
                                  quote_literal(lowered_start(plan)) + " AS " + target.bare_type_sql + ")";
    const auto it = plan.mapping.source.find("where");
    const bool has_where = it != plan.mapping.source.end() && it->is_string();
    // a line break before the bracket, in case the expression ends in a comment
    plan.mapping.source["where"] = has_where ? "(" + it->get<std::string>() + "\n) AND (" + condition + ")" : condition;
}

/// The creation judged all this already; what has changed since is judged again. Its notices were shown then.
void plan_target(PullPlan& plan, const Extension& extension, const std::optional<std::string>& organization) {
    plan.target = describe_target(plan.mapping, plan.owner);
    check_mapping_against_target(plan.mapping, plan.fields, plan.target);
    check_organization_scope(extension, plan.mapping, plan.fields, organization);
}

}  // namespace

PullPlan make_pull_plan(WorkerContext& context, std::int64_t mapping_id, const std::optional<std::string>& organization,
                        bool full_asked, int slice_id) {
    Transaction transaction;
    const Extension extension = context.checked_extension();
    PullPlan plan;
    plan.mapping = load_mapping(extension, mapping_id);
    plan.connector = connector_of(extension, plan.mapping);
    require_enabled(extension, plan.mapping.package);
    require_enabled(extension, instance_package(name_facts(extension, plan.connector.name), plan.connector.package));
    plan.owner = owner_oid(plan.mapping.owner, "mapping \"" + plan.mapping.name + "\"");
    if (!may_use_connector(extension, plan.connector, plan.owner))
        raise(Error{Reason::none, "42501", "permission denied for connector \"" + plan.connector.name + "\"",
                    "The owner of mapping \"" + plan.mapping.name + "\" may not use it.",
                    "Grant it with sync_connector_grant()."});
    plan.fields = unwrap(parse_fields(plan.mapping.fields));
    plan_target(plan, extension, organization);
    read_watermark(plan);
    plan.full = full_asked || !plan.watermark || due_for_full(extension, plan.mapping, slice_id);
    if (plan.watermark) {
        plan.start = watermark_start(extension, plan.mapping, plan.fields, plan.target, organization);
        if (!plan.start.present) plan.full = true;
    }
    filter_here(plan);
    plan.stage =
        make_stage_plan(plan.mapping, plan.fields, plan.target, staged_where(plan.mapping, plan.connector.provider));
    transaction.commit();
    return plan;
}

SourceRequest source_request(const PullPlan& plan, WallTime run_started) {
    SourceRequest request;
    request.source = plan.mapping.source;
    request.pagination = declared_pagination(plan.mapping);
    request.watermark = plan.watermark;
    request.run_started = run_started;
    request.full = plan.full;
    if (!plan.watermark) return request;
    if (!plan.full) {
        request.watermark_start =
            unwrap(parse_watermark_value(plan.start.value, watermark_type(plan), WatermarkFormat{}));
        request.watermark_sample = plan.start.sample;
    } else if (plan.watermark->initial) {
        request.watermark_start =
            unwrap(parse_watermark_value(*plan.watermark->initial, watermark_type(plan), plan.watermark->format));
        request.watermark_sample = *plan.watermark->initial;
    }
    const bool from_database = plan.connector.provider == "postgres" || plan.connector.provider == "fdw";
    if (from_database && request.watermark_start)
        postgres::set_default_lookback(*request.watermark, *request.watermark_start);
    return request;
}

std::optional<std::string> watermark_as_sent(const SourceRequest& request) {
    if (!request.watermark || !request.watermark_start) return std::nullopt;
    // `initial` stands for itself: nothing was pulled before it that a lookback could find again
    WatermarkConfig config = *request.watermark;
    if (request.full) config.lookback = Duration{};
    return unwrap(format_watermark(*request.watermark_start, config, request.watermark_sample));
}

EncoderOptions encoder_options(const PullPlan& plan, RunValues values) {
    EncoderOptions options;
    if (plan.stage.watermark) options.watermark_field = plan.watermark->field;
    if (plan.mapping.deleted_when)
        options.deleted_when = unwrap(parse_predicates(*plan.mapping.deleted_when, "deleted_when"));
    options.values = std::move(values);
    return options;
}

}  // namespace pg_pull::pg
