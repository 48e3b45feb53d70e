#include "source/postgres/connection_error.h"

#include <algorithm>

namespace pg_pull::postgres {
namespace {

constexpr std::size_t part_limit = 1000;

std::string sentence(std::string text) {
    if (!text.empty() && text.back() != '.' && text.back() != '?' && text.back() != '!') text += '.';
    return text;
}

void add_part(std::string& detail, std::string_view label, const std::string& text, const Redactor& redactor) {
    if (text.empty()) return;
    if (!detail.empty()) detail += ' ';
    detail.append(label).append(": ").append(sentence(excerpt(text, redactor, part_limit)));
}

bool speaks_of_remote_only(std::string_view sqlstate) {
    if (sqlstate.size() != 5) return false;
    const std::string_view state_class = sqlstate.substr(0, 2);
    return state_class != "57" && state_class != "53" && state_class != "58" && state_class != "XX";
}

bool is_state(std::string_view text) {
    return text.size() == 5 && std::all_of(text.begin(), text.end(),
                                           [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); });
}

/// Verbose messages read `FATAL:  28P01: password …`; the severity may be in any language.
std::size_t find_state(std::string_view text) {
    for (std::size_t at = text.find(":  "); at != std::string_view::npos; at = text.find(":  ", at + 1)) {
        const std::string_view rest = text.substr(at + 3);
        if (rest.size() > 7 && is_state(rest.substr(0, 5)) && rest.substr(5, 2) == ": ") return at + 3;
    }
    return std::string_view::npos;
}

/// Without `LOCATION:  …`, which verbose messages end with, and without the line ends.
std::string joined_lines(std::string_view text) {
    std::string joined;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        if (line.empty() || line.starts_with("LOCATION:")) continue;
        joined.append(joined.empty() ? "" : " ").append(line);
    }
    return joined;
}

}  // namespace

Error remote_failure(const std::string& what, const RemoteError& remote, const Redactor& redactor) {
    Error error = fail(Reason::upstream_not_ok, "could not " + what);
    add_part(error.detail, "Remote error " + remote.sqlstate, remote.message, redactor);
    add_part(error.detail, "Remote detail", remote.detail, redactor);
    add_part(error.detail, "Remote context", remote.context, redactor);
    if (!remote.hint.empty()) error.hint = "Remote hint: " + excerpt(remote.hint, redactor, part_limit);
    if (speaks_of_remote_only(remote.sqlstate)) error.sqlstate = remote.sqlstate;
    return error;
}

Error connect_failure(const std::string& what, std::string_view text, const Redactor& redactor) {
    const std::size_t state = find_state(text);
    const std::string shown = excerpt(joined_lines(text), redactor, part_limit);
    if (state == std::string_view::npos)
        return fail(Reason::network, "could not " + what)
            .with_detail("libpq: " + sentence(shown.empty() ? "no connection" : shown));
    const std::string_view sqlstate = text.substr(state, 5);
    Error error = fail(Reason::upstream_not_ok, "could not " + what).with_detail("Remote error: " + sentence(shown));
    // starting up, shutting down, no slot free: it may pass, like a network's trouble
    if (!speaks_of_remote_only(sqlstate))
        error.reason = Reason::network;
    else
        error.sqlstate = sqlstate;
    if (sqlstate == "28P01" || sqlstate == "28000")
        error.hint = "Check the user in conninfo and the password that credential_ref names.";
    return error;
}

}  // namespace pg_pull::postgres
