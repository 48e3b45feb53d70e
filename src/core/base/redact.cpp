#include "core/base/redact.h"

#include <algorithm>

#include "core/base/encoding.h"
#include "core/base/url.h"
#include "core/json/utf8.h"

namespace pg_pull {
namespace {

constexpr std::string_view kStars = "***";
constexpr std::size_t kShortest = 4;  ///< shorter secrets are replaced as whole words only

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// As within a JSON string: with or without the slash escaped, control characters as \u00XX.
std::string json_escaped(std::string_view text, bool slash) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '"':
                out += "\\\"";
                break;
            case '\\':
                out += "\\\\";
                break;
            case '\n':
                out += "\\n";
                break;
            case '\r':
                out += "\\r";
                break;
            case '\t':
                out += "\\t";
                break;
            case '/':
                out += slash ? "\\/" : "/";
                break;
            default:
                if (static_cast<unsigned char>(c) < 0x20) {
                    out += "\\u00";
                    out.push_back(hex[static_cast<unsigned char>(c) >> 4]);
                    out.push_back(hex[static_cast<unsigned char>(c) & 15]);
                } else {
                    out.push_back(c);
                }
        }
    }
    return out;
}

std::string lower_percent(std::string text) {
    for (std::size_t i = 0; i + 2 < text.size(); ++i) {
        if (text[i] != '%') continue;
        for (std::size_t j = i + 1; j <= i + 2; ++j)
            if (text[j] >= 'A' && text[j] <= 'F') text[j] = static_cast<char>(text[j] + 32);
    }
    return text;
}

/// The characters of base64 that depend on `text` alone when `before` bytes of something else precede it: a credential within
/// `user:password` has one of three forms.
std::string base64_core(std::string_view text, std::size_t before, bool url) {
    const std::string padded = std::string(before, '\0') + std::string(text);
    const std::string encoded = url ? base64url_encode(padded) : base64_encode(padded);
    const std::size_t first = (before * 8 + 5) / 6;
    const std::size_t end = padded.size() * 8 / 6;
    return end > first ? encoded.substr(first, end - first) : std::string();
}

}  // namespace

void Redactor::add(const Secret& secret) {
    if (secret.empty()) return;
    const std::string_view text = secret.reveal();
    std::vector<std::string> forms{std::string(text)};
    if (text.size() >= kShortest) {
        for (std::string form : {percent_encode(text), form_encode(text)}) {
            forms.push_back(lower_percent(form));
            forms.push_back(std::move(form));
        }
        forms.push_back(json_escaped(text, false));
        forms.push_back(json_escaped(text, true));
        for (std::size_t before = 0; before < 3; ++before)
            for (const bool url : {false, true}) forms.push_back(base64_core(text, before, url));
    }
    for (std::string& form : forms) {
        if (form.empty()) continue;
        const bool known =
            std::any_of(needles_.begin(), needles_.end(), [&form](const Secret& n) { return n.reveal() == form; });
        if (!known) needles_.emplace_back(std::move(form));
    }
    std::stable_sort(needles_.begin(), needles_.end(),
                     [](const Secret& a, const Secret& b) { return a.reveal().size() > b.reveal().size(); });
}

std::string Redactor::redact(std::string_view text) const {
    // Marked on the original, replaced afterwards: a replacement never makes or hides another occurrence, and secrets that
    // overlap are covered by both.
    std::vector<bool> hidden(text.size(), false);
    bool any = false;
    for (const Secret& secret : needles_) {
        const std::string_view needle = secret.reveal();
        for (std::size_t at = text.find(needle); at != std::string_view::npos; at = text.find(needle, at + 1)) {
            const std::size_t end = at + needle.size();
            const bool whole = (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
            if (needle.size() < kShortest && !whole) continue;
            std::fill(hidden.begin() + static_cast<std::ptrdiff_t>(at),
                      hidden.begin() + static_cast<std::ptrdiff_t>(end), true);
            any = true;
        }
    }
    if (!any) return std::string(text);
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!hidden[i])
            out.push_back(text[i]);
        else if (i == 0 || !hidden[i - 1])
            out += kStars;
    }
    return out;
}

std::string excerpt(std::string_view text, const Redactor& redactor, std::size_t limit) {
    // Redacted before it is cut, so that no secret loses its tail and goes unrecognised; a body of any size is not copied whole.
    constexpr std::size_t kLookAhead = 64 * 1024;
    const bool beyond = text.size() > limit + kLookAhead;
    std::string out = redactor.redact(beyond ? text.substr(0, limit + kLookAhead) : text);
    out.resize(utf8_cut(out, std::min(limit, out.size())));
    // What is shown must be UTF-8 without control characters, whatever the remote sent.
    replace_bad_utf8(out, '?');
    for (char& c : out)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
    return out;
}

}  // namespace pg_pull
