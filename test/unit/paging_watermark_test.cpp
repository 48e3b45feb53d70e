#include "core/paging/watermark.h"

#include "unit/request_support.h"

namespace pg_pull {
namespace {

using nlohmann::json;
using test::at;
using test::got;
using Type = WatermarkType;

WatermarkConfig config_of(json extra = json::object()) {
    extra["field"] = "updated_at";
    return got(Result<std::optional<WatermarkConfig>>(parse_watermark(extra).value())).value();
}

std::string sent(const char* value, Type type, const json& extra, const char* sample = nullptr) {
    const auto config = config_of(extra);
    const auto parsed = parse_watermark_value(value, type, config.format);
    if (!parsed.ok()) return "error: " + parsed.error().message;
    const auto text =
        format_watermark(*parsed, config, sample == nullptr ? std::nullopt : std::optional<std::string_view>(sample));
    return text.ok() ? *text : "error: " + text.error().message;
}

TEST(Watermark, IsSentInTheFormatAndRoundedDown) {
    const char* const value = "2024-05-01T10:20:30.987654Z";
    const struct {
        json extra;
        const char* sample;
        const char* wanted;
    } cases[] = {
        {json::object(), nullptr, "2024-05-01T10:20:30.987654Z"},
        {json::object(), "2024-01-01T00:00:00Z", "2024-05-01T10:20:30Z"},
        {json::object(), "2024-01-01T00:00:00.000Z", "2024-05-01T10:20:30.987Z"},
        {json::object(), "2024-01-01 00:00:00.000000+00:00", "2024-05-01 10:20:30.987654+00:00"},
        {json::object(), "2024-01-01T00:00:00.000+0000", "2024-05-01T10:20:30.987+0000"},
        {json::object(), "2024-01-01T00:00:00", "2024-05-01T10:20:30"},
        {json::object(), "no time", "2024-05-01T10:20:30.987654Z"},
        {{{"format", "iso_date"}}, nullptr, "2024-05-01"},
        {{{"format", "epoch"}}, nullptr, "1714558830"},
        {{{"format", "epoch_ms"}}, nullptr, "1714558830987"},
        {{{"format", "YYYY-MM-DD HH24:MI"}}, nullptr, "2024-05-01 10:20"},
        {{{"format", "YYYYMMDDHH24MISSMS"}}, nullptr, "20240501102030987"},
        {{{"lookback", "P1D"}}, "2024-01-01T00:00:00Z", "2024-04-30T10:20:30Z"},
        {{{"lookback", "P1M"}, {"format", "iso_date"}}, nullptr, "2024-04-01"},
        {{{"lookback", "PT1S"}, {"format", "iso_date"}}, nullptr, "2024-04-30"},
        {{{"lookback", "PT0.5S"}, {"format", "epoch"}}, nullptr, "1714558829"},
        {{{"lookback", "PT1S"}, {"format", "YYYY-MM-DD HH24:MI"}}, nullptr, "2024-05-01 10:19"},
    };
    for (const auto& c : cases) EXPECT_EQ(sent(value, Type::timestamptz, c.extra, c.sample), c.wanted) << c.extra;
    EXPECT_EQ(sent("2024-05-01T10:20:30Z", Type::timestamptz, json::object()), "2024-05-01T10:20:30Z");
    EXPECT_EQ(sent("1969-12-31T23:59:59.5Z", Type::timestamptz, {{"format", "epoch"}}), "-1")
        << "down, not towards zero";
    EXPECT_EQ(sent("2024-05-01 12:20:30+02", Type::timestamptz, json::object()), "2024-05-01T10:20:30Z");
}

TEST(Watermark, OfADateIsADate) {
    EXPECT_EQ(sent("2024-05-01", Type::date, json::object()), "2024-05-01");
    EXPECT_EQ(sent("2024-05-01T10:00:00Z", Type::date, json::object(), "2024-01-01T00:00:00Z"), "2024-05-01T00:00:00Z");
    EXPECT_EQ(sent("2024-05-01", Type::date, {{"lookback", "P1D"}}), "2024-04-30");
}

TEST(Watermark, OfANumberPassesUnchanged) {
    EXPECT_EQ(sent("12345678901234567890123", Type::numeric, json::object()), "12345678901234567890123");
    EXPECT_EQ(sent("1.50", Type::numeric, json::object()), "1.5");
    EXPECT_EQ(sent("1714558830", Type::integer, {{"format", "epoch"}, {"lookback", "PT30S"}}), "1714558800");
    EXPECT_EQ(sent("1714558830000", Type::integer, {{"format", "epoch_ms"}, {"lookback", "PT30S"}}), "1714558800000");
    EXPECT_EQ(sent("5", Type::integer, {{"lookback", "PT30S"}}), "error: a watermark that is a number has no lookback");
    EXPECT_EQ(sent("5", Type::integer, {{"format", "iso_date"}}),
              "error: a number cannot be sent as a watermark of that format");
    EXPECT_EQ(sent("5.5", Type::integer, json::object()), "error: the watermark \"5.5\" is not an integer");
    EXPECT_EQ(sent("NaN", Type::numeric, json::object()), "error: the watermark \"NaN\" is not a number");
}

TEST(Watermark, OfATextPassesUnchangedUnlessItIsATime) {
    EXPECT_EQ(sent("v10-abc", Type::text, json::object()), "v10-abc");
    EXPECT_EQ(sent("2024-05-01T10:00:00.000+00:00", Type::text, json::object()), "2024-05-01T10:00:00.000+00:00");
    EXPECT_EQ(sent("2024-05-01T10:00:00.000Z", Type::text, {{"lookback", "PT1H"}}), "2024-05-01T09:00:00.000Z");
    EXPECT_EQ(sent("v10", Type::text, {{"lookback", "PT1H"}}),
              "error: the watermark \"v10\" is not a time, so it has neither format nor lookback");
}

TEST(Watermark, RefusesAnOffsetThatTheColumnDrops) {
    const WatermarkFormat iso;
    EXPECT_EQ(test::reason_of(parse_watermark_value("2024-05-01T10:00:00+02:00", Type::timestamp, iso)),
              Reason::watermark_unsound);
    EXPECT_EQ(test::reason_of(parse_watermark_value("2024-05-01T10:00:00+02:00", Type::date, iso)),
              Reason::watermark_unsound);
    EXPECT_TRUE(parse_watermark_value("2024-05-01T10:00:00Z", Type::timestamp, iso).ok());
    EXPECT_TRUE(parse_watermark_value("2024-05-01T10:00:00+02:00", Type::timestamptz, iso).ok());
}

TEST(Watermark, ReadsTimesByFormat) {
    const auto read = [](const char* text, const char* format) {
        const auto value = parse_watermark_value(text, Type::timestamptz, got(parse_watermark_format(format)));
        return value.ok() ? format_timestamp(value->time) : "error";
    };
    EXPECT_EQ(read("1714558830", "epoch"), "2024-05-01T10:20:30Z");
    EXPECT_EQ(read("1714558830.25", "epoch"), "2024-05-01T10:20:30.250000Z");
    EXPECT_EQ(read("1714558830987", "epoch_ms"), "2024-05-01T10:20:30.987000Z");
    EXPECT_EQ(read("-0.0000001", "epoch"), "1969-12-31T23:59:59.999999Z");
    EXPECT_EQ(read("01.05.2024", "DD.MM.YYYY"), "2024-05-01T00:00:00Z");
    EXPECT_EQ(read("2024-05-01 10:20:30.5+00", "DD.MM.YYYY"), "2024-05-01T10:20:30.500000Z")
        << "as the target prints it";
    EXPECT_EQ(read("2024-05-01 10:20:30.5+00", "epoch"), "2024-05-01T10:20:30.500000Z");
    EXPECT_EQ(read("1714558830", "iso"), "error");
    EXPECT_EQ(read("99999999999999999999", "epoch"), "error");
}

TEST(Watermark, ComparesByType) {
    const auto order = [](const char* a, const char* b, Type type) {
        return compare(got(parse_watermark_value(a, type, {})), got(parse_watermark_value(b, type, {})));
    };
    EXPECT_EQ(order("9", "10", Type::integer), -1);
    EXPECT_EQ(order("9", "10", Type::text), 1);
    EXPECT_EQ(order("1.10", "1.1", Type::numeric), 0);
    EXPECT_EQ(order("2024-05-01T10:00:00+02:00", "2024-05-01T09:00:00Z", Type::timestamptz), -1);
    EXPECT_EQ(order("2024-05-01T10:00:00Z", "2024-05-01T11:00:00Z", Type::date), 0);
}

TEST(Watermark, IsStoredAndReadAgain) {
    for (const Type type : {Type::timestamptz, Type::timestamp, Type::date}) {
        const auto value = got(parse_watermark_value("2024-05-01T10:20:30.123456", type, {}));
        EXPECT_EQ(got(parse_watermark_value(store_text(value), type, {})), value);
    }
    EXPECT_EQ(store_text({Type::timestamptz, at("2024-05-01T10:20:30Z"), ""}), "2024-05-01T10:20:30.000000Z");
    EXPECT_EQ(store_text({Type::timestamp, at("2024-05-01T10:20:30Z"), ""}), "2024-05-01T10:20:30.000000");
    EXPECT_EQ(store_text({Type::integer, {}, "42"}), "42");
}

TEST(WatermarkWindows, CoverTheTimeWithoutGaps) {
    const auto windows = got(make_windows(at("2024-01-31T00:00:00Z"), at("2024-05-15T12:00:00Z"), Duration{1, 0, 0}));
    ASSERT_EQ(windows.size(), 4u);
    const char* borders[] = {"2024-01-31", "2024-02-29", "2024-03-31", "2024-04-30", "2024-05-15T12:00:00Z"};
    for (std::size_t i = 0; i < windows.size(); ++i) {
        EXPECT_EQ(windows[i].start, at(borders[i]));
        EXPECT_EQ(windows[i].end, at(borders[i + 1]));
    }
    EXPECT_EQ(got(make_windows(at("2024-05-01"), at("2024-05-02"), Duration{0, 1, 0})).size(), 1u);
    const auto none = got(make_windows(at("2024-05-02"), at("2024-05-01"), Duration{0, 1, 0}));
    ASSERT_EQ(none.size(), 1u);
    EXPECT_EQ(none[0].start, none[0].end);
    EXPECT_EQ(test::reason_of(make_windows(at("2000-01-01"), at("2024-01-01"), Duration{0, 0, 1'000'000})),
              Reason::invalid_configuration);
    EXPECT_EQ(test::reason_of(make_windows(at("2000-01-01"), at("2024-01-01"), Duration{})),
              Reason::invalid_configuration);
}

TEST(WatermarkConfig, ReadsAndChecksItsKeys) {
    const auto config =
        config_of({{"param", "since"}, {"end_param", "until"}, {"initial", 5}, {"window", "P1M"}, {"order", "asc"}});
    EXPECT_EQ(config.initial, "5");
    EXPECT_EQ(config.window, (Duration{1, 0, 0}));
    EXPECT_EQ(config.order, WatermarkConfig::Order::asc);
    EXPECT_FALSE(config.lookback_given);
    EXPECT_EQ(config_of({{"param", nullptr}}).param, "");
    const struct {
        const char* config;
        const char* message;
    } cases[] = {
        {R"({})", "watermark \"field\" is missing"},
        {R"({"field": "a.*"})", "watermark \"field\" cannot hold \"*\""},
        {R"({"field": "a", "since": 1})", "watermark has no key \"since\""},
        {R"({"field": "a", "format": "rfc"})", "watermark \"format\": \"rfc\" is no time format"},
        {R"({"field": "a", "lookback": "-P1D"})", "watermark \"lookback\" is negative"},
        {R"({"field": "a", "window": "PT0S"})", "watermark \"window\" must be longer than nothing"},
        {R"({"field": "a", "initial": true})", "watermark \"initial\" must be a string or number"},
        {R"({"field": "a", "order": "desc"})", "watermark \"order\" cannot be \"desc\""},
    };
    for (const auto& c : cases)
        EXPECT_EQ(test::message_of(parse_watermark(json::parse(c.config))), c.message) << c.config;
}

}  // namespace
}  // namespace pg_pull
