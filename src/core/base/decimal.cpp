#include "core/base/decimal.h"

#include <charconv>

namespace pg_pull {
namespace {

constexpr int kMostDigits = 10'000;

std::string_view take_digits(std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    const std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    return digits;
}

/// After `e`; nothing where it is no exponent of a sensible size.
std::optional<int> take_exponent(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    int exponent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (error != std::errc() || end != text.data() + text.size() || exponent > kMostDigits || exponent < -kMostDigits)
        return std::nullopt;
    return exponent;
}

struct Parts {
    bool negative = false;
    std::string_view whole;
    std::string_view fraction;
};

Parts split(std::string_view text) {
    Parts parts;
    parts.negative = text.starts_with('-');
    if (parts.negative) text.remove_prefix(1);
    const std::size_t point = text.find('.');
    parts.whole = text.substr(0, point);
    if (point != std::string_view::npos) parts.fraction = text.substr(point + 1);
    return parts;
}

int sign_of(int comparison) { return comparison < 0 ? -1 : comparison > 0 ? 1 : 0; }

}  // namespace

std::optional<std::string> canonical_decimal(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    std::string digits(take_digits(text));
    std::ptrdiff_t point = static_cast<std::ptrdiff_t>(digits.size());
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        digits += take_digits(text);
    }
    if (digits.empty()) return std::nullopt;
    if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
        const auto exponent = take_exponent(text.substr(1));
        if (!exponent) return std::nullopt;
        point += *exponent;
    } else if (!text.empty()) {
        return std::nullopt;
    }
    if (digits.size() > kMostDigits) return std::nullopt;
    if (point <= 0) {
        digits.insert(0, static_cast<std::size_t>(1 - point), '0');
        point = 1;
    }
    if (point > static_cast<std::ptrdiff_t>(digits.size()))
        digits.append(static_cast<std::size_t>(point) - digits.size(), '0');
    std::string whole = digits.substr(0, static_cast<std::size_t>(point));
    std::string fraction = digits.substr(static_cast<std::size_t>(point));
    whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size() - 1));
    fraction.erase(fraction.find_last_not_of('0') + 1);
    std::string out = whole + (fraction.empty() ? "" : "." + fraction);
    return negative && out != "0" ? "-" + out : out;
}

int compare_decimals(std::string_view a, std::string_view b) noexcept {
    const Parts left = split(a);
    const Parts right = split(b);
    if (left.negative != right.negative) return left.negative ? -1 : 1;
    const int direction = left.negative ? -1 : 1;
    if (left.whole.size() != right.whole.size()) return left.whole.size() < right.whole.size() ? -direction : direction;
    const int whole = sign_of(left.whole.compare(right.whole));
    return direction * (whole != 0 ? whole : sign_of(left.fraction.compare(right.fraction)));
}

}  // namespace pg_pull
