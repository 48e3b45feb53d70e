#include "core/json/scan.h"

#include <cstring>

namespace pg_pull {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_hex(char c) noexcept { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

}  // namespace

bool Scanner::read_escape() noexcept {
    if (++at == end) return syntax();
    switch (*at) {
        case '"':
        case '\\':
        case '/':
        case 'b':
        case 'f':
        case 'n':
        case 'r':
        case 't':
            ++at;
            return true;
        case 'u':
            ++at;
            for (int i = 0; i < 4; ++i, ++at)
                if (at == end || !is_hex(*at)) return syntax();
            return true;
        default:
            return syntax();
    }
}

bool Scanner::read_number() noexcept {
    if (peek() == '-') ++at;
    if (!is_digit(peek())) return syntax();
    if (*at == '0')
        ++at;
    else
        while (is_digit(peek())) ++at;
    if (peek() == '.') {
        ++at;
        if (!is_digit(peek())) return syntax();
        while (is_digit(peek())) ++at;
    }
    if (peek() == 'e' || peek() == 'E') {
        ++at;
        if (peek() == '+' || peek() == '-') ++at;
        if (!is_digit(peek())) return syntax();
        while (is_digit(peek())) ++at;
    }
    return true;
}

bool Scanner::skip_literal(std::string_view word) noexcept {
    if (static_cast<std::size_t>(end - at) < word.size() || std::memcmp(at, word.data(), word.size()) != 0)
        return syntax();
    at += word.size();
    return true;
}

bool Scanner::skip_value(unsigned depth) noexcept {
    bool has_escapes = false;
    switch (peek()) {
        case '"':
            return read_string(has_escapes);
        case '{':
            return depth < kMaxNesting ? skip_object(depth + 1) : too_deep();
        case '[':
            return depth < kMaxNesting ? skip_array(depth + 1) : too_deep();
        case 't':
            return skip_literal("true");
        case 'f':
            return skip_literal("false");
        case 'n':
            return skip_literal("null");
        default:
            return read_number();
    }
}

bool Scanner::skip_object(unsigned depth) noexcept {
    ++at;
    skip_space();
    if (peek() == '}') return ++at, true;
    bool has_escapes = false;
    while (true) {
        if (!read_string(has_escapes)) return false;
        skip_space();
        if (!expect(':')) return false;
        skip_space();
        if (!skip_value(depth)) return false;
        skip_space();
        if (peek() == '}') return ++at, true;
        if (!expect(',')) return false;
        skip_space();
    }
}

bool Scanner::skip_array(unsigned depth) noexcept {
    ++at;
    skip_space();
    if (peek() == ']') return ++at, true;
    while (true) {
        if (!skip_value(depth)) return false;
        skip_space();
        if (peek() == ']') return ++at, true;
        if (!expect(',')) return false;
        skip_space();
    }
}

}  // namespace pg_pull
