#include "core/base/error_text.h"

#include "core/json/utf8.h"

namespace pg_pull {
namespace {

constexpr std::size_t kLongestMessage = 1000;
constexpr std::size_t kLongestDetail = 8000;
constexpr std::size_t kLongestHint = 2000;
constexpr std::string_view kLeftOut = " … ";

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7F'; }

void append_shown(std::string& out, char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    if (!is_control(c)) {
        out += c;
    } else if (c == '\n') {
        out += "\\n";
    } else if (c == '\t') {
        out += "\\t";
    } else {
        const auto byte = static_cast<unsigned char>(c);
        out += "\\x";
        out += digits[byte >> 4U];
        out += digits[byte & 15U];
    }
}

/// The last `size` bytes, or a few less, beginning with a character.
std::string_view tail_of(std::string_view text, std::size_t size) {
    std::size_t begin = text.size() - size;
    while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) ++begin;
    return text.substr(begin);
}

std::string without_middle(std::string_view text, std::size_t limit) {
    const std::size_t end = limit / 4;
    const std::size_t begin = utf8_cut(text, limit - end - kLeftOut.size());
    return std::string(text.substr(0, begin)).append(kLeftOut).append(tail_of(text, end));
}

}  // namespace

std::string one_line(std::string_view text, std::size_t limit) {
    // first, so that a text of megabytes is not copied; again below, since the signs of a control character are longer than it is
    const std::string kept = text.size() > limit ? without_middle(text, limit) : std::string(text);
    std::string shown;
    shown.reserve(kept.size());
    for (const char c : kept) append_shown(shown, c);
    return shown.size() > limit ? without_middle(shown, limit) : shown;
}

Error presentable(Error error) {
    error.message = one_line(error.message, kLongestMessage);
    error.detail = one_line(error.detail, kLongestDetail);
    error.hint = one_line(error.hint, kLongestHint);
    return error;
}

}  // namespace pg_pull
