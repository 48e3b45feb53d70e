#include "core/json/text.h"

#include <bit>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace pg_pull {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

unsigned hex_value(char c) noexcept {
    if (c <= '9') return static_cast<unsigned>(c - '0');
    return static_cast<unsigned>((c | 0x20) - 'a') + 10;
}

/// The four digits behind `\u`.
unsigned code_unit(const char* digits) noexcept {
    return hex_value(digits[0]) << 12 | hex_value(digits[1]) << 8 | hex_value(digits[2]) << 4 | hex_value(digits[3]);
}

void append_utf8(std::uint32_t code, std::string& out) {
    const auto byte = [&out](std::uint32_t bits) { out += static_cast<char>(bits); };
    if (code < 0x80) return byte(code);
    if (code < 0x800) {
        byte(0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            byte(0xE0 | code >> 12);
        } else {
            byte(0xF0 | code >> 18);
            byte(0x80 | (code >> 12 & 0x3F));
        }
        byte(0x80 | (code >> 6 & 0x3F));
    }
    byte(0x80 | (code & 0x3F));
}

/// Reads the escape at `at` (behind `\u`), a pair as one character; leaves `at` behind it.
TextFault read_unicode(const char*& at, const char* end, std::uint32_t& code) noexcept {
    code = code_unit(at);
    at += 4;
    if (code == 0) return TextFault::nul;
    if (code < 0xD800 || code > 0xDFFF) return TextFault::none;
    if (code > 0xDBFF || end - at < 6 || at[0] != '\\' || at[1] != 'u') return TextFault::surrogate;
    const std::uint32_t low = code_unit(at + 2);
    if (low < 0xDC00 || low > 0xDFFF) return TextFault::surrogate;
    at += 6;
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    return TextFault::none;
}

char simple_escape(char c) noexcept {
    switch (c) {
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        default:
            return c;  // quote, backslash, slash
    }
}

enum class Decoding : unsigned char { plain, for_copy, lenient };

template <Decoding decoding>
TextFault decode(std::string_view inside, std::string& out) {
    const char* at = inside.data();
    const char* const end = at + inside.size();
    while (true) {
        const std::size_t run = std::string_view(at, static_cast<std::size_t>(end - at)).find('\\');
        if (run == std::string_view::npos) break;
        out.append(at, run);
        at += run + 1;
        std::uint32_t code = 0;
        if (*at == 'u') {
            ++at;
            const TextFault fault = read_unicode(at, end, code);
            if (fault != TextFault::none && decoding != Decoding::lenient) return fault;
            if (fault == TextFault::surrogate) code = kReplacement;
        } else {
            code = static_cast<unsigned char>(simple_escape(*at++));
        }
        if constexpr (decoding == Decoding::for_copy) {
            if (code == '\\' || code == '\n' || code == '\r' || code == '\t') {
                const char c = static_cast<char>(code);
                append_for_copy(std::string_view(&c, 1), out);
                continue;
            }
        }
        append_utf8(code, out);
    }
    out.append(at, static_cast<std::size_t>(end - at));
    return TextFault::none;
}

bool is_copy_special(char c) noexcept { return c == '\\' || c == '\n' || c == '\r' || c == '\t'; }

const char* find_copy_special(const char* at, const char* end) noexcept {
#if defined(__SSE2__)
    const __m128i backslash = _mm_set1_epi8('\\'), newline = _mm_set1_epi8('\n'), carriage_return = _mm_set1_epi8('\r'),
                  tab = _mm_set1_epi8('\t');
    for (; end - at >= 16; at += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const __m128i hits =
            _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, backslash), _mm_cmpeq_epi8(bytes, newline)),
                         _mm_or_si128(_mm_cmpeq_epi8(bytes, carriage_return), _mm_cmpeq_epi8(bytes, tab)));
        if (const int mask = _mm_movemask_epi8(hits)) return at + std::countr_zero(static_cast<unsigned>(mask));
    }
#endif
    while (at != end && !is_copy_special(*at)) ++at;
    return at;
}

}  // namespace

TextFault append_decoded(std::string_view inside, std::string& out) { return decode<Decoding::plain>(inside, out); }

TextFault append_decoded_for_copy(std::string_view inside, std::string& out) {
    return decode<Decoding::for_copy>(inside, out);
}

void append_decoded_leniently(std::string_view inside, std::string& out) { decode<Decoding::lenient>(inside, out); }

void append_for_copy(std::string_view text, std::string& out) {
    const char* at = text.data();
    const char* const end = at + text.size();
    while (true) {
        const char* const special = find_copy_special(at, end);
        out.append(at, static_cast<std::size_t>(special - at));
        if (special == end) return;
        out += '\\';
        out += *special == '\n' ? 'n' : *special == '\r' ? 'r' : *special == '\t' ? 't' : '\\';
        at = special + 1;
    }
}

std::string from_copy(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size())
            out += text[i];
        else
            out += simple_escape(text[++i]);
    }
    return out;
}

void append_json_string(std::string_view text, std::string& out) {
    static constexpr std::string_view kHex = "0123456789abcdef";
    out += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20) {
            out += "\\u00";
            out += kHex[byte >> 4];
            out += kHex[byte & 15];
        } else {
            out += c;
        }
    }
    out += '"';
}

}  // namespace pg_pull
