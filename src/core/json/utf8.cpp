#include "core/json/utf8.h"

namespace pg_pull {
namespace {

bool is_continuation(unsigned char c) noexcept { return (c & 0xC0) == 0x80; }

/// The length of the valid sequence at the beginning of `text`, 0 where there is none.
std::size_t sequence_length(std::string_view text) noexcept {
    const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t size = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : (lead & 0xF0) == 0xE0        ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
    if (size == 0 || text.size() < size) return 0;
    for (std::size_t i = 1; i < size; ++i)
        if (!is_continuation(byte(i))) return 0;
    const unsigned char second = byte(1);
    if (lead == 0xE0 && second < 0xA0) return 0;
    if (lead == 0xED && second > 0x9F) return 0;
    if (lead == 0xF0 && second < 0x90) return 0;
    if (lead == 0xF4 && second > 0x8F) return 0;
    return size;
}

}  // namespace

std::vector<std::uint32_t> replace_bad_utf8(std::string& text, char mark) {
    std::vector<std::uint32_t> positions;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t size = sequence_length(std::string_view(text).substr(i));
        if (size == 0) {
            positions.push_back(static_cast<std::uint32_t>(i));
            text[i] = mark;
        }
        i += size == 0 ? 1 : size;
    }
    return positions;
}

std::size_t utf8_cut(std::string_view text, std::size_t limit) noexcept {
    if (text.size() <= limit) return text.size();
    while (limit > 0 && is_continuation(static_cast<unsigned char>(text[limit]))) --limit;
    return limit;
}

}  // namespace pg_pull
