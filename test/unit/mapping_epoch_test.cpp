#include <gtest/gtest.h>

#include "core/mapping/epoch.h"

namespace pg_pull {
namespace {

std::string at(std::string_view text, EpochUnit unit = EpochUnit::s) {
    std::string out;
    switch (append_epoch(text, unit, out)) {
        case ValueFault::none:
            return out;
        case ValueFault::not_epoch:
            return "not_epoch";
        case ValueFault::epoch_range:
            return "epoch_range";
        default:
            return "other";
    }
}

TEST(Epoch, CountsInEveryUnit) {
    EXPECT_EQ(at("0"), "1970-01-01 00:00:00.000000+00");
    EXPECT_EQ(at("1700000000"), "2023-11-14 22:13:20.000000+00");
    EXPECT_EQ(at("1700000000123", EpochUnit::ms), "2023-11-14 22:13:20.123000+00");
    EXPECT_EQ(at("1700000000123456", EpochUnit::us), "2023-11-14 22:13:20.123456+00");
    EXPECT_EQ(at("951782400"), "2000-02-29 00:00:00.000000+00");
}

TEST(Epoch, IsExactWhereADoubleIsNot) {
    EXPECT_EQ(at("1700000000.123457"), "2023-11-14 22:13:20.123457+00");
    EXPECT_EQ(at("253402300799.999999"), "9999-12-31 23:59:59.999999+00");
    EXPECT_EQ(at("1.700000000123457e9"), "2023-11-14 22:13:20.123457+00");
    EXPECT_EQ(at("17E8"), "2023-11-14 22:13:20.000000+00");
    EXPECT_EQ(at("1700000000123456789e-9"), "2023-11-14 22:13:20.123457+00");
}

TEST(Epoch, RoundsPartsOfAMicrosecond) {
    EXPECT_EQ(at("0.0000005"), "1970-01-01 00:00:00.000001+00");
    EXPECT_EQ(at("0.0000004999"), "1970-01-01 00:00:00.000000+00");
    EXPECT_EQ(at("-0.0000005"), "1969-12-31 23:59:59.999999+00");
    EXPECT_EQ(at("59.9999999"), "1970-01-01 00:01:00.000000+00");
    EXPECT_EQ(at("0.00000000000009"), "1970-01-01 00:00:00.000000+00");
}

TEST(Epoch, GoesBeforeTheEpoch) {
    EXPECT_EQ(at("-1"), "1969-12-31 23:59:59.000000+00");
    EXPECT_EQ(at("-0"), "1970-01-01 00:00:00.000000+00");
    EXPECT_EQ(at("-62135596800"), "0001-01-01 00:00:00.000000+00");
    EXPECT_EQ(at("-62135596801"), "0001-12-31 23:59:59.000000+00 BC");
    EXPECT_EQ(at("-210866803200"), "4714-11-24 00:00:00.000000+00 BC");
}

TEST(Epoch, RefusesWhatTimestampsDoNotHold) {
    EXPECT_EQ(at("-210866803200.000001"), "epoch_range");
    EXPECT_EQ(at("9223372036854.775807"), "294247-01-10 04:00:54.775807+00");
    EXPECT_EQ(at("9223372036854.7758075"), "epoch_range");
    EXPECT_EQ(at("9223372036855"), "epoch_range");
    EXPECT_EQ(at("1e300"), "epoch_range");
    EXPECT_EQ(at("-1e999999999999999999999"), "epoch_range");
    EXPECT_EQ(at("1e-999999999999999999999"), "1970-01-01 00:00:00.000000+00");
    EXPECT_EQ(at("0e999"), "1970-01-01 00:00:00.000000+00");
}

TEST(Epoch, RefusesWhatIsNoNumber) {
    for (const char* text : {"", "abc", "1 2", "NaN", "+5", "1.", "true", "2023-11-14", "0x10", "null"})
        EXPECT_EQ(at(text), "not_epoch") << text;
}

}  // namespace
}  // namespace pg_pull
