#include "core/request/template_evaluator.h"

#include <charconv>
#include <cmath>

#include "core/base/duration.h"
#include "core/base/encoding.h"
#include "core/base/timestamp.h"
#include "core/base/url.h"
#include "core/paging/watermark.h"

namespace pg_pull {
namespace {

using Value = TemplateValue;
using Optional = std::optional<Value>;

/// Numbers from here on are milliseconds since the epoch, those below are seconds: the border is in the year 5138 as seconds,
/// and in 1973 as milliseconds.
constexpr double kFirstMillis = 1e11;

Value time_value(WallTime time, bool secret) {
    return {Value::Kind::time, std::to_string(time.time_since_epoch().count()), secret};
}

Value bytes_value(std::string bytes, bool secret) { return {Value::Kind::bytes, std::move(bytes), secret}; }

std::string raw_bytes(const Value& value) { return value.kind == Value::Kind::bytes ? value.text : value.to_text(); }

/// A moment together with what it looked like.
struct Moment {
    WallTime time;
    std::optional<TimestampStyle> style;
    bool millis = false;  ///< the number was in milliseconds
};

Result<Moment> moment_of(const Value& value) {
    std::int64_t micros = 0;
    if (value.kind == Value::Kind::time) {
        std::from_chars(value.text.data(), value.text.data() + value.text.size(), micros);
        return Moment{WallTime(std::chrono::microseconds(micros)), std::nullopt, false};
    }
    if (const auto read = parse_timestamp(value.text); read && value.kind != Value::Kind::number)
        return Moment{read->time, read->style, false};
    if (is_json_number(value.text)) {
        double number = 0;
        std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
        const bool millis = std::abs(number) >= kFirstMillis;
        if (std::abs(number) < (millis ? 2.5e14 : 2.5e11))
            return Moment{WallTime(std::chrono::microseconds(std::llround(number * (millis ? 1e3 : 1e6)))),
                          std::nullopt, millis};
    }
    return fail(Reason::invalid_configuration, "a value is not a time");
}

std::int64_t whole(std::int64_t micros, std::int64_t unit) { return micros / unit - (micros % unit < 0 ? 1 : 0); }

Value number_value(std::int64_t number, bool secret) { return {Value::Kind::number, std::to_string(number), secret}; }

Result<Optional> format_date(const Value& value, const Value& format) {
    PG_PULL_ASSIGN(const Moment moment, moment_of(value));
    PG_PULL_ASSIGN(const WatermarkFormat parsed, parse_watermark_format(format.to_text()));
    const std::int64_t micros = moment.time.time_since_epoch().count();
    TimestampStyle style;
    switch (parsed.type) {
        case WatermarkFormat::Type::epoch:
            return Optional(number_value(whole(micros, 1'000'000), value.secret));
        case WatermarkFormat::Type::epoch_ms:
            return Optional(number_value(whole(micros, 1'000), value.secret));
        case WatermarkFormat::Type::iso_date:
            style.date_only = true;
            break;
        case WatermarkFormat::Type::iso:
            style.fraction_digits = 0;
            break;
        case WatermarkFormat::Type::pattern:
            return Optional(Value::of_text(parsed.pattern->format(moment.time), value.secret));
    }
    return Optional(Value::of_text(format_timestamp(moment.time, style), value.secret));
}

/// Moves a time, and gives it back in the form in which it came.
Result<Optional> add_duration(const Value& value, const Value& by) {
    PG_PULL_ASSIGN(const Moment moment, moment_of(value));
    PG_PULL_ASSIGN(const Duration duration, parse_duration(by.to_text()));
    const WallTime moved = add(moment.time, duration);
    if (value.kind == Value::Kind::time) return Optional(time_value(moved, value.secret));
    if (moment.style) return Optional(Value::of_text(format_timestamp(moved, *moment.style), value.secret));
    Value number =
        number_value(whole(moved.time_since_epoch().count(), moment.millis ? 1'000 : 1'000'000), value.secret);
    if (value.kind == Value::Kind::text) number.kind = Value::Kind::text;
    return Optional(std::move(number));
}

Result<Optional> epoch_of(const Value& value, std::int64_t unit) {
    PG_PULL_ASSIGN(const Moment moment, moment_of(value));
    return Optional(number_value(whole(moment.time.time_since_epoch().count(), unit), value.secret));
}

std::string json_text(const Value& value) { return dump_body(value.to_json()); }

Result<Optional> apply(TemplateFunction function, const std::vector<Value>& arguments, const TemplateContext& context) {
    if (function == TemplateFunction::uuid) return Optional(Value::of_text(context.uuid()));
    const Value& value = arguments.front();
    const bool secret = value.secret;
    switch (function) {
        case TemplateFunction::base64:
            return Optional(Value::of_text(base64_encode(raw_bytes(value)), secret));
        case TemplateFunction::base64url:
            return Optional(Value::of_text(base64url_encode(raw_bytes(value)), secret));
        case TemplateFunction::urlencode:
            return Optional(Value::of_text(percent_encode(value.to_text()), secret));
        case TemplateFunction::json:
            return Optional(Value::of_text(json_text(value), secret));
        case TemplateFunction::lower:
            return Optional(Value::of_text(ascii_lower(value.to_text()), secret));
        case TemplateFunction::upper:
            return Optional(Value::of_text(ascii_upper(value.to_text()), secret));
        case TemplateFunction::date:
            return format_date(value, arguments[1]);
        case TemplateFunction::epoch:
            return epoch_of(value, 1'000'000);
        case TemplateFunction::epoch_ms:
            return epoch_of(value, 1'000);
        case TemplateFunction::add:
            return add_duration(value, arguments[1]);
        case TemplateFunction::sha256:
            return Optional(bytes_value(sha256(raw_bytes(value)), secret));
        case TemplateFunction::hmac_sha256:
            return Optional(
                bytes_value(hmac_sha256(raw_bytes(value), raw_bytes(arguments[1])), secret || arguments[1].secret));
        case TemplateFunction::uuid:
            break;
    }
    return Optional();
}

}  // namespace

Result<std::optional<TemplateValue>> evaluate(const TemplateExpression& expression, const TemplateContext& context) {
    switch (expression.kind) {
        case TemplateExpression::Kind::literal:
            return Optional(Value::of_text(expression.literal));
        case TemplateExpression::Kind::path:
            if (expression.path.front() == "now") return Optional(time_value(context.now(), false));
            return context.lookup(expression.path);
        case TemplateExpression::Kind::fallback:
            for (const auto& term : expression.arguments) {
                PG_PULL_ASSIGN(auto value, evaluate(term, context));
                if (value) return value;
            }
            return Optional();
        case TemplateExpression::Kind::call:
            break;
    }
    std::vector<Value> arguments;
    for (const auto& argument : expression.arguments) {
        PG_PULL_ASSIGN(auto value, evaluate(argument, context));
        if (!value) return Optional();
        arguments.push_back(*std::move(value));
    }
    return apply(expression.function, arguments, context);
}

}  // namespace pg_pull
