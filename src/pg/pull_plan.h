#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/mapping/encoder.h"
#include "core/mapping/fields.h"
#include "core/paging/watermark.h"
#include "core/run/stage_plan.h"
#include "pg/catalog.h"
#include "pg/cursor.h"
#include "pg/request.h"
#include "pg/target_rules.h"
#include "source/registry.h"

namespace pg_pull::pg {

/// What a run works by: read from the catalog in one short transaction, then used without one.
struct PullPlan {
    MappingRow mapping;
    ConnectorRow connector;
    unsigned owner = 0;
    std::vector<Field> fields;
    TargetTable target;
    StagePlan stage;
    std::optional<WatermarkConfig> watermark;
    WatermarkStart start;  ///< what target and cursor say
    bool full = false;     ///< nothing is asked from a watermark on
};

/// `slice_id` 0: a preview, which is never full by age.
PullPlan make_pull_plan(WorkerContext& context, std::int64_t mapping_id, const std::optional<std::string>& organization,
                        bool full_asked, int slice_id);

/// The source's side of the plan. Raises where `initial` is no value of the watermark's type.
SourceRequest source_request(const PullPlan& plan, WallTime run_started);

/// The watermark as the source is asked, for sys_sync_run.watermark_from; nullopt: none is sent.
std::optional<std::string> watermark_as_sent(const SourceRequest& request);

EncoderOptions encoder_options(const PullPlan& plan, RunValues values);

}  // namespace pg_pull::pg
