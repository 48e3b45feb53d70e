#include "source/rest/watermark_range.h"

#include <gtest/gtest.h>

namespace pg_pull::rest {
namespace {

using nlohmann::json;

SourceRequest reading(const json& watermark, std::optional<WatermarkValue> start) {
    SourceRequest request;
    request.watermark = parse_watermark(watermark).value();
    request.watermark_start = std::move(start);
    request.run_started = WallTime(std::chrono::seconds(1'700'000'000));  // 2023-11-14 22:13:20
    return request;
}

WatermarkValue value(std::string_view text, WatermarkType type) {
    return parse_watermark_value(text, type, {}).value();
}

/// "start..end, …"
std::string shown(const SourceRequest& request) {
    const auto ranges = watermark_ranges(request);
    if (!ranges.ok()) return ranges.error().message;
    std::string text;
    for (const auto& range : *ranges)
        text += (text.empty() ? "" : ", ") + range.start.value_or("-") + ".." + range.end.value_or("-");
    return text;
}

TEST(WatermarkRange, WithoutAWatermarkThereIsOneOpenReading) {
    SourceRequest request;
    EXPECT_EQ(shown(request), "-..-");
}

TEST(WatermarkRange, TheStartIsLoweredByTheLookback) {
    auto request = reading({{"field", "at"}, {"param", "since"}, {"lookback", "PT1H"}},
                           value("2023-11-14 12:00:00+00", WatermarkType::timestamptz));
    EXPECT_EQ(shown(request), "2023-11-14T11:00:00Z..2023-11-14T22:13:20Z");
}

TEST(WatermarkRange, AnInitialValueStandsForItself) {
    auto request = reading({{"field", "at"}, {"param", "since"}, {"lookback", "PT1H"}},
                           value("2023-11-14 12:00:00+00", WatermarkType::timestamptz));
    request.full = true;
    EXPECT_EQ(shown(request), "2023-11-14T12:00:00Z..2023-11-14T22:13:20Z");
}

TEST(WatermarkRange, NothingToStartFromIsNotSent) {
    EXPECT_EQ(shown(reading({{"field", "at"}, {"param", "since"}, {"window", "P1D"}}, std::nullopt)),
              "-..2023-11-14T22:13:20Z");
}

TEST(WatermarkRange, WindowsMeetAtTheirBordersAndEndWithTheRun) {
    const json watermark = {{"field", "at"}, {"param", "since"}, {"window", "PT12H"}, {"lookback", "PT1H"}};
    EXPECT_EQ(shown(reading(watermark, value("2023-11-14 00:00:00+00", WatermarkType::timestamptz))),
              "2023-11-13T23:00:00Z..2023-11-14T11:00:00Z, 2023-11-14T11:00:00Z..2023-11-14T22:13:20Z");
}

TEST(WatermarkRange, NumbersThatStandForTimesHaveWindowsToo) {
    const json watermark = {{"field", "at"}, {"param", "since"}, {"format", "epoch"}, {"window", "P1D"}};
    EXPECT_EQ(shown(reading(watermark, value("1699900000", WatermarkType::integer))),
              "1699900000..1699986400, 1699986400..1700000000");
}

TEST(WatermarkRange, PlainNumbersHaveNeitherEndNorWindow) {
    EXPECT_EQ(shown(reading({{"field", "id"}, {"param", "after"}}, value("42", WatermarkType::integer))), "42..-");
    EXPECT_EQ(
        shown(reading({{"field", "id"}, {"param", "after"}, {"window", "P1D"}}, value("42", WatermarkType::integer))),
        "watermark \"window\" needs a watermark that is a time");
}

}  // namespace
}  // namespace pg_pull::rest
