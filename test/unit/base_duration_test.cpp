#include "core/base/duration.h"

#include "unit/request_support.h"

namespace pg_pull {
namespace {

using test::at;

constexpr std::int64_t kSecond = 1'000'000;

TEST(Duration, ReadsTheFormsOfIso8601) {
    const struct {
        const char* text;
        Duration wanted;
    } cases[] = {
        {"PT30S", {0, 0, 30 * kSecond}},
        {"PT1.5S", {0, 0, 1'500'000}},
        {"PT0,25S", {0, 0, 250'000}},
        {"PT0.1234567S", {0, 0, 123'456}},
        {"PT5M", {0, 0, 300 * kSecond}},
        {"P1M", {1, 0, 0}},
        {"P1Y2M3DT4H5M6S", {14, 3, (4 * 3600 + 5 * 60 + 6) * kSecond}},
        {"P2W", {0, 14, 0}},
        {"-P1D", {0, -1, 0}},
        {"+P1D", {0, 1, 0}},
        {"PT0S", {0, 0, 0}},
        {"PT48H", {0, 0, 48 * 3600 * kSecond}},
    };
    for (const auto& c : cases) {
        const auto read = parse_duration(c.text);
        ASSERT_TRUE(read.ok()) << c.text;
        EXPECT_EQ(*read, c.wanted) << c.text;
    }
}

TEST(Duration, RefusesWhatIsNone) {
    for (const char* text : {"",
                             "P",
                             "PT",
                             "30",
                             "30s",
                             "PT30",
                             "P1S",
                             "PT1D",
                             "P1DT",
                             "P1D1Y",
                             "PT1S1S",
                             "P1.5D",
                             "PT.5S",
                             "PT1.S",
                             "p1d",
                             "P-1D",
                             "P1D ",
                             "P99999999999999999999D",
                             "P20000Y",
                             "PT9223372036854775807S",
                             "PT9223372036854775807H"})
        EXPECT_EQ(test::reason_of(parse_duration(text)), Reason::invalid_configuration) << text;
}

TEST(Duration, MillisecondsRefuseMonthsAndRoundUp) {
    EXPECT_EQ(test::got(parse_millis("PT1.5S")), Millis(1500));
    EXPECT_EQ(test::got(parse_millis("P1D")), Millis(86'400'000));
    EXPECT_EQ(test::got(parse_millis("PT0.0001S")), Millis(1));
    EXPECT_EQ(test::message_of(parse_millis("P1M")), "\"P1M\" has no fixed length");
    EXPECT_EQ(test::message_of(parse_millis("-PT1S")), "\"-PT1S\" is negative");
}

TEST(Duration, MovesTimesOnTheCalendar) {
    const struct {
        const char* from;
        const char* by;
        const char* wanted;
    } cases[] = {
        {"2024-01-31T10:00:00Z", "P1M", "2024-02-29T10:00:00Z"},
        {"2023-01-31T10:00:00Z", "P1M", "2023-02-28T10:00:00Z"},
        {"2024-02-29T00:00:00Z", "P1Y", "2025-02-28T00:00:00Z"},
        {"2024-12-15T23:30:00Z", "P1M1DT1H", "2025-01-17T00:30:00Z"},
        {"2024-03-01T00:00:00Z", "-P1D", "2024-02-29T00:00:00Z"},
        {"2024-01-15T00:00:00Z", "-P1M", "2023-12-15T00:00:00Z"},
        {"1969-12-31T23:59:59.5Z", "PT0.5S", "1970-01-01T00:00:00Z"},
        {"9999-12-31T00:00:00Z", "P9999Y", "9999-12-31T00:00:00Z"},
        {"0001-01-01T00:00:00Z", "-P10000Y", "0001-01-01T00:00:00Z"},
    };
    for (const auto& c : cases)
        EXPECT_EQ(add(at(c.from), test::got(parse_duration(c.by))), at(c.wanted)) << c.from << c.by;
    EXPECT_EQ(subtract(at("2024-03-31T00:00:00Z"), Duration{1, 0, 0}), at("2024-02-29T00:00:00Z"));
}

TEST(Duration, WritesTheShortestForm) {
    for (const char* text : {"PT0S", "PT30S", "PT1.5S", "P1Y2M3DT4H5M6S", "P14D", "-P1D", "PT0.000001S", "PT48H"})
        EXPECT_EQ(to_text(test::got(parse_duration(text))), text);
}

}  // namespace
}  // namespace pg_pull
