#include "core/base/timestamp.h"

#include <chrono>
#include <cstdio>

namespace pg_pull {
namespace {

using std::chrono::microseconds;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads pieces off the front of a text; a read that does not fit takes nothing.
class TextReader {
public:
    explicit TextReader(std::string_view text) : rest_(text) {}

    bool digits(int count, int& out) {
        if (rest_.size() < static_cast<std::size_t>(count)) return false;
        int value = 0;
        for (int i = 0; i < count; ++i) {
            if (!is_digit(rest_[static_cast<std::size_t>(i)])) return false;
            value = value * 10 + (rest_[static_cast<std::size_t>(i)] - '0');
        }
        out = value;
        rest_.remove_prefix(static_cast<std::size_t>(count));
        return true;
    }
    bool take(char c) {
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    [[nodiscard]] char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
    [[nodiscard]] bool done() const { return rest_.empty(); }
    [[nodiscard]] std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
};

struct Fields {
    int year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0;
    int micros = 0;
    int offset_minutes = 0;
};

std::optional<WallTime> to_time(const Fields& fields) {
    using namespace std::chrono;
    const year_month_day date{year{fields.year}, month{static_cast<unsigned>(fields.month)},
                              day{static_cast<unsigned>(fields.day)}};
    if (!date.ok() || fields.year < 1 || fields.year > 9999) return std::nullopt;
    const bool midnight_24 = fields.hour == 24 && fields.minute == 0 && fields.second == 0 && fields.micros == 0;
    if ((fields.hour > 23 && !midnight_24) || fields.minute > 59 || fields.second > 60) return std::nullopt;
    const WallTime time = WallTime{sys_days{date}} + hours{fields.hour} +
                          minutes{fields.minute - fields.offset_minutes} + seconds{fields.second} +
                          microseconds{fields.micros};
    // An offset can push the first or the last day out of the years that can be written again.
    if (time < sys_days{year{1} / 1 / 1} || time >= sys_days{year{10'000} / 1 / 1}) return std::nullopt;
    return time;
}

/// After a decimal point: any number of digits, of which six count. -1 where there is none.
int read_fraction(TextReader& in, int& micros) {
    int count = 0;
    int scale = 100'000;
    micros = 0;
    for (int digit = 0; in.digits(1, digit); ++count, scale /= 10) micros += digit * scale;
    return count == 0 ? -1 : count;
}

/// `Z`, `+hh`, `+hhmm`, `+hh:mm`. False where the text goes on with something else.
bool read_zone(TextReader& in, Fields& fields, TimestampStyle::Zone& zone) {
    if (in.take('Z') || in.take('z')) {
        zone = TimestampStyle::Zone::utc_letter;
        return true;
    }
    const bool minus = in.peek() == '-';
    if (!in.take('+') && !in.take('-')) return false;
    int hours = 0;
    int minutes = 0;
    if (!in.digits(2, hours)) return false;
    zone = TimestampStyle::Zone::offset_colon;
    if (in.take(':')) {
        if (!in.digits(2, minutes)) return false;
    } else if (in.digits(2, minutes)) {
        zone = TimestampStyle::Zone::offset_plain;
    }
    if (hours > 23 || minutes > 59) return false;
    fields.offset_minutes = (hours * 60 + minutes) * (minus ? -1 : 1);
    return true;
}

bool read_date(TextReader& in, Fields& fields, bool& basic) {
    if (!in.digits(4, fields.year)) return false;
    basic = !in.take('-');
    return in.digits(2, fields.month) && (basic || in.take('-')) && in.digits(2, fields.day);
}

bool read_clock(TextReader& in, Fields& fields, bool basic, TimestampStyle& style) {
    if (!in.digits(2, fields.hour)) return false;
    if (!basic && !in.take(':')) return false;
    if (!in.digits(2, fields.minute)) return false;
    style.fraction_digits = 0;
    const bool has_seconds = basic ? is_digit(in.peek()) : in.take(':');
    if (!has_seconds) return true;
    if (!in.digits(2, fields.second)) return false;
    if (!in.take('.') && !in.take(',')) return true;
    style.fraction_digits = read_fraction(in, fields.micros);
    return style.fraction_digits > 0;
}

void append_padded(std::string& out, std::int64_t number, int width) {
    std::string digits = std::to_string(number);
    if (digits.size() < static_cast<std::size_t>(width))
        out.append(static_cast<std::size_t>(width) - digits.size(), '0');
    out += digits;
}

Fields fields_of(WallTime time) {
    using namespace std::chrono;
    const auto midnight = floor<days>(time);
    const year_month_day date{midnight};
    const hh_mm_ss clock{time - midnight};
    Fields fields;
    fields.year = static_cast<int>(date.year());
    fields.month = static_cast<int>(static_cast<unsigned>(date.month()));
    fields.day = static_cast<int>(static_cast<unsigned>(date.day()));
    fields.hour = static_cast<int>(clock.hours().count());
    fields.minute = static_cast<int>(clock.minutes().count());
    fields.second = static_cast<int>(clock.seconds().count());
    fields.micros = static_cast<int>(clock.subseconds().count());
    return fields;
}

}  // namespace

std::optional<Timestamp> parse_timestamp(std::string_view text) {
    TextReader in(text);
    Fields fields;
    Timestamp result;
    bool basic = false;
    if (!read_date(in, fields, basic)) return std::nullopt;
    if (in.done()) {
        result.style = {'T', 0, TimestampStyle::Zone::none, true};
    } else {
        result.style.separator = in.peek() == ' ' ? ' ' : 'T';
        result.style.zone = TimestampStyle::Zone::none;
        if (!in.take('T') && !in.take('t') && !in.take(' ')) return std::nullopt;
        if (!read_clock(in, fields, basic, result.style)) return std::nullopt;
        // PostgreSQL's output has no space before the offset, some others' has.
        if (in.peek() == ' ') in.take(' ');
        if (!in.done()) {
            if (!read_zone(in, fields, result.style.zone) || !in.done()) return std::nullopt;
            result.has_zone = true;
        }
    }
    const auto time = to_time(fields);
    if (!time) return std::nullopt;
    result.time = *time;
    result.offset_minutes = fields.offset_minutes;
    return result;
}

std::string format_timestamp(WallTime time, const TimestampStyle& style) {
    const Fields fields = fields_of(time);
    std::string out;
    append_padded(out, fields.year, 4);
    append_padded(out.append("-"), fields.month, 2);
    append_padded(out.append("-"), fields.day, 2);
    if (style.date_only) return out;
    append_padded(out.append(1, style.separator), fields.hour, 2);
    append_padded(out.append(":"), fields.minute, 2);
    append_padded(out.append(":"), fields.second, 2);
    const int digits = style.fraction_digits >= 0 ? style.fraction_digits : (fields.micros == 0 ? 0 : 6);
    if (digits > 0) {
        std::string fraction;
        append_padded(fraction, fields.micros, 6);
        fraction.resize(static_cast<std::size_t>(digits), '0');
        out.append(".").append(fraction);
    }
    switch (style.zone) {
        case TimestampStyle::Zone::utc_letter:
            return out + "Z";
        case TimestampStyle::Zone::offset_colon:
            return out + "+00:00";
        case TimestampStyle::Zone::offset_plain:
            return out + "+0000";
        case TimestampStyle::Zone::none:
            break;
    }
    return out;
}

}  // namespace pg_pull
