#include <algorithm>

#include "source/postgres/read_statement.h"

namespace pg_pull::postgres {
namespace {

/// Transactions commit in another order than their timestamps: what is this much older is read again.
constexpr std::int64_t default_lookback_micros = 5LL * 60 * 1'000'000;

bool is_number(std::string_view text) {
    if (!text.empty() && text.front() == '-') text.remove_prefix(1);
    return !text.empty() && text.find_first_not_of("0123456789.eE+-") == std::string_view::npos &&
           text.front() >= '0' && text.front() <= '9';
}

/// As a constant without quotes it takes the smallest type that holds it, and compares with a column of any numeric type.
std::string number_condition(const std::string& column, const std::string& value, char category) {
    // at the start of the text a minus could make a comment of what stands before
    const std::string constant = "(" + value + ")";
    return (category == 'S' ? column + "::pg_catalog.numeric" : column) + " >= " + constant;
}

std::string time_condition(const std::string& column, const std::string& value, const RemoteColumn& remote) {
    if (remote.category == 'S')
        return column + "::pg_catalog.timestamptz >= " + quote_text(value) + "::pg_catalog.timestamptz";
    // a constant of no type yet takes the column's
    return column + " >= " + quote_text(value);
}

bool is_time(const WatermarkValue& value) {
    return value.type == WatermarkType::timestamp || value.type == WatermarkType::timestamptz ||
           value.type == WatermarkType::date;
}

/// A number or text that stands for a time.
bool means_time(const WatermarkValue& value, const WatermarkFormat& format) {
    if (is_time(value)) return true;
    if (value.type == WatermarkType::text)
        return format.type != WatermarkFormat::Type::iso || parse_timestamp(value.text).has_value();
    return format.type == WatermarkFormat::Type::epoch || format.type == WatermarkFormat::Type::epoch_ms;
}

Result<std::string> value_text(const SourceRequest& request, const RemoteColumn& remote) {
    const WatermarkValue& start = *request.watermark_start;
    WatermarkConfig config = *request.watermark;
    set_default_lookback(config, start);
    // `initial` stands for itself: nothing was pulled before it that a lookback could find again
    if (request.full) config.lookback = Duration{};
    // where the column is a time, the server reads every ISO text, to the last digit
    if (is_time(start) && remote.category != 'N') config.format = WatermarkFormat{};
    return format_watermark(start, config, std::nullopt);
}

}  // namespace

void set_default_lookback(WatermarkConfig& config, const WatermarkValue& start) {
    if (!config.lookback_given && means_time(start, config.format))
        config.lookback = Duration{0, 0, default_lookback_micros};
}

Result<std::optional<std::string>> watermark_condition(const SourceRequest& request,
                                                       const std::vector<RemoteColumn>& columns) {
    if (!request.watermark || !request.watermark_start) return std::optional<std::string>();
    const Path& field = request.watermark->field;
    const auto remote = std::find_if(columns.begin(), columns.end(),
                                     [&](const auto& column) { return column.name == field.steps.front(); });
    if (field.steps.size() != 1 || remote == columns.end())
        return fail(Reason::invalid_configuration, "the watermark \"" + field.text + "\" is not a column of the source")
            .with_hint("Name a column of the table or query, without a path into it.");
    PG_PULL_ASSIGN(const std::string value, value_text(request, *remote));
    const std::string column = quote_name(remote->name);
    switch (request.watermark_start->type) {
        case WatermarkType::timestamp:
        case WatermarkType::timestamptz:
        case WatermarkType::date:
            return std::optional(remote->category == 'N' && is_number(value) ? number_condition(column, value, 'N')
                                                                             : time_condition(column, value, *remote));
        case WatermarkType::integer:
        case WatermarkType::numeric:
            if (!is_number(value)) break;
            return std::optional(number_condition(column, value, remote->category));
        case WatermarkType::text:
            return std::optional(column + "::pg_catalog.text COLLATE \"C\" >= " + quote_text(value));
    }
    return fail(Reason::invalid_configuration,
                "the watermark \"" + field.text + "\" has no number to start from: \"" + value + "\"");
}

}  // namespace pg_pull::postgres
