#include "core/json/path.h"

#include <algorithm>
#include <utility>

namespace pg_pull {
namespace {

Error bad_path(std::string_view text, std::string_view why) {
    return fail(Reason::invalid_configuration, "invalid path \"" + std::string(text) + "\": " + std::string(why));
}

/// One step of a pointer, `~1` and `~0` taken back (RFC 6901 section 4). False: a `~` with anything else behind it.
bool unescape_step(std::string_view step, std::string& out) {
    out.clear();
    for (std::size_t i = 0; i < step.size(); ++i) {
        if (step[i] != '~') {
            out += step[i];
            continue;
        }
        if (++i == step.size() || (step[i] != '0' && step[i] != '1')) return false;
        out += step[i] == '0' ? '~' : '/';
    }
    return true;
}

}  // namespace

bool Path::has_wildcard() const noexcept {
    return !pointer && std::find(steps.begin(), steps.end(), "*") != steps.end();
}

Result<Path> parse_path(std::string_view text) {
    if (text.empty()) return bad_path(text, "it is empty");
    Path path;
    path.text = text;
    path.pointer = text.front() == '/';
    const char border = path.pointer ? '/' : '.';
    std::string_view rest = path.pointer ? text.substr(1) : text;
    std::string step;
    while (true) {
        const std::size_t end = rest.find(border);
        const std::string_view raw = rest.substr(0, end);
        if (path.pointer) {
            if (!unescape_step(raw, step)) return bad_path(text, "\"~\" must be followed by 0 or 1");
            path.steps.push_back(step);
        } else {
            if (raw.empty()) return bad_path(text, "a step is empty");
            path.steps.emplace_back(raw);
        }
        if (end == std::string_view::npos) return path;
        rest.remove_prefix(end + 1);
    }
}

}  // namespace pg_pull
