#include <array>
#include <chrono>

#include "core/base/timestamp.h"

namespace pg_pull {
namespace {

using namespace std::chrono;

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kDays{"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                "Friday", "Saturday", "Sunday"};

/// Takes pieces off the front; once one did not fit, all others fail too.
class DateReader {
public:
    explicit DateReader(std::string_view text) : rest_(text) {}

    bool literal(std::string_view word) {
        ok_ = ok_ && rest_.starts_with(word);
        if (ok_) rest_.remove_prefix(word.size());
        return ok_;
    }
    int number(std::size_t digits) {
        int value = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            ok_ = ok_ && i < rest_.size() && rest_[i] >= '0' && rest_[i] <= '9';
            if (!ok_) return 0;
            value = value * 10 + (rest_[i] - '0');
        }
        rest_.remove_prefix(digits);
        return value;
    }
    /// Two digits, or a space and one (asctime).
    int padded_day() {
        if (!rest_.starts_with(' ')) return number(2);
        rest_.remove_prefix(1);
        return number(1);
    }
    int month() {
        for (std::size_t i = 0; i < kMonths.size(); ++i)
            if (rest_.starts_with(kMonths[i])) return literal(kMonths[i]), static_cast<int>(i) + 1;
        ok_ = false;
        return 0;
    }
    /// The whole name, or its first three letters.
    bool weekday(bool whole) {
        for (const auto name : kDays)
            if (const auto word = whole ? name : name.substr(0, 3); rest_.starts_with(word)) return literal(word);
        return ok_ = false;
    }
    [[nodiscard]] bool finished() const { return ok_ && rest_.empty(); }

private:
    std::string_view rest_;
    bool ok_ = true;
};

struct Date {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
};

void read_clock(DateReader& in, Date& date) {
    date.hour = in.number(2);
    in.literal(":");
    date.minute = in.number(2);
    in.literal(":");
    date.second = in.number(2);
}

std::optional<WallTime> to_time(const Date& date) {
    const year_month_day day_of{year{date.year}, month{static_cast<unsigned>(date.month)},
                                day{static_cast<unsigned>(date.day)}};
    if (!day_of.ok() || date.year < 1 || date.hour > 23 || date.minute > 59 || date.second > 60) return std::nullopt;
    return WallTime{sys_days{day_of}} + hours{date.hour} + minutes{date.minute} + seconds{date.second};
}

/// Sun, 06 Nov 1994 08:49:37 GMT
bool read_fixed(std::string_view text, Date& date) {
    DateReader in(text);
    in.weekday(false);
    in.literal(", ");
    date.day = in.number(2);
    in.literal(" ");
    date.month = in.month();
    in.literal(" ");
    date.year = in.number(4);
    in.literal(" ");
    read_clock(in, date);
    in.literal(" GMT");
    return in.finished();
}

/// Sunday, 06-Nov-94 08:49:37 GMT
bool read_rfc850(std::string_view text, Date& date) {
    DateReader in(text);
    in.weekday(true);
    in.literal(", ");
    date.day = in.number(2);
    in.literal("-");
    date.month = in.month();
    in.literal("-");
    date.year = in.number(2);
    in.literal(" ");
    read_clock(in, date);
    in.literal(" GMT");
    return in.finished();
}

/// Sun Nov  6 08:49:37 1994
bool read_asctime(std::string_view text, Date& date) {
    DateReader in(text);
    in.weekday(false);
    in.literal(" ");
    date.month = in.month();
    in.literal(" ");
    date.day = in.padded_day();
    in.literal(" ");
    read_clock(in, date);
    in.literal(" ");
    date.year = in.number(4);
    return in.finished();
}

}  // namespace

std::optional<WallTime> parse_http_date(std::string_view text, WallTime now) {
    Date date;
    if (read_fixed(text, date)) return to_time(date);
    date = {};
    if (read_asctime(text, date)) return to_time(date);
    date = {};
    if (!read_rfc850(text, date)) return std::nullopt;
    const int this_year = static_cast<int>(year_month_day{floor<days>(now)}.year());
    date.year += this_year / 100 * 100;
    if (date.year > this_year + 50) date.year -= 100;
    return to_time(date);
}

}  // namespace pg_pull
