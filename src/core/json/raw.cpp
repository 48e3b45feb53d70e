#include "core/json/raw.h"

#include <unordered_map>
#include <vector>

#include "core/json/lookup.h"

namespace pg_pull {
namespace {

/// The members' values in the order of their first appearance, each key once with its last value.
std::vector<std::string_view> member_values(std::string_view object) {
    std::vector<std::string_view> values;
    std::unordered_map<std::string, std::size_t> places;
    std::string key;
    for_each_member(object, [&](std::string_view inside, std::string_view value) {
        key.clear();
        append_decoded_leniently(inside, key);
        const auto [place, is_new] = places.try_emplace(key, values.size());
        if (is_new)
            values.push_back(value);
        else
            values[place->second] = value;
    });
    return values;
}

}  // namespace

RawType raw_type(std::string_view raw) noexcept {
    switch (raw.empty() ? 'n' : raw.front()) {
        case '"':
            return RawType::string;
        case '{':
            return RawType::object;
        case '[':
            return RawType::array;
        case 't':
        case 'f':
            return RawType::boolean;
        case 'n':
            return RawType::null;
        default:
            return RawType::number;
    }
}

std::string_view raw_type_name(std::string_view raw) noexcept {
    switch (raw_type(raw)) {
        case RawType::string:
            return "a string";
        case RawType::object:
            return "an object";
        case RawType::array:
            return "an array";
        case RawType::boolean:
            return "a boolean";
        case RawType::number:
            return "a number";
        case RawType::null:
            break;
    }
    return "null";
}

bool raw_key_is(std::string_view inside, std::string_view name) {
    if (inside == name) return inside.find('\\') == std::string_view::npos;
    if (inside.find('\\') == std::string_view::npos) return false;
    std::string key;
    append_decoded_leniently(inside, key);
    return key == name;
}

std::string_view raw_child(std::string_view raw, std::string_view step) {
    std::string_view found;
    if (raw_type(raw) == RawType::object) {
        for_each_member(raw, [&](std::string_view key, std::string_view value) {
            if (raw_key_is(key, step)) found = value;
        });
    } else if (raw_type(raw) == RawType::array) {
        const auto wanted = index_of_step(step);
        if (!wanted) return found;
        std::size_t index = 0;
        for_each_element(raw, [&](std::string_view value) {
            if (index++ == *wanted) found = value;
        });
    }
    return found;
}

void visit_raw(std::string_view raw, const Path& path, std::size_t first_step,
               const std::function<void(std::string_view)>& visit) {
    if (first_step == path.steps.size()) return visit(raw);
    const std::string& step = path.steps[first_step];
    if (step != "*" || path.pointer) {
        const std::string_view child = raw_child(raw, step);
        if (!child.empty()) visit_raw(child, path, first_step + 1, visit);
        return;
    }
    const auto descend = [&](std::string_view value) { visit_raw(value, path, first_step + 1, visit); };
    if (raw_type(raw) == RawType::array) {
        for_each_element(raw, descend);
    } else if (raw_type(raw) == RawType::object) {
        for (const std::string_view value : member_values(raw)) descend(value);
    }
}

}  // namespace pg_pull
