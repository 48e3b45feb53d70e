#include "core/paging/retry.h"

#include "core/paging/rate_limit.h"
#include "unit/request_support.h"

namespace pg_pull {
namespace {

using test::at;

const WallTime kNow = at("2024-05-01T00:00:00Z");  // 1714521600

TEST(Backoff, GrowsAndStaysBelowTheLimit) {
    RetryConfig retry;
    retry.jitter = false;
    const std::int64_t wanted[] = {1'000,  2'000,   4'000,   8'000,   16'000, 32'000,
                                   64'000, 128'000, 256'000, 300'000, 300'000};
    for (int i = 0; i < 11; ++i) EXPECT_EQ(backoff(retry, i + 2, 0.7).count(), wanted[i]);
    EXPECT_EQ(backoff(retry, 100'000, 0).count(), 300'000);
    retry.jitter = true;
    EXPECT_EQ(backoff(retry, 3, 0.0).count(), 1'000);
    EXPECT_EQ(backoff(retry, 3, 0.5).count(), 1'500);
    EXPECT_LE(backoff(retry, 3, 0.999999).count(), 2'000);
}

TEST(RetryAfter, ReadsSecondsAndDates) {
    const struct {
        const char* value;
        const char* date;
        std::int64_t wanted;  // -1: unreadable
    } cases[] = {
        {"120", nullptr, 120'000},
        {" 5 ", nullptr, 5'000},
        {"0", nullptr, 0},
        {"1.5", nullptr, 1'500},
        {"0.0001", nullptr, 1},
        {"Wed, 01 May 2024 00:01:00 GMT", nullptr, 60'000},
        {"Wednesday, 01-May-24 00:01:00 GMT", nullptr, 60'000},
        {"Wed May  1 00:01:00 2024", nullptr, 60'000},
        {"Tue, 30 Apr 2024 00:00:00 GMT", nullptr, 0},
        // The server's clock is an hour ahead: it still means one minute.
        {"Wed, 01 May 2024 01:01:00 GMT", "Wed, 01 May 2024 01:00:00 GMT", 60'000},
        {"Wed, 01 May 2024 00:01:00 GMT", "nonsense", 60'000},
        {"1714521660", nullptr, 60'000},
        {"99999999", nullptr, 366LL * 86'400'000},
        {"", nullptr, -1},
        {"soon", nullptr, -1},
        {"-5", nullptr, -1},
        {"1e3", nullptr, -1},
        {"inf", nullptr, -1},
    };
    for (const auto& c : cases) {
        const auto date = c.date == nullptr ? std::nullopt : std::optional<std::string_view>(c.date);
        const auto wait = parse_retry_after(c.value, date, kNow);
        EXPECT_EQ(wait ? wait->count() : -1, c.wanted) << c.value;
    }
}

TEST(ResetHeader, JudgesTheUnitByMagnitude) {
    using Unit = ResetHeader::Unit;
    const struct {
        Unit unit;
        const char* value;
        std::int64_t wanted;
    } cases[] = {
        {Unit::seconds, "30", 30'000},
        {Unit::seconds, "1714521630", 30'000},
        {Unit::seconds, "1714521630000", 30'000},
        {Unit::epoch, "1714521630", 30'000},
        {Unit::epoch, "1714521630000", 30'000},
        {Unit::epoch, "1714521500", 0},
        {Unit::epoch_ms, "1714521630000", 30'000},
        {Unit::seconds, "2024-05-01T00:00:30Z", 30'000},
        {Unit::seconds, "x", -1},
    };
    for (const auto& c : cases) {
        const auto wait = parse_reset({"x", c.unit}, c.value, kNow);
        EXPECT_EQ(wait ? wait->count() : -1, c.wanted) << c.value;
    }
}

TEST(RetryWait, TakesWhatTheServerAsksForWithinLimits) {
    RetryConfig retry;
    retry.jitter = false;
    HttpResponse response;
    const ResetHeader reset{"x-reset", ResetHeader::Unit::epoch};
    EXPECT_FALSE(asked_wait(response, reset, kNow));
    response.headers = {{"retry-after", "10"}, {"x-reset", "1714521620"}};
    EXPECT_EQ(asked_wait(response, reset, kNow), Millis(20'000));
    EXPECT_EQ(asked_wait(response, std::nullopt, kNow), Millis(10'000));
    EXPECT_EQ(retry_wait(retry, 2, Millis(20'000), 0), Millis(20'000));
    EXPECT_EQ(retry_wait(retry, 2, Millis(9'000'000), 0), Millis(300'000));
    EXPECT_EQ(retry_wait(retry, 3, std::nullopt, 0), Millis(2'000));
    EXPECT_EQ(retry_wait(retry, 3, Millis(0), 0), Millis(2'000));
}

TEST(Retry, RepeatsOnlyWhatIsListed) {
    RetryConfig retry;
    EXPECT_TRUE(may_repeat(retry, "get"));
    EXPECT_FALSE(may_repeat(retry, "POST"));
    EXPECT_FALSE(may_repeat(retry, "PUT"));
    EXPECT_TRUE(is_retry_status(retry, 503));
    EXPECT_FALSE(is_retry_status(retry, 404));
}

TEST(RateLimit, SpacesRequestsOut) {
    const RateLimit limit{2, Millis(1'000), 2};
    BucketState state;
    const std::int64_t waits[] = {0, 0, 500, 1'000, 1'500};
    for (const std::int64_t wanted : waits) {
        const auto grant = take(state, kNow, limit);
        EXPECT_EQ(grant.wait.count(), wanted);
        state = grant.state;
    }
    // Everybody's reservation has passed and one more token is there.
    EXPECT_EQ(take(state, kNow + Millis(2'000), limit).wait.count(), 0);
    EXPECT_EQ(take(state, kNow + Millis(1'500), limit).wait.count(), 500);
    // A long pause fills the bucket to its brim and not further.
    BucketState later = state;
    int free = 0;
    for (int i = 0; i < 10; ++i) {
        const auto grant = take(later, kNow + Millis(3'600'000), limit);
        free += grant.wait.count() == 0 ? 1 : 0;
        later = grant.state;
    }
    EXPECT_EQ(free, 2);
}

TEST(RateLimit, SurvivesAClockThatGoesBack) {
    const RateLimit limit{1, Millis(1'000), 1};
    const auto first = take({}, kNow, limit);
    EXPECT_EQ(first.wait.count(), 0);
    const auto second = take(first.state, kNow - Millis(5'000), limit);
    EXPECT_GE(second.wait.count(), 1'000);
    EXPECT_LE(second.wait.count(), 6'000);
}

TEST(RateLimit, HoldsEverybodyBackAfterARefusal) {
    const RateLimit limit{10, Millis(1'000), 10};
    const BucketState held = hold_back({}, kNow, Millis(30'000), limit);
    EXPECT_EQ(take(held, kNow, limit).wait.count(), 30'000);
    EXPECT_EQ(take(held, kNow + Millis(30'000), limit).wait.count(), 0);
    EXPECT_EQ(take(held, kNow + Millis(30'000), limit).state.tokens, 0);
}

TEST(RateLimit, ReadsItsKeys) {
    EXPECT_EQ(test::got(parse_rate_limit({{"requests", 100}, {"per", "PT1M"}})).burst, 100);
    EXPECT_FALSE(parse_rate_limit({{"requests", 0}, {"per", "PT1M"}}).ok());
    EXPECT_FALSE(parse_rate_limit({{"requests", 1}, {"per", "PT0S"}}).ok());
}

}  // namespace
}  // namespace pg_pull
