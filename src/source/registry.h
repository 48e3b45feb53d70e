#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/mapping/encoder.h"
#include "core/paging/watermark.h"
#include "core/run/source.h"
#include "source/source_context.h"

namespace pg_pull {

/// One reading of one mapping. The four configurations are those that check_connector and check_source accepted.
struct SourceRequest {
    std::string connector;  ///< name, for messages
    std::string provider;
    nlohmann::json config;
    nlohmann::json auth;        ///< object; absent keys and null mean `none`
    nlohmann::json source;      ///< of the mapping
    nlohmann::json pagination;  ///< of the mapping; null: the connector's default, else none
    /// The mapping's `watermark`, and the value to start from: the lower of target and cursor, or `initial`; nothing: read
    /// everything. Not yet cut to the format's unit nor reduced by the lookback: the source does both.
    std::optional<WatermarkConfig> watermark;
    std::optional<WatermarkValue> watermark_start;
    std::optional<std::string> watermark_sample;  ///< a value as the source writes it, whose style is kept
    WallTime run_started;                         ///< the last window ends here
    bool full = false;                            ///< watermark_start is then `initial` at most
    /// A preview: the caller stops after about so many records, so nothing is read ahead. 0: everything is wanted.
    std::int64_t max_records = 0;
    /// What the records become, for a source that reads only what is needed, and makes the lines itself where it can. All
    /// three or none (every page then comes as records); they live as long as the source.
    const std::vector<Field>* fields = nullptr;
    const StagePlan* plan = nullptr;
    const EncoderOptions* encoding = nullptr;
};

/// What one call without a mapping brought (sync_connector_call).
struct ActionAnswer {
    bool ok = false;
    int status = 0;
    std::string text;  ///< JSON: {"ok", "status", "headers", "body"}
};

/// A kind of remote system. The checks run when configuration is stored, without any request being sent.
struct Provider {
    std::string_view name;
    Result<void> (*check_connector)(const nlohmann::json& config, const nlohmann::json& auth);
    /// `pagination` is null where the mapping declares none.
    Result<void> (*check_source)(const nlohmann::json& config, const nlohmann::json& source,
                                 const nlohmann::json& pagination);
    /// Null for a provider that reads through the server itself (fdw): the server layer opens it. `context` and whatever it
    /// refers to must outlive the source.
    Result<std::unique_ptr<Source>> (*open)(SourceContext& context, const SourceRequest& request);
    /// The action `request`; `input` null: the connector's base address itself. Null for a provider that is only read.
    Result<ActionAnswer> (*send)(SourceContext& context, const std::string& connector, const nlohmann::json& config,
                                 const nlohmann::json& auth, const nlohmann::json& input);
};

/// nullptr where no such provider exists in this version.
[[nodiscard]] const Provider* find_provider(std::string_view name);

}  // namespace pg_pull
