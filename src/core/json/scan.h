#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace pg_pull {

/// Objects and arrays within each other, the outermost included. The stack of every reader here is bounded by it.
inline constexpr unsigned kMaxNesting = 512;

/// The first byte of [at, end) that a string cannot hold as it is: a quote, a backslash or a control character (RFC 8259
/// section 7); `end` if there is none.
inline const char* find_string_special(const char* at, const char* end) noexcept {
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), control = _mm_set1_epi8(0x1f);
    for (; end - at >= 16; at += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const __m128i hits = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)),
                                          _mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes));
        if (const int mask = _mm_movemask_epi8(hits)) return at + std::countr_zero(static_cast<unsigned>(mask));
    }
#endif
    while (at != end && *at != '"' && *at != '\\' && static_cast<unsigned char>(*at) > 0x1f) ++at;
    return at;
}

/// Reads JSON text value by value and checks all of RFC 8259 on the way, except that the bytes are UTF-8. Every `read_` and
/// `skip_` expects to stand on the first byte of what it reads, and leaves `at` behind it; on false, `at` is where the text
/// goes wrong. Lone surrogates are let pass, as the grammar does: who decodes the string finds them.
class Scanner {
public:
    enum class Problem : unsigned char { none, syntax, too_deep };

    explicit Scanner(std::string_view text) noexcept
        : at(text.data()), end(text.data() + text.size()), begin_(text.data()) {}

    void skip_space() noexcept {
        while (at != end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) ++at;
    }
    [[nodiscard]] bool finished() const noexcept { return at == end; }
    [[nodiscard]] char peek() const noexcept { return at == end ? '\0' : *at; }
    bool expect(char c) noexcept {
        if (at == end || *at != c) return syntax();
        ++at;
        return true;
    }

    bool read_string(bool& has_escapes) noexcept {
        has_escapes = false;
        if (!expect('"')) return false;
        while (true) {
            at = find_string_special(at, end);
            if (at == end) return syntax();
            if (*at == '"') return ++at, true;
            if (*at != '\\') return syntax();
            has_escapes = true;
            if (!read_escape()) return false;
        }
    }
    bool read_number() noexcept;
    /// Any value, `depth` levels below the outermost; space before it is not skipped.
    bool skip_value(unsigned depth) noexcept;
    /// One value with space around it and nothing else.
    bool skip_document() noexcept {
        skip_space();
        if (!skip_value(0)) return false;
        skip_space();
        return finished() || syntax();
    }

    [[nodiscard]] Problem problem() const noexcept { return problem_; }
    [[nodiscard]] std::size_t offset() const noexcept { return static_cast<std::size_t>(at - begin_); }
    bool syntax() noexcept {
        problem_ = Problem::syntax;
        return false;
    }
    bool too_deep() noexcept {
        problem_ = Problem::too_deep;
        return false;
    }

    const char* at;
    const char* end;

private:
    bool read_escape() noexcept;
    bool skip_literal(std::string_view word) noexcept;
    bool skip_object(unsigned depth) noexcept;
    bool skip_array(unsigned depth) noexcept;

    const char* begin_;
    Problem problem_ = Problem::none;
};

}  // namespace pg_pull
