// A pull in its worker, between T0 and the end of the run: plan, source, encoder and landing are put together here, and
// run_pull() of the core drives them.

#include "pg/border.h"
#include "pg/connection_grants.h"
#include "pg/landing.h"
#include "pg/pull_plan.h"
#include "pg/request.h"
#include "pg/source_session.h"

#include "core/run/pull.h"

namespace pg_pull::pg {
namespace {

RunValues values_of(const RunHandle& run) { return {run.organization, std::to_string(run.run_id), run.started_at}; }

void note_plan(WorkerContext& context, const RunHandle& run, const PullPlan& plan, const SourceRequest& request) {
    const auto sent = watermark_as_sent(request);
    if (!sent && plan.full == run.full) return;
    context.amend_run(run, {{"is_full", plan.full ? "true" : "false"}, {"watermark_from", sent}});
}

PullOptions options_of(WorkerContext& context, const RunHandle& run, const PullPlan& plan, RunCounters& counters) {
    PullOptions options;
    options.full = plan.full;
    options.allow_mass_delete = run.allow_mass_delete;
    options.fetching = [&] { context.progress(RunPhase::fetching, counters); };
    options.staging = [&] { context.progress(RunPhase::staging, counters); };
    options.applying = [&] { context.progress(RunPhase::applying, counters); };
    return options;
}

/// However the work ends, the counters of a failed run are those of its end.
class CountedToTheEnd {
public:
    CountedToTheEnd(WorkerContext& context, const RunCounters& counters) : context_(context), counters_(counters) {}
    ~CountedToTheEnd() { context_.progress(RunPhase::applying, counters_); }
    CountedToTheEnd(const CountedToTheEnd&) = delete;
    CountedToTheEnd& operator=(const CountedToTheEnd&) = delete;

private:
    WorkerContext& context_;
    const RunCounters& counters_;
};

}  // namespace

void execute_pull(WorkerContext& context, const RunHandle& run) {
    PullPlan plan = make_pull_plan(context, run.mapping_id, run.organization, run.full, run.slice_id);
    RunCounters counters;
    const CountedToTheEnd counted(context, counters);
    SourceSession session(context, plan.connector, plan.owner, counters, run.organization, std::to_string(run.run_id));

    const EncoderOptions encoding = encoder_options(plan, values_of(run));
    RecordEncoder encoder = unwrap(RecordEncoder::create(plan.fields, plan.stage, encoding));
    SourceRequest request = source_request(plan, run.started);
    note_plan(context, run, plan, request);
    request.fields = &plan.fields;
    request.plan = &plan.stage;
    request.encoding = &encoding;

    const std::unique_ptr<Source> source = session.open(std::move(request));
    if (const ConnectionGrants* grants = session.grants(); grants != nullptr && grants->connection_id())
        context.amend_run(run, {{"connection_id", grants->connection_id()}});
    LandingOptions landing_options;
    landing_options.counters = &counters;
    landing_options.where = staged_where(plan.mapping, plan.connector.provider);
    landing_options.pump = [&source] { source->pump(); };
    Landing landing(context, run, plan.mapping, plan.fields, plan.target, plan.stage, std::move(landing_options));
    unwrap(run_pull(*source, &encoder, landing, counters, options_of(context, run, plan, counters)));
}

}  // namespace pg_pull::pg
