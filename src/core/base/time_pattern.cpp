#include <array>
#include <charconv>
#include <chrono>

#include "core/base/timestamp.h"

namespace pg_pull {
namespace {

using namespace std::chrono;

enum class Word : unsigned char { literal, year, month, day, hour, minute, second, millis, micros, zone };

struct Token {
    Word word = Word::literal;
    std::string_view text;  ///< of the pattern; for a literal what stands there
};

struct Known {
    std::string_view name;
    Word word;
    int digits;
    std::int64_t unit;  ///< microseconds
};
constexpr std::array<Known, 9> kWords{{
    {"YYYY", Word::year, 4, 366LL * 86'400'000'000},
    {"HH24", Word::hour, 2, 3'600'000'000},
    {"MM", Word::month, 2, 31LL * 86'400'000'000},
    {"DD", Word::day, 2, 86'400'000'000},
    {"MI", Word::minute, 2, 60'000'000},
    {"SS", Word::second, 2, 1'000'000},
    {"MS", Word::millis, 3, 1'000},
    {"US", Word::micros, 6, 1},
    {"TZ", Word::zone, 0, 366LL * 86'400'000'000},
}};

const Known* known(Word word) {
    for (const Known& entry : kWords)
        if (entry.word == word) return &entry;
    return nullptr;
}

Token take_token(std::string_view& pattern) {
    if (pattern.front() == '"') {
        const std::size_t end = std::min(pattern.find('"', 1), pattern.size());
        const Token token{Word::literal, pattern.substr(1, end - 1)};
        pattern.remove_prefix(std::min(end + 1, pattern.size()));
        return token;
    }
    for (const Known& entry : kWords) {
        if (!pattern.starts_with(entry.name)) continue;
        const Token token{entry.word, pattern.substr(0, entry.name.size())};
        pattern.remove_prefix(entry.name.size());
        return token;
    }
    const Token token{Word::literal, pattern.substr(0, 1)};
    pattern.remove_prefix(1);
    return token;
}

void append_padded(std::string& out, std::int64_t number, int width) {
    const std::string digits = std::to_string(number);
    if (digits.size() < static_cast<std::size_t>(width))
        out.append(static_cast<std::size_t>(width) - digits.size(), '0');
    out += digits;
}

struct Parts {
    std::array<int, 10> value{0, 1970, 1, 1, 0, 0, 0, 0, 0, 0};  ///< by Word
    int& operator[](Word word) { return value[static_cast<std::size_t>(word)]; }
    int offset_minutes = 0;
    bool has_zone = false;
};

bool take_number(std::string_view& text, int digits, int& out) {
    const auto width = static_cast<std::size_t>(digits);
    if (text.size() < width || text.front() < '0' || text.front() > '9') return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + width, out);
    if (error != std::errc() || end != text.data() + width) return false;
    text.remove_prefix(width);
    return true;
}

bool take_zone(std::string_view& text, Parts& parts) {
    parts.has_zone = true;
    if (text.starts_with('Z')) {
        text.remove_prefix(1);
        return true;
    }
    if (text.empty() || (text.front() != '+' && text.front() != '-')) return false;
    const int sign = text.front() == '-' ? -1 : 1;
    text.remove_prefix(1);
    int hours_part = 0;
    int minutes_part = 0;
    if (!take_number(text, 2, hours_part)) return false;
    if (text.starts_with(':')) text.remove_prefix(1);
    take_number(text, 2, minutes_part);
    parts.offset_minutes = sign * (hours_part * 60 + minutes_part);
    return hours_part < 24 && minutes_part < 60;
}

bool take_word(std::string_view& text, const Token& token, Parts& parts) {
    if (token.word == Word::zone) return take_zone(text, parts);
    if (token.word != Word::literal) return take_number(text, known(token.word)->digits, parts[token.word]);
    if (!text.starts_with(token.text)) return false;
    text.remove_prefix(token.text.size());
    return true;
}

}  // namespace

Result<TimePattern> TimePattern::compile(std::string_view pattern) {
    std::string_view rest = pattern;
    bool any = false;
    while (!rest.empty()) any = take_token(rest).word != Word::literal || any;
    if (!any || pattern.size() > 200)
        return fail(Reason::invalid_configuration, "\"" + std::string(pattern.substr(0, 100)) + "\" is no time format")
            .with_hint("It is iso, iso_date, epoch, epoch_ms, or a pattern of YYYY MM DD HH24 MI SS MS US TZ.");
    return TimePattern(std::string(pattern));
}

std::string TimePattern::format(WallTime time) const {
    const auto midnight = floor<days>(time);
    const year_month_day date{midnight};
    const hh_mm_ss clock{time - midnight};
    std::string out;
    std::string_view rest = pattern_;
    while (!rest.empty()) {
        const Token token = take_token(rest);
        switch (token.word) {
            case Word::literal:
                out.append(token.text);
                break;
            case Word::year:
                append_padded(out, static_cast<int>(date.year()), 4);
                break;
            case Word::month:
                append_padded(out, static_cast<unsigned>(date.month()), 2);
                break;
            case Word::day:
                append_padded(out, static_cast<unsigned>(date.day()), 2);
                break;
            case Word::hour:
                append_padded(out, clock.hours().count(), 2);
                break;
            case Word::minute:
                append_padded(out, clock.minutes().count(), 2);
                break;
            case Word::second:
                append_padded(out, clock.seconds().count(), 2);
                break;
            case Word::millis:
                append_padded(out, clock.subseconds().count() / 1000, 3);
                break;
            case Word::micros:
                append_padded(out, clock.subseconds().count(), 6);
                break;
            case Word::zone:
                out.push_back('Z');
                break;
        }
    }
    return out;
}

std::optional<Timestamp> TimePattern::parse(std::string_view text) const {
    Parts parts;
    std::string_view rest = pattern_;
    while (!rest.empty())
        if (!take_word(text, take_token(rest), parts)) return std::nullopt;
    if (!text.empty()) return std::nullopt;
    const year_month_day date{year{parts[Word::year]}, month{static_cast<unsigned>(parts[Word::month])},
                              day{static_cast<unsigned>(parts[Word::day])}};
    if (!date.ok() || parts[Word::year] < 1 || parts[Word::hour] > 23 || parts[Word::minute] > 59 ||
        parts[Word::second] > 60)
        return std::nullopt;
    const int micros = parts[Word::micros] != 0 ? parts[Word::micros] : parts[Word::millis] * 1000;
    Timestamp result;
    result.time = WallTime{sys_days{date}} + hours{parts[Word::hour]} +
                  minutes{parts[Word::minute] - parts.offset_minutes} + seconds{parts[Word::second]} +
                  microseconds{micros};
    if (result.time < sys_days{year{1} / 1 / 1} || result.time >= sys_days{year{10'000} / 1 / 1}) return std::nullopt;
    result.has_zone = parts.has_zone;
    result.offset_minutes = parts.offset_minutes;
    return result;
}

std::int64_t TimePattern::unit_micros() const noexcept {
    std::int64_t unit = kWords.front().unit;
    std::string_view rest = pattern_;
    while (!rest.empty()) {
        const Known* const entry = known(take_token(rest).word);
        if (entry != nullptr) unit = std::min(unit, entry->unit);
    }
    return unit;
}

}  // namespace pg_pull
