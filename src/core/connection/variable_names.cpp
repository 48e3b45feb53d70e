#include "core/connection/variable_names.h"

namespace pg_pull {
namespace {

/// Goes back to the last `*` on a mismatch, and never further: linear in practice, quadratic at worst.
bool matches(std::string_view pattern, std::string_view text) noexcept {
    std::size_t p = 0, t = 0;
    std::size_t star = std::string_view::npos, resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

std::string_view trim(std::string_view text) noexcept {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

}  // namespace

bool variable_allowed(std::string_view patterns, std::string_view name) noexcept {
    // what cannot be a variable's name must not reach getenv: `=` ends it there, a NUL cuts it
    if (name.empty() || name.find('=') != std::string_view::npos || name.find('\0') != std::string_view::npos)
        return false;
    for (;;) {
        const std::size_t comma = patterns.find(',');
        const std::string_view pattern = trim(patterns.substr(0, comma));
        if (!pattern.empty() && matches(pattern, name)) return true;
        if (comma == std::string_view::npos) return false;
        patterns.remove_prefix(comma + 1);
    }
}

}  // namespace pg_pull
