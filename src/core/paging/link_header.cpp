#include "core/paging/link_header.h"

#include <algorithm>

#include "core/base/encoding.h"

namespace pg_pull {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

/// RFC 8288 appendix B.2, forgiving: what does not fit is skipped.
class LinkParser {
public:
    explicit LinkParser(std::string_view text) : rest_(text) {}

    std::vector<Link> parse() {
        std::vector<Link> links;
        while (skip_to_target()) {
            const std::size_t end = rest_.find('>');
            if (end == std::string_view::npos) break;
            Link link;
            link.target = trimmed(rest_.substr(0, end));
            rest_.remove_prefix(end + 1);
            read_parameters(link);
            links.push_back(std::move(link));
        }
        return links;
    }

private:
    /// Behind the next `<`; one within a quoted text does not count.
    bool skip_to_target() {
        while (!rest_.empty() && rest_.front() != '<') {
            if (rest_.front() == '"')
                quoted();
            else
                rest_.remove_prefix(1);
        }
        if (rest_.empty()) return false;
        rest_.remove_prefix(1);
        return true;
    }

    /// `;name=value` as often as it comes; stops at the comma before the next link.
    void read_parameters(Link& link) {
        bool has_rel = false;
        while (true) {
            skip_space();
            if (!rest_.starts_with(';')) return;
            rest_.remove_prefix(1);
            skip_space();
            const std::size_t end = std::min(rest_.find_first_of("=;,\" \t"), rest_.size());
            const std::string name = ascii_lower(rest_.substr(0, end));
            rest_.remove_prefix(end);
            skip_space();
            std::string value;
            if (rest_.starts_with('=')) {
                rest_.remove_prefix(1);
                skip_space();
                value = read_value();
            }
            if (name == "anchor") link.has_anchor = true;
            // Section 3.3: the first rel counts, others are ignored.
            if (name == "rel" && !has_rel) add_rels(value, link);
            has_rel = has_rel || name == "rel";
        }
    }

    std::string read_value() {
        if (rest_.starts_with('"')) return quoted();
        const std::size_t end = std::min(rest_.find_first_of(";,"), rest_.size());
        std::string value(trimmed(rest_.substr(0, end)));
        rest_.remove_prefix(end);
        return value;
    }

    /// A quoted text without quotes and backslashes; one that never ends reaches to the end.
    std::string quoted() {
        std::string value;
        std::size_t i = 1;
        for (; i < rest_.size() && rest_[i] != '"'; ++i) {
            if (rest_[i] == '\\' && i + 1 < rest_.size()) ++i;
            value.push_back(rest_[i]);
        }
        rest_.remove_prefix(std::min(i + 1, rest_.size()));
        return value;
    }

    static void add_rels(const std::string& value, Link& link) {
        std::string_view rest = value;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
            if (end > 0) link.rels.push_back(ascii_lower(rest.substr(0, end)));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }

    void skip_space() {
        while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    }

    std::string_view rest_;
};

}  // namespace

std::vector<Link> parse_links(std::string_view value) { return LinkParser(value).parse(); }

std::optional<std::string> find_link(const Headers& headers, std::string_view rel) {
    const std::string wanted = ascii_lower(rel);
    for (const auto& [name, value] : headers) {
        if (!equals_ignoring_case(name, "link")) continue;
        for (Link& link : parse_links(value))
            if (!link.has_anchor && std::find(link.rels.begin(), link.rels.end(), wanted) != link.rels.end())
                return std::move(link.target);
    }
    return std::nullopt;
}

}  // namespace pg_pull
