#include "core/base/timestamp.h"

#include "unit/request_support.h"

namespace pg_pull {
namespace {

using test::at;
using Zone = TimestampStyle::Zone;

TEST(Timestamp, ReadsWhatSourcesSend) {
    const struct {
        const char* text;
        const char* utc;
        bool has_zone;
    } cases[] = {
        {"2024-05-01", "2024-05-01T00:00:00Z", false},
        {"2024-05-01T10:00:00Z", "2024-05-01T10:00:00Z", true},
        {"2024-05-01t10:00:00z", "2024-05-01T10:00:00Z", true},
        {"2024-05-01 10:00:00", "2024-05-01T10:00:00Z", false},
        {"2024-05-01 10:00:00+00", "2024-05-01T10:00:00Z", true},
        {"2024-05-01T10:00:00+02:00", "2024-05-01T08:00:00Z", true},
        {"2024-05-01T10:00:00.123456789-0530", "2024-05-01T15:30:00.123456Z", true},
        {"2024-05-01T10:00", "2024-05-01T10:00:00Z", false},
        {"2024-05-01T10:00+01:00", "2024-05-01T09:00:00Z", true},
        {"20240501T101112Z", "2024-05-01T10:11:12Z", true},
        {"2024-05-01T24:00:00Z", "2024-05-02T00:00:00Z", true},
        {"2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z", true},
    };
    for (const auto& c : cases) {
        const auto read = parse_timestamp(c.text);
        ASSERT_TRUE(read) << c.text;
        EXPECT_EQ(read->time, at(c.utc)) << c.text;
        EXPECT_EQ(read->has_zone, c.has_zone) << c.text;
    }
}

TEST(Timestamp, RefusesWhatIsNone) {
    for (const char* text :
         {"", "2024", "2024-05", "2024-02-30", "2023-02-29", "2024-13-01", "0000-01-01", "2024-05-01T",
          "2024-05-01T25:00:00Z", "2024-05-01T10:60:00Z", "2024-05-01T10:00:00.Z", "2024-05-01T10:00:00+",
          "2024-05-01T10:00:00+2", "2024-05-01T10:00:00Zx", "2024-05-01x", "24:00", "now", "2024-05-01T10:00:00+24:00"})
        EXPECT_FALSE(parse_timestamp(text)) << text;
}

TEST(Timestamp, KeepsTheStyleOfASample) {
    const WallTime time = at("2024-05-01T10:00:00.120000Z");
    const struct {
        const char* sample;
        const char* wanted;
    } cases[] = {
        {"2000-01-01T00:00:00Z", "2024-05-01T10:00:00Z"},
        {"2000-01-01T00:00:00.000Z", "2024-05-01T10:00:00.120Z"},
        {"2000-01-01 00:00:00.000000+00:00", "2024-05-01 10:00:00.120000+00:00"},
        {"2000-01-01T00:00:00.000000000+0000", "2024-05-01T10:00:00.120000000+0000"},
        {"2000-01-01T00:00:00", "2024-05-01T10:00:00"},
        {"2000-01-01", "2024-05-01"},
    };
    for (const auto& c : cases) EXPECT_EQ(format_timestamp(time, parse_timestamp(c.sample)->style), c.wanted);
    EXPECT_EQ(format_timestamp(time), "2024-05-01T10:00:00.120000Z");
    EXPECT_EQ(format_timestamp(at("2024-05-01")), "2024-05-01T00:00:00Z");
    EXPECT_EQ(format_timestamp(at("1969-12-31T23:59:59.999999Z"), {'T', 0, Zone::utc_letter, false}),
              "1969-12-31T23:59:59Z");
}

TEST(TimePattern, WritesAndReads) {
    const WallTime time = at("2024-05-01T10:02:03.045067Z");
    const struct {
        const char* pattern;
        const char* text;
        std::int64_t unit;
    } cases[] = {
        {"YYYY-MM-DD HH24:MI:SS", "2024-05-01 10:02:03", 1'000'000},
        {"YYYYMMDD", "20240501", 86'400'000'000},
        {"DD/MM/YYYY HH24:MI", "01/05/2024 10:02", 60'000'000},
        {"YYYY-MM-DD\"T\"HH24:MI:SS.MSTZ", "2024-05-01T10:02:03.045Z", 1'000},
        {"YYYY-MM-DDTHH24:MI:SS.USTZ", "2024-05-01T10:02:03.045067Z", 1},
    };
    for (const auto& c : cases) {
        const auto pattern = test::got(Result<std::optional<TimePattern>>(TimePattern::compile(c.pattern).value()));
        EXPECT_EQ(pattern->format(time), c.text);
        EXPECT_EQ(pattern->unit_micros(), c.unit) << c.pattern;
        const auto read = pattern->parse(c.text);
        ASSERT_TRUE(read) << c.pattern;
        EXPECT_EQ(pattern->format(read->time), c.text);
        EXPECT_FALSE(pattern->parse(std::string(c.text) + "0")) << c.pattern;
    }
    EXPECT_FALSE(TimePattern::compile("hello").ok());
    EXPECT_FALSE(TimePattern::compile("").ok());
    EXPECT_FALSE(TimePattern::compile("YYYY-MM-DD")->parse("2024-02-30"));
    EXPECT_EQ(TimePattern::compile("YYYY-MM-DDTHH24:MI:SSTZ")->parse("2024-05-01T10:00:00+02:00")->time,
              at("2024-05-01T08:00:00Z"));
}

TEST(HttpDate, ReadsItsThreeForms) {
    const WallTime now = at("2024-05-01T00:00:00Z");
    const auto wanted = at("1994-11-06T08:49:37Z");
    EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT", now), wanted);
    EXPECT_EQ(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", now), wanted);
    EXPECT_EQ(parse_http_date("Sun Nov  6 08:49:37 1994", now), wanted);
    EXPECT_EQ(parse_http_date("Wed Nov 16 08:49:37 1994", now), at("1994-11-16T08:49:37Z"));
    // Two digits: never more than 50 years ahead.
    EXPECT_EQ(parse_http_date("Sunday, 06-Nov-74 08:49:37 GMT", now), at("2074-11-06T08:49:37Z"));
    EXPECT_EQ(parse_http_date("Sunday, 06-Nov-75 08:49:37 GMT", now), at("1975-11-06T08:49:37Z"));
}

TEST(HttpDate, RefusesWhatIsNone) {
    for (const char* text :
         {"", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 EST", "Sun, 31 Feb 1994 08:49:37 GMT",
          "Sun, 06 Nov 1994 25:49:37 GMT", "Xxx, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
          "06 Nov 1994 08:49:37 GMT", "2024-05-01T00:00:00Z"})
        EXPECT_FALSE(parse_http_date(text, at("2024-05-01"))) << text;
}

}  // namespace
}  // namespace pg_pull
