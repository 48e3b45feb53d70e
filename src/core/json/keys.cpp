#include "core/json/keys.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace pg_pull {
namespace {

/// Keys longer than this are no slip of the pen; it bounds the quadratic comparison.
constexpr std::size_t kLongestCompared = 64;

/// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment), case ignored.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    std::iota(above.begin(), above.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, above);
        std::swap(above, row);
    }
    return above[b.size()];
}

}  // namespace

std::string nearest_key(std::string_view key, std::initializer_list<std::string_view> known) {
    return nearest_key(key, std::span(known.begin(), known.size()));
}

std::string nearest_key(std::string_view key, std::span<const std::string_view> known) {
    if (key.empty() || key.size() > kLongestCompared) return {};
    std::string_view best;
    std::size_t best_distance = std::max<std::size_t>(key.size() / 3, 2) + 1;
    for (const std::string_view candidate : known) {
        const std::size_t distance = edit_distance(key, candidate);
        if (distance < best_distance && distance < candidate.size()) {
            best = candidate;
            best_distance = distance;
        }
    }
    return std::string(best);
}

Result<void> check_keys(const nlohmann::json& object, std::string_view where,
                        std::initializer_list<std::string_view> known) {
    if (!object.is_object()) return fail(Reason::invalid_configuration, std::string(where) + " must be a JSON object");
    for (const auto& item : object.items()) {
        const std::string& key = item.key();
        if (std::find(known.begin(), known.end(), key) != known.end()) continue;
        Error error = fail(Reason::unknown_key, std::string(where) + " has no key \"" + key + "\"");
        std::string list;
        for (const std::string_view name : known) list.append(list.empty() ? "\"" : ", \"").append(name).append("\"");
        const std::string near = nearest_key(key, known);
        if (!near.empty())
            error.hint = "Did you mean \"" + near + "\"?";
        else if (!list.empty())
            error.hint = "Known keys are " + list + ".";
        if (!near.empty()) error.detail = "Known keys are " + list + ".";
        return error;
    }
    return {};
}

}  // namespace pg_pull
