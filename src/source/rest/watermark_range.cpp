#include "source/rest/watermark_range.h"

#include <charconv>

#include "core/base/duration.h"

namespace pg_pull::rest {
namespace {

using Type = WatermarkFormat::Type;

bool is_time(WatermarkType type) {
    return type == WatermarkType::timestamp || type == WatermarkType::timestamptz || type == WatermarkType::date;
}

bool is_epoch(const WatermarkConfig& config) {
    return config.format.type == Type::epoch || config.format.type == Type::epoch_ms;
}

/// The moment that `value` means; nothing where it is no time.
std::optional<WallTime> time_of(const WatermarkValue& value, const WatermarkConfig& config) {
    if (is_time(value.type)) return value.time;
    if (!is_epoch(config)) return std::nullopt;
    const std::string whole = value.text.substr(0, value.text.find('.'));
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), number);
    if (error != std::errc() || end != whole.data() + whole.size()) return std::nullopt;
    if (config.format.type == Type::epoch) return WallTime(std::chrono::seconds(number));
    return WallTime(std::chrono::milliseconds(number));
}

/// A moment in the terms of the watermark. A number that stands for a time is written like one.
WatermarkValue value_at(WallTime time, const std::optional<WatermarkValue>& like) {
    WatermarkValue value;
    value.type = like && is_time(like->type) ? like->type : WatermarkType::timestamptz;
    value.time = time;
    return value;
}

}  // namespace

Result<std::vector<WatermarkRange>> watermark_ranges(const SourceRequest& request) {
    std::vector<WatermarkRange> ranges(1);
    if (!request.watermark) return ranges;
    WatermarkConfig config = *request.watermark;
    if (request.full) config.lookback = Duration{};
    const auto& start = request.watermark_start;
    const auto& sample = request.watermark_sample;
    const auto border = [&](WallTime time) { return format_border(value_at(time, start), config, sample); };

    if (start) {
        PG_PULL_ASSIGN(ranges[0].start, format_watermark(*start, config, sample));
    }
    const std::optional<WallTime> from = start ? time_of(*start, config) : std::nullopt;
    if (start && !from) {
        if (config.window)
            return fail(Reason::invalid_configuration, "watermark \"window\" needs a watermark that is a time");
        return ranges;
    }
    if (!config.window || !from) {
        PG_PULL_ASSIGN(ranges[0].end, border(request.run_started));
        return ranges;
    }
    PG_PULL_ASSIGN(const auto windows,
                   make_windows(subtract(*from, config.lookback), request.run_started, *config.window));
    ranges.resize(windows.size());
    for (std::size_t i = 0; i < windows.size(); ++i) {
        if (i > 0) ranges[i].start = ranges[i - 1].end;
        PG_PULL_ASSIGN(ranges[i].end, border(windows[i].end));
    }
    return ranges;
}

}  // namespace pg_pull::rest
