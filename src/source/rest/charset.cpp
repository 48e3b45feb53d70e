#include "source/rest/charset.h"

#include <iconv.h>

#include <array>
#include <memory>
#include <utility>

#include "core/base/encoding.h"

namespace pg_pull::rest {
namespace {

using namespace std::string_view_literals;

/// What a remote may name, and the converter's name for it. A closed list: converters are loaded as modules by name, and a
/// remote has no business choosing among all of them.
constexpr std::array<std::pair<std::string_view, const char*>, 16> kCharsets{{
    {"iso-8859-1", "ISO-8859-1"},
    {"latin1", "ISO-8859-1"},
    {"iso-8859-2", "ISO-8859-2"},
    {"iso-8859-15", "ISO-8859-15"},
    {"windows-1250", "CP1250"},
    {"windows-1251", "CP1251"},
    {"windows-1252", "CP1252"},
    {"cp1252", "CP1252"},
    {"utf-16", "UTF-16"},
    {"utf-16le", "UTF-16LE"},
    {"utf-16be", "UTF-16BE"},
    {"utf-32", "UTF-32"},
    {"utf-32le", "UTF-32LE"},
    {"utf-32be", "UTF-32BE"},
    {"koi8-r", "KOI8-R"},
    {"shift_jis", "SHIFT_JIS"},
}};

struct IconvClose {
    void operator()(void* handle) const noexcept { iconv_close(handle); }
};

Result<std::string> convert(const std::string& body, const char* from, std::string_view shown) {
    const iconv_t raw = iconv_open("UTF-8", from);
    if (raw == reinterpret_cast<iconv_t>(-1))
        return fail(Reason::upstream_not_ok,
                    "charset \"" + std::string(shown) + "\" of the answer is not supported here");
    const std::unique_ptr<void, IconvClose> handle(raw);
    std::string out(body.size() * 3 + 16, '\0');  // no character of these sets needs more than three times its bytes
    char* in_at = const_cast<char*>(body.data());
    char* out_at = out.data();
    std::size_t in_left = body.size(), out_left = out.size();
    if (iconv(handle.get(), &in_at, &in_left, &out_at, &out_left) == static_cast<std::size_t>(-1))
        return fail(Reason::upstream_not_ok, "answer is not in its declared charset \"" + std::string(shown) + "\"")
            .with_detail("Byte " + std::to_string(body.size() - in_left) + " is no character of it.");
    out.resize(out.size() - out_left);
    return out;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\"'");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\"'") - first + 1);
}

}  // namespace

std::string declared_charset(std::string_view content_type) {
    for (auto at = content_type.find(';'); at != std::string_view::npos;) {
        content_type.remove_prefix(at + 1);
        at = content_type.find(';');
        const std::string_view parameter = trimmed(content_type.substr(0, at));
        if (equals_ignoring_case(parameter.substr(0, 8), "charset=")) return ascii_lower(trimmed(parameter.substr(8)));
    }
    return {};
}

Result<std::string> to_utf8(std::string body, std::string_view content_type) {
    const std::string charset = declared_charset(content_type);
    if (body.starts_with("\xFF\xFE"sv) || body.starts_with("\xFE\xFF"sv)) return convert(body, "UTF-16", "utf-16");
    if (charset.empty() || charset == "utf-8" || charset == "utf8" || charset == "us-ascii" || charset == "ascii")
        return body;
    for (const auto& [name, converter] : kCharsets)
        if (charset == name) return convert(body, converter, charset);
    return fail(Reason::upstream_not_ok, "charset \"" + charset.substr(0, 40) + "\" of the answer is not supported");
}

}  // namespace pg_pull::rest
